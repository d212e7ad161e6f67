package main

import (
	"slices"
	"testing"

	"insurance.example/exchange/deploy/proof/bench/comparison"
)

// TestAllocationsDoNotGrow compares the allocations of a request with those in allocations.json. make test runs it
// alone: a process does some work at intervals, which is more for each request where requests are slow. A row that
// seems to have grown is measured again, because that work adds to one measurement and growth to all.
func TestAllocationsDoNotGrow(t *testing.T) {
	const file, times = "allocations.json", 5
	before, err := comparison.ReadAllocations(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	measured, err := comparison.MeasureAllocations(t.Context(), commands.Plain(), func(name string, seen []int) bool {
		return len(seen) > 0 && (len(seen) == times || !before.Grown(name, seen[len(seen)-1]))
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, seen := range measured {
		if least := slices.Min(seen); before.Grown(name, least) {
			t.Errorf("%s: a request makes %d allocations, and %d are in %s; more than 10 %% are too many. "+
				"If they are needed, write the "+
				"numbers of today with: make bench-allocations", name, least, before[name], file)
		}
		t.Logf("%s: %v, in the file %d", name, seen, before[name])
	}
	if len(before) != len(measured) {
		t.Errorf("%s has %d rows, want %d: make bench-allocations", file, len(before), len(measured))
	}
	leavesNothing(t)
}
