// Package process says what processes use: time of cores, memory, bytes on disks, and what their metrics say.
package process

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// ID is the id of a process.
type ID int

// CPUSeconds returns the time of cores that the process has used, in user and kernel mode; 0 if it has ended. It is
// exact to less than a microsecond, unlike that in /proc, which is in hundredths of a second.
func (p ID) CPUSeconds() float64 {
	const allThreads = 2 // CPUCLOCK_SCHED of Linux
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^int(p)<<3|allThreads), &at); err != nil {
		return 0
	}
	return time.Duration(at.Nano()).Seconds()
}

// Written returns how many bytes the process has had written to disks; 0 if it has ended.
func (p ID) Written() float64 {
	of, err := procfs.NewProc(int(p))
	if err != nil {
		return 0
	}
	io, err := of.IO()
	if err != nil {
		return 0
	}
	return float64(io.WriteBytes)
}

// Memory is what processes have resident, in bytes. A database that is mapped into memory counts as file pages, which
// the kernel takes back when it needs them.
type Memory struct{ All, Anonymous, File uint64 }

// Resident returns the memory of processes, without those that have ended.
func Resident(all ...ID) (total Memory) {
	for _, p := range all {
		of, err := procfs.NewProc(int(p))
		if err != nil {
			continue
		}
		if status, err := of.NewStatus(); err == nil {
			total = Memory{total.All + status.VmRSS, total.Anonymous + status.RssAnon, total.File + status.RssFile}
		}
	}
	return total
}

// String returns the memory in words.
func (m Memory) String() string {
	return fmt.Sprintf("%d MB, %d MB of it file pages", m.All>>20, m.File>>20)
}

// Usage is what a process used while it was watched.
type Usage struct {
	Seconds float64 // of a core
	// Memory is the most that was resident at a time, without file pages; Heap is the part of Go's heap, both in bytes.
	Memory, Heap uint64
}

// How often the memory and the heap are looked at.
const (
	memoryEvery = 5 * time.Millisecond
	heapEvery   = 200 * time.Millisecond
)

// Watch watches the process, with its metrics at an address. The returned function ends this and returns what was used
// meanwhile.
func (p ID) Watch(admin string) (end func() Usage) {
	before, over := p.CPUSeconds(), make(chan struct{})
	var used Usage
	var looking sync.WaitGroup
	each := func(pause time.Duration, look func()) {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			look()
			select {
			case <-tick.C:
			case <-over:
				return
			}
		}
	}
	looking.Go(func() { each(memoryEvery, func() { used.Memory = max(used.Memory, Resident(p).Anonymous) }) })
	looking.Go(func() { each(heapEvery, func() { used.Heap = max(used.Heap, heap(admin)) }) })
	return func() Usage {
		close(over)
		looking.Wait()
		used.Seconds = p.CPUSeconds() - before
		return used
	}
}

// heap returns the heap in use of the process with its metrics at an address, in bytes; 0 if it cannot be asked.
func heap(admin string) uint64 {
	const inUse = "go_memstats_heap_inuse_bytes"
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	all, err := Scrape(ctx, admin, inUse)
	if err != nil {
		return 0
	}
	return uint64(all.Sum(inUse, nil))
}
