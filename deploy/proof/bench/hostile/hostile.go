// Package hostile measures what hostile requests cost the exchange, and those who use it meanwhile.
package hostile

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// The bounds whatever a caller sends. Memory is what the process has resident, without file pages.
const (
	mostMemory  = 256 << 20
	mostOthers  = 50 * time.Millisecond // p99 of the ordinary requests
	mostSeconds = 0.050                 // of a core, for one hostile request
)

const (
	// ordinaryRate is how many ordinary requests are made in a second, whether or not the earlier ones have their
	// responses, and ordinaryCallers how many of them may be under way.
	ordinaryRate, ordinaryCallers = 200, 4096
	// settling is how long ordinary requests are made before a measurement, so that what only a start costs is not
	// counted.
	settling = 300 * time.Millisecond
	// perKind is the part of count, which is for the load of -scale, that is made of each kind of large record.
	perKind = 200
	// mostCallers is the greatest number of hostile callers of a row.
	mostCallers = 500
)

// assault is a row of the table of hostile callers: what they send, and how many at a time.
type assault struct {
	*load.Row
	callers int
	// elsewhere says that they send it to a process that only reads requests and returns responses of the same size.
	elsewhere bool
}

// outcome is what was measured of a row.
type outcome struct {
	*assault
	statuses load.Statuses
	others   *load.Outcome
	used     process.Usage
}

// Measurement returns the measurement of what hostile requests cost.
func Measurement() measurement.Kind {
	k := measurement.Kind{Measure: measure}
	for _, a := range assaultsOn(&prey{}, nil) {
		k.Rows = append(k.Rows, a.Name)
	}
	return k
}

// measure prints what each assault costs the exchange and those who use it meanwhile. It reports whether all bounds
// are kept. Each assault has a freshly started exchange on the same data.
func measure(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	prey, err := prepare(ctx, run.Exchange, written, min(mostOfKind, max(1, run.Count/perKind)))
	if err != nil {
		return false, err
	}
	idle, err := assail(ctx, run, written, prey, &assault{Row: &load.Row{Name: "nobody"}})
	if err != nil {
		return false, err
	}
	t := newTable(run, idle)
	for _, a := range assaultsOn(prey, nil) {
		if !run.Chosen(a.Name) {
			continue
		}
		o, err := assail(ctx, run, written, prey, a)
		if err != nil {
			return false, fmt.Errorf("%s: %w", a.Name, err)
		}
		t.print(o)
	}
	return t.Met, nil
}

// assail starts the exchange anew and measures one assault.
func assail(ctx context.Context, run *measurement.Run, written *records.Book, prey *prey, a *assault) (*outcome,
	error) {
	if err := errors.Join(run.Exchange.Stop(), run.Restart(ctx)); err != nil {
		return nil, err
	}
	exchange, o, plan := run.Exchange, &outcome{assault: a}, load.Plan{Duration: settling, Rate: ordinaryRate}
	// A request must not wait for the response to another.
	ordinary := load.Dial(exchange.HTTP.Addr, exchange.Token, ordinaryCallers).Callers(ordinaryCallers)
	rows := ordinaryRows(written)
	ordinary.Drive(ctx, plan, rows...)
	plan.Duration = run.Duration / measurement.Turns
	end, err := begin(run, prey, a, plan.Duration)
	if err != nil {
		return nil, err
	}
	watched := exchange.Process().Watch(exchange.Admin())
	o.others = ordinary.Drive(ctx, plan, rows...)
	o.statuses, err = end()
	o.used = watched()
	return o, errors.Join(err, ctx.Err())
}

// begin starts the hostile callers of a row, and what they send to if that is not the exchange. end waits until they
// have ended, and returns how often each status came.
func begin(run *measurement.Run, prey *prey, a *assault, d time.Duration) (end func() (load.Statuses, error),
	err error) {
	if a.callers == 0 {
		return func() (load.Statuses, error) { return nil, nil }, nil
	}
	token, err := run.Exchange.TokenOf("", "hostile")
	if err != nil {
		return nil, err
	}
	address, bare := run.Exchange.HTTP.Addr, &sides.Peer{}
	if a.elsewhere {
		if bare, err = sides.StartBare(bareOf(prey)); err != nil {
			return nil, err
		}
		address = bare.Address
	}
	stop := func() {
		if a.elsewhere {
			_ = bare.Kill()
		}
	}
	horde, err := startHorde(orders{address, token, *prey, a.Name, d})
	if err != nil {
		stop()
		return nil, fmt.Errorf("hostile callers: %w", err)
	}
	return func() (load.Statuses, error) {
		defer stop()
		statuses, err := statusesOf(horde)
		return statuses, errors.Join(err, horde.Kill())
	}, nil
}

// ordinaryRows are the requests of those who use the exchange while others are hostile: reads, and every fourth a
// write.
func ordinaryRows(b *records.Book) []*load.Row {
	read := &load.Row{Name: "read", Status: http.StatusOK, Call: load.Get(b.Vehicles, "/vehicle/")}
	return []*load.Row{
		{Name: "write", Status: http.StatusCreated, Call: load.Post("/vehicle",
			func(uint64) []byte { return records.NewVehicle() })},
		{Name: "find", Status: http.StatusOK, Call: load.Get(b.Policies, "/claim?policyNumber=")}, read, read,
	}
}

// table prints rows as they are measured.
type table struct {
	*report.Table
	idle float64 // seconds of a core that the ordinary requests take in a second
}

func newTable(run *measurement.Run, idle *outcome) *table {
	fmt.Fprintf(run.Out, "bounds: memory %d MB, p99 of the others %v, %.0f ms of a core for a request; "+
		"ordinary requests: %d a second\n",
		mostMemory>>20, mostOthers, 1000*mostSeconds, ordinaryRate)
	t := &table{idle: idle.used.Seconds / idle.others.Lasted.Seconds(), Table: run.Table(Measurement().Rows)}
	t.print(idle)
	return t
}

// print prints a row.
func (t *table) print(o *outcome) {
	requests, refused := 0, o.statuses[http.StatusTooManyRequests]+o.statuses[http.StatusServiceUnavailable]
	for _, n := range o.statuses {
		requests += n
	}
	// What is refused for lack of room costs little, and would hide what the others cost. So these have to answer for
	// all of it.
	each := max(0, o.used.Seconds-t.idle*o.others.Lasted.Seconds()) / float64(max(1, requests-refused))
	if o.callers == 0 {
		each = 0
	}
	p99 := o.others.P(0.99, load.Any)
	writes := o.others.P(0.99, func(s *load.Sample) bool { return s.Row.Name == "write" })
	failed := o.others.Count(func(s *load.Sample) bool { return !s.Served() })
	t.Row(o.Name,
		report.Of("callers", "", 0, float64(o.callers)),
		report.Of("requests", "", 0, float64(requests)),
		report.Of("ms of a core each", "core-ms/op", 2, 1000*each).If(each <= mostSeconds),
		report.Of("memory MB", "memory-MB", 0, float64(o.used.Memory>>20)).If(o.used.Memory <= mostMemory),
		report.Of("heap MB", "heap-MB", 0, float64(o.used.Heap>>20)),
		report.Of("others p99 ms", "others-p99-ms", 1, 1000*p99.Seconds()).If(p99 <= mostOthers),
		report.Of("writes p99 ms", "", 1, 1000*writes.Seconds()),
		report.Of("others failed", "", 0, float64(failed)),
		report.Text("statuses", o.statuses.String()))
}
