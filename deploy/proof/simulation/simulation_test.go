package simulation_test

import (
	"bytes"
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
)

var (
	from  = flag.Int("from", 0, "the first seed")
	seeds = flag.Int("seeds", 2000, "the number of seeds")
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
func run(t *testing.T, seed int, history io.Writer) (o simulation.Outcome) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, uint64(seed))
	runs++
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Duration(runs) * time.Hour)
		var err error
		if o, err = simulation.Run(uint64(seed), history); err != nil {
			t.Fatal(err)
		}
	})
	return o
}

// most is the greatest number of seeds that one process runs.
const most = 2000

// TestSeeds runs the seeds that the flags name.
func TestSeeds(t *testing.T) {
	if *seeds > most {
		runInProcesses(t)
		return
	}
	var history io.Writer
	if *trace {
		history = os.Stdout
	}
	steps := 0
	for seed := *from; seed < *from+*seeds; seed++ {
		o := run(t, seed, history)
		steps += o.Steps
		for _, wrong := range o.Wrong {
			t.Errorf("seed %d: %s (make simulate FROM=%d SEEDS=1 TRACE=1 shows its operations)", seed, wrong, seed)
		}
	}
	if least := *seeds * 20; steps < least {
		t.Errorf("%d operations in %d seeds; something keeps the callers or the services from working", steps, *seeds)
	}
}

// runInProcesses runs the seeds in child processes, as many at a time as there are processors, and prints the progress.
func runInProcesses(t *testing.T) {
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
				count := min(most, *from+*seeds-first)
				child := exec.CommandContext(t.Context(), self, "-test.run", "^TestSeeds$", "-test.timeout", "0",
					"-from", strconv.Itoa(first), "-seeds", strconv.Itoa(count))
				output, err := child.CombinedOutput()
				mu.Lock()
				if done += count; err != nil {
					t.Errorf("seeds %d to %d: %v\n%s", first, first+count-1, err, output)
				}
				fmt.Printf("%d of %d seeds after %v\n", done, *seeds, time.Since(began).Round(time.Second))
				mu.Unlock()
			}
		})
	}
	for first := *from; first < *from+*seeds; first += most {
		parts <- first
	}
	close(parts)
	running.Wait()
}

// TestSeedDecides runs seeds twice, and expects the same operations at the same times.
func TestSeedDecides(t *testing.T) {
	for seed := range 20 {
		var first, second bytes.Buffer
		if run(t, seed, &first).Digest == run(t, seed, &second).Digest {
			continue
		}
		one, other := bytes.Split(first.Bytes(), []byte("\n")), bytes.Split(second.Bytes(), []byte("\n"))
		for i := range min(len(one), len(other)) {
			if !bytes.Equal(one[i], other[i]) {
				t.Fatalf("seed %d: operation %d is %q and then %q", seed, i, one[i], other[i])
			}
		}
		t.Fatalf("seed %d: %d operations and then %d", seed, len(one), len(other))
	}
}
