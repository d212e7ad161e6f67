package premium

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/servicetest"
)

// countingStore counts the receipts that sums have read, and the rows that were read.
type countingStore struct {
	docstore.Store
	summed, rows atomic.Int64
	// receipts is the collection of the receipts, as the service has opened it.
	receipts docstore.Collection
}

func (s *countingStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := s.Store.Collection(ctx, spec)
	if err != nil || spec.Name != "receipt" {
		return countingRows{c, s}, err
	}
	s.receipts = c
	sums, err := docstore.As[docstore.Sums](c)
	return countingCollection{c, sums, s}, err
}

type countingCollection struct {
	docstore.Collection
	docstore.Sums
	store *countingStore
}

func (c countingCollection) Unwrap() docstore.Collection { return c.Collection }

func (c countingCollection) Sum(
	ctx context.Context, who organisation.ID, index, value string, after uuid.UUID, limit int,
) (docstore.Sum, error) {
	sum, err := c.Sums.Sum(ctx, who, index, value, after, limit)
	c.store.summed.Add(int64(sum.Documents))
	return sum, err
}

type countingRows struct {
	docstore.Collection
	store *countingStore
}

func (c countingRows) Unwrap() docstore.Collection { return c.Collection }

func (c countingRows) Find(ctx context.Context, who organisation.ID, q docstore.Query) ([]docstore.Document, error) {
	c.store.rows.Add(1)
	return c.Collection.Find(ctx, who, q)
}

func (c countingRows) Get(ctx context.Context, who organisation.ID, id uuid.UUID) (docstore.Document, error) {
	c.store.rows.Add(1)
	return c.Collection.Get(ctx, who, id)
}

// hotRow is one row, its receipts, and the processes that compute it.
type hotRow struct {
	t         testing.TB
	of        row
	store     *countingStore
	processes []*environment
	// total is the sum of the receipts that were stored.
	total int64
	// treaty is what an admin has put into the row; nil if nothing.
	treaty *string
}

func newHotRow(t testing.TB, processes, whole, page int) *hotRow {
	h := &hotRow{t: t, of: row{"2026-11", "P1", "new policy"}, store: &countingStore{Store: servicetest.OpenStore(t)}}
	for range processes {
		var e *environment
		declared := Service()
		declared.Flags, declared.Told = nil, nil
		declared.Declare = func(s *rest.Server, deps process.Deps) (parts rest.Parts, err error) {
			e, err = declare(s, deps, rules{period: month})
			return parts, err
		}
		servicetest.Start(t, declared.Definition(), servicetest.Options{
			Store: h.store, Peers: map[string]http.Handler{"coverage": coverageStub, "claims": claimsStub},
		})
		e.subtotals.whole, e.subtotals.page = whole, page
		e.included = h.removeMarks
		h.processes = append(h.processes, e)
	}
	return h
}

func (h *hotRow) receipts() docstore.Collection { return h.processes[0].receipts.Stored() }

func (h *hotRow) removeMarks(ctx context.Context, refs []docstore.Ref) {
	if _, err := h.receipts().Sent(ctx, organisation.Sole(), refs); err != nil {
		h.t.Error(err)
	}
}

