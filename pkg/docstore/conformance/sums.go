package conformance

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// entries is a collection whose index of the accounts carries amounts.
var entries = docstore.Spec{Name: "entries", Indexes: []docstore.Index{
	{Name: "number", Unique: true}, {Name: "account", Amounts: true}, {Name: "kind"},
}}

// entry returns a document of an account with an amount.
func entry(account string, amount int64) docstore.Document {
	doc := document(docstore.Keys{"account": account})
	doc.Amount = amount
	return doc
}

// sums: the amounts of the documents with a value are added up exactly, page by page. The sum lists the documents that
// have the mark.
func sums(t *testing.T, f fixture) {
	collection, err := f.store.Collection(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	f.whole = collectionOf(t, collection)
	put := func(t *testing.T, doc docstore.Document) docstore.Ref {
		t.Helper()
		if err := f.Insert(t.Context(), us, doc); err != nil {
			t.Fatal(err)
		}
		return docstore.Ref{ID: doc.ID, Version: 1}
	}
	t.Run("the documents with a value are added up, page by page", func(t *testing.T) { sumsByPage(t, f, put) })
	t.Run("a sum is exact beyond 64 bits", func(t *testing.T) {
		want := new(big.Int)
		for _, amount := range []int64{math.MaxInt64, math.MaxInt64, math.MaxInt64 - 1, -7, 1 << 32, -1 << 32,
			1<<32 - 1, 0} {
			put(t, entry("large", amount))
			put(t, entry("small", -amount))
			want.Add(want, big.NewInt(amount))
		}
		wantSum(t, f, "large", want, 8)
		put(t, entry("small", math.MinInt64))
		wantSum(t, f, "small", want.Sub(want.Neg(want), new(big.Int).Lsh(big.NewInt(1), 63)), 9)
	})
	t.Run("nothing adds up to zero", func(t *testing.T) {
		wantSum(t, f, "nobody's", new(big.Int), 0)
		_, err := f.FirstUnsent(t.Context(), us, "account", "nobody's")
		wantError(t, "first unsent", err, docstore.ErrNotFound)
	})
	t.Run("a replacement changes account and amount", func(t *testing.T) {
		doc := entry("before", 5)
		put(t, doc)
		doc.Version, doc.Amount = 1, 7
		if err := f.Replace(t.Context(), us, doc, nil); err != nil {
			t.Fatal(err)
		}
		wantSum(t, f, "before", big.NewInt(7), 1)
		doc.Version, doc.Keys = 2, docstore.Keys{"account": "after"}
		if err := f.Replace(t.Context(), us, doc, nil); err != nil {
			t.Fatal(err)
		}
		wantSum(t, f, "before", new(big.Int), 0)
		wantSum(t, f, "after", big.NewInt(7), 1)
	})
	t.Run("the index finds documents as any other", func(t *testing.T) {
		doc := entry("found", 1)
		put(t, doc)
		if got := f.find(t, docstore.Query{Equal: docstore.Keys{"account": "found"}, Limit: 2}); !slices.Equal(got,
			[]uuid.UUID{doc.ID}) {
			t.Errorf("found %v", got)
		}
	})
	t.Run("a sum lists documents with marks", func(t *testing.T) { sumsListMarks(t, f, put) })
	t.Run("listed documents are part of the sum, while others insert and remove marks",
		func(t *testing.T) { sumsAmongWriters(t, f) })
	t.Run("a sum that the collection does not support is refused", func(t *testing.T) {
		for _, index := range []string{"number", "kind", "claimNumber"} {
			_, err := f.Sum(t.Context(), us, index, "x", uuid.Nil, 1)
			wantError(t, "sum by "+index, err, docstore.ErrUnavailable)
			_, err = f.FirstUnsent(t.Context(), us, index, "x")
			wantError(t, "first unsent by "+index, err, docstore.ErrUnavailable)
		}
		_, err := f.Sum(t.Context(), us, "account", "x", uuid.Nil, 0)
		wantError(t, "sum of no documents", err, docstore.ErrUnavailable)
		_, err = f.store.Collection(t.Context(),
			docstore.Spec{Name: "a", Indexes: []docstore.Index{{Name: "b", Unique: true, Amounts: true}}})
		wantError(t, "a unique index with amounts", err, docstore.ErrUnavailable)
	})
}

func wantSum(t *testing.T, f fixture, account string, total *big.Int, documents int) {
	t.Helper()
	sum, err := f.Sum(t.Context(), us, "account", account, uuid.Nil, 1000)
	if err != nil || sum.Total.Cmp(total) != 0 || sum.Documents != documents {
		t.Errorf("the sum of %d documents of %s is %v, want %v of %d (%v)", sum.Documents, account, sum.Total, total,
			documents, err)
	}
}

func sumsByPage(t *testing.T, f fixture, put func(*testing.T, docstore.Document) docstore.Ref) {
	random := rand.New(rand.NewPCG(3, 4))
	amounts := map[string][]int64{}
	var of []uuid.UUID
	for i := range min(f.size.Documents, 300) {
		account, amount := "a"+strconv.Itoa(i%3), random.Int64N(1<<40)-1<<39
		amounts[account] = append(amounts[account], amount)
		ref := put(t, entry(account, amount))
		if account == "a1" {
			of = append(of, ref.ID)
		}
	}
	put(t, document(nil))
	for _, limit := range []int{1, 7, len(of), 2 * len(of)} {
		total, after, seen := new(big.Int), uuid.Nil, 0
		for {
			sum, err := f.Sum(t.Context(), us, "account", "a1", after, limit)
			if err != nil {
				t.Fatal(err)
			}
			want := of[min(seen, len(of)):min(seen+limit, len(of))]
			if sum.Documents != len(want) || len(want) > 0 && sum.Last != want[len(want)-1] {
				t.Fatalf("%d documents up to %v, want %d", sum.Documents, sum.Last, len(want))
			}
			if sum.Documents == 0 {
				break
			}
			total.Add(total, sum.Total)
			seen, after = seen+sum.Documents, sum.Last
		}
		want := new(big.Int)
		for _, amount := range amounts["a1"] {
			want.Add(want, big.NewInt(amount))
		}
		if total.Cmp(want) != 0 {
			t.Errorf("by pages of %d: %v, want %v", limit, total, want)
		}
	}
}

func sumsListMarks(t *testing.T, f fixture, put func(*testing.T, docstore.Document) docstore.Ref) {
	var all []docstore.Ref
	for i := range 9 {
		doc := entry("marked", 1)
		doc.Unsent = i%2 == 1
		all = append(all, put(t, doc))
	}
	tell := func(after uuid.UUID, limit int, want ...docstore.Ref) {
		t.Helper()
		sum, err := f.Sum(t.Context(), us, "account", "marked", after, limit)
		if err != nil || !slices.Equal(sum.Unsent, want) {
			t.Errorf("marks %v (%v), want %v", sum.Unsent, err, want)
		}
	}
	first := func(want docstore.Ref) {
		t.Helper()
		if id, err := f.FirstUnsent(t.Context(), us, "account", "marked"); err != nil || id != want.ID {
			t.Errorf("the first is %v (%v), want %v", id, err, want.ID)
		}
	}
	tell(uuid.Nil, 9, all[1], all[3], all[5], all[7])
	tell(uuid.Nil, 4, all[1], all[3])
	tell(all[3].ID, 9, all[5], all[7])
	first(all[1])
	if _, err := f.Sent(t.Context(), us, []docstore.Ref{all[1], all[5]}); err != nil {
		t.Fatal(err)
	}
	tell(uuid.Nil, 9, all[3], all[7])
	first(all[3])
	doc := entry("marked", 1)
	doc.ID, doc.Version, doc.Unsent = all[3].ID, 1, true
	if err := f.Replace(t.Context(), us, doc, nil); err != nil {
		t.Fatal(err)
	}
	tell(uuid.Nil, 9, docstore.Ref{ID: doc.ID, Version: 2}, all[7])
	if _, err := f.Sent(t.Context(), us, []docstore.Ref{{ID: doc.ID, Version: 2}, all[7]}); err != nil {
		t.Fatal(err)
	}
	tell(uuid.Nil, 9)
	_, err := f.FirstUnsent(t.Context(), us, "account", "marked")
	wantError(t, "first unsent", err, docstore.ErrNotFound)
	wantSum(t, f, "marked", big.NewInt(9), 9)
}

// sumsAmongWriters: a document that a sum lists as marked adds 1 to it; one that it does not list may add 1.
func sumsAmongWriters(t *testing.T, f fixture) {
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range min(f.size.Documents/4, 100) {
				doc := entry("busy", 1)
				doc.Unsent = true
				err := f.Insert(t.Context(), us, doc)
				if err == nil {
					_, err = f.Sent(t.Context(), us, []docstore.Ref{{ID: doc.ID, Version: 1}})
				}
				if err != nil && !errors.Is(err, docstore.ErrUnavailable) {
					t.Errorf("write: %v", err)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		writers.Wait()
		close(ended)
	}()
	for last := false; !last; {
		select {
		case <-ended:
			last = true
		default:
		}
		sum, err := f.Sum(t.Context(), us, "account", "busy", uuid.Nil, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(sum.Unsent) > sum.Documents || sum.Total.Int64() != int64(sum.Documents) {
			t.Fatalf("a sum of %v of %d documents lists %d", sum.Total, sum.Documents, len(sum.Unsent))
		}
	}
}
