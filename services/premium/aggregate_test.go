package premium

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
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

// hotRow is one row, its receipts, and the processes that compute it.
type hotRow struct {
	t         *testing.T
	of        row
	processes []*environment
	total     int64
	treaty    string
}

func newHotRow(t *testing.T, processes int) *hotRow {
	h := &hotRow{t: t, of: row{"2026-11", "P1", "new policy"}}
	store := servicetest.OpenStore(t)
	for range processes {
		var e *environment
		declared := Service()
		declared.Flags, declared.Told = nil, nil
		declared.Declare = func(s *rest.Server, deps process.Deps) (_ rest.Parts, err error) {
			e, err = declare(s, deps, rules{period: month})
			return rest.Parts{}, err
		}
		servicetest.Start(t, declared.Definition(), servicetest.Options{
			Store: store, Peers: map[string]http.Handler{"coverage": coverageStub, "claims": claimsStub},
		})
		h.processes = append(h.processes, e)
	}
	return h
}

func (h *hotRow) receipts() docstore.Collection { return h.processes[0].receipts.Stored() }

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
		Keys:  docstore.Keys{rowIndex: h.of.index()}, Unsent: true,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.total += amount
}

// stored returns the row as it is stored.
func (h *hotRow) stored() *rest.Record[*premium.Bordereau] {
	h.t.Helper()
	stored, found, err := h.processes[0].rows.One(background, rowIndex, h.of.index())
	if err != nil || !found {
		h.t.Fatalf("there is a row: %v (%v)", found, err)
	}
	return stored
}

// compute has a process compute the row, and compares it with what was stored. Unless a crash comes before, the marks
// of the receipts in it are removed.
func (h *hotRow) compute(process int, crash bool) {
	h.t.Helper()
	marked, err := h.processes[process].compute(background, h.of)
	if err == nil && !crash {
		_, err = h.receipts().Sent(context.Background(), organisation.Sole(), marked)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	is := h.stored().Value
	if got, want := string(is.GrossWrittenPremium), fmt.Sprint(h.total); got != want {
		h.t.Fatalf("the row is %s, want %s", got, want)
	}
	if got := rest.Text(is.TreatyReference); got != h.treaty {
		h.t.Fatalf("the treaty is %q, and an admin has put %q", got, h.treaty)
	}
	left, err := h.receipts().Unsent(context.Background(), organisation.Sole(), uuid.Nil, 1)
	if err != nil || !crash && len(left) > 0 {
		h.t.Fatalf("marks are left: %v (%v)", left, err)
	}
}

// putTreaty changes the row as an admin does.
func (h *hotRow) putTreaty(treaty string) {
	h.t.Helper()
	h.treaty = treaty
	if err := h.processes[0].rows.Alter(background, h.stored(),
		func(r *rest.Record[*premium.Bordereau]) (bool, error) {
			r.Value.TreatyReference = &treaty
			return true, nil
		}); err != nil {
		h.t.Fatal(err)
	}
}

// TestARowIsRightWhoeverComputesIt: receipts come with ids of the past and of the future, more than a page of them, two
// processes compute the row in any order, marks stay because of a crash, and an admin changes the row. The row is right
// each time.
func TestARowIsRightWhoeverComputesIt(t *testing.T) {
	t.Parallel()
	h := newHotRow(t, 2)
	h.put(0, 1)
	h.compute(0, false)
	seed := rand.Uint64()
	t.Logf("the receipts have the seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		for range random.IntN(5) {
			from := time.Duration(0)
			if random.IntN(3) == 0 {
				from = time.Duration(random.Int64N(int64(2*time.Minute))) - time.Minute
			}
			h.put(from, random.Int64N(2000)-500)
		}
		if random.IntN(10) == 0 {
			h.putTreaty(fmt.Sprint(random.Int()))
		}
		h.compute(random.IntN(2), random.IntN(10) == 0)
	}
}
