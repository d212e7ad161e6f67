package overload

import (
	"fmt"
	"io"
	"strconv"

	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/report"
)

// table prints rows as they are measured.
type table struct {
	out io.Writer
	met bool
}

func newTable(out io.Writer) *table {
	fmt.Fprintf(out, "%d times what can be served is asked for, whether or not earlier requests have their responses; bounds: %.0f %% of it is served within %v, p99 of what is admitted %v\n",
		overloadFactor, 100*leastGoodput, inTime, mostAdmitted)
	t := &table{out: out, met: true}
	report.Line(t.out, widths, "row", "can serve/s", "asked/s", "in time/s", "share", "admitted p99 ms", "since sent", "refused p99 ms", "memory MB", "callers' cores", "in time of each kind", "statuses")
	return t
}

func (t *table) print(s *surge, capacity, under *attendance, used process.Usage, own float64) {
	canServe := float64(capacity.served()) / capacity.asking.Seconds()
	good := float64(under.inTime()) / under.asking.Seconds()
	admitted, sent, refused := under.latencies()
	report.Line(t.out, widths, s.name, fmt.Sprintf("%.0f", canServe), fmt.Sprintf("%.0f", float64(len(under.seen))/under.asking.Seconds()),
		fmt.Sprintf("%.0f", good), report.Mark(fmt.Sprintf("%.0f %%", 100*good/canServe), good >= leastGoodput*canServe),
		report.Mark(report.Milliseconds(admitted.P99()), admitted.P99() <= mostAdmitted), report.Milliseconds(sent.P99()), report.Milliseconds(refused.P99()),
		strconv.Itoa(int(used.Memory>>20)), fmt.Sprintf("%.2f", own), under.ofEachKind(), report.Statuses(under.statuses()))
	t.met = t.met && good >= leastGoodput*canServe && admitted.P99() <= mostAdmitted
}

// widths are those of the columns.
var widths = []int{21, 11, 8, 9, 7, 15, 10, 14, 9, 14, 36, 0}
