package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"insurance.example/exchange/deploy/proof/bench/comparison"
	"insurance.example/exchange/deploy/proof/bench/desk"
	"insurance.example/exchange/deploy/proof/bench/hostile"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/overload"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestMain makes the test binary the bare handler, the proxy or the hostile callers if it is started with the
// argument for it, as the command does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && serving[os.Args[1]] != nil {
		main()
		return
	}
	trial.Main(func(built *trial.Commands) (int, error) {
		commands = built
		return m.Run(), nil
	})
}

// commands are those of the exchange.
var commands *trial.Commands

// short returns arguments that measure in slices of a length, and write only to a temporary folder of the test.
func short(t *testing.T, slice time.Duration) arguments {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	o := parse(nil)
	o.Commands, o.Duration, o.Connections, o.Policies, o.Count = commands.Plain(), measurement.Turns*slice, 4, 60, 1000
	return o
}

// measure runs the bench and returns the cells of its table by row, and all that it printed.
func measure(t *testing.T, o arguments) (rows map[string][]string, printed string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	var out strings.Builder
	if err := run(ctx, o, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	rows = map[string][]string{}
	for line := range strings.Lines(out.String()) {
		if cells := regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(line), -1); len(cells) > 5 {
			rows[cells[0]] = cells
		}
	}
	leavesNothing(t)
	return rows, out.String()
}

var figure = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

var positive = regexp.MustCompile(`^[0-9]*\.?[0-9]*[1-9]`)

func TestTable(t *testing.T) {
	o := short(t, 50*time.Millisecond)
	o.results = filepath.Join(t.TempDir(), "results.txt")
	rows, printed := measure(t, o)
	for _, name := range o.kind.Rows {
		cells := rows[name]
		if len(cells) != 13 || !positive.MatchString(cells[1]) || cells[4] != "0" || !positive.MatchString(cells[5]) {
			t.Fatalf("%s: want a rate, 0 errors and a bare rate in\n%s", name, printed)
		}
		for _, cell := range cells[8:] {
			if !figure.MatchString(cell) {
				t.Errorf("%s: want CPU time and allocations in\n%s", name, printed)
			}
		}
	}
	if !regexp.MustCompile(`POST /receipt: the rows of the bordereau are the sums of all [1-9]\d* receipts; ` +
		`after the last of a slice they took \d+ ms`).MatchString(printed) {
		t.Errorf("want the rows of the receipts in\n%s", printed)
	}
	for _, memory := range []string{"idle", "after the load"} {
		if !regexp.MustCompile(`memory of the exchange, ` + memory +
			`: [1-9]\d* MB, target [1-9]\d* MB`).MatchString(printed) {
			t.Errorf("want the memory, %s, and its target in\n%s", memory, printed)
		}
	}
	if !regexp.MustCompile(`time until /readyz [1-9]\d* ms, target of one process 1000 ms`).MatchString(printed) {
		t.Errorf("want the time of the start in\n%s", printed)
	}
	keepsEverySlice(t, o)
}

// keepsEverySlice checks that the file of results has a line of Go's benchmark format for each slice of each row.
func keepsEverySlice(t *testing.T, o arguments) {
	t.Helper()
	file, err := os.Open(o.results)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	slices := map[string]int{}
	for reader := benchfmt.NewReader(file, o.results); reader.Scan(); {
		result, is := reader.Result().(*benchfmt.Result)
		if !is {
			t.Fatalf("%v", reader.Result())
		}
		rate, _ := result.Value("req/s")
		_, measured := result.Value("allocs/op") // of a short slice, below 0 now and then
		if rate <= 0 || !measured || result.GetConfig("commit") == "" || result.GetConfig("connections") != "4" {
			t.Errorf("want a rate, allocations, the build and the options in %+v", result)
		}
		slices[result.Name.String()]++
	}
	for _, name := range o.kind.Rows {
		if n := slices["Exchange/"+strings.ReplaceAll(name, " ", "_")]; n != measurement.Turns {
			t.Errorf("%s: %d slices in %v, want %d", name, n, slices, measurement.Turns)
		}
	}
}

