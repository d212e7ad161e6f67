package simulation_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"insurance.example/exchange/deploy/proof/simulation"
	"insurance.example/exchange/pkg/chance"
)

var (
	from  = flag.Int("from", -1, "the first seed; -1 for 0 with -short, and for one that is drawn otherwise")
	seeds = flag.Int("seeds", 0, "the number of seeds; 0 for as many as are enough to see that something is broken, "+
		"and with -short for a tenth of them")
	trace = flag.Bool("trace", false, "print every operation")
)

func TestMain(m *testing.M) {
	// One operation happens at a time, so a second processor is of no use. Little memory is in use.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}

// runs counts the seeds of this process. Each seed begins at a later time than the last one ended, because ids must
// grow with time in a process. The trace counts time from the beginning of its seed.
var runs int

// run runs a seed.
func run(t *testing.T, seed int, part simulation.Part, history io.Writer) (o simulation.Outcome) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, uint64(seed))
	runs++
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Duration(runs) * time.Hour)
		var err error
		if o, err = simulation.Run(uint64(seed), part, history); err != nil {
			t.Fatal(err)
		}
	})
	return o
}

// most is the greatest number of seeds that one process runs.
const most = 2000

// TestSeeds runs the seeds of the core that the flags name. Each of these faults of effective dates was put into the
// code, and a seed up to 110 found it:
//
//   - a version counts from after its effective date, or what counts is found by when it was written;
//   - a replacement forgets from when on the last endorsement counts;
//   - an endorsement counts from before the last one;
//   - cover ends when the policy is cancelled, whatever date was sent;
//   - claims are judged by what was written last, or only sometimes by what counts at the loss.
func TestSeeds(t *testing.T) { runSeeds(t, simulation.Core, 2000) }

// TestSeedsOfDesk runs the seeds of the desk. Each of these faults was put into the code, and a seed found it:
//
//   - a page of receipts is read before it is settled;
//   - a receipt that comes late is forgotten, or lies before the place from which the next version is read;
//   - a replica overwrites what another one has changed;
//   - the error of a block is ignored, or a write with an unknown outcome counts as done;
//   - a version is prepared beside a pending one, or a correction stands beside what it replaces;
//   - lines of other periods are forgotten, or what was paid before is not carried on.
func TestSeedsOfDesk(t *testing.T) { runSeeds(t, simulation.Desk, 200) }

// TestSeedsOfSharing runs the seeds of policies that organisations share. Each of these faults was put into the code,
// and a seed up to 300 found it:
//
//   - a grant, a stamp or the number of a policy shows a record that the access list does not;
//   - a change goes on although a service has not made its step;
//   - access lists are remembered for a second;
//   - records are not stamped when a list changes, or an error of stamping is ignored;
//   - a step that comes late undoes a list.
func TestSeedsOfSharing(t *testing.T) { runSeeds(t, simulation.Sharing, 300) }

func runSeeds(t *testing.T, part simulation.Part, enough int) {
	from, seeds := *from, cmp.Or(*seeds, chance.Fewer(enough, 10))
	switch {
	case from < 0 && testing.Short():
		from = 0
	case from < 0:
		from = int(chance.Seed(t) % 1_000_000_000)
	}
	if seeds > most {
		runInProcesses(t, from, seeds)
		return
	}
	var history io.Writer
	if *trace {
		history = os.Stdout
	}
	steps := 0
	for seed := from; seed < from+seeds; seed++ {
		o := run(t, seed, part, history)
		steps += o.Steps
		for _, wrong := range o.Wrong {
			t.Errorf("seed %d: %s (make simulate OF=%s FROM=%d SEEDS=1 TRACE=1 shows its operations)", seed, wrong,
				part, seed)
		}
	}
	if least := seeds * 20; steps < least {
		t.Errorf("%d operations in %d seeds; something keeps the callers or the services from working", steps, seeds)
	}
}

// runInProcesses runs the seeds in child processes, as many at a time as there are processors, and prints the
// progress.
func runInProcesses(t *testing.T, from, seeds int) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts := make(chan int)
	var running sync.WaitGroup
	var mu sync.Mutex
	done, began := 0, time.Now()
	for range runtime.NumCPU() {
		running.Go(func() {
			for first := range parts {
				count := min(most, from+seeds-first)
				child := exec.CommandContext(t.Context(), self, "-test.run", "^"+t.Name()+"$", "-test.timeout", "0",
					"-from", strconv.Itoa(first), "-seeds", strconv.Itoa(count))
				output, err := child.CombinedOutput()
				mu.Lock()
				if done += count; err != nil {
					t.Errorf("seeds %d to %d: %v\n%s", first, first+count-1, err, output)
				}
				fmt.Printf("%d of %d seeds after %v\n", done, seeds, time.Since(began).Round(time.Second))
				mu.Unlock()
			}
		})
	}
	for first := from; first < from+seeds; first += most {
		parts <- first
	}
	close(parts)
	running.Wait()
}

// TestSeedDecides runs the first seeds twice, and expects the same operations at the same times.
func TestSeedDecides(t *testing.T) {
	for _, part := range []simulation.Part{simulation.Core, simulation.Desk, simulation.Sharing} {
		for seed := range 6 {
			var first, second bytes.Buffer
			if run(t, seed, part, &first).Digest == run(t, seed, part, &second).Digest {
				continue
			}
			one, other := bytes.Split(first.Bytes(), []byte("\n")), bytes.Split(second.Bytes(), []byte("\n"))
			for i := range min(len(one), len(other)) {
				if !bytes.Equal(one[i], other[i]) {
					t.Errorf("%s, seed %d: operation %d is %q and then %q", part, seed, i, one[i], other[i])
					break
				}
			}
			t.Errorf("%s, seed %d: %d operations and then %d", part, seed, len(one), len(other))
		}
	}
}
