package hostile

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"insurance.example/exchange/deploy/proof/bench/report"
)

// The bounds that hold whatever a caller sends. Memory is what the process has resident, without file pages.
const (
	mostMemory  = 256 << 20
	mostOthers  = 50 * time.Millisecond // p99 of the ordinary requests
	mostSeconds = 0.050                 // of a core, for one hostile request
)

// table prints rows as they are measured.
type table struct {
	out  io.Writer
	idle float64 // seconds of a core that the ordinary requests take in a second
	met  bool
}

func newTable(out io.Writer, idle *outcome) *table {
	t := &table{out: out, idle: idle.used.Seconds / idle.took.Seconds(), met: true}
	fmt.Fprintf(out, "bounds: memory %d MB, p99 of the others %v, %.0f ms of a core for a request; ordinary requests: %d a second\n",
		mostMemory>>20, mostOthers, 1000*mostSeconds, ordinaryRate)
	report.Line(t.out, widths, "row", "callers", "requests", "ms of a core each", "memory MB", "heap MB", "others p99 ms", "writes p99 ms", "others failed", "statuses")
	t.print(idle)
	return t
}

// print prints a row, with a remark for each bound that does not hold.
func (t *table) print(o *outcome) {
	requests, refused := int64(0), o.statuses[http.StatusTooManyRequests]+o.statuses[http.StatusServiceUnavailable]
	for _, n := range o.statuses {
		requests += n
	}
	// What is refused for lack of room costs little, and would hide what the others cost. So these have to answer for
	// all of it.
	each := max(0, o.used.Seconds-t.idle*o.took.Seconds()) / float64(max(1, requests-refused))
	if o.callers == 0 {
		each = 0
	}
	others, failed := o.reads.With(o.writes), o.reads.Failed+o.writes.Failed
	report.Line(t.out, widths, o.name, strconv.Itoa(o.callers), strconv.FormatInt(requests, 10),
		report.Mark(fmt.Sprintf("%.2f", 1000*each), each <= mostSeconds),
		report.Mark(strconv.Itoa(int(o.used.Memory>>20)), o.used.Memory <= mostMemory), strconv.Itoa(int(o.used.Heap>>20)),
		report.Mark(report.Milliseconds(others.P99()), others.P99() <= mostOthers), report.Milliseconds(o.writes.P99()), strconv.Itoa(failed), report.Statuses(o.statuses))
	t.met = t.met && each <= mostSeconds && o.used.Memory <= mostMemory && others.P99() <= mostOthers
}

// widths are those of the columns.
var widths = []int{60, 7, 8, 17, 9, 7, 13, 13, 13, 0}
