package sqlitestore_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// us is in whose name the tests from outside work.
var us = organisation.Sole()

// coverage is the collection of policies, with the indexes by which the exchange finds them.
var coverage = docstore.Spec{Name: "coverage", Indexes: []docstore.Index{
	{Name: "policyNumber", Unique: true}, {Name: "idempotency", Unique: true}, {Name: "kind"},
}}

// remainder makes a body as long as that of a motor policy.
var remainder = `","terms":"` + strings.Repeat("p", 650) + `"}`

// policy returns a document of the size of a motor policy.
func policy() docstore.Document {
	id := uuid.Must(uuid.NewV7())
	return docstore.Document{
		ID:    id,
		Body:  append(append([]byte(`{"id":"`), id.String()...), remainder...),
		State: []byte(`{"transitions":[{"to":"in force","at":"2026-03-01T12:00:00Z"}]}`),
		Keys: docstore.Keys{
			"policyNumber": "M" + strconv.FormatUint(rand.Uint64(), 36),
			"kind":         []string{"motor", "cyber", "pet", "travel"}[rand.IntN(4)],
		},
	}
}

// book opens a store with n policies in it and returns their ids and keys.
func book(b *testing.B, n int) (docstore.Collection, []docstore.Document) {
	store := open(b, fresh(b))
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	policies, err := store.Collection(b.Context(), coverage)
	if err != nil {
		b.Fatal(err)
	}
	stored := make([]docstore.Document, n)
	var next atomic.Int64
	together(b, n, func() error {
		doc := policy()
		stored[next.Add(1)-1] = docstore.Document{ID: doc.ID, Keys: doc.Keys}
		return policies.Insert(b.Context(), us, doc)
	})
	return policies, stored
}

// together runs act n times on 32 goroutines.
func together(b *testing.B, n int, act func() error) {
	var begun atomic.Int64
	failed := make(chan error, 32)
	for range 32 {
		go func() {
			var err error
			for err == nil && begun.Add(1) <= int64(n) {
				err = act()
			}
			failed <- err
		}()
	}
	for range 32 {
		if err := <-failed; err != nil {
			b.Fatal(err)
		}
	}
}

func perSecond(b *testing.B) { b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s") }

// BenchmarkInsert has 32 writers store policies, each waiting until its own is durable.
func BenchmarkInsert(b *testing.B) {
	policies, _ := book(b, 0)
	b.ReportAllocs()
	b.ResetTimer()
	together(b, b.N, func() error { return policies.Insert(b.Context(), us, policy()) })
	perSecond(b)
}

// BenchmarkReplace has 32 writers replace policies at random, as a transition does: read, decide, replace.
func BenchmarkReplace(b *testing.B) {
	policies, stored := book(b, 100_000)
	b.ReportAllocs()
	b.ResetTimer()
	var next atomic.Int64
	together(b, b.N, func() error {
		one := stored[next.Add(7919)%int64(len(stored))]
		doc, err := policies.Get(b.Context(), us, one.ID)
		if err != nil {
			return err
		}
		doc.Keys = one.Keys
		return policies.Replace(b.Context(), us, doc, nil)
	})
	perSecond(b)
}

// BenchmarkGet reads policies at random.
func BenchmarkGet(b *testing.B) {
	policies, stored := book(b, 100_000)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := policies.Get(b.Context(), us, stored[rand.IntN(len(stored))].ID); err != nil {
				b.Error(err)
			}
		}
	})
	perSecond(b)
}

// BenchmarkFind reads pages of 50 policies of one kind, each beginning somewhere.
func BenchmarkFind(b *testing.B) {
	policies, stored := book(b, 100_000)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			q := docstore.Query{Equal: docstore.Keys{"kind": "pet"}, After: stored[rand.IntN(len(stored)/2)].ID,
				Limit: 50}
			if docs, err := policies.Find(b.Context(), us, q); err != nil || len(docs) != 50 {
				b.Errorf("%d documents, error %v", len(docs), err)
			}
		}
	})
	perSecond(b)
}
