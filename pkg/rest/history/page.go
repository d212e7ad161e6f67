package history

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/query"
)

// History is the response to GET /x/history.
//
// A page of what happened to a record, oldest first. The Link header leads to the next page.
type History struct {
	// The resource of the record.
	Resource string `json:"resource"`
	// The id of the record.
	ID string `json:"id"`
	// How often the record was written.
	Version int64 `json:"version"`
	// What happened, oldest first.
	History []Entry `json:"history"`
}

const (
	// formersAtOnce is the number of former versions that are read at once.
	formersAtOnce = 8
	// historyBytes ends a page of a history early: no event begins after so many bytes of changes.
	historyBytes = 1 << 20
)

// Log reads what happened to the records of a resource.
type Log struct {
	Resource string
	// Formers holds the former versions of the records.
	Formers docstore.History
	Now     func() time.Time
	// Recalls says that what the service itself has altered can be found out for any instant.
	Recalls bool
}

// Page returns the page of the history of a record that a query asks for, and the query of the next page, nil on the
// last one. Errors: docstore.ErrUnavailable, *docstore.AlteredError.
func (l *Log) Page(ctx context.Context, q Query, doc docstore.Document) (History, url.Values, error) {
	page := &eventPage{limit: q.limit, last: q.after, events: []Entry{}}
	if err := l.fill(ctx, page, doc); err != nil {
		return History{}, nil, err
	}
	var next url.Values
	if page.more {
		next = url.Values{"limit": {strconv.Itoa(page.limit)}, "cursor": {page.last.cursor()}}
	}
	return History{l.Resource, doc.ID.String(), doc.Version, page.events}, next, nil
}

// eventPage is a page of a history under way.
type eventPage struct {
	limit  int
	events []Entry
	bytes  int
	// last is the last event that this page, or the one before it, has.
	last place
	// more says that at least one event follows.
	more bool
}

// place is an event in a history: its number, and the version of the record that has it.
type place struct{ version, number int64 }

func (p place) cursor() string {
	encoded := binary.BigEndian.AppendUint64(nil, uint64(p.version))
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(encoded, uint64(p.number)))
}

// Query is what a request for a page asks for.
type Query struct {
	limit int
	after place
}

// ParseQuery reads the parameters of a request for a page.
func ParseQuery(raw string) (Query, error) {
	q := Query{limit: query.DefaultLimit}
	values, err := query.Parse(raw)
	if err != nil {
		return q, err
	}
	err = query.Each(values, func(name, value string) (wrong string) {
		switch name {
		case "limit":
			return query.Whole(value, 1, query.MaxLimit, &q.limit)
		case "cursor":
			encoded, err := base64.RawURLEncoding.DecodeString(value)
			if err != nil || len(encoded) != 16 || encoded[0] > 127 || encoded[8] > 127 {
				return "is no cursor of this history; take it from the Link header"
			}
			q.after = place{int64(binary.BigEndian.Uint64(encoded)), int64(binary.BigEndian.Uint64(encoded[8:]))}
			return ""
		default:
			return "is not known here; known are limit, cursor"
		}
	})
	return q, err
}

// fill adds the events of a document and of its former versions to the page. The document was read first, so that each
// of its former versions is there.
func (l *Log) fill(ctx context.Context, page *eventPage, doc docstore.Document) error {
	after := page.last.version - 1
	for {
		var formers []docstore.Former
		if after < doc.Version-1 {
			var err error
			formers, err = l.Formers.Formers(ctx, request.OrganisationFrom(ctx), doc.ID, after, formersAtOnce)
			if err != nil {
				return err
			}
		}
		if len(formers) == 0 {
			return l.take(ctx, page, doc, doc.Version, doc.State, doc.Digest)
		}
		for _, former := range formers {
			if after = former.Version; after >= doc.Version {
				break
			}
			err := l.take(ctx, page, doc, former.Version, former.State, former.Digest)
			if err != nil || page.more {
				return err
			}
		}
	}
}

// take adds the events of one version to the page, and notes whether there are more than fit. Events that the page
// has, it does not take again: where the service itself alters a record, its next version has the same ones.
func (l *Log) take(
	ctx context.Context, page *eventPage, doc docstore.Document, version int64, encoded []byte, digest docstore.Digest,
) error {
	head, err := l.headOf(doc.ID, version, encoded, digest)
	if err != nil {
		return err
	}
	for _, event := range head.Events {
		if event.Number <= page.last.number {
			continue
		}
		if len(page.events) == page.limit || page.bytes > historyBytes {
			page.more = true
			return nil
		}
		page.events = append(page.events, event.shownTo(request.OrganisationFrom(ctx), doc.Owner))
		page.bytes += len(event.Change)
		page.last = place{version, event.Number}
	}
	return nil
}

// shownTo returns the event of a record as an organisation sees it: of another organisation, no person is named. An
// event from before organisations shared the exchange is its owner's.
func (e Entry) shownTo(who seeing, owner string) Entry {
	if by := cmp.Or(e.Organisation, owner); !who.Sees(by) {
		e.By, e.Organisation = by, by
	}
	return e
}

// seeing is an organisation that looks.
type seeing interface{ Sees(owner string) bool }

// UsedBefore returns the latest use of a key in the former versions of a record, nil if there is none.
func (l *Log) UsedBefore(ctx context.Context, id uuid.UUID, present *Head, name string) (*UsedKey, error) {
	former, err := l.Formers.FormerByKey(ctx, request.OrganisationFrom(ctx), id, name)
	if errors.Is(err, docstore.ErrNotFound) && present.Keys > 0 {
		former, err = l.Formers.Former(ctx, request.OrganisationFrom(ctx), id, present.Keys)
	}
	if errors.Is(err, docstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	state, err := Decode(former.State)
	if err != nil {
		return nil, fmt.Errorf("stored %s %s: state of version %d: %w", l.Resource, id, former.Version, err)
	}
	return state.History.Use(name), nil
}
