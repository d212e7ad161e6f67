package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// bound is a gate that lets a number of bytes through, and none from then on.
type bound struct{ most, taken int }

var errBeyond = errors.New("more is read than the gate lets through")

func (b *bound) Await(_ context.Context, bytes int) (waited bool, err error) {
	if b.taken+bytes > b.most {
		return false, errBeyond
	}
	return false, nil
}

func (b *bound) Held() int64        { return int64(b.taken) }
func (b *bound) Release(held int64) { b.taken = int(held) }

func (b *bound) Take(bytes int) error {
	if b.taken+bytes > b.most {
		return errBeyond
	}
	b.taken += bytes
	return nil
}

// gates: the gate of the context is asked about what is read, and a read that it refuses fails with its error.
func gates(t *testing.T, f fixture) {
	const size = 300 << 10
	padded := func(name string) []byte {
		return fmt.Appendf(nil, `{"%s":"%s"}`, name, bytes.Repeat([]byte("x"), size))
	}
	doc := document(docstore.Keys{"policyNumber": "B-1", "holder": "b"})
	doc.Body, doc.State = padded("body"), padded("state")
	if err := f.Insert(t.Context(), us, doc); err != nil {
		t.Fatal(err)
	}
	doc.Version = 1
	for range 4 {
		former := formerOf(doc, "k")
		if err := f.Replace(t.Context(), us, doc, former); err != nil {
			t.Fatal(err)
		}
		doc.Version++
	}
	reads := map[string]struct {
		least int
		read  func(ctx context.Context) error
	}{
		"get": {2 * size, func(ctx context.Context) error { return result(f.Get(ctx, us, doc.ID)) }},
		"find of all": {size,
			func(ctx context.Context) error {
				return result(f.Find(ctx, us, docstore.Query{Limit: 2}))
			}},
		"find by holder": {size, func(ctx context.Context) error {
			return found(f.Find(ctx, us, equal("holder", "b")))
		}},
		"find by number": {size,
			func(ctx context.Context) error {
				return found(f.Find(ctx, us, equal("policyNumber", "B-1")))
			}},
		"former": {2 * size, func(ctx context.Context) error { return result(f.Former(ctx, us, doc.ID, 1)) }},
		"formers": {3 * size, func(ctx context.Context) error {
			return result(f.Formers(ctx, us, doc.ID, 0, 9))
		}},
		"former by key": {size, func(ctx context.Context) error { return result(f.FormerByKey(ctx, us, doc.ID, "k")) }},
		"texts": {size,
			func(ctx context.Context) error {
				return result(f.Texts(ctx, us, []uuid.UUID{doc.ID}, "body"))
			}},
	}
	for name, c := range reads {
		t.Run(name, func(t *testing.T) {
			all := &bound{most: 16 << 20}
			if err := c.read(docstore.WithGate(t.Context(), all)); err != nil {
				t.Fatal(err)
			}
			// A page of former versions has three of the four: with the fourth it would be larger than it may be.
			if all.taken < c.least || all.taken > c.least+c.least/2 {
				t.Errorf("took %d bytes, want %d", all.taken, c.least)
			}
			var refused *docstore.Refusal
			err := c.read(docstore.WithGate(t.Context(), &bound{most: c.least / 2}))
			if !errors.As(err, &refused) || !errors.Is(err, errBeyond) || errors.Is(err, docstore.ErrUnavailable) {
				t.Errorf("beyond the gate: error %v", err)
			}
		})
	}
}

func equal(index, value string) docstore.Query {
	return docstore.Query{Equal: docstore.Keys{index: value}, Limit: 1}
}

// found returns the error of a find, and one if it found nothing.
func found(docs []docstore.Document, err error) error {
	if err == nil && len(docs) == 0 {
		return errors.New("nothing was found")
	}
	return err
}
