package conformance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// finds: a query selects exactly the documents for which all of its conditions hold, in order of id, ascending or
// descending.
func finds(t *testing.T, f fixture) {
	random := rand.New(rand.NewPCG(1, 2))
	docs := portfolio(t, f, random)

	t.Run("without conditions everything is selected", func(t *testing.T) {
		f.compare(t, docs, docstore.Query{Limit: len(docs) + 1})
	})
	t.Run("each condition alone", func(t *testing.T) {
		for _, q := range []docstore.Query{
			{Equal: docstore.Keys{"policyNumber": "P-7"}},
			{Equal: docstore.Keys{"policyNumber": "nobody's"}},
			{Equal: docstore.Keys{"holder": "h3"}},
			{Equal: docstore.Keys{"kind": ""}},
			{Ranges: []docstore.Range{{Index: "inception", From: "2026-03-10", To: "2026-03-12"}}},
			{Ranges: []docstore.Range{{Index: "inception", From: "2026-03-10"}}},
			{Ranges: []docstore.Range{{Index: "inception", To: "2026-03-10"}}},
			{Ranges: []docstore.Range{{Index: "inception"}}},
			{Ranges: []docstore.Range{{Index: "inception", From: "2026-03-12", To: "2026-03-10"}}},
			{Ranges: []docstore.Range{{Index: "holder", From: "h1", To: "h1\U0010FFFF"}}},
		} {
			q.Limit = len(docs) + 1
			for _, q.Descending = range []bool{false, true} {
				f.compare(t, docs, q)
			}
		}
	})
	t.Run("conditions in any combination", func(t *testing.T) {
		for range f.size.Queries {
			f.compare(t, docs, anyQuery(random, docs))
		}
	})
	t.Run("documents that are found are whole, with their states if these are asked for", func(t *testing.T) {
		for _, q := range []docstore.Query{
			{Equal: docstore.Keys{"policyNumber": "P-7"}, Limit: 1}, {Limit: 1, Skip: 7},
		} {
			want := docs[7]
			q.WithState = true
			same(t, f.found(t, q)[0], want)
			want.State, want.Digest, q.WithState = nil, nil, false
			same(t, f.found(t, q)[0], want)
		}
	})
	t.Run("a find ends before the bodies and states become too large", func(t *testing.T) { endsEarly(t, f, docs) })
	t.Run("a query that the collection does not support is refused", func(t *testing.T) {
		for _, q := range []docstore.Query{
			{Equal: docstore.Keys{"claimNumber": "x"}, Limit: 1},
			{Ranges: []docstore.Range{{Index: "claimNumber"}}, Limit: 1},
			{Ranges: []docstore.Range{{Index: "policyNumber", From: "P-1"}}, Limit: 1},
			{},
			{Skip: -1, Limit: 1},
			{Bytes: -1, Limit: 1},
			{Near: true, Skip: 1, Limit: 1},
		} {
			wantError(t, fmt.Sprintf("find %+v", q), result(f.Find(t.Context(), us, q)), docstore.ErrUnavailable)
		}
	})
}

// endsEarly checks that a bound on bytes returns as many whole documents as fit, at least one, and the next one, if
// there is one, without body and state.
func endsEarly(t *testing.T, f fixture, stored []docstore.Document) {
	body, state := len(stored[0].Body), len(stored[0].State)
	for _, c := range []struct {
		name  string
		query docstore.Query
		whole int
	}{
		{"no bound", docstore.Query{Limit: 5}, 5},
		{"room for three", docstore.Query{Limit: 9, Bytes: 3 * body}, 3},
		{"room for less than three", docstore.Query{Limit: 9, Bytes: 3*body - 1}, 2},
		{"room for three with their states", docstore.Query{Limit: 9, Bytes: 3 * (body + state), WithState: true}, 3},
		{"room for less than three with their states",
			docstore.Query{Limit: 9, Bytes: 3*(body+state) - 1, WithState: true}, 2},
		{"room for none", docstore.Query{Limit: 9, Bytes: 1}, 1},
		{"room for all", docstore.Query{Limit: 3, Bytes: 3 * body}, 3},
		{"a unique value, and room for none",
			docstore.Query{Equal: docstore.Keys{"policyNumber": "P-0"}, Limit: 9, Bytes: 1}, 1},
	} {
		docs := f.found(t, c.query)
		want := c.whole
		if c.query.Equal == nil && c.whole < c.query.Limit {
			want++
		}
		if len(docs) != want {
			t.Fatalf("%s: %d documents, want %d", c.name, len(docs), want)
		}
		for i, doc := range docs {
			expected := stored[i]
			if i == c.whole {
				expected.Body, expected.State, expected.Digest = nil, nil, nil
			} else if !c.query.WithState {
				expected.State, expected.Digest = nil, nil
			}
			same(t, doc, expected)
		}
	}
}

