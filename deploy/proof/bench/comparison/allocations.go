package comparison

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// The requests of a row are made one after the other, and those that follow one another are about different policies.
// So how many writes share a commit, or receipts a computation of their row, does not depend on the machine.
const (
	allocationPolicies = 500
	// allocationWarmUp is the number of requests of a row before those that count. They make the rows of the
	// bordereau that receipts then change.
	allocationWarmUp = allocationPolicies
	// allocationsOfRow is how many allocations the requests of a row make together, about. Go counts them when a
	// block of memory is used up, so that some thousands are not counted yet at any time.
	allocationsOfRow = 250_000
	leastRequests    = 1000
	// leastAwaited is the same for a row of which something follows that is waited for. The wait, and asking whether it
	// is over, makes as many allocations as hundreds of requests, and more on a busy machine.
	leastAwaited = 4000
	// mostGrowth is the factor by which the allocations of a request may exceed those in the file.
	mostGrowth = 1.1
)

// Allocations are how many objects a request of each row allocates, by the name of the row.
type Allocations map[string]int

// Grown reports whether a number is too much more than that of a row.
func (a Allocations) Grown(name string, measured int) bool {
	return float64(measured) > mostGrowth*float64(a[name])
}

// MeasureAllocations starts an exchange and measures each row until enough is known about it.
func MeasureAllocations(ctx context.Context, commands *trial.Commands,
	enough func(name string, seen []int) bool) (measured map[string][]int, err error) {
	folder, err := os.MkdirTemp("", "exchange-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	const connections = 16 // of those who make the book
	exchange, err := sides.StartExchange(ctx, commands, filepath.Join(folder, "data"),
		sides.Settings{Connections: connections})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, exchange.Stop()) }()
	written, err := records.Write(exchange.Client, allocationPolicies, connections)
	if err != nil {
		return nil, err
	}
	measured = map[string][]int{}
	for _, r := range rowsOf(written) {
		s := exchange.Server
		err := s.Calibrate(ctx)
		perRequest, requests := 0, allocationWarmUp
		for n := 0; err == nil && (n == 0 || !enough(r.Name, measured[r.Name])); n++ {
			if perRequest, err = allocationsOf(ctx, s, r, requests); err == nil && n > 0 {
				measured[r.Name] = append(measured[r.Name], perRequest)
			}
			requests = max(leastRequests, allocationsOfRow/max(perRequest, 1))
			if r.Await != nil {
				requests = max(requests, leastAwaited)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	return measured, nil
}

// allocationsOf returns how many objects a request of a row allocates.
func allocationsOf(ctx context.Context, s *load.Server, r *load.Row, requests int) (int, error) {
	done, err := s.Measure(ctx, r, load.Amount{Connections: 1, Requests: requests})
	switch {
	case err != nil:
		return 0, err
	case done.Errors > 0:
		return 0, fmt.Errorf("%d of %d requests failed", done.Errors, done.Requests)
	}
	return int(math.Round(done.Allocations())), nil
}

// ReadAllocations reads allocations from a file.
func ReadAllocations(file string) (Allocations, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var a Allocations
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return a, nil
}

// UpdateAllocations measures the allocations of a request, prints how they differ from those in a file, and writes
// them into it.
func UpdateAllocations(ctx context.Context, commands *trial.Commands, file string, out io.Writer) error {
	before, err := ReadAllocations(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	const times = 3
	measured, err := MeasureAllocations(ctx, commands, func(_ string, seen []int) bool { return len(seen) == times })
	if err != nil {
		return err
	}
	table := report.NewTable(out, nil, names(rowsOf(&records.Book{})))
	now := Allocations{}
	for _, r := range rowsOf(&records.Book{}) {
		now[r.Name] = slices.Sorted(slices.Values(measured[r.Name]))[times/2]
		table.Row(r.Name, report.Of("before", "", 0, float64(before[r.Name])),
			report.Of("now", "", 0, float64(now[r.Name])))
	}
	text, err := json.MarshalIndent(now, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
