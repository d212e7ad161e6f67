// Package overload measures what the exchange serves when more is asked for than it can serve.
package overload

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

const (
	// overloadFactor is how many times the requests that the exchange can serve are sent.
	overloadFactor = 3
	// capacityCallers is the number of callers with which it is measured what the exchange can serve. Each sends its
	// next request as soon as it has the response to the last.
	capacityCallers = 64
	// inTime is how long a response may take, from the instant at which its request was due, to be of use.
	inTime = time.Second
)

// The bounds under overload: the least part of what can be served that is served in time, and the p99 of what is
// admitted.
const (
	leastGoodput = 0.9
	mostAdmitted = 100 * time.Millisecond
)

// surge is a row of the table of overload: what is asked for, and by how many.
type surge struct {
	name    string
	callers int
	kinds   []*kind
}

// Title returns the name of the row.
func (s *surge) Title() string { return s.name }

// surgesOn returns the rows of the table of overload. One caller in ten lists, and three write, where the requests
// are mixed.
func surgesOn(b *records.Book) []*surge {
	read := &kind{"reads", http.StatusOK, load.Get(b.Vehicles, "/vehicle/")}
	write := &kind{"writes", http.StatusCreated, func(uint64) load.Call {
		return load.Call{Method: http.MethodPost, Path: "/vehicle", Body: records.NewVehicle()}
	}}
	list := &kind{"lists", http.StatusOK, load.Get(b.Pages, "/vehicle?")}
	mixed := []*kind{read, write, read, list, read, write, read, read, write, read}
	var all []*surge
	for _, callers := range []int{4000, 12000} {
		for _, s := range []*surge{{"reads", callers, []*kind{read}}, {"writes", callers, []*kind{write}}, {"mixed", callers, mixed}} {
			s.name = fmt.Sprintf("%s, %d callers", s.name, callers)
			all = append(all, s)
		}
	}
	return all
}

// Measurement returns the measurement of what is served when more is asked for than can be served.
func Measurement() measurement.Kind { return measurement.KindOf(surgesOn(&records.Book{}), measure) }

// measure prints what is served when more is asked for than can be served. It reports whether all bounds hold. Each
// row has a freshly started exchange on the same data.
func measure(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	run.Exchange.Stop()
	table := newTable(run.Out)
	for _, s := range measurement.Chosen(surgesOn(written), run.Only) {
		if err := measureSurge(ctx, run, s, table); err != nil {
			return false, err
		}
	}
	return table.met, run.Restart(ctx)
}

// measureSurge measures one row: first what the exchange can serve, then what it serves if more is asked for.
func measureSurge(ctx context.Context, run *measurement.Run, s *surge, table *table) (err error) {
	exchange, goOn, err := startApart(ctx, run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, goOn()) }()
	defer exchange.Stop()
	few, err := gather(ctx, exchange.Client, s.kinds, capacityCallers)
	if err != nil {
		return err
	}
	capacity, err := few.inTurn(ctx, run.Duration/measurement.Turns)
	few.leave()
	if err != nil {
		return err
	}
	many, err := gather(ctx, exchange.Client, s.kinds, cmp.Or(run.Callers, s.callers))
	if err != nil {
		return err
	}
	defer many.leave()
	rate := overloadFactor * float64(capacity.served()) / capacity.asking.Seconds()
	watch, own := exchange.Watch(exchange.Admin), ownSeconds()
	under, err := many.atRate(ctx, rate, run.Duration/2)
	used := watch.End()
	if err != nil {
		return err
	}
	table.print(s, capacity, under, used, (ownSeconds()-own)/under.took.Seconds())
	return nil
}

// startApart starts the exchange on a core of its own, and leaves another one to its callers, unless the options say
// that they share all: callers that take from the exchange what it needs say nothing about it. goOn gives this
// process its cores back.
func startApart(ctx context.Context, run *measurement.Run) (exchange *sides.Exchange, goOn func() error, err error) {
	if run.Together {
		exchange, err = sides.StartExchange(ctx, run.Command, run.Data, run.Connections)
		return exchange, func() error { return nil }, err
	}
	cores, err := divideCores()
	if err != nil {
		return nil, nil, err
	}
	err = on(&cores.server, func() error {
		exchange, err = sides.StartExchange(ctx, run.Command, run.Data, run.Connections)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if err := keepTo(&cores.callers); err != nil {
		exchange.Stop()
		return nil, nil, err
	}
	return exchange, func() error { return keepTo(&cores.all) }, nil
}

// ownSeconds returns the time of cores that this process has used.
func ownSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
