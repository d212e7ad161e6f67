package memorystore

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// search returns the index at which the document with an id is, or would be.
func (c *collection) search(id uuid.UUID) (at int, found bool) {
	return slices.BinarySearchFunc(c.docs, id,
		func(doc *stored, id uuid.UUID) int { return bytes.Compare(doc.ID[:], id[:]) })
}

// after returns the documents after an id.
func (c *collection) after(id uuid.UUID) []*stored {
	at, found := c.search(id)
	if found {
		at++
	}
	return c.docs[at:]
}

// inOrder returns the documents that come after Query.After in the order of the query.
func (c *collection) inOrder(q docstore.Query) []*stored {
	if !q.Descending {
		return c.after(q.After)
	}
	before := slices.Clone(c.docs)
	if q.After != uuid.Nil {
		at, _ := c.search(q.After)
		before = before[:at]
	}
	slices.Reverse(before)
	return before
}

func (c *collection) Find(_ context.Context, who organisation.ID, q docstore.Query) ([]docstore.Document, error) {
	if err := c.spec.CheckQuery(q); err != nil {
		return nil, unavailable(err)
	}
	docs := c.page(who, c.spec.Within(who, q))
	if len(docs) == q.Limit || len(docs) > 0 && docs[len(docs)-1].Body == nil {
		if last := docs[len(docs)-1].ID; q.Settled && !q.Descending && bytes.Compare(c.least[:], last[:]) < 0 {
			c.least = last
		}
	}
	return docs, nil
}

// page returns the documents that a query selects.
func (c *collection) page(who organisation.ID, q docstore.Query) (docs []docstore.Document) {
	var last uuid.UUID
	skip, size := q.Skip, 0
	for i, doc := range c.inOrder(q) {
		if q.Near && len(q.Ranges) > 0 && i == docstore.NearWindow {
			return append(docs, docstore.Document{ID: last})
		}
		last = doc.ID
		if !doc.seenBy(who) || !selected(doc.Keys, q) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		result := read(doc.Document)
		if !q.WithState {
			result.State, result.Digest = nil, nil
		}
		size += len(result.Body) + len(result.State)
		if q.Bytes > 0 && size > q.Bytes && len(docs) > 0 {
			result.Body, result.State, result.Digest = nil, nil, nil
			return append(docs, result)
		}
		if docs = append(docs, result); len(docs) == q.Limit {
			break
		}
	}
	return docs
}

// selected reports whether a query selects a document with these keys.
func selected(keys docstore.Keys, q docstore.Query) bool {
	for index, value := range q.Equal {
		if is, has := keys[index]; !has || is != value {
			return false
		}
	}
	for _, r := range q.Ranges {
		is, has := keys[r.Index]
		if !has || is < r.From || r.To != "" && is > r.To {
			return false
		}
	}
	return true
}

func (c *collection) Unsent(
	_ context.Context, _ organisation.ID, after uuid.UUID, limit int,
) ([]docstore.Document, error) {
	if limit < 1 {
		return nil, unavailable(errors.New("memorystore: a page of unsent documents needs a limit"))
	}
	var docs []docstore.Document
	for _, doc := range c.after(after) {
		if doc.Unsent && len(docs) < limit {
			docs = append(docs, read(doc.Document))
		}
	}
	return docs, nil
}

func (c *collection) Former(
	_ context.Context, who organisation.ID, id uuid.UUID, version int64,
) (docstore.Former, error) {
	for _, f := range c.formers(who, id) {
		if f.Version == version {
			f.Body, f.State = bytes.Clone(f.Body), bytes.Clone(f.State)
			return f, nil
		}
	}
	return docstore.Former{}, docstore.ErrNotFound
}

func (c *collection) Formers(
	_ context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]docstore.Former, error) {
	if limit < 1 {
		return nil, unavailable(errors.New("memorystore: a page of former versions needs a limit"))
	}
	var page []docstore.Former
	left := docstore.FormersBytes
	for _, f := range c.formers(who, id) {
		if f.Version <= after {
			continue
		}
		if left -= len(f.State); len(page) == limit || left < 0 && len(page) > 0 {
			break
		}
		page = append(page, bodiless(f))
	}
	return page, nil
}

func (c *collection) FormerByKey(
	_ context.Context, who organisation.ID, id uuid.UUID, key string,
) (docstore.Former, error) {
	for _, f := range slices.Backward(c.formers(who, id)) {
		if key != "" && f.Key == key {
			return bodiless(f), nil
		}
	}
	return docstore.Former{}, docstore.ErrNotFound
}

// formers returns the former versions of a document, none of one that the organisation does not see.
func (c *collection) formers(who organisation.ID, id uuid.UUID) []docstore.Former {
	at, found := c.search(id)
	if !found || !c.docs[at].seenBy(who) {
		return nil
	}
	return c.docs[at].formers
}

// read returns a copy of a document as callers get it: without its keys.
func read(doc docstore.Document) docstore.Document {
	doc = detached(doc)
	doc.Keys = nil
	return doc
}

// detached returns a document that shares no memory with the original.
func detached(doc docstore.Document) docstore.Document {
	doc.Body, doc.State, doc.Keys = bytes.Clone(doc.Body), bytes.Clone(doc.State), maps.Clone(doc.Keys)
	return doc
}

// bodiless returns a former version without its body.
func bodiless(f docstore.Former) docstore.Former {
	f.Body, f.State = nil, bytes.Clone(f.State)
	return f
}

func (c *collection) OwnerAfter(_ context.Context, _ organisation.ID, after string) (first string, err error) {
	for _, doc := range c.docs {
		if doc.Owner > after && (first == "" || doc.Owner < first) {
			first = doc.Owner
		}
	}
	return first, nil
}
