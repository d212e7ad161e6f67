package rest

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
)

// create serves POST /{resource}.
func (r *Records[T]) create(c *gin.Context) error {
	ctx := c.Request.Context()
	body, err := readBody(c)
	if err != nil {
		return err
	}
	v, err := r.decode(body)
	if err != nil {
		return err
	}
	key, err := r.key(c, r.Name, body)
	if err != nil {
		return err
	}
	if key != nil && !r.ListsIdempotency {
		if doc, again, err := r.replayed(ctx, key); err != nil || again {
			if err != nil {
				return err
			}
			return r.replay(c, doc, true)
		}
	}
	d := &Draft[T]{Value: v, Now: r.server.Now()}
	id, err := r.issue(d)
	if err != nil {
		return err
	}
	if err := r.check(ctx, d, nil); err != nil {
		return err
	}
	doc, again, err := r.insert(ctx, id, d, key, Entry{Event: "created"})
	if err != nil {
		return err
	}
	if again {
		return r.replay(c, doc, true)
	}
	return r.answer(c, http.StatusCreated, doc, r.beside(d.Value, d.warnings))
}

// issue gives a new record its identifier and what else the exchange issues.
func (r *Records[T]) issue(d *Draft[T]) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return id, err
	}
	identity(d.Value).SetRecordID(id.String())
	if r.Issue != nil {
		r.Issue(d)
	}
	return id, nil
}

// insert writes a new record. Where an index refuses it, it finds out what that means: the same request came before
// (again is true and doc is the record that it made), the value is taken, or a value that the exchange issued was and
// another is tried.
func (r *Records[T]) insert(ctx context.Context, id uuid.UUID, d *Draft[T], key *usedKey, entry Entry) (doc docstore.Document, again bool, err error) {
	entry.At, entry.By = d.Now, r.server.Caller(ctx)
	if r.Status != nil {
		entry.To = Text(*r.Status(d.Value))
	}
	const tries = 8
	for range tries {
		record := &Record[T]{Value: *d.Value, Version: 1, unsent: r.Announce != nil}
		record.state = state{Resource: r.Name, Key: key, History: []Entry{entry}}
		if r.Pin != nil {
			record.state.Pinned = r.Pin(d)
		}
		if doc, err = r.encodeDocument(id, record); err != nil {
			return doc, false, err
		}
		err = r.collection.Insert(ctx, doc)
		if err == nil {
			if r.Announce != nil {
				r.Announce()
			}
			return doc, false, nil
		}
		if _, duplicate := docstore.Duplicate(err); !duplicate {
			return doc, false, err
		}
		if doc, again, err = r.taken(ctx, d.Value, key); err != nil || again {
			return doc, again, err
		}
		if id, err = r.issue(d); err != nil {
			return doc, false, err
		}
	}
	return doc, false, problem.Outage(errors.New("no free identifier found for a new " + r.Name))
}

// taken tells what stands in the way of a record that an index refused: the record that the same key made, or one that
// holds a value of the caller's. It answers nothing if the value was the exchange's own.
func (r *Records[T]) taken(ctx context.Context, v *T, key *usedKey) (doc docstore.Document, again bool, err error) {
	var made docstore.Document
	found := false
	if key != nil {
		if made, found, err = r.createdWith(ctx, key); err != nil {
			return made, false, err
		}
	}
	for _, u := range r.Unique {
		value := u.Value(v)
		if u.Taken == nil || value == "" {
			continue
		}
		holders, err := r.collection.Find(ctx, docstore.Query{Equal: docstore.Keys{u.Index: value}, Limit: 1})
		if err != nil {
			return doc, false, err
		}
		if len(holders) > 0 && (!found || holders[0].ID != made.ID) {
			return doc, false, u.Taken(holders[0].ID.String())
		}
	}
	if !found {
		return doc, false, nil
	}
	return r.replayed(ctx, key)
}
