package search

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/external"
)

const (
	// MostExamined is the greatest number of documents that a page is made from.
	MostExamined = 10_000
	// MostBytes is the size in bytes at which a page ends, if it has a record by then. It also bounds what is read and
	// not compared yet, of all streams together.
	MostBytes = 1 << 20
	// mostFinds is the greatest number of reads for a page.
	mostFinds = 40
	// batch is the number of documents that are read at once.
	batch = 500
)

// Source is where records are searched.
type Source struct {
	Collection docstore.Collection
	// Unled are the keys of the documents that a search without conditions reads.
	Unled docstore.Keys
	// References returns the values under which the index of references has one; see package external.
	References func(ctx context.Context, reference string) []string
	// WithState has the documents read with their states.
	WithState bool
	// Shown returns the record of a document as its readers see it, nil if the document is not one that is searched.
	Shown func(ctx context.Context, doc docstore.Document) ([]byte, error)
}

// Page is what a search has found.
type Page struct {
	Found []Found
	// Next are the parameters of the next page; nil if there is none.
	Next url.Values
}

// Read reads a page. Errors: those of the store and of Source.Shown.
func (q *Query) Read(ctx context.Context, from Source) (Page, error) {
	r := reading{Source: from, query: q}
	finds := from.referring(ctx, q.Finds(from.Unled))
	for _, find := range finds {
		find.WithState, find.Limit, find.Bytes = from.WithState, batch, MostBytes/len(finds)
		if len(q.conditions) == 0 {
			find.Limit = q.Limit + 1
		}
		r.streams = append(r.streams, &stream{find: find})
	}
	return r.page(ctx)
}

// referring returns finds with the values of the index of references in place of the references that are asked for.
func (s Source) referring(ctx context.Context, finds []docstore.Query) []docstore.Query {
	var all []docstore.Query
	for _, find := range finds {
		reference, is := find.Equal[external.Member]
		if !is {
			all = append(all, find)
			continue
		}
		for _, value := range s.References(ctx, reference) {
			of := find
			of.Equal = docstore.Keys{external.Member: value}
			all = append(all, of)
		}
	}
	return all
}

// reading is a page that is being read.
type reading struct {
	Source
	query           *Query
	streams         []*stream
	examined, finds int
	found           []Found
	// size counts the bytes of the page.
	size int
}

// errEnough means that no more is read for the page.
var errEnough = errors.New("search: the page ends here")

// stream is the documents of one find, read batch by batch.
type stream struct {
	find docstore.Query
	docs []docstore.Document
	// whole says that no documents follow those that were read.
	whole bool
}

func (r *reading) page(ctx context.Context) (Page, error) {
	last := r.query.after
	for {
		doc, more, err := r.take(ctx)
		if errors.Is(err, errEnough) {
			return Page{r.found, r.query.next(last)}, nil
		}
		if err != nil {
			return Page{}, err
		}
		if !more {
			return Page{Found: r.found}, nil
		}
		if len(r.found) == r.query.Limit || r.size >= MostBytes || r.examined >= MostExamined {
			return Page{r.found, r.query.next(last)}, nil
		}
		twice := doc.ID == last
		last = doc.ID
		if doc.Version == 0 {
			r.examined += docstore.NearWindow
			continue
		}
		r.examined++
		if twice {
			continue
		}
		record, err := r.Shown(ctx, doc)
		if err != nil {
			return Page{}, err
		}
		if record != nil && r.query.holds(record) {
			of, err := r.query.found(record)
			if err != nil {
				return Page{}, err
			}
			of.ID = doc.ID
			r.found, r.size = append(r.found, of), r.size+len(of.Record)
		}
	}
}

// found returns what of a record is in the page.
func (q *Query) found(record []byte) (of Found, err error) {
	if of.Named, err = q.named(record); err == nil {
		of.Record, err = q.picked(record)
	}
	return of, err
}

// picked returns a copy of a record, or of the members that are asked for.
func (q *Query) picked(record []byte) ([]byte, error) {
	if len(q.Fields) == 0 {
		return bytes.Clone(record), nil
	}
	members, err := jsonobject.Members(record)
	return jsonobject.Of(slices.DeleteFunc(members, func(m jsonobject.Member) bool {
		return !slices.Contains(q.Fields, m.Name)
	})), err
}

// take returns the next document of all streams, in their order. more is false if there is none.
func (r *reading) take(ctx context.Context) (next docstore.Document, more bool, err error) {
	var first *stream
	for _, s := range r.streams {
		if len(s.docs) == 0 && !s.whole {
			if err := r.fill(ctx, s); err != nil {
				return next, false, err
			}
		}
		if len(s.docs) > 0 && (first == nil || r.before(s.docs[0].ID, first.docs[0].ID)) {
			first = s
		}
	}
	if first == nil {
		return next, false, nil
	}
	next, first.docs = first.docs[0], first.docs[1:]
	return next, true, nil
}

// before reports whether an id comes before another one in the order of the search.
func (r *reading) before(a, b uuid.UUID) bool {
	order := bytes.Compare(a[:], b[:])
	if r.query.descending {
		order = -order
	}
	return order < 0
}

// fill reads the next documents of a stream.
func (r *reading) fill(ctx context.Context, s *stream) error {
	if r.finds++; r.finds > mostFinds {
		return errEnough
	}
	docs, err := r.Collection.Find(ctx, request.OrganisationFrom(ctx), s.find)
	if err != nil {
		return err
	}
	s.whole = len(docs) < s.find.Limit
	if len(docs) == 0 {
		return nil
	}
	if last := docs[len(docs)-1]; last.Body == nil {
		s.whole = false
		if last.Version > 0 {
			docs = docs[:len(docs)-1] // it is the first of the next batch
		}
	}
	s.find.After, s.docs = docs[len(docs)-1].ID, docs
	return nil
}

// elements returns the elements of a JSON list.
func elements(list jsontext.Value) []jsontext.Value {
	var all []jsontext.Value
	decoder := jsontext.NewDecoder(bytes.NewBuffer(list))
	if _, err := decoder.ReadToken(); err != nil {
		return nil
	}
	for decoder.PeekKind() != jsontext.KindEndArray {
		value, err := decoder.ReadValue()
		if err != nil {
			return nil
		}
		all = append(all, value.Clone())
	}
	return all
}

// holdsFor reports whether a value lies in one of the condition's intervals.
func (c *condition) holdsFor(value jsontext.Value) bool {
	return slices.ContainsFunc(c.any, func(i interval) bool { return i.has(c.Field, value) })
}
