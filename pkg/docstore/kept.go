package docstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/organisation"
)

// At is where a value is kept, and which version of it was read; the zero value for one that is not kept yet.
type At struct {
	ID      uuid.UUID
	Version int64
	// Owner is the organisation in whose name it was first written, empty for none.
	Owner string
}

// Kept keeps values of a type, each as the body of a document in JSON.
type Kept[T any] struct {
	In Collection
	// What is what a value is, in an error about one that cannot be read.
	What string
	// At returns where a value is kept. Keys returns the keys by which it is found.
	At   func(*T) *At
	Keys func(*T) Keys
	// Past has each version kept that another one takes the place of.
	Past bool
	// Unreadable returns the error of a value that cannot be read as it is stored, from the cause; nil for the cause.
	Unreadable func(cause error) error
}

// keptPage is how many values are read at a time.
const keptPage = 100

// One returns the value that has some keys; nil if there is none.
func (k Kept[T]) One(ctx context.Context, who organisation.ID, equal Keys) (*T, error) {
	docs, err := k.In.Find(ctx, who, Query{Equal: equal, Limit: 1})
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	return k.read(docs[0].Body, At{docs[0].ID, docs[0].Version, docs[0].Owner})
}

// All returns the values that have some keys, in the order in which they were first written.
func (k Kept[T]) All(ctx context.Context, who organisation.ID, equal Keys) (all []*T, err error) {
	err = Each(ctx, k.In, who, Query{Equal: equal, Limit: keptPage}, func(doc Document) error {
		value, err := k.read(doc.Body, At{doc.ID, doc.Version, doc.Owner})
		all = append(all, value)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Before returns the version that a value has taken the place of. Errors: ErrNotFound, those of the store.
func (k Kept[T]) Before(ctx context.Context, who organisation.ID, value *T) (*T, error) {
	at := *k.At(value)
	at.Version--
	former, err := k.In.Former(ctx, who, at.ID, at.Version)
	if err != nil {
		return nil, err
	}
	return k.read(former.Body, at)
}

// read returns the value that a body has.
func (k Kept[T]) read(body []byte, at At) (*T, error) {
	value := new(T)
	*k.At(value) = at
	if err := json.Unmarshal(body, value); err != nil {
		err = fmt.Errorf("stored %s %s: %w", k.What, at.ID, err)
		if k.Unreadable != nil {
			err = k.Unreadable(err)
		}
		return nil, err
	}
	return value, nil
}

// Write stores a value in place of the version that was read, or as a new one, and notes where. was is the value that
// it takes the place of, where these are kept. Errors: ErrStale if another one has been written meanwhile,
// *DuplicateError, those of the store.
func (k Kept[T]) Write(ctx context.Context, who organisation.ID, value, was *T) (err error) {
	at := *k.At(value)
	doc := Document{ID: at.ID, Version: at.Version, Owner: at.Owner, Keys: k.Keys(value)}
	if doc.Body, err = json.Marshal(value, json.Deterministic(true)); err != nil {
		return err
	}
	if at.Version == 0 {
		at.Owner = who.Name()
		err = InsertNew(ctx, k.In, who, &doc)
		at.ID = doc.ID
	} else {
		var former *Former
		if k.Past {
			former = &Former{Version: at.Version}
			if former.Body, err = json.Marshal(was, json.Deterministic(true)); err != nil {
				return err
			}
		}
		err = k.In.Replace(ctx, who, doc, former)
	}
	if err == nil {
		at.Version++
		*k.At(value) = at
	}
	return err
}

// Overtaken reports whether an error is that of a write before which somebody else has written: ErrStale or a
// *DuplicateError.
func Overtaken(err error) bool {
	_, taken := Duplicate(err)
	return taken || errors.Is(err, ErrStale)
}

// mostTries is how often Again tries.
const mostTries = 20

// Again does something that reads, decides and writes, and does it again while it is Overtaken. Errors: those of do,
// ErrUnavailable if others come first each time.
func Again(do func() error) error {
	for range mostTries {
		if err := do(); !Overtaken(err) {
			return err
		}
	}
	return fmt.Errorf("%w: others change the same too often", ErrUnavailable)
}
