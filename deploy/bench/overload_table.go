package main

import (
	"fmt"
	"io"
	"strconv"
)

// overloadTable prints rows as they are measured.
type overloadTable struct {
	out io.Writer
	met bool
}

func newOverloadTable(out io.Writer) *overloadTable {
	fmt.Fprintf(out, "%d times what can be served is asked for, whether or not earlier requests have their responses; bounds: %.0f %% of it is served within %v, p99 of what is admitted %v\n",
		overloadFactor, 100*leastGoodput, inTime, mostAdmitted)
	t := &overloadTable{out: out, met: true}
	line(t.out, widthsoverloadTable, "row", "can serve/s", "asked/s", "in time/s", "share", "admitted p99 ms", "since sent", "refused p99 ms", "memory MB", "callers' cores", "in time of each kind", "statuses")
	return t
}

func (t *overloadTable) print(s *surge, capacity, under *attendance, used usage, own float64) {
	canServe := float64(capacity.served()) / capacity.asking.Seconds()
	good := float64(under.inTime()) / under.asking.Seconds()
	admitted, sent, refused := under.latencies()
	line(t.out, widthsoverloadTable, s.name, fmt.Sprintf("%.0f", canServe), fmt.Sprintf("%.0f", float64(len(under.seen))/under.asking.Seconds()),
		fmt.Sprintf("%.0f", good), mark(fmt.Sprintf("%.0f %%", 100*good/canServe), good >= leastGoodput*canServe),
		mark(milliseconds(admitted.p99()), admitted.p99() <= mostAdmitted), milliseconds(sent.p99()), milliseconds(refused.p99()),
		strconv.Itoa(int(used.memory>>20)), fmt.Sprintf("%.2f", own), under.ofEachKind(), said(under.statuses()))
	t.met = t.met && good >= leastGoodput*canServe && admitted.p99() <= mostAdmitted
}

// widths are those of the columns.
var widthsoverloadTable = []int{21, 11, 8, 9, 7, 15, 10, 14, 9, 14, 36, 0}
