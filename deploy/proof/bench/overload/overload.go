// Package overload measures what the exchange serves when more is asked for than it can serve.
package overload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
)

const (
	// overloadFactor is how many times the requests that the exchange can serve are sent.
	overloadFactor = 3
	// capacityCallers is the number of callers with which it is measured what the exchange can serve. Each sends its
	// next request as soon as it has the response to the last.
	capacityCallers = 64
	// inTime is how long a response may take, from the instant at which its request was due, to be of use.
	inTime = time.Second
	// patience is how long after the end a response is waited for.
	patience = 3 * time.Second
)

// The bounds under overload: the least part of what can be served that is served in time, of each number of callers,
// and the p99 of what is served. A bare handler of net/http serves two thirds as much to 4,000 callers as to 64.
var leastGoodput = map[int]float64{4000: 0.6, 12000: 0.4}

const mostServed = time.Second

// surge is a row of the table of overload: what is asked for, in which manner, and by how many.
type surge struct {
	name    string
	callers int
	manner  load.Plan
	rows    []*load.Row
}

// surgesOn returns the rows of the table of overload. Callers are open: requests are due at a rate, and left out where
// all callers still wait for responses; closed: each caller asks again at once; or polite: it waits for Retry-After
// before. One caller in ten lists, and three write, where the requests are mixed.
func surgesOn(b *records.Book) (all []*surge) {
	read := &load.Row{Name: "reads", Status: http.StatusOK, Call: load.Get(b.Vehicles, "/vehicle/")}
	write := &load.Row{Name: "creates", Status: http.StatusCreated,
		Call: load.Post("/vehicle", func(uint64) []byte { return records.NewVehicle() })}
	policy := &load.Row{Name: "policies", Status: http.StatusCreated, Call: load.Post("/motorCoverage",
		func(n uint64) []byte { return records.NewPolicy(b.Holder, load.Pick(b.Vehicles, n), b.Driver) })}
	list := &load.Row{Name: "lists", Status: http.StatusOK, Call: load.Get(b.Pages, "/vehicle?")}
	mixed := []*load.Row{read, write, read, list, read, write, read, read, write, read}
	for _, callers := range []int{4000, 12000} {
		for _, rows := range [][]*load.Row{{read}, {write}, {policy}, mixed} {
			name := rows[0].Name
			if len(rows) > 1 {
				name = "mixed"
			}
			for _, manner := range []struct {
				name string
				load.Plan
			}{{"open", load.Plan{Rate: overloadFactor, Skips: true}}, {"closed", load.Plan{}},
				{"polite", load.Plan{Polite: true}}} {
				all = append(all, &surge{fmt.Sprintf("%s, %s, %d callers", name, manner.name, callers), callers,
					manner.Plan, rows})
			}
		}
	}
	return all
}

// Measurement returns the measurement of what is served when more is asked for than can be served.
func Measurement() measurement.Kind {
	k := measurement.Kind{Measure: measure}
	for _, s := range surgesOn(&records.Book{}) {
		k.Rows = append(k.Rows, s.name)
	}
	return k
}

