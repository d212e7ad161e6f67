package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Usage is what a process used while it was watched.
type Usage struct {
	Seconds float64 // of a core
	// Memory is the most that was resident at a time, without file pages; Heap is the part of Go's heap, both in bytes.
	Memory, Heap int64
}

// Watch is the watching of a process under way.
type Watch struct {
	process *Child
	admin   string
	before  float64
	used    Usage
	over    chan struct{}
	looking sync.WaitGroup
}

// How often the memory and the heap are looked at.
const (
	memoryEvery = 5 * time.Millisecond
	heapEvery   = 200 * time.Millisecond
)

// Watch begins to watch the process, whose metrics are at an address.
func (c *Child) Watch(admin string) *Watch {
	w := &Watch{process: c, admin: admin, before: c.CPUSeconds(), over: make(chan struct{})}
	w.looking.Go(func() {
		w.each(memoryEvery, func() { w.used.Memory = max(w.used.Memory, w.process.Resident().anonymous) })
	})
	w.looking.Go(func() { w.each(heapEvery, func() { w.used.Heap = max(w.used.Heap, heap(w.admin)) }) })
	return w
}

func (w *Watch) each(pause time.Duration, look func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		look()
		select {
		case <-tick.C:
		case <-w.over:
			return
		}
	}
}

// End ends the watching and returns what was used.
func (w *Watch) End() Usage {
	close(w.over)
	w.looking.Wait()
	w.used.Seconds = w.process.CPUSeconds() - w.before
	return w.used
}

// CPUSeconds returns the time of cores that the process has used, in user and kernel mode; 0 if it has ended. It is
// exact to less than a microsecond, unlike that in /proc, which is in hundredths of a second.
func (c *Child) CPUSeconds() float64 {
	const allThreads = 2 // CPUCLOCK_SCHED of Linux
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^c.pid<<3|allThreads), &at); err != nil {
		return 0
	}
	return time.Duration(at.Nano()).Seconds()
}

// heap returns the heap in use of the process whose metrics are at an address, in bytes; 0 if it cannot be asked.
func heap(admin string) int64 {
	const inUse = "go_memstats_heap_inuse_bytes"
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	all, err := Scrape(ctx, admin, inUse)
	if err != nil {
		return 0
	}
	return int64(all.Sum(inUse, nil))
}

// Written returns how many bytes the process has had written to disks.
func (c *Child) Written() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", c.pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if bytes, is := strings.CutPrefix(line, "write_bytes: "); is {
			return strconv.ParseInt(strings.TrimSpace(bytes), 10, 64)
		}
	}
	return 0, errors.New("/proc does not say how many bytes the process has written")
}
