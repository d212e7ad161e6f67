package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
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

// watch begins to watch the exchange.
func (e *runningExchange) watch() *watch {
	w := &watch{process: e.child, admin: e.admin, before: e.cpuSeconds(), over: make(chan struct{})}
	w.looking.Go(func() { w.each(memoryEvery, func() { w.used.memory = max(w.used.memory, w.process.anonymous()) }) })
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

// anonymous returns the resident memory of the process in bytes, without file pages, which the kernel takes back when it needs them.
func (c *child) anonymous() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	var kilobytes int64
	_, _ = fmt.Sscanf(string(rest), "%d", &kilobytes)
	return kilobytes << 10
}

// ticksPerSecond is the unit of the times in /proc/PID/stat, which is the same on all Linux systems.
const ticksPerSecond = 100

// cpuSeconds returns the time of cores that the process has used.
func (c *child) cpuSeconds() float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.pid))
	if err != nil {
		return 0
	}
	// The name of the command, in parentheses, may hold blanks.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const user, system = 11, 12
	if len(fields) <= system {
		return 0
	}
	var ticks float64
	for _, field := range []string{fields[user], fields[system]} {
		n, _ := strconv.ParseFloat(field, 64)
		ticks += n
	}
	return ticks / ticksPerSecond
}

// heap returns the heap in use of the process whose metrics are at an address, in bytes; 0 if it cannot be asked.
func heap(admin string) int64 {
	client := http.Client{Timeout: 5 * time.Second}
	response, err := client.Get("http://" + admin + "/metrics")
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "\ngo_memstats_heap_inuse_bytes ")
	line, _, _ := strings.Cut(rest, "\n")
	bytes, _ := strconv.ParseFloat(line, 64)
	return int64(bytes)
}
