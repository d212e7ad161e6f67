package bench

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

var (
	against = flag.String("against", "", "measure the writes in turn with the exchange in this `folder`")
	check   = flag.Bool("check", false, "fail if a value is outside its bound")
	booked  = flag.Int("booked", 20_000, "policies of the rows of figures; a claim for every fifth, 3 receipts each")
	copied  = flag.Int("copies", 1_000_000, "vehicles, and policies, that the rows of scale load")
	policy  = flag.Int("policies", 1000, "policies, each with a vehicle and a claim, that the rows are about")
	length  = flag.Duration("slice", 300*time.Millisecond, "how long each side is driven in a turn")
)

// callers ask at the same time, each on a connection of its own.
const callers = 16

// commands are those of the exchange.
var commands *trial.Commands

// TestMain makes the test binary the bare handler, or a crowd, if it is started with the argument for it.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		if run := map[string]func(file string) error{
			bareCommand: serveBare, crowdCommand: pressAll,
		}[os.Args[1]]; run != nil {
			fmt.Fprintln(os.Stderr, run(os.Args[2]))
			os.Exit(1)
		}
	}
	trial.MainWhole(func(built *trial.Commands) (int, error) {
		commands = built
		return m.Run(), nil
	})
}

// report reports a value of a row. With -check the row fails if the value is outside its bound.
func report(b *testing.B, unit string, value float64, within bool) {
	b.Helper()
	b.ReportMetric(value, unit)
	if *check && !within {
		b.Errorf("%g %s is outside the bound", value, unit)
	}
}

// turns runs a turn of a row as often as -benchtime says. The time of one is given, and so not reported.
func turns(b *testing.B, turn func()) {
	b.Helper()
	for b.Loop() {
		turn()
	}
	b.ReportMetric(0, "ns/op")
}

// once runs a row that has no turns.
func once(b *testing.B, do func()) {
	b.Helper()
	did := false
	turns(b, func() {
		if !did {
			do()
		}
		did = true
	})
}
