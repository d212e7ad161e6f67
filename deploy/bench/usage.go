package main

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

// usage is what a process used while it was watched.
type usage struct {
	seconds float64 // of a core
	// memory is the most that was resident at a time, without file pages; heap is the part of Go's heap, both in bytes.
	memory, heap int64
}

// watch is the watching of a process under way.
type watch struct {
	process *child
	admin   string
	before  float64
	used    usage
	over    chan struct{}
	looking sync.WaitGroup
}

// How often the memory and the heap are looked at.
const (
	memoryEvery = 5 * time.Millisecond
	heapEvery   = 200 * time.Millisecond
)

// watch begins to watch the process, whose metrics are at an address.
func (c *child) watch(admin string) *watch {
	w := &watch{process: c, admin: admin, before: c.cpuSeconds(), over: make(chan struct{})}
	w.looking.Go(func() {
		w.each(memoryEvery, func() { w.used.memory = max(w.used.memory, w.process.resident().anonymous) })
	})
	w.looking.Go(func() { w.each(heapEvery, func() { w.used.heap = max(w.used.heap, heap(w.admin)) }) })
	return w
}

func (w *watch) each(pause time.Duration, look func()) {
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

// end ends the watching and returns what was used.
func (w *watch) end() usage {
	close(w.over)
	w.looking.Wait()
	w.used.seconds = w.process.cpuSeconds() - w.before
	return w.used
}

// cpuSeconds returns the time of cores that the process has used, in user and kernel mode; 0 if it has ended. It is exact to less than
// a microsecond, unlike that in /proc, which is in hundredths of a second.
func (c *child) cpuSeconds() float64 {
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
	all, err := scrape(ctx, admin, inUse)
	if err != nil {
		return 0
	}
	return int64(all.sum(inUse, nil))
}

// written returns how many bytes the process has had written to disks.
func (c *child) written() (int64, error) {
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
