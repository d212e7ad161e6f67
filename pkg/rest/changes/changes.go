// Package changes reads the log of changes of a service. It adds to each version what a feed says about it: what
// happened, when, and to which policy. It returns nothing else of the records unless a reader asks for them.
package changes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/query"
)

// Path begins the path of the internal operation that returns a page: GET {after}?limit=&records=. Its callers know it
// from the contract of the service.
const Path = "/internal/changes/"

// The places in a log that callers name without having read it.
const (
	// Oldest is before the oldest entry.
	Oldest = "oldest"
	// Now is after the entries that there are.
	Now = "now"
)

// Page is some entries of the log of a service, in order.
type Page struct {
	Changes []Change `json:"changes"`
	// Next is the position after the page, and Watermark an instant that no entry after it is before.
	Next      docstore.Position `json:"next"`
	Watermark time.Time         `json:"watermark"`
}

// Change is one version of a record.
type Change struct {
	Resource string    `json:"resource"`
	ID       uuid.UUID `json:"id"`
	Version  int64     `json:"version"`
	// Type is what happened, such as created or endorsed.
	Type string `json:"type"`
	// Time is when it happened by the clock of the service, and Logged when the store wrote it, by which the logs of
	// several services are merged.
	Time   time.Time `json:"time"`
	Logged time.Time `json:"logged"`
	// PolicyNumber is the policy number that the record has now, and Status is the state that the version was written
	// in. Each is empty where the record has none.
	PolicyNumber string `json:"policyNumber,omitzero"`
	Status       string `json:"status,omitzero"`
	// EffectiveDate is from when on what the version changed counts, and CoverEnds when cover ends because of it; each
	// is zero where its event did not set it.
	EffectiveDate time.Time `json:"effectiveDate,omitzero"`
	CoverEnds     time.Time `json:"coverEnds,omitzero"`
	// Owner is the name of the organisation that owns the record; empty where organisations do not share the exchange.
	Owner string `json:"owner,omitzero"`
	// Public says that every organisation sees the record.
	Public bool `json:"public,omitzero"`
	// Shared says that the organisations with which its policy is shared see the record too.
	Shared bool `json:"shared,omitzero"`
	// Contract is the reference of the contract that the entry is about, whose counterparty sees the entry as well;
	// empty for other entries.
	Contract string `json:"contract,omitzero"`
	// Href is the path of what the entry is about, where it is not that of a record of the resource.
	Href string `json:"href,omitzero"`
	// Record is the record as the version was written, where records are asked for. It is absent for a version that was
	// not kept, whose next one has what it had, and for what is no record.
	Record jsontext.Value `json:"record,omitzero"`
	// MadeOf is the id of the record that an action has made this one of; empty for others.
	MadeOf string `json:"madeOf,omitzero"`
	// Position is the place after the entry.
	Position docstore.Position `json:"position"`
}

// Log is the log of a service.
type Log struct {
	changes docstore.Changes
	of      map[string]Source
}

// Source is a collection that has entries in the log.
type Source struct {
	docstore.Collection
	// Public says that every organisation sees its documents.
	Public bool
	// Shared says that the organisations with which the policy of a document is shared see the document too.
	Shared bool
	// Happened says what the version of a document is about that is no record of a resource. It is nil for records.
	Happened func(present docstore.Document, version int64) (Happening, error)
}

// Happening is what an entry says of a version of a document that is no record.
type Happening struct {
	// Resource and Type name what has happened, as those of a Change; Status is the state afterwards, and Href the path
	// of what it has happened to.
	Resource, Type, Status, Href string
	// Contract is as that of a Change.
	Contract string
	// Time is when it happened; zero for when it was logged.
	Time time.Time
}

// Of returns the log of the store that has these collections, by name. Errors: there is none.
func Of(sources map[string]Source) (*Log, error) {
	l := &Log{of: sources}
	for _, from := range sources {
		l.changes = from.Collection
	}
	if l.changes == nil {
		return nil, errors.New("a service without collections has no log of changes")
	}
	return l, nil
}

