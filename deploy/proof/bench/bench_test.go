package bench

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/deploy/proof/e2e/copies"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/number"
)

// BenchmarkRows measures each row in turn with the bare handler, and then the memory and the time of the start.
func BenchmarkRows(b *testing.B) {
	exchange, ready := start(b, commands, b.TempDir())
	_, idle := exchange.resident(b)
	exchange.book = writeBook(b, exchange, *policy)
	exchange.calibrate(b)
	bare := startBare(b, exchange, rows)
	for _, r := range rows {
		b.Run(r.name, func(b *testing.B) {
			ours, theirs := inTurn(b, r, exchange, bare)
			ratio := median(ours, theirs, byRate)
			report(b, "ratio", ratio, ratio >= r.least)
			if r == postReceipt {
				slowest := slices.MaxFunc(ours, func(a, c turn) int { return int(1e6 * (a.rows - c.rows)) }).rows
				report(b, "rows-s", slowest, slowest <= mostRows.Seconds())
			}
		})
	}
	b.Run("memory", func(b *testing.B) {
		once(b, func() {})
		_, loaded := exchange.resident(b)
		report(b, "idle-MB", idle, idle <= 60)
		report(b, "loaded-MB", loaded, loaded <= 120)
		report(b, "ready-ms", float64(ready.Milliseconds()), ready <= time.Second)
	})
}

// BenchmarkAgainst measures writes in turn with another build, which has a folder of data of its own. It shows
// what a change costs, such as one more index.
func BenchmarkAgainst(b *testing.B) {
	if *against == "" {
		b.Skip("-against FOLDER names the other build")
	}
	var sides []*side
	for _, from := range []*trial.Commands{commands, trial.In(*against)} {
		s, _ := start(b, from, b.TempDir())
		s.book = writeBook(b, s, *policy)
		s.calibrate(b)
		sides = append(sides, s)
	}
	for _, r := range append([]*row{getVehicle}, writes...) {
		b.Run(r.name, func(b *testing.B) {
			ours, theirs := inTurn(b, r, sides[0], sides[1])
			b.ReportMetric(1/median(ours, theirs, byRate), "time-ratio")
			b.ReportMetric(median(ours, theirs, func(t turn) float64 { return t.allocations }), "allocs-ratio")
		})
	}
}

// BenchmarkScale measures reads before and after copies of vehicles and policies are loaded straight into the
// store. Minutes pass between, so that each rate is compared with that of the bare handler at the same time.
func BenchmarkScale(b *testing.B) {
	const mostSlower = 1.15
	data, ratios := b.TempDir(), map[*row]float64{}
	exchange, _ := start(b, commands, data)
	exchange.book = writeBook(b, exchange, *policy)
	exchange.calibrate(b)
	bare := startBare(b, exchange, reads)
	for _, r := range reads {
		b.Run("small "+r.name, func(b *testing.B) {
			ours, theirs := inTurn(b, r, exchange, bare)
			ratios[r] = median(ours, theirs, byRate)
			b.ReportMetric(ratios[r], "ratio")
		})
	}
	written := exchange.book
	if err := exchange.whole.Close(); err != nil { // a store has one owner
		b.Fatal(err)
	}
	loaded := load(b, data, written)
	exchange, _ = start(b, commands, data)
	exchange.book = loaded
	exchange.calibrate(b)
	for _, r := range reads {
		b.Run("large "+r.name, func(b *testing.B) {
			ours, theirs := inTurn(b, r, exchange, bare)
			ratio := median(ours, theirs, byRate)
			b.ReportMetric(ratio, "ratio")
			report(b, "slower", ratios[r]/ratio, ratios[r]/ratio <= mostSlower)
		})
	}
}

// load puts copies of a vehicle and a policy into a data folder that no process has open, and returns a book of some.
func load(b *testing.B, data string, of *book) *book {
	b.Helper()
	const samples = 5000
	k := &book{pages: []string{"limit=50"}, holder: of.holder, driver: of.driver}
	insert := func(table, id string, keep func(id uuid.UUID)) {
		file, table := copies.Place(data, "coverage", table)
		if err := copies.Insert(b.Context(), file, table, id, *copied, func(nth int, id uuid.UUID) []string {
			if nth%max(1, *copied/samples) == 0 {
				keep(id)
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	insert("vehicle", of.vehicles[0], func(id uuid.UUID) { k.vehicles = append(k.vehicles, id.String()) })
	insert("policy", of.policyID, func(id uuid.UUID) {
		k.policies = append(k.policies, number.Of(copies.Policy, id))
	})
	return k
}

// inTurn measures a row on both sides in turn, each once before to warm up, so that other load on the machine
// affects both. An iteration of the benchmark is a turn of each.
func inTurn(b *testing.B, r *row, one, other *side) (ours, theirs []turn) {
	b.Helper()
	much := plan{duration: *length, callers: callers}
	one.measure(b, r, much)
	other.measure(b, r, much)
	turns(b, func() {
		ours, theirs = append(ours, one.measure(b, r, much)), append(theirs, other.measure(b, r, much))
	})
	for unit, of := range map[string]func(turn) float64{
		"req/s":       byRate,
		"p50-ms":      func(t turn) float64 { return t.p50 },
		"p99-ms":      func(t turn) float64 { return t.p99 },
		"cpu-us":      func(t turn) float64 { return t.micros },
		"allocations": func(t turn) float64 { return t.allocations },
	} {
		b.ReportMetric(median(ours, nil, of), unit)
	}
	b.ReportMetric(median(theirs, nil, byRate), "other-req/s")
	b.ReportMetric(median(ours, theirs, func(t turn) float64 { return t.micros }), "cpu-ratio")
	return ours, theirs
}

func byRate(t turn) float64 { return t.rate }

// median returns the median of a value of turns, divided by that of the other side in the same turn if there is
// one.
func median(ours, theirs []turn, of func(turn) float64) float64 {
	var all []float64
	for i, t := range ours {
		value := of(t)
		if theirs != nil {
			value /= of(theirs[i])
		}
		all = append(all, value)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
