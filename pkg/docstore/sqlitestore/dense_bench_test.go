package sqlitestore_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// BenchmarkRange reads the first page of a range and the thousandth, of 100,000 documents in it, and pages by equality.
func BenchmarkRange(b *testing.B) {
	policies, stored := book(b, 100_000)
	ids := make([]uuid.UUID, 0, len(stored))
	for after := (uuid.UUID{}); len(ids) < len(stored); {
		docs, err := policies.Find(b.Context(), us, docstore.Query{After: after, Limit: 1000})
		if err != nil {
			b.Fatal(err)
		}
		for _, doc := range docs {
			ids = append(ids, doc.ID)
		}
		after = ids[len(ids)-1]
	}
	for _, page := range []int{1, 1000} {
		after := uuid.UUID{}
		if page > 1 {
			after = ids[(page-1)*50-1]
		}
		for name, q := range map[string]docstore.Query{
			"all":      {Ranges: []docstore.Range{{Index: "kind", From: "a", To: "z"}}},
			"half":     {Ranges: []docstore.Range{{Index: "kind", From: "a", To: "motor"}}},
			"equality": {Equal: docstore.Keys{"kind": "pet"}},
		} {
			q.After, q.Limit = after, 50
			b.Run(fmt.Sprintf("%s/page %d", name, page), func(b *testing.B) {
				for b.Loop() {
					if docs, err := policies.Find(b.Context(), us, q); err != nil || len(docs) != 50 {
						b.Fatalf("%d documents, error %v", len(docs), err)
					}
				}
			})
		}
	}
}