// Read returns the page that a request asks for: the position in its path, and its query. Errors: problems of the
// request, docstore.ErrUnavailable.
func (l *Log) Read(ctx context.Context, after, raw string) (Page, error) {
	limit, records := query.DefaultLimit, false
	values, err := query.Parse(raw)
	if err == nil {
		err = query.Each(values, func(name, value string) (wrong string) {
			switch name {
			case "limit":
				return query.Whole(value, 1, query.MaxLimit, &limit)
			case "records":
				if records = value == "true"; !records {
					wrong = "must be true, or left out"
				}
				return wrong
			}
			return "is not known here; known are limit and records"
		})
	}
	if err != nil {
		return Page{}, err
	}
	page, err := l.page(ctx, after, limit, records)
	if errors.Is(err, docstore.ErrPosition) {
		err = problem.New(problem.NotFound, "The log of changes has no such position.").Because(err)
	}
	return page, err
}

func (l *Log) page(ctx context.Context, after string, limit int, records bool) (Page, error) {
	from := docstore.Position(after)
	switch after {
	case Oldest:
		from = ""
	case Now:
		var err error
		if from, err = l.changes.EndOfChanges(ctx, request.OrganisationFrom(ctx)); err != nil {
			return Page{}, err
		}
	}
	read, err := l.changes.Changes(ctx, request.OrganisationFrom(ctx), from, limit)
	if err != nil {
		return Page{}, err
	}
	page := Page{Changes: make([]Change, len(read.Changes)), Next: read.Next, Watermark: read.Watermark}
	if !records {
		return page, l.fill(ctx, page.Changes, read.Changes, false)
	}
	return page, l.withRecords(ctx, &page, read.Changes)
}

// recordsBytes is how large the records of a page are together before it ends.
const recordsBytes = 1 << 20

// withRecords fills a page with records. It reads some documents at a time, and ends the page early where they are
// large.
func (l *Log) withRecords(ctx context.Context, page *Page, entries []docstore.Change) error {
	for from, size := 0, 0; from < len(entries); {
		to := min(from+atOnce, len(entries))
		if err := l.fill(ctx, page.Changes[from:to], entries[from:to], true); err != nil {
			return err
		}
		for _, change := range page.Changes[from:to] {
			size += len(change.Record)
		}
		if from = to; size >= recordsBytes && to < len(entries) {
			page.Changes, page.Next, page.Watermark = page.Changes[:to], entries[to-1].Position, entries[to].At
			break
		}
	}
	return nil
}

// atOnce is how many documents are read at once. A database on another host takes its time for each.
const atOnce = 8

