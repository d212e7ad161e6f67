package rest

import (
	"bytes"
	"context"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/query"
)

// The bounds of a page.
const (
	// DefaultLimit is the number of records in a page whose request does not say how many.
	DefaultLimit = query.DefaultLimit
	// MaxLimit is the most records of one page.
	MaxLimit = query.MaxLimit
	// MaxSkip is the most records that may be left out before a page.
	MaxSkip = 100_000
	// MaxPage is the size in bytes at which a page ends, if it has a record by then.
	MaxPage = 1 << 20
)

// list serves GET /{resource}: a page of records in order of creation, and a link to the next.
func (r *documents) list(c *gin.Context) error {
	q, values, err := r.query(r.server.cursors.Given(c.Request))
	if err != nil {
		return err
	}
	q.Settled = true
	if reference, is := q.Equal[referenceIndex]; is {
		q.Equal[referenceIndex] = r.references(c.Request.Context(), reference)[0]
	}
	docs, more, err := r.page(c.Request.Context(), q)
	if err != nil {
		return err
	}
	if more {
		last := docs[len(docs)-1].ID
		values.Del("skip")
		values.Set("cursor", base64.RawURLEncoding.EncodeToString(last[:]))
		values.Set("limit", strconv.Itoa(q.Limit))
		path := "/" + r.resource
		next := r.server.cursors.Next(c.Request.Context(), path, values)
		c.Writer.Header().Set("Link", "<"+path+"?"+next+`>; rel="next"`)
	}
	size := 2
	for _, doc := range docs {
		size += len(doc.Body) + 1
	}
	held := pages.Get().(*[]byte)
	defer giveBack(held)
	page := append(slices.Grow((*held)[:0], size), '[')
	now := r.server.Now()
	for i, doc := range docs {
		body, err := r.showing(c.Request.Context(), doc, now)
		if err != nil {
			return err
		}
		if i > 0 {
			page = append(page, ',')
		}
		page = append(page, body...)
	}
	page = append(page, ']')
	*held = page
	send(c, http.StatusOK, page)
	return nil
}

// page returns the documents that a query finds, up to its limit and MaxPage, and whether there are more.
func (r *documents) page(ctx context.Context, q docstore.Query) (docs []docstore.Document, more bool, err error) {
	limit := q.Limit
	q.Limit++ // one more shows whether there is a next page
	q.Bytes = MaxPage
	if docs, err = r.collection.Find(ctx, request.OrganisationFrom(ctx), q); err != nil {
		return nil, false, err
	}
	if fits := len(docs) - 1; fits == limit || fits > 0 && docs[fits].Body == nil {
		return docs[:fits], true, nil
	}
	return docs, false, nil
}

// Part returns the records that an index holds for a value, up to a limit and MaxPage. Some are left out before.
// Errors:
// docstore.ErrUnavailable.
func (r *documents) Part(ctx context.Context, index, value string, skip, limit int) (query.Part, error) {
	docs, more, err := r.page(ctx, docstore.Query{Equal: docstore.Keys{index: value}, Skip: skip, Limit: limit})
	result := query.Part{Records: make([]query.Shown, 0, len(docs)), More: more}
	for _, doc := range docs {
		body, err := r.showing(ctx, doc, r.server.Now())
		if err != nil {
			return result, err
		}
		result.Records = append(result.Records, query.Shown{Resource: r.resource, ID: doc.ID.String(), Record: body})
	}
	return result, err
}

// pages holds the memory of pages that have been sent.
var pages = sync.Pool{New: func() any { return new([]byte) }}

// largestKept is the size in bytes of the largest page whose memory is kept for another.
const largestKept = 64 << 10

func giveBack(page *[]byte) {
	if cap(*page) <= largestKept {
		pages.Put(page)
	}
}

// temporary reports, from the body of a record, whether its state may be one that gives way to another by itself. It
// looks at the text alone, and may take a member of an object within the record for the status.
func (r *documents) temporary(body []byte) bool {
	return slices.ContainsFunc(r.passing, func(member []byte) bool { return bytes.Contains(body, member) })
}

// query reads the parameters of a list. Every one that is unknown, repeated or malformed is a violation.
func (r *documents) query(raw string) (docstore.Query, url.Values, error) {
	q := docstore.Query{Equal: docstore.Keys{}, Limit: DefaultLimit}
	if r.shared() {
		q.Equal[resourceIndex] = r.resource
	}
	if raw == "" {
		return q, url.Values{}, nil
	}
	values, err := query.Parse(raw)
	if err != nil {
		return q, nil, err
	}
	err = query.Each(values, func(name, value string) (wrong string) {
		switch name {
		case "limit":
			return query.Whole(value, 1, MaxLimit, &q.Limit)
		case "skip":
			if wrong = query.Whole(value, 0, MaxSkip, &q.Skip); wrong != "" {
				wrong += "; follow the cursor of the Link header to go further"
			}
			return wrong
		case "cursor":
			id, err := base64.RawURLEncoding.DecodeString(value)
			if err != nil || len(id) != len(uuid.UUID{}) {
				return "is no cursor of this list; take it from the Link header"
			}
			copy(q.After[:], id)
			return ""
		}
		filter, known := r.params[name]
		switch {
		case !known:
			return "is not known here; known are " + strings.Join(r.known(), ", ")
		case value == "":
			return "is empty"
		case !utf8.ValidString(value):
			return "is not UTF-8"
		case len(value) > maxFilter:
			return "is longer than " + strconv.Itoa(maxFilter) + " bytes"
		default:
			return filter.apply(value, &q)
		}
	})
	return q, values, err
}

