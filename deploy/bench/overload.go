package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
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

// measureOverload prints what is served when more is asked for than can be served. It reports whether all bounds hold. Each row has a
// freshly started exchange on the same data.
func (b *bench) measureOverload(ctx context.Context, written *book) (met bool, err error) {
	b.exchange.stop()
	table := newOverloadTable(b.out)
	for _, s := range chosen(surgesOn(written), b.only) {
		if err := b.surge(ctx, s, table); err != nil {
			return false, err
		}
	}
	return table.met, b.start(ctx)
}

// surge measures one row: first what the exchange can serve, then what it serves if more is asked for.
func (b *bench) surge(ctx context.Context, s *surge, table *overloadTable) (err error) {
	exchange, goOn, err := b.startApart(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, goOn()) }()
	defer exchange.stop()
	few, err := gather(ctx, exchange.client, s.kinds, capacityCallers)
	if err != nil {
		return err
	}
	capacity, err := few.inTurn(ctx, b.duration/turns)
	few.leave()
	if err != nil {
		return err
	}
	many, err := gather(ctx, exchange.client, s.kinds, cmp.Or(b.callers, s.callers))
	if err != nil {
		return err
	}
	defer many.leave()
	rate := overloadFactor * float64(capacity.served()) / capacity.asking.Seconds()
	watch, own := exchange.watch(), ownSeconds()
	under, err := many.atRate(ctx, rate, b.duration/2)
	used := watch.end()
	if err != nil {
		return err
	}
	table.print(s, capacity, under, used, (ownSeconds()-own)/under.took.Seconds())
	return nil
}

// startApart starts the exchange on a core of its own, and leaves another one to its callers, unless the options say that they share all: callers
// that take from the exchange what it needs say nothing about it. goOn gives this process its cores back.
func (b *bench) startApart(ctx context.Context) (exchange *runningExchange, goOn func() error, err error) {
	if b.together {
		exchange, err = startExchange(ctx, b.command, b.data, b.connections)
		return exchange, func() error { return nil }, err
	}
	cores, err := divideCores()
	if err != nil {
		return nil, nil, err
	}
	err = on(&cores.server, func() error {
		exchange, err = startExchange(ctx, b.command, b.data, b.connections)
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

// overloadTable prints rows as they are measured.
type overloadTable struct {
	out io.Writer
	met bool
}

func newOverloadTable(out io.Writer) *overloadTable {
	fmt.Fprintf(out, "%d times what can be served is asked for, whether or not earlier requests have their responses; bounds: %.0f %% of it is served within %v, p99 of what is admitted %v\n",
		overloadFactor, 100*leastGoodput, inTime, mostAdmitted)
	t := &overloadTable{out: out, met: true}
	t.line("row", "can serve/s", "asked/s", "in time/s", "share", "admitted p99 ms", "since sent", "refused p99 ms", "memory MB", "callers' cores", "in time of each kind", "statuses")
	return t
}

func (t *overloadTable) print(s *surge, capacity, under *attendance, used usage, own float64) {
	canServe := float64(capacity.served()) / capacity.asking.Seconds()
	good := float64(under.inTime()) / under.asking.Seconds()
	admitted, sent, refused := under.latencies()
	t.line(s.name, fmt.Sprintf("%.0f", canServe), fmt.Sprintf("%.0f", float64(len(under.seen))/under.asking.Seconds()),
		fmt.Sprintf("%.0f", good), mark(fmt.Sprintf("%.0f %%", 100*good/canServe), good >= leastGoodput*canServe),
		mark(milliseconds(admitted.p99()), admitted.p99() <= mostAdmitted), milliseconds(sent.p99()), milliseconds(refused.p99()),
		strconv.Itoa(int(used.memory>>20)), fmt.Sprintf("%.2f", own), under.ofEachKind(), said(under.statuses()))
	t.met = t.met && good >= leastGoodput*canServe && admitted.p99() <= mostAdmitted
}

func (t *overloadTable) line(cells ...string) {
	widths := []int{21, 11, 8, 9, 7, 15, 10, 14, 9, 14, 36, 0}
	for i, cell := range cells {
		cells[i] = fmt.Sprintf("%-*s", widths[i], cell)
	}
	fmt.Fprintln(t.out, strings.TrimRight(strings.Join(cells, "  "), " "))
}
