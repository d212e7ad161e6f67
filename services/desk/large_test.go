package desk_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/wait"
	"insurance.example/exchange/services/desk"
)

var rows = flag.Int("rows", 5000, "how many rows and records TestManyRows compares")

// mostMemory is what a comparison may take beyond what there was, in bytes.
const mostMemory = 256 << 20

// TestManyRows sends as many rows as there are records, in two columns that are no ids, and compares them. Each row of
// many costs about as much work as each of a tenth of them: a comparison of each row with each record would cost ten
// times that.
func TestManyRows(t *testing.T) {
	few, many := compareRows(t, *rows/10), compareRows(t, *rows)
	for what, cost := range map[string][2]float64{
		"allocations":             {few.allocations, many.allocations},
		"operations of the store": {few.operations, many.operations},
	} {
		t.Logf("%s for each row of %d: %.2f, of %d: %.2f", what, *rows/10, cost[0], *rows, cost[1])
		if cost[1] > 2*cost[0] {
			t.Errorf("%d rows cost %.2f %s each, and %d %.2f", *rows/10, cost[0], what, *rows, cost[1])
		}
	}
	if many.grown > mostMemory {
		t.Errorf("%d rows took %d MiB", *rows, many.grown>>20)
	}
}

// work is what a comparison costs: for each row, and in memory at most.
type work struct {
	allocations, operations float64
	grown                   uint64
}

// compareRows sends a number of rows, and compares them with as many records.
func compareRows(t *testing.T, count int) work {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	store := &countingStore{Store: servicetest.OpenStore(t)}
	s := servicetest.Start(t, desk.Service().Definition(), servicetest.Options{
		Clock: w.clock, Peers: w.peers(), Flags: []string{"--request-timeout", wait.Longest.String()}, Store: store,
	})
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(terms, "2026-01\"", "2026-11\"", 1)+`,"currency":"EUR"}`)
	file := []byte("Policy,Type,Date,Gross,Net\n")
	for i := range count {
		number := fmt.Sprintf("P-%07d", i/2)
		w.policies[number] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
		w.record(number, "new policy", int64(1000+i), "")
		file = fmt.Appendf(file, "%s,NB,2026-11-10,%d.00,%d.00\n", number, 1000+i, 1000+i)
	}
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"EUR","types":{"NB":"new policy"},"columns":[
		{"column":"Policy","means":"policyNumber"},{"column":"Type","means":"type"},{"column":"Date","means":"date"},
		{"column":"Gross","means":"gross"},{"column":"Net","means":"net"}]}`)
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	operations, peak := store.operations.Load(), watch()
	of := send(t, s, "p", "text/csv", string(file))
	var run shown.Run
	read(t, s.Must(201, "POST", runs, `{"statement":"`+of.ID+`","against":{"contract":"C","kind":"premium",
		"period":"2026-11"}}`), &run)
	grown := peak()
	runtime.ReadMemStats(&after)
	if run.Outcomes[shown.Matched] != count || run.Items != count {
		t.Errorf("%+v", run)
	}
	return work{
		float64(after.Mallocs-before.Mallocs) / float64(count),
		float64(store.operations.Load()-operations) / float64(count), grown,
	}
}

// countingStore counts the operations of all collections.
type countingStore struct {
	docstore.Store
	operations atomic.Int64
}

func (s *countingStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	c, err := s.Store.Collection(ctx, spec)
	if err != nil {
		return c, err
	}
	return docstore.Decorate(c, func(ctx context.Context, _ docstore.Call, do func(context.Context) error) error {
		s.operations.Add(1)
		return do(ctx)
	}), nil
}

// watch returns what returns by how many bytes the memory in use has grown at most.
func watch() func() uint64 {
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most, ended := before.HeapInuse, make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-ended:
				return
			case <-tick.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapInuse)
			}
		}
	})
	return func() uint64 {
		close(ended)
		group.Wait()
		return most - before.HeapInuse
	}
}