// measure prints what is served when more is asked for than can be served. It reports whether all bounds hold. Each
// row has a freshly started exchange on the same data.
func measure(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	fmt.Fprintf(run.Out, "more is asked for than can be served: open callers ask for %d times as much; bounds: "+
		"%.0f %% of it is served within %v to 4,000 callers, %.0f %% to 12,000, p99 of what is served %v\n",
		overloadFactor, 100*leastGoodput[4000], inTime, 100*leastGoodput[12000], mostServed)
	table := run.Table(Measurement().Rows)
	for _, s := range surgesOn(written) {
		if !run.Chosen(s.name) {
			continue
		}
		if err := measureSurge(ctx, run, s, table); err != nil {
			return false, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return table.Met, nil
}

// measureSurge measures one row: first what the exchange can serve, then what it serves if more is asked for.
func measureSurge(ctx context.Context, run *measurement.Run, s *surge, table *report.Table) error {
	goOn, err := startApart(ctx, run, run.Restart)
	if err != nil {
		return err
	}
	capacity := run.Exchange.Apart(capacityCallers)
	can := capacity.Drive(ctx, load.Plan{Duration: run.Duration / measurement.Turns}, s.rows...)
	capacity.Leave()
	many := run.Exchange.Apart(cmp.Or(run.Callers, s.callers))
	defer many.Leave()
	many.Drive(ctx, load.Plan{Requests: len(many)}, s.rows...) // so that the connections are in use
	asking, self := run.Duration/2, process.ID(os.Getpid())
	canServe := float64(can.Count((*load.Sample).Served)) / can.Lasted.Seconds()
	end, own := run.Exchange.Process().Watch(run.Exchange.Admin()), self.CPUSeconds()
	plan := s.manner
	plan.Duration, plan.Rate, plan.Patience = asking, plan.Rate*canServe, patience
	profiled := run.Profile(ctx, s.name, asking)
	under := many.Drive(ctx, plan, s.rows...)
	used, own := end(), (self.CPUSeconds()-own)/under.Lasted.Seconds()
	if err := errors.Join(goOn(), profiled()); err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	good := float64(under.Count(useful)) / asking.Seconds()
	served := under.P(0.99, (*load.Sample).Served)
	table.Row(s.name,
		report.Of("can serve/s", "capacity-req/s", 0, canServe),
		report.Of("asked/s", "", 0, float64(len(under.Samples))/asking.Seconds()),
		report.Of("in time/s", "in-time-req/s", 0, good),
		report.Of("share %", "share-%", 0, 100*good/canServe).If(good >= leastGoodput[s.callers]*canServe),
		report.Of("served p99 ms", "served-p99-ms", 1, 1000*served.Seconds()).If(served <= mostServed),
		report.Of("refused p99 ms", "", 1, 1000*under.P(0.99, refused).Seconds()),
		report.Of("memory MB", "memory-MB", 0, float64(used.Memory>>20)),
		report.Of("callers' cores", "", 2, own),
		report.Text("in time of each kind               ", ofEachKind(under, s.rows)),
		report.Text("statuses", under.Statuses().String()))
	return nil
}

// useful reports whether a request was served in time.
func useful(s *load.Sample) bool { return s.Served() && s.Took <= inTime }

// refused reports whether a request was refused because there were too many.
func refused(s *load.Sample) bool {
	return s.Status == http.StatusServiceUnavailable || s.Status == http.StatusTooManyRequests
}

// ofEachKind returns the part of each kind of request that was served in time, such as "reads 41 %, writes 8 %".
func ofEachKind(o *load.Outcome, rows []*load.Row) string {
	var all []string
	for i, r := range rows {
		if slices.Contains(rows[:i], r) {
			continue
		}
		asked := o.Count(func(s *load.Sample) bool { return s.Row == r })
		served := o.Count(func(s *load.Sample) bool { return s.Row == r && useful(s) })
		all = append(all, fmt.Sprintf("%s %.0f %%", r.Name, 100*float64(served)/float64(max(1, asked))))
	}
	return strings.Join(all, ", ")
}

// startApart starts the exchange anew on a core of its own, and leaves another core to its callers: callers on the same
// core would take time from the exchange, and the figures would be about both. If the options say that they share all
// cores, it only starts the exchange anew. goOn gives this process its cores back.
func startApart(
	ctx context.Context, run *measurement.Run, restart func(context.Context) error,
) (goOn func() error, err error) {
	if err := run.Exchange.Stop(); err != nil {
		return nil, err
	}
	if run.Together {
		return func() error { return nil }, restart(ctx)
	}
	self, err := procfs.Self()
	if err != nil {
		return nil, err
	}
	status, err := self.NewStatus()
	if err != nil {
		return nil, err
	}
	cores := status.CpusAllowedList
	if len(cores) < 2 {
		return nil, errors.New("the exchange and its callers need a core each; with -together they share what there is")
	}
	if err := keepTo(cores[:1]); err != nil { // a process has the cores of the one that starts it
		return nil, err
	}
	return func() error { return keepTo(cores) }, errors.Join(restart(ctx), keepTo(cores[1:2]))
}

// keepTo has all threads of this process use some cores only.
func keepTo(cores []uint64) error {
	var list []string
	for _, core := range cores {
		list = append(list, strconv.FormatUint(core, 10))
	}
	if text, err := exec.Command("taskset", "-acp", strings.Join(list, ","),
		strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
		return fmt.Errorf("taskset: %w: %s", err, text)
	}
	return nil
}