func TestAging(t *testing.T) {
	o := short(t, 50*time.Millisecond)
	o.kind, o.Policies, o.Count = comparison.Aging(), 1, 40
	rows, printed := measure(t, o)
	for _, name := range o.kind.Rows {
		cells := rows[name]
		if len(cells) != 12 || cells[11] != "0" {
			t.Fatalf("%s: want a row without errors in\n%s", name, printed)
		}
		for _, cell := range cells[2:11] {
			if !positive.MatchString(cell) {
				t.Errorf("%s: want latencies, CPU time and bytes in\n%s", name, printed)
			}
		}
	}
	if !strings.Contains(printed, "loaded 40 copies of a receipt in ") ||
		!strings.Contains(printed, "the row of all 40 receipts was computed in ") {
		t.Errorf("want the load of the old row in\n%s", printed)
	}
}

func TestScale(t *testing.T) {
	o := short(t, 50*time.Millisecond)
	o.kind = comparison.Scale()
	rows, printed := measure(t, o)
	for _, name := range o.kind.Rows {
		cells := rows[name]
		if len(cells) != 10 || !positive.MatchString(cells[1]) || !positive.MatchString(cells[3]) || cells[5] != "0" {
			t.Errorf("%s: want two rates and 0 errors in\n%s", name, printed)
		}
	}
	for _, loaded := range []string{"loaded 1000 copies of a vehicle", "loaded 1000 copies of a policy"} {
		if !strings.Contains(printed, loaded) {
			t.Errorf("want %q in\n%s", loaded, printed)
		}
	}
}

// TestDesk looks at no times, which depend on the machine.
func TestDesk(t *testing.T) {
	o := short(t, 50*time.Millisecond)
	o.kind, o.Policies = desk.Measurement(), 1
	rows, printed := measure(t, o)
	cells := rows["1000 lines"]
	if len(rows) != 2 || len(cells) != 9 {
		t.Fatalf("want a row beside the titles in\n%s", printed)
	}
	for i, cell := range cells[1:] {
		if !figure.MatchString(strings.TrimSuffix(cell, " !")) || strings.Contains(cell, "!") && i%2 == 1 {
			t.Errorf("want figures, and memory in its bound, in\n%s", printed)
		}
	}
}

// TestAgainst compares a build with itself.
func TestAgainst(t *testing.T) {
	o := short(t, 50*time.Millisecond)
	folder := t.TempDir()
	if err := os.Symlink(o.Commands.Path("exchange"), filepath.Join(folder, "exchange")); err != nil {
		t.Fatal(err)
	}
	o.kind = comparison.Against(folder)
	rows, printed := measure(t, o)
	for _, name := range o.kind.Rows {
		cells := rows[name]
		if len(cells) != 8 || !positive.MatchString(cells[1]) || !positive.MatchString(cells[2]) || cells[3] != "0" ||
			!positive.MatchString(cells[6]) || !figure.MatchString(cells[7]) {
			// The CPU time of slices this short can be less than what is taken off for asking for it.
			t.Errorf("%s: want two rates, 0 errors and two ratios in\n%s", name, printed)
		}
	}
	if len(rows) < 4 {
		t.Errorf("want the rows of four resources in\n%s", printed)
	}
}

func TestBatch(t *testing.T) {
	o := short(t, 100*time.Millisecond)
	o.kind, o.Policies = comparison.Batch(), 1
	rows, printed := measure(t, o)
	for _, name := range o.kind.Rows {
		cells := rows[name]
		if len(cells) < 10 || !positive.MatchString(cells[1]) || !positive.MatchString(cells[2]) || cells[3] != "0" ||
			!positive.MatchString(cells[4]) || !positive.MatchString(cells[5]) {
			t.Errorf("%s: want two rates, 0 errors and two latencies in\n%s", name, printed)
		}
	}
}

