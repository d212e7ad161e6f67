package rest

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
)

// The bounds of a page.
const (
	// DefaultLimit is the number of records in a page whose request does not say how many.
	DefaultLimit = 50
	// MaxLimit is the most records of one page.
	MaxLimit = 200
	// MaxSkip is the most records that may be left out before a page.
	MaxSkip = 100_000
)

// list serves GET /{resource}: a page of records in order of creation, and a link to the next.
func (r *Records[T]) list(c *gin.Context) error {
	q, values, err := r.query(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	limit := q.Limit
	q.Limit++ // one more shows whether there is a next page
	docs, err := r.collection.Find(c.Request.Context(), q)
	if err != nil {
		return err
	}
	if len(docs) > limit {
		docs = docs[:limit]
		last := docs[limit-1].ID
		values.Del("skip")
		values.Set("cursor", base64.RawURLEncoding.EncodeToString(last[:]))
		values.Set("limit", strconv.Itoa(limit))
		c.Writer.Header().Set("Link", "</"+r.Name+"?"+values.Encode()+`>; rel="next"`)
	}
	size := 2
	for _, doc := range docs {
		size += len(doc.Body) + 1
	}
	page := append(make([]byte, 0, size), '[')
	for i, doc := range docs {
		body, _, err := r.shown(doc)
		if err != nil {
			return err
		}
		if i > 0 {
			page = append(page, ',')
		}
		page = append(page, body...)
	}
	c.Data(http.StatusOK, mediaType, append(page, ']'))
	return nil
}

// query reads the parameters of a list. Every one that is unknown, repeated or malformed is a violation.
func (r *Records[T]) query(raw string) (docstore.Query, url.Values, error) {
	q := docstore.Query{Equal: docstore.Keys{}, Limit: DefaultLimit}
	if r.shared() {
		q.Equal[resourceIndex] = r.Name
	}
	if raw == "" {
		return q, url.Values{}, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, nil, malformedQuery(raw, err)
	}
	p := problem.New(problem.BadParameter, "The query has parameters that this list does not take, or takes in another form.")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		wrong := ""
		switch value := values[name][0]; {
		case len(values[name]) > 1:
			wrong = "is sent more than once"
		case name == "limit":
			wrong = whole(value, 1, MaxLimit, &q.Limit)
		case name == "skip":
			if wrong = whole(value, 0, MaxSkip, &q.Skip); wrong != "" {
				wrong += "; follow the cursor of the Link header to go further"
			}
		case name == "cursor":
			id, err := base64.RawURLEncoding.DecodeString(value)
			if err != nil || len(id) != len(uuid.UUID{}) {
				wrong = "is no cursor of this list; take it from the Link header"
			}
			copy(q.After[:], id)
		default:
			filter, known := r.params[name]
			switch {
			case !known:
				wrong = "is not known here; known are " + strings.Join(r.known(), ", ")
			case value == "":
				wrong = "is empty"
			case !utf8.ValidString(value):
				wrong = "is not UTF-8"
			case len(value) > maxFilter:
				wrong = "is longer than " + strconv.Itoa(maxFilter) + " bytes"
			default:
				wrong = filter.apply(value, &q)
			}
		}
		if wrong != "" {
			p.InParameter(short(name), wrong)
		}
	}
	if len(p.Violations) > 0 {
		return q, nil, p
	}
	return q, values, nil
}

// maxFilter is the greatest length of a filter's value, in bytes.
const maxFilter = 1024

// pagingParameters are what every list takes.
var pagingParameters = []string{"limit", "cursor", "skip"}

// known returns the parameters that the list takes.
func (r *Records[T]) known() []string {
	return append(slices.Clone(pagingParameters), slices.Sorted(maps.Keys(r.params))...)
}

// whole reads a number written in digits alone. It returns what is wrong with any other value.
func whole(value string, least, most int, to *int) (wrong string) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most || strings.Trim(value, "0123456789") != "" {
		return "must be a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most) + ", in digits"
	}
	*to = n
	return ""
}

// malformedQuery refuses a query that cannot be taken apart into parameters.
func malformedQuery(raw string, cause error) error {
	return problem.New(problem.BadParameter, "The query cannot be read: it has a wrong percent sign or a semicolon.").
		InParameter(short(raw), "cannot be read").Because(cause)
}

// noParameters refuses a query where none is taken.
func noParameters(raw string) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return malformedQuery(raw, err)
	}
	if len(values) == 0 {
		return nil
	}
	p := problem.New(problem.BadParameter, "This operation takes no parameters.")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p.InParameter(short(name), "is not known here")
	}
	return p
}
