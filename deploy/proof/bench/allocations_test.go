package bench

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the allocations that are measured into allocations.json")

// The requests of a row are made one after the other, and those that follow one another are about different
// policies. So how many writes share a commit, or receipts a computation of their row, does not depend on the
// machine.
const (
	allocationPolicies = 500
	// allocationsOfRow is how many allocations the requests of a row make together, about. Go counts them when a
	// block of memory is used up, so that some thousands are not counted yet at any time.
	allocationsOfRow = 250_000
	leastRequests    = 1000
	// leastReceipts is the same for receipts, whose rows are waited for. The wait, and asking whether it is over,
	// makes as many allocations as hundreds of requests, and more on a busy machine.
	leastReceipts = 4000
	// mostGrowth is the factor by which the allocations of a request may exceed those in the file.
	mostGrowth = 1.1
)

// TestAllocationsDoNotGrow compares the allocations of a request with those in allocations.json. A process does
// some work at intervals, which is more for each request where requests are slow, so that a row that seems to have
// grown is measured again: that work adds to one measurement, and growth to all.
func TestAllocationsDoNotGrow(t *testing.T) {
	const file, times = "allocations.json", 5
	text, err := os.ReadFile(file)
	before := map[string]int{}
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil {
		t.Fatal(err)
	}
	// What the book does in the same process is no part of a request.
	exchange, _ := start(t, commands, t.TempDir(), "EXCHANGE_BOOK=false")
	exchange.book = writeBook(t, exchange, allocationPolicies)
	exchange.calibrate(t)
	now := map[string]int{}
	for _, r := range rows {
		// The first requests make the rows of the bordereau that receipts then change.
		of := allocations(t, exchange, r, allocationPolicies)
		requests := max(leastRequests, allocationsOfRow/max(of, 1))
		if r == postReceipt {
			requests = max(requests, leastReceipts)
		}
		least := math.MaxInt
		for range times {
			least = min(least, allocations(t, exchange, r, requests))
			if !*update && float64(least) <= mostGrowth*float64(before[r.name]) {
				break
			}
		}
		now[r.name] = least
		t.Logf("%s: %d, in the file %d", r.name, least, before[r.name])
		if !*update && float64(least) > mostGrowth*float64(before[r.name]) {
			t.Errorf("%s: a request makes %d allocations, and %d are in %s; more than 10 %% are too many. If they are "+
				"needed, write the numbers of today with: make bench-allocations", r.name, least, before[r.name], file)
		}
	}
	if *update {
		text, err := json.MarshalIndent(now, "", "\t")
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	} else if len(before) != len(now) {
		t.Errorf("%s has %d rows, want %d: make bench-allocations", file, len(before), len(now))
	}
}

// allocations returns how many objects a request of a row allocates.
func allocations(t *testing.T, s *side, r *row, requests int) int {
	t.Helper()
	return int(math.Round(s.measure(t, r, plan{requests: uint64(requests), callers: 1}).allocations))
}