// TestHostileCallersAreBounded checks that the memory stays within its bound, with a few of the rows and a fortieth of
// their records. Times depend on the machine, so that the test does not look at them.
func TestHostileCallersAreBounded(t *testing.T) {
	list, replace := "list 200 records of 900 KB", "replace one record of 900 KB"
	o := short(t, 100*time.Millisecond)
	o.kind, o.Only = hostile.Measurement(), regexp.MustCompile("^("+list+"|"+replace+")$")
	rows, printed := measure(t, o)
	for _, row := range []string{list, replace} {
		if cells := rows[row]; len(cells) < 9 || !positive.MatchString(cells[4]) || strings.Contains(cells[4], "!") {
			t.Errorf("want %q with memory in its bound in\n%s", row, printed)
		}
	}
}

// TestOverload checks that every request that is due is counted with what came of it. How many are served depends on
// the machine.
func TestOverload(t *testing.T) {
	o := short(t, 100*time.Millisecond)
	o.kind, o.Only, o.Callers = overload.Measurement(), regexp.MustCompile("mixed, open, 4000"), 100
	o.Profiles = t.TempDir()
	o.Together = runtime.NumCPU() == 1
	rows, printed := measure(t, o)
	cells := rows["mixed, open, 4000 callers"]
	if len(cells) != 11 || !positive.MatchString(cells[1]) || !positive.MatchString(cells[2]) {
		t.Fatalf("want a row with what can be served and what was asked in\n%s", printed)
	}
	for _, kind := range []string{"reads", "creates", "lists"} {
		if !regexp.MustCompile(kind + ` \d+ %`).MatchString(cells[9]) {
			t.Errorf("want the part of the %s that was served in time in\n%s", kind, printed)
		}
	}
	if !regexp.MustCompile(`200: \d+, 201: \d+`).MatchString(cells[10]) {
		t.Errorf("want responses to reads and writes in\n%s", printed)
	}
	profiled(t, o, "mixed-open-4000-callers.pprof")
}

// profiled checks that a file has a profile.
func profiled(t *testing.T, o arguments, file string) {
	t.Helper()
	profile, err := os.ReadFile(filepath.Join(o.Profiles, file))
	if err != nil || !bytes.HasPrefix(profile, []byte{0x1f, 0x8b}) { // as gzip begins
		t.Errorf("%s has %d bytes, and none that gzip begins with: %v", file, len(profile), err)
	}
}

// TestFair checks that each crowd sends, and that what became of the requests of the calm caller is counted. How many
// are served in which time depends on the machine.
func TestFair(t *testing.T) {
	o := short(t, 100*time.Millisecond)
	o.kind, o.Callers, o.Profiles = overload.Fair(), 20, t.TempDir()
	o.Together = runtime.NumCPU() == 1
	rows, printed := measure(t, o)
	statuses := map[string]string{"4000 strangers without a token": "401", "4000 forged tokens": "401",
		"one greedy caller, 4000 reads": "200", "one greedy caller, 4000 creates": "201",
		"4000 connections that reset requests": "1", "one organisation at ten times its share, creates": "201"}
	for _, name := range o.kind.Rows {
		cells := rows[name]
		if len(cells) != 10 || !positive.MatchString(cells[1]) || !positive.MatchString(cells[2]) {
			t.Fatalf("%s: want a row with what was asked and served in\n%s", name, printed)
		}
		if !strings.Contains(cells[9], statuses[name]+": ") {
			t.Errorf("%s: want responses with %s to the crowd in\n%s", name, statuses[name], printed)
		}
		profiled(t, o, strings.NewReplacer(" ", "-", ",", "").Replace(name)+".pprof")
	}
}

func TestUnknownRowIsRefused(t *testing.T) {
	o := short(t, time.Second)
	o.Only = regexp.MustCompile("DELETE")
	if err := run(t.Context(), o, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "DELETE") {
		t.Errorf("error %v, want one that names what was asked for", err)
	}
}

func TestInterruptEndsTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := run(ctx, short(t, time.Hour), interrupt{cancel}); err == nil {
		t.Error("no error")
	}
	leavesNothing(t)
}

// interrupt is an output that interrupts the run once the run prints the progress of its load.
type interrupt struct{ cancel context.CancelFunc }

func (i interrupt) Write(text []byte) (int, error) {
	if strings.HasPrefix(string(text), "load:") {
		i.cancel()
	}
	return len(text), nil
}

func leavesNothing(t *testing.T) {
	t.Helper()
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}