// put stores a receipt with a mark, whose id is of some time from now.
func (h *hotRow) put(from time.Duration, amount int64) {
	id := uuid.Must(uuid.NewV7())
	milliseconds := time.Now().Add(from).UnixMilli()
	for i := range 6 {
		id[i] = byte(milliseconds >> (40 - 8*i))
	}
	err := h.receipts().Insert(context.Background(), organisation.Sole(), docstore.Document{
		ID: id, Body: fmt.Appendf(nil, `{"id":%q,"paymentAmount":%d}`, id, amount),
		State: []byte(`{"resource":"receipt"}`),
		Keys:  docstore.Keys{rowIndex: h.of.index()}, Amount: amount, Unsent: true,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.total += amount
}

// compute has a process compute the row.
func (h *hotRow) compute(process int) {
	h.t.Helper()
	e := h.processes[process]
	if err := e.compute(background, h.of); err != nil {
		h.t.Fatal(err)
	}
	h.check()
}

// check compares the row with what was stored.
func (h *hotRow) check() {
	h.t.Helper()
	stored, found, err := h.processes[0].rows.One(background, rowIndex, h.of.index())
	if err != nil || !found {
		h.t.Fatalf("there is a row: %v (%v)", found, err)
	}
	if got, want := string(stored.Value.GrossWrittenPremium), fmt.Sprint(h.total); got != want {
		h.t.Fatalf("the row is %s, want %s", got, want)
	}
	if got, want := rest.Text(stored.Value.TreatyReference), rest.Text(h.treaty); got != want {
		h.t.Fatalf("the treaty is %q, and an admin has put %q", got, want)
	}
}

// putTreaty changes the row as an admin does, if there is one.
func (h *hotRow) putTreaty(treaty string) {
	h.t.Helper()
	rows := h.processes[0].rows
	stored, found, err := rows.One(background, rowIndex, h.of.index())
	if err == nil && found {
		h.treaty = &treaty
		err = rows.Alter(background, stored, func(r *rest.Record[*premium.Bordereau]) (bool, error) {
			r.Value.TreatyReference = &treaty
			return true, nil
		})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// TestARowIsRightWhoeverComputesIt: receipts come with ids of the past and of the future, two processes compute the
// row in any order, marks stay because of a crash, an admin changes the row, and a process begins anew. The row is
// right each time.
func TestARowIsRightWhoeverComputesIt(t *testing.T) {
	h := newHotRow(t, 2, 3, 5)
	h.put(0, 1)
	random := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		for range random.IntN(4) {
			from := time.Duration(0)
			if random.IntN(3) == 0 {
				from = time.Duration(random.Int64N(int64(2*time.Minute))) - time.Minute
			}
			h.put(from, random.Int64N(2000)-500)
		}
		one := random.IntN(2)
		e := h.processes[one]
		switch random.IntN(10) {
		case 0:
			e.included = func(context.Context, []docstore.Ref) {}
		case 1:
			e.subtotals.rows.Purge()
		case 2:
			h.putTreaty(fmt.Sprint(random.Int()))
		}
		h.compute(one)
		e.included = h.removeMarks
	}
}

// TestARowCostsWhatIsNewInIt: how many receipts are read to compute a row does not grow with those that are in it,
// also if some come late.
func TestARowCostsWhatIsNewInIt(t *testing.T) {
	h := newHotRow(t, 1, 10, 100)
	for i := range 2000 {
		h.put(time.Duration(i)*time.Millisecond, 1)
	}
	h.compute(0)
	if got := h.store.summed.Swap(0); got != 2000 {
		t.Errorf("%d receipts were read at first, want 2000", got)
	}
	h.compute(0)
	if got := h.store.summed.Swap(0); got != 0 {
		t.Errorf("%d receipts were read although none is new", got)
	}
	for i := range 50 {
		h.put(time.Duration(2000+i)*time.Millisecond, 1)
		h.compute(0)
		if got := h.store.summed.Swap(0); got != 1 {
			t.Errorf("%d receipts were read for one that is new", got)
		}
	}
	// Before the last 100, and before the last 1000.
	for _, late := range []int{100, 1000} {
		h.put(time.Duration(2050-late)*time.Millisecond, 1)
		h.compute(0)
		if got := h.store.summed.Swap(0); got > int64(2*late+150) {
			t.Errorf("%d receipts were read for one that comes %d too late", got, late)
		}
	}
}

// BenchmarkRow stores a receipt and computes its row, with so many receipts in it.
func BenchmarkRow(b *testing.B) {
	for _, n := range []int{1, 1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := newHotRow(b, 1, wholeReceipts, sumPage)
			filled := make(chan error, 32)
			for range cap(filled) {
				go func() {
					var err error
					for i := 0; err == nil && i < n/cap(filled); i++ {
						err = h.receipts().Insert(context.Background(), organisation.Sole(), docstore.Document{
							ID: uuid.Must(uuid.NewV7()), Body: []byte(`{"paymentAmount":1}`),
							State: []byte(`{"resource":"receipt"}`),
							Keys:  docstore.Keys{rowIndex: h.of.index()}, Amount: 1,
						})
					}
					filled <- err
				}()
			}
			for range cap(filled) {
				if err := <-filled; err != nil {
					b.Fatal(err)
				}
			}
			h.total = int64(n / cap(filled) * cap(filled))
			began := time.Now()
			h.compute(0)
			b.Logf("all %d receipts: %v", h.total, time.Since(began))
			for b.Loop() {
				h.put(0, 1)
				h.compute(0)
			}
		})
	}
}