// fill says of each entry what its document does: each document is read once, with the versions that are asked for.
func (l *Log) fill(ctx context.Context, to []Change, entries []docstore.Change, records bool) error {
	of := map[uuid.UUID][]int{}
	for i, entry := range entries {
		of[entry.ID] = append(of[entry.ID], i)
	}
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(atOnce)
	for id, places := range of {
		reading.Go(func() error {
			first, last := &entries[places[0]], &entries[places[len(places)-1]]
			from, known := l.of[first.Collection]
			if !known {
				return fmt.Errorf("the log of changes has a document of the collection %q, which is not declared",
					first.Collection)
			}
			life, err := from.read(ctx, id, first.Version, last.Version)
			if err != nil {
				return err
			}
			for _, i := range places {
				if to[i], err = life.entry(from, &entries[i]); err != nil {
					return err
				}
				to[i].Public, to[i].Shared = from.Public, from.Shared
				if records && from.Happened == nil {
					if to[i].Record, err = from.record(ctx, life.present, entries[i].Version); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return reading.Wait()
}

// life is what is kept of some versions of a document.
type life struct {
	present docstore.Document
	// states holds, by version, the state of each version that was kept and of the present one.
	states map[int64][]byte
}

// read reads the states of the versions from the one before first to the one after last, as far as they were kept.
func (s Source) read(ctx context.Context, id uuid.UUID, first, last int64) (life, error) {
	doc, err := s.Get(ctx, request.OrganisationFrom(ctx), id)
	if err != nil {
		return life{}, err
	}
	l := life{doc, map[int64][]byte{doc.Version: doc.State}}
	if s.Happened != nil {
		return l, nil // the present document says of all its versions what they are about
	}
	for after := first - 2; after < min(last, doc.Version-1); {
		formers, err := s.Formers(ctx, request.OrganisationFrom(ctx), id, max(after, 0), query.MaxLimit)
		if err != nil {
			return life{}, err
		}
		if len(formers) == 0 {
			break
		}
		for _, former := range formers {
			l.states[former.Version], after = former.State, former.Version
		}
	}
	return l, nil
}

// record returns the record as a version was written; nil where it was not kept.
func (s Source) record(ctx context.Context, present docstore.Document, version int64) (jsontext.Value, error) {
	if version == present.Version {
		return present.Body, nil
	}
	former, err := s.Former(ctx, request.OrganisationFrom(ctx), present.ID, version)
	if errors.Is(err, docstore.ErrNotFound) {
		return nil, nil
	}
	return former.Body, err
}

// entry returns what an entry of a source says.
func (l *life) entry(from Source, entry *docstore.Change) (Change, error) {
	if from.Happened == nil {
		return l.change(entry)
	}
	is, err := from.Happened(l.present, entry.Version)
	if err != nil {
		return Change{}, fmt.Errorf("stored %s: version %d: %w", entry.ID, entry.Version, err)
	}
	c := Change{
		Resource: is.Resource, ID: entry.ID, Version: entry.Version, Type: is.Type, Time: is.Time, Logged: entry.At,
		Status: is.Status, Owner: l.present.Owner, Contract: is.Contract, Href: is.Href, Position: entry.Position,
	}
	if c.Time.IsZero() {
		c.Time = entry.At
	}
	return c, nil
}

// change returns what an entry says of a record.
func (l *life) change(entry *docstore.Change) (Change, error) {
	c := Change{
		ID: entry.ID, Version: entry.Version, Type: altered, Time: entry.At, Logged: entry.At, Position: entry.Position,
		Owner: l.present.Owner,
	}
	var err error
	if c.PolicyNumber, err = jsonmember.Text(l.present.Body, "policyNumber"); err != nil {
		return c, fmt.Errorf("stored %s: %w", entry.ID, err)
	}
	// A version that was not kept had the events of the next one, because the service itself altered it. What it alters
	// is no event.
	encoded, kept := l.states[entry.Version]
	for next := entry.Version; encoded == nil; next++ {
		encoded = l.states[next]
	}
	state, err := history.Decode(encoded)
	if err != nil {
		return c, fmt.Errorf("stored %s: state of version %d: %w", entry.ID, entry.Version, err)
	}
	c.Resource = state.Resource
	if transition := state.History.LastTransition(); transition != nil {
		c.Status = transition.To
	}
	_, follows := l.states[entry.Version-1]
	last := state.History.Last()
	switch {
	case kept && !state.History.Altered.IsZero():
		c.Time = state.History.Altered
	case (kept || follows || entry.Version == 1) && last != nil:
		c.Type, c.Time = past(last.Event), last.At
		c.EffectiveDate, c.CoverEnds = last.EffectiveDate, last.CoverEnds
	}
	action, of, made := state.History.Origin()
	if c.MadeOf = cmp.Or(state.MadeOf, strings.ToLower(of)); entry.Version == 1 {
		c.Type = created
		if made {
			c.Type = past(action)
		}
	}
	return c, nil
}

// Types of changes that are no names of actions.
const (
	created = "created"
	altered = "altered"
)

// past returns the type of the change that an event made: the event itself, or the name of an action as what was done.
func past(event string) string {
	switch {
	case event == "cancel":
		return "cancelled"
	case event == "documents":
		return "documented"
	case event == "pay":
		return "paid"
	case strings.HasSuffix(event, "ed"):
		return event
	case strings.HasSuffix(event, "e"):
		return event + "d"
	default:
		return event + "ed"
	}
}
