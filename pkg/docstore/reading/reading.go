// Package reading has a database that is only looked at stand for the store of a service. So what looks for faults runs
// the code of the service.
package reading

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/organisation"
)

// Of returns a store that reads what an inspection reads, and writes nothing. It has the capabilities History and
// Members.
func Of(inspection docstore.Inspection) docstore.Store { return &store{of: inspection} }

// errOnlyRead is the error of everything that it does not do: writes.
var errOnlyRead = fmt.Errorf("%w: the database is only read", docstore.ErrUnavailable)

type store struct {
	of docstore.Inspection
	// mu is held during a call of the inspection, which one goroutine at a time may use.
	mu sync.Mutex
}

func (s *store) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, err := s.of.Collection(ctx, spec)
	return &collection{store: s, spec: spec, in: in}, err
}

func (s *store) Ping(context.Context) error { return nil }

func (s *store) Close() error { return nil }

type collection struct {
	*store
	spec docstore.Spec
	in   docstore.Inspected
}

func (c *collection) Find(
	ctx context.Context, who organisation.ID, q docstore.Query,
) (found []docstore.Document, err error) {
	if err := who.Check(); err != nil {
		return nil, err
	}
	q = c.spec.Within(who, q)
	skip, limit, size := q.Skip, q.Limit, 0
	q.Skip, q.Near = 0, false
	for {
		c.mu.Lock()
		page, err := c.in.Find(ctx, q)
		c.mu.Unlock()
		if err != nil || len(page) == 0 {
			return found, err
		}
		for _, stored := range page {
			q.After = stored.ID
			if !who.Sees(stored.Owner) && !c.spec.Public {
				continue
			}
			if skip > 0 {
				skip--
				continue
			}
			doc := stored.Document
			doc.Keys = nil
			if size += len(doc.Body) + len(doc.State); q.Bytes > 0 && len(found) > 0 && size > q.Bytes {
				doc.Body, doc.State = nil, nil
				return append(found, doc), nil
			}
			if found = append(found, doc); len(found) == limit {
				return found, nil
			}
		}
	}
}

func (c *collection) Get(ctx context.Context, who organisation.ID, id uuid.UUID) (docstore.Document, error) {
	found, err := c.Find(ctx, who, docstore.Query{After: docstore.IDBefore(id), Limit: 1, WithState: true})
	if err == nil && (len(found) == 0 || found[0].ID != id) {
		err = docstore.ErrNotFound
	}
	if err != nil {
		return docstore.Document{}, err
	}
	return found[0], nil
}

func (c *collection) Former(
	ctx context.Context, who organisation.ID, id uuid.UUID, version int64,
) (docstore.Former, error) {
	formers, err := c.formers(ctx, who, id, version-1, 1)
	if err == nil && (len(formers) == 0 || formers[0].Version != version) {
		err = docstore.ErrNotFound
	}
	if err != nil {
		return docstore.Former{}, err
	}
	return formers[0], nil
}

func (c *collection) Formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]docstore.Former, error) {
	formers, err := c.formers(ctx, who, id, after, limit)
	for i := range formers {
		formers[i].Body = nil
	}
	return formers, err
}

// formers returns former versions with their bodies; none of a document that is not seen.
func (c *collection) formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]docstore.Former, error) {
	if _, err := c.Get(ctx, who, id); err != nil {
		if errors.Is(err, docstore.ErrNotFound) {
			err = nil
		}
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.in.Formers(ctx, id, after, limit)
}

func (c *collection) FormerByKey(
	ctx context.Context, who organisation.ID, id uuid.UUID, key string,
) (last docstore.Former, err error) {
	err = docstore.ErrNotFound
	for after := int64(0); ; {
		formers, failed := c.Formers(ctx, who, id, after, 1)
		if failed != nil || len(formers) == 0 {
			return last, errors.Join(failed, err)
		}
		if after = formers[0].Version; formers[0].Key == key {
			last, err = formers[0], nil
		}
	}
}

func (c *collection) Texts(
	ctx context.Context, who organisation.ID, ids []uuid.UUID, member string,
) (map[uuid.UUID]string, error) {
	texts := map[uuid.UUID]string{}
	for _, id := range ids {
		doc, err := c.Get(ctx, who, id)
		if errors.Is(err, docstore.ErrNotFound) {
			continue
		}
		if err == nil && member != "" {
			texts[id], err = jsonmember.Text(doc.Body, member)
		} else if err == nil {
			texts[id] = ""
		}
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// What follows is refused.

func (c *collection) Insert(context.Context, organisation.ID, docstore.Document) error {
	return errOnlyRead
}

func (c *collection) Replace(context.Context, organisation.ID, docstore.Document, *docstore.Former) error {
	return errOnlyRead
}

func (c *collection) Unsent(context.Context, organisation.ID, uuid.UUID, int) ([]docstore.Document, error) {
	return nil, errOnlyRead
}

func (c *collection) Sent(context.Context, organisation.ID, []docstore.Ref) (int, error) {
	return 0, errOnlyRead
}
