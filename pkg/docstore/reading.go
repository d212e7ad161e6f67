package docstore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/organisation"
)

// Reading returns a store that reads what an inspection does and writes nothing, so that what looks for faults can run
// the code of a service on it. It has the capabilities History and Members, and that of Sums by name only.
func Reading(of Inspection) Store { return &reading{of: of} }

// errReading is the error of everything that it does not do.
var errReading = fmt.Errorf("%w: the database is only read", ErrUnavailable)

type reading struct {
	of Inspection
	// mu is held during a call of the inspection, which one goroutine at a time may use.
	mu sync.Mutex
}

func (s *reading) Collection(ctx context.Context, spec Spec) (Collection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, err := s.of.Collection(ctx, spec)
	return &readCollection{reading: s, spec: spec, in: in}, err
}

func (s *reading) Ping(context.Context) error { return nil }

func (s *reading) Close() error { return nil }

type readCollection struct {
	*reading
	spec Spec
	in   Inspected
}

func (c *readCollection) Find(ctx context.Context, who organisation.ID, q Query) (found []Document, err error) {
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
			doc.Keys, doc.Amount = nil, 0
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

func (c *readCollection) Get(ctx context.Context, who organisation.ID, id uuid.UUID) (Document, error) {
	found, err := c.Find(ctx, who, Query{After: IDBefore(id), Limit: 1, WithState: true})
	if err == nil && (len(found) == 0 || found[0].ID != id) {
		err = ErrNotFound
	}
	if err != nil {
		return Document{}, err
	}
	return found[0], nil
}

// IDBefore returns the UUID that comes immediately before another one in their order.
func IDBefore(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		id[i]--
		if id[i] != 0xff {
			break
		}
	}
	return id
}

func (c *readCollection) Former(
	ctx context.Context, who organisation.ID, id uuid.UUID, version int64,
) (Former, error) {
	formers, err := c.formers(ctx, who, id, version-1, 1)
	if err == nil && (len(formers) == 0 || formers[0].Version != version) {
		err = ErrNotFound
	}
	if err != nil {
		return Former{}, err
	}
	return formers[0], nil
}

func (c *readCollection) Formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]Former, error) {
	formers, err := c.formers(ctx, who, id, after, limit)
	for i := range formers {
		formers[i].Body = nil
	}
	return formers, err
}

// formers returns former versions with their bodies; none of a document that is not seen.
func (c *readCollection) formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]Former, error) {
	if _, err := c.Get(ctx, who, id); err != nil {
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.in.Formers(ctx, id, after, limit)
}

func (c *readCollection) FormerByKey(
	ctx context.Context, who organisation.ID, id uuid.UUID, key string,
) (last Former, err error) {
	err = ErrNotFound
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

func (c *readCollection) Texts(
	ctx context.Context, who organisation.ID, ids []uuid.UUID, member string,
) (map[uuid.UUID]string, error) {
	texts := map[uuid.UUID]string{}
	for _, id := range ids {
		doc, err := c.Get(ctx, who, id)
		if errors.Is(err, ErrNotFound) {
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

func (c *readCollection) Insert(context.Context, organisation.ID, Document) error { return errReading }

func (c *readCollection) Replace(context.Context, organisation.ID, Document, *Former) error {
	return errReading
}

func (c *readCollection) Unsent(context.Context, organisation.ID, uuid.UUID, int) ([]Document, error) {
	return nil, errReading
}

func (c *readCollection) Sent(context.Context, organisation.ID, []Ref) (int, error) {
	return 0, errReading
}

func (c *readCollection) Sum(context.Context, organisation.ID, string, string, uuid.UUID, int) (Sum, error) {
	return Sum{}, errReading
}

func (c *readCollection) FirstUnsent(context.Context, organisation.ID, string, string) (uuid.UUID, error) {
	return uuid.UUID{}, errReading
}