// maxFilter is the greatest length of a filter's value, in bytes.
const maxFilter = 1024

// pagingParameters are what every list takes.
var pagingParameters = []string{"limit", "cursor", "skip"}

// known returns the parameters that the list takes.
func (r *documents) known() []string {
	return append(slices.Clone(pagingParameters), slices.Sorted(maps.Keys(r.params))...)
}

// past returns the extensions that show what records of a type were before.
func (r *documents) past(record reflect.Type) []Extension {
	instants, details := []string{"at"}, ""
	if r.begins != nil {
		instants = []string{"effective", "knownAt"}
		details = "With effective, the version that counts at that instant by its effectiveDate, as it was known at " +
			"the instant at, which is now if it is left out. The response also says effectiveDate, since when the " +
			"version counts, and coverEnds, where events have set these"
	}
	return []Extension{{
		Path: ExtensionPrefix + "/history/" + r.resource + "/{id}", Method: http.MethodGet,
		Resource: r.resource, Summary: "What happened to one " + r.resource + ", oldest first",
		Response:   reflect.TypeFor[history.History](),
		Parameters: []string{"limit", "cursor"},
		respond:    func(c *gin.Context) error { return r.history(c, c.Param("id")) },
	}, {
		Path: ExtensionPrefix + "/asof/" + r.resource + "/{id}", Method: http.MethodGet,
		Resource: r.resource, Summary: "One " + r.resource + " as it was at an instant", Response: record,
		IsRecord:   true,
		Parameters: instants, Details: details,
		respond: func(c *gin.Context) error { return r.asOf(c, c.Param("id")) },
	}}
}

// history serves GET /x/history/{resource}/{id}.
func (r *documents) history(c *gin.Context, id string) error {
	query, err := history.ParseQuery(r.server.cursors.Given(c.Request))
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	doc, err := r.existing(ctx, id)
	if err != nil {
		return err
	}
	page, next, err := r.log.Page(ctx, query, doc)
	if err != nil {
		return err
	}
	if next != nil {
		path := ExtensionPrefix + "/history/" + r.resource + "/" + page.ID
		c.Writer.Header().Set("Link", "<"+path+"?"+r.server.cursors.Next(ctx, path, next)+`>; rel="next"`)
	}
	return writeJSON(c, page)
}

// readAt returns the record of a document as it was read at an instant, its entity tag and its version then. Errors: as
// history.Log.VersionAt.
func (r *documents) readAt(
	ctx context.Context, doc docstore.Document, at time.Time,
) (body []byte, tag string, version int64, err error) {
	was, err := r.log.VersionAt(ctx, doc, at)
	if err != nil {
		return nil, "", 0, err
	}
	body, tag, err = r.readVersion(ctx, was, was, at)
	return body, tag, was.Version, err
}

// readVersion returns a version of a record as it was read at an instant, and its entity tag. last is the version that
// was written last until then, which says when cover ends.
func (r *documents) readVersion(
	ctx context.Context, was, last docstore.Document, at time.Time,
) (body []byte, tag string, err error) {
	if body, tag, err = r.shownAt(was, at); err != nil {
		return nil, "", err
	}
	if r.begins != nil {
		body, err = withDatesOf(was, last, body)
	}
	if err != nil || r.recalled == nil {
		return body, tag, err
	}
	recalled, set, err := r.recalled(ctx, was, at)
	if set {
		// No version reads so.
		body, tag = recalled, strings.TrimSuffix(tag, `"`)+`-recalled"`
	}
	return body, tag, err
}

// asOf serves GET /x/asof/{resource}/{id}?at=INSTANT: the record as it was read at that instant. Where actions have
// effective dates, effective=INSTANT asks for the version that counts then, as it was known at the other instant, or is
// known now.
func (r *documents) asOf(c *gin.Context, id string) error {
	instants := []string{"at"}
	if r.begins != nil {
		instants = append(instants, "effective")
	}
	asked, err := history.Instants(c.Request.URL.RawQuery, instants...)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	doc, err := r.existing(ctx, id)
	if err != nil {
		return err
	}
	at, past := asked["at"]
	if !past {
		at = r.server.Now()
	} else if doc, err = r.log.VersionAt(ctx, doc, at); err != nil {
		return err
	}
	last := doc
	if effective, is := asked["effective"]; is {
		begins, err := r.begins(doc)
		if err != nil {
			return err
		}
		if effective.Before(begins) {
			return problem.New(problem.NotFound, "The "+r.resource+" "+id+" counts from "+
				begins.Format(time.RFC3339Nano)+" on.")
		}
		if doc, err = r.log.InEffect(ctx, doc, effective); err != nil {
			return err
		}
	}
	body, tag, err := r.readVersion(ctx, doc, last, at)
	if err != nil {
		return err
	}
	return sendTagged(c, body, tag)
}

// withDatesOf returns the body of a version with since when it counts, as far as events have set it, and when cover
// ends, as the version says that was written last.
func withDatesOf(doc, last docstore.Document, body []byte) ([]byte, error) {
	state, err := history.Decode(doc.State)
	if err == nil && last.Version != doc.Version {
		var written history.State
		written, err = history.Decode(last.State)
		state.History.CoverEnds = written.History.CoverEnds
	}
	if err != nil {
		return nil, err
	}
	dates, err := withDates(nil, body, &state.History)
	if err != nil {
		return nil, err
	}
	return withMembers(body, dates)
}
