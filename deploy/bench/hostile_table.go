package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// The bounds that hold whatever a caller sends. Memory is what the process has resident, without file pages.
const (
	mostMemory  = 256 << 20
	mostOthers  = 50 * time.Millisecond // p99 of the ordinary requests
	mostSeconds = 0.050                 // of a core, for one hostile request
)

// hostileTable prints rows as they are measured.
type hostileTable struct {
	out  io.Writer
	idle float64 // seconds of a core that the ordinary requests take in a second
	met  bool
}

func newHostileTable(out io.Writer, idle *outcome) *hostileTable {
	t := &hostileTable{out: out, idle: idle.used.seconds / idle.took.Seconds(), met: true}
	fmt.Fprintf(out, "bounds: memory %d MB, p99 of the others %v, %.0f ms of a core for a request; ordinary requests: %d a second\n",
		mostMemory>>20, mostOthers, 1000*mostSeconds, ordinaryRate)
	line(t.out, widthshostileTable, "row", "callers", "requests", "ms of a core each", "memory MB", "heap MB", "others p99 ms", "writes p99 ms", "others failed", "statuses")
	t.print(idle)
	return t
}

// print prints a row, with a remark for each bound that does not hold.
func (t *hostileTable) print(o *outcome) {
	requests, refused := int64(0), o.statuses[http.StatusTooManyRequests]+o.statuses[http.StatusServiceUnavailable]
	for _, n := range o.statuses {
		requests += n
	}
	// What is refused for lack of room costs little, and would hide what the others cost. So these have to answer for all of it.
	each := max(0, o.used.seconds-t.idle*o.took.Seconds()) / float64(max(1, requests-refused))
	if o.callers == 0 {
		each = 0
	}
	others, failed := o.reads.with(o.writes), o.reads.failed+o.writes.failed
	line(t.out, widthshostileTable, o.name, strconv.Itoa(o.callers), strconv.FormatInt(requests, 10),
		mark(fmt.Sprintf("%.2f", 1000*each), each <= mostSeconds),
		mark(strconv.Itoa(int(o.used.memory>>20)), o.used.memory <= mostMemory), strconv.Itoa(int(o.used.heap>>20)),
		mark(milliseconds(others.p99()), others.p99() <= mostOthers), milliseconds(o.writes.p99()), strconv.Itoa(failed), said(o.statuses))
	t.met = t.met && each <= mostSeconds && o.used.memory <= mostMemory && others.p99() <= mostOthers
}

// widths are those of the columns.
var widthshostileTable = []int{60, 7, 8, 17, 9, 7, 13, 13, 13, 0}
