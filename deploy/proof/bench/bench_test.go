package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/deploy/proof/bench/comparison"
	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// TestMain makes the test binary the bare handler, the proxy or the hostile callers if it is started with the
// argument for it, as the command does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && serving[os.Args[1]] != nil {
		main()
		return
	}
	os.Exit(runTests(m))
}

// exchangeCommand is the exchange as it is shipped.
var exchangeCommand string

// buildServices builds the commands of the gateway and of the services beside that of the exchange, if they are not
// there.
var buildServices func() error

func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "bench-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	buildServices = sync.OnceValue(func() error { return buildCommands(folder) })
	if built := os.Getenv("COMMANDS_UNDER_TEST"); built != "" {
		buildServices = func() error { return nil }
		_ = os.Getenv("COMMANDS_DIGEST")                 // Go caches no result for other commands
		exchangeCommand = filepath.Join(built, "client") // without the race detector, as it is shipped
		return m.Run()
	}
	exchangeCommand = filepath.Join(folder, "exchange")
	if err := buildCommands(exchangeCommand, "deploy/exchange"); err != nil {
		panic(err)
	}
	return m.Run()
}

// buildCommands builds commands of the exchange; those of the gateway and of the services if none is named.
func buildCommands(to string, commands ...string) error {
	if len(commands) == 0 {
		for _, process := range internalapi.Processes() {
			folder := "services/" + process.Name
			if process.Name == internalapi.Gateway {
				folder = process.Name
			}
			commands = append(commands, folder+"/cmd/"+process.Name)
		}
	}
	args := []string{"build", "-o", to}
	for _, command := range commands {
		args = append(args, "insurance.example/exchange/"+command)
	}
	if text, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// short returns arguments that measure in slices of a length, and write only to a temporary folder of the test.
func short(t *testing.T, slice time.Duration) arguments {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	o := parse(nil)
	o.Command, o.Duration, o.Connections, o.Policies, o.Count = exchangeCommand, measurement.Turns*slice, 4, 60, 1000
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
	o.json = filepath.Join(t.TempDir(), "report.json")
	rows, printed := measure(t, o)
	for _, name := range comparison.OneProcess().Rows {
		cells := rows[name]
		if cells == nil || !positive.MatchString(cells[1]) || cells[4] != "0" || !positive.MatchString(cells[5]) {
			t.Errorf("%s: want a rate, 0 errors and a bare rate in\n%s", name, printed)
		}
		// The last cells are those of CPU time and allocations. The target may have a remark, which is a cell of its
		// own.
		for _, cell := range cells[max(0, len(cells)-5):] {
			if !figure.MatchString(cell) {
				t.Errorf("%s: want CPU time and allocations in\n%s", name, printed)
			}
		}
	}
	if !regexp.MustCompile(`POST /receipt: the rows of the bordereau are the sums of all [1-9]\d* receipts; after the last of a slice they took \d+ ms`).MatchString(printed) {
		t.Errorf("want how long the rows of the bordereau took in\n%s", printed)
	}
	for _, memory := range []string{"idle", "after the load"} {
		if !regexp.MustCompile(`memory of the exchange, ` + memory + `: [1-9]\d* MB, target [1-9]\d* MB`).MatchString(printed) {
			t.Errorf("want the memory, %s, and its target in\n%s", memory, printed)
		}
	}
	keepsEverySlice(t, o.json, printed)
	if strings.Count(printed, "resident ") != 2 || !strings.Contains(printed, "first 200 after ") ||
		!regexp.MustCompile(`time until /readyz  [1-9]\d* ms, target 1000 ms`).MatchString(printed) {
		t.Errorf("want the start and the memory before and after in\n%s", printed)
	}
}

func TestAging(t *testing.T) {
	o := short(t, 50*time.Millisecond)
	o.aging, o.Policies, o.Count = true, 1, 40
	rows, printed := measure(t, o)
	for _, name := range comparison.Aging().Rows {
		cells := rows[name]
		if cells == nil || cells[len(cells)-1] != "0" {
			t.Fatalf("%s: want a row without errors in\n%s", name, printed)
		}
		for _, cell := range cells[2:11] {
			if !positive.MatchString(cell) {
				t.Errorf("%s: want latencies, CPU time and bytes in\n%s", name, printed)
			}
		}
	}
	if !strings.Contains(printed, "loading: 40 of 40 receipts") || !strings.Contains(printed, "the row of all 40 receipts was computed in ") {
		t.Errorf("want the load of the old row in\n%s", printed)
	}
}

// keepsEverySlice holds that a file has all that the table was made from.
func keepsEverySlice(t *testing.T, file, printed string) {
	t.Helper()
	kept, err := report.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var again strings.Builder
	var results []report.Result
	for i, name := range comparison.OneProcess().Rows {
		of := kept.Tables[0].Rows[i]
		if of.Name != name || len(of.Exchange) != measurement.Turns || len(of.Bare) != measurement.Turns {
			t.Errorf("row %d is %s with %d and %d slices, want %s with %d", i, of.Name, len(of.Exchange), len(of.Bare), name, measurement.Turns)
		}
		results = append(results, report.Result{Row: &load.Row{Name: name, Target: of.Target}, Exchange: of.Exchange, Bare: of.Bare})
	}
	if report.PrintRows(&again, "bare", results); !strings.Contains(printed, again.String()) {
		t.Errorf("the file gives the table\n%swant that of\n%s", again.String(), printed)
	}
	if kept.Build.Go == "" || kept.Build.Commit == "" || kept.Options.Connections != 4 || kept.Idle == 0 || kept.Loaded == 0 {
		t.Errorf("want the build, the options and the memory in %+v", kept)
	}
}

func TestScale(t *testing.T) {
	o := short(t, 50*time.Millisecond)
	o.scale, o.json = true, filepath.Join(t.TempDir(), "report.json")
	rows, printed := measure(t, o)
	for _, name := range comparison.Scale().Rows {
		cells := rows[name]
		if cells == nil || !positive.MatchString(cells[1]) || !positive.MatchString(cells[3]) || cells[5] != "0" {
			t.Errorf("%s: want two rates and 0 errors in\n%s", name, printed)
		}
	}
	kept, err := report.Read(o.json)
	if err != nil {
		t.Fatal(err)
	}
	if kept.Options.Count != 1000 || len(kept.Tables) != 2 {
		t.Errorf("%d tables, about %d records, want two about 1000", len(kept.Tables), kept.Options.Count)
	}
	for _, loaded := range []string{"1000 of 1000 vehicles", "1000 of 1000 policies"} {
		if !strings.Contains(printed, loaded) {
			t.Errorf("want %q in\n%s", loaded, printed)
		}
	}
}

// TestHostileCallersAreBounded holds that the memory stays within its bound, with a few of the rows and a fortieth of
// their records. Times depend on the machine, so that the test does not look at them.
func TestHostileCallersAreBounded(t *testing.T) {
	list, replace := "list 200 records of 900 KB", "replace one record of 900 KB"
	o := short(t, 100*time.Millisecond)
	o.hostile, o.Only = true, regexp.MustCompile("^("+list+"|"+replace+")$")
	_, printed := measure(t, o)
	for _, row := range []string{list, replace} {
		found := regexp.MustCompile(`(?m)^` + row + ` .*?  (\d+) +\d+ +[\d.]+ *!? +\d+( !)? +\d+ `).FindStringSubmatch(printed)
		if found == nil || found[2] != "" {
			t.Errorf("want %q with memory in its bound in\n%s", row, printed)
		}
	}
}

// TestOverload holds that every request that is due is counted with what came of it. How many are served depends on
// the machine.
func TestOverload(t *testing.T) {
	o := short(t, 100*time.Millisecond)
	o.overload, o.Only, o.Callers = true, regexp.MustCompile("mixed, 4000"), 100
	o.Together = runtime.NumCPU() == 1
	rows, printed := measure(t, o)
	cells := rows["mixed, 4000 callers"]
	if len(cells) != 12 || !positive.MatchString(cells[1]) || !positive.MatchString(cells[2]) {
		t.Fatalf("want a row with what can be served and what was asked in\n%s", printed)
	}
	for _, kind := range []string{"reads", "writes", "lists"} {
		if !regexp.MustCompile(kind + ` \d+ %`).MatchString(cells[10]) {
			t.Errorf("want the part of the %s that was served in time in\n%s", kind, printed)
		}
	}
	if !regexp.MustCompile(`200: \d+, 201: \d+`).MatchString(cells[11]) {
		t.Errorf("want responses to reads and writes in\n%s", printed)
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