// portfolio stores documents in order of id.
func portfolio(t *testing.T, f fixture, random *rand.Rand) []docstore.Document {
	var docs []docstore.Document
	for i := range f.size.Documents {
		docs = append(docs, f.insert(t, anyKeys(i, random)))
	}
	return docs
}

// anyKeys returns the keys of a document with a number, with few values in each index, some empty and some absent.
func anyKeys(number int, random *rand.Rand) docstore.Keys {
	keys := docstore.Keys{
		"policyNumber": fmt.Sprintf("P-%d", number), "holder": fmt.Sprintf("h%d", random.IntN(12)),
	}
	if number%5 > 0 {
		keys["inception"] = fmt.Sprintf("2026-03-%02d", 1+random.IntN(28))
	}
	if number%3 > 0 {
		keys["kind"] = []string{"", "motor", "cyber", "Motor"}[random.IntN(4)]
	}
	return keys
}

// anyQuery returns a random query. Each of its parts is sometimes absent.
func anyQuery(random *rand.Rand, docs []docstore.Document) docstore.Query {
	one := docs[random.IntN(len(docs))]
	q := docstore.Query{Equal: docstore.Keys{}, Limit: 1 + random.IntN(60)}
	for _, index := range []string{"holder", "kind", "policyNumber"} {
		if value, ok := one.Keys[index]; ok && random.IntN(3) == 0 {
			q.Equal[index] = value
		}
	}
	if random.IntN(2) == 0 {
		from := 1 + random.IntN(28)
		q.Ranges = append(q.Ranges, docstore.Range{
			Index: "inception", From: fmt.Sprintf("2026-03-%02d", from), To: fmt.Sprintf("2026-03-%02d",
				from+random.IntN(9)),
		})
	}
	if random.IntN(4) == 0 {
		q.Ranges = append(q.Ranges, docstore.Range{Index: "kind", From: "M", To: "motor"})
	}
	if random.IntN(3) == 0 {
		q.After = docs[random.IntN(len(docs))].ID
	}
	if random.IntN(3) == 0 {
		q.Skip = random.IntN(10)
	}
	q.Descending = random.IntN(2) == 0
	return q
}

// compare compares the store's result with that of a search through all documents.
func (f fixture) compare(t *testing.T, docs []docstore.Document, q docstore.Query) {
	t.Helper()
	f.finds(t, q, selection(docs, q)...)
}

// selection returns the ids of the documents that a query selects.
func selection(docs []docstore.Document, q docstore.Query) (want []uuid.UUID) {
	for _, doc := range docs {
		if selects(q, doc) {
			want = append(want, doc.ID)
		}
	}
	if q.Descending {
		slices.Reverse(want)
	}
	want = want[min(q.Skip, len(want)):]
	return want[:min(q.Limit, len(want))]
}

func selects(q docstore.Query, doc docstore.Document) bool {
	for index, value := range q.Equal {
		if has, ok := doc.Keys[index]; !ok || has != value {
			return false
		}
	}
	for _, r := range q.Ranges {
		has, ok := doc.Keys[r.Index]
		if !ok || has < r.From || r.To != "" && has > r.To {
			return false
		}
	}
	position := bytes.Compare(doc.ID[:], q.After[:])
	if q.Descending {
		return position < 0 || q.After == uuid.Nil
	}
	return position > 0
}
