package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"
)

const (
	// overloadFactor is how many times the requests that the exchange can serve are sent.
	overloadFactor = 3
	// capacityCallers is the number of callers with which it is measured what the exchange can serve. Each sends its next request as
	// soon as it has the response to the last.
	capacityCallers = 64
	// inTime is how long a response may take, from the instant at which its request was due, to be of use.
	inTime = time.Second
)

// The bounds under overload: the least part of what can be served that is served in time, and the p99 of what is admitted.
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

func (s *surge) title() string { return s.name }

// surgesOn returns the rows of the table of overload. One caller in ten lists, and three write, where the requests are mixed.
func surgesOn(b *book) []*surge {
	read := &kind{"reads", http.StatusOK, get(b.vehicles, "/vehicle/")}
	write := &kind{"writes", http.StatusCreated, func(uint64) call { return call{http.MethodPost, "/vehicle", newVehicle()} }}
	list := &kind{"lists", http.StatusOK, get(b.pages, "/vehicle?")}
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

// overloadMeasurement returns the measurement of what is served when more is asked for than can be served.
func overloadMeasurement() kindOfMeasurement { return kindOf(surgesOn(&book{}), measureOverload) }

// measureOverload prints what is served when more is asked for than can be served. It reports whether all bounds hold. Each row has a
// freshly started exchange on the same data.
func measureOverload(ctx context.Context, run *bench, written *book) (met bool, err error) {
	run.exchange.stop()
	table := newOverloadTable(run.out)
	for _, s := range chosen(surgesOn(written), run.only) {
		if err := measureSurge(ctx, run, s, table); err != nil {
			return false, err
		}
	}
	return table.met, run.restart(ctx)
}

// measureSurge measures one row: first what the exchange can serve, then what it serves if more is asked for.
func measureSurge(ctx context.Context, run *bench, s *surge, table *overloadTable) (err error) {
	exchange, goOn, err := startApart(ctx, run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, goOn()) }()
	defer exchange.stop()
	few, err := gather(ctx, exchange.client, s.kinds, capacityCallers)
	if err != nil {
		return err
	}
	capacity, err := few.inTurn(ctx, run.duration/turns)
	few.leave()
	if err != nil {
		return err
	}
	many, err := gather(ctx, exchange.client, s.kinds, cmp.Or(run.callers, s.callers))
	if err != nil {
		return err
	}
	defer many.leave()
	rate := overloadFactor * float64(capacity.served()) / capacity.asking.Seconds()
	watch, own := exchange.watch(exchange.admin), ownSeconds()
	under, err := many.atRate(ctx, rate, run.duration/2)
	used := watch.end()
	if err != nil {
		return err
	}
	table.print(s, capacity, under, used, (ownSeconds()-own)/under.took.Seconds())
	return nil
}

// startApart starts the exchange on a core of its own, and leaves another one to its callers, unless the options say that they share all: callers
// that take from the exchange what it needs say nothing about it. goOn gives this process its cores back.
func startApart(ctx context.Context, run *bench) (exchange *runningExchange, goOn func() error, err error) {
	if run.together {
		exchange, err = startExchange(ctx, run.command, run.data, run.connections)
		return exchange, func() error { return nil }, err
	}
	cores, err := divideCores()
	if err != nil {
		return nil, nil, err
	}
	err = on(&cores.server, func() error {
		exchange, err = startExchange(ctx, run.command, run.data, run.connections)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if err := keepTo(&cores.callers); err != nil {
		exchange.stop()
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
