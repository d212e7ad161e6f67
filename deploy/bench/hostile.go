package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// assault is a row of the table of hostile callers: what they send, and how many at a time.
type assault struct {
	name    string
	callers int
	// elsewhere says that they send it to a process that only reads requests and returns responses of the same size.
	elsewhere bool
	// send makes the nth request of all callers, and returns the status of its response; 0 if there was none.
	send func(ctx context.Context, t *target, n uint64) int
}

func (a *assault) title() string { return a.name }

// outcome is what was measured of a row.
type outcome struct {
	*assault
	statuses      map[int]int64
	reads, writes latencies
	used          usage
	took          time.Duration
}

// hostileMeasurement returns the measurement of what hostile requests cost.
func hostileMeasurement() kindOfMeasurement { return kindOf(assaultsOn(&prey{}), measureHostile) }

// measureHostile prints what each assault costs the exchange and those who use it meanwhile. It reports whether all bounds hold.
// Each assault has a freshly started exchange on the same data.
func measureHostile(ctx context.Context, run *bench, written *book) (met bool, err error) {
	prey, err := prepare(ctx, run.exchange, written, min(mostOfKind, max(1, run.count/perKind)))
	if err != nil {
		return false, err
	}
	run.exchange.stop()
	idle, err := assail(ctx, run, written, prey, &assault{name: "nobody"})
	if err != nil {
		return false, err
	}
	table := newHostileTable(run.out, idle)
	for _, a := range chosen(assaultsOn(prey), run.only) {
		o, err := assail(ctx, run, written, prey, a)
		if err != nil {
			return false, err
		}
		table.print(o)
	}
	return table.met, run.restart(ctx)
}

// assail starts the exchange and measures one assault.
func assail(ctx context.Context, run *bench, written *book, prey *prey, a *assault) (*outcome, error) {
	exchange, err := startExchange(ctx, run.command, run.data, run.connections)
	if err != nil {
		return nil, err
	}
	defer exchange.stop()
	duration := run.duration / turns
	var foes *horde
	if a.send != nil {
		if foes, err = muster(ctx, run, exchange.address, prey, a); err != nil {
			return nil, err
		}
		defer foes.disband()
	}
	ordinary := newOrdinary(exchange.client, written)
	o := &outcome{assault: a}
	ordinary.run(ctx, settling) // so that what only a start costs is not counted
	watch := exchange.watch(exchange.admin)
	began := time.Now()
	var sending errgroup.Group
	if foes != nil {
		sending.Go(func() (err error) {
			o.statuses, err = foes.assail()
			return err
		})
	}
	o.reads, o.writes = ordinary.run(ctx, duration)
	o.took = time.Since(began)
	err = sending.Wait()
	o.used = watch.end()
	if ctx.Err() != nil {
		return nil, errors.New("interrupted")
	}
	return o, err
}

// muster starts the hostile callers of a row, and what they send to if that is not the exchange.
func muster(ctx context.Context, run *bench, address string, prey *prey, a *assault) (*horde, error) {
	token, err := exec.CommandContext(ctx, run.command, "token", "--data", run.data, "--subject", "hostile").Output()
	if err != nil {
		return nil, fmt.Errorf("%s token: %w", run.command, err)
	}
	var bare *child
	if a.elsewhere {
		if bare, err = startBare(ctx, bareOf(prey)); err != nil {
			return nil, err
		}
		address = bare.address
	}
	return startHorde(ctx, bare, orders{address, strings.TrimSpace(string(token)), *prey, a.name, run.duration / turns})
}

// settling is how long ordinary requests are made before a measurement.
const settling = 300 * time.Millisecond

// perKind is the part of count, which is for the load of -scale, that is made of each kind of large record.
const perKind = 200

// hostileRate is the most hostile requests in a second, of all callers of a row together. More would measure how fast the machine
// moves bytes to the exchange, on which whoever sends them runs as well.
const hostileRate = 200

// assail has all callers send until the context ends, and counts the statuses. What they have sent by then still gets its response,
// so that all that it costs is measured.
func (t *target) assail(ctx context.Context, a *assault) map[int]int64 {
	var mu sync.Mutex
	statuses := map[int]int64{}
	var callers sync.WaitGroup
	for range a.callers {
		callers.Go(func() {
			pace := time.NewTicker(time.Duration(a.callers) * time.Second / hostileRate)
			defer pace.Stop()
			for ctx.Err() == nil {
				status := a.send(ctx, t, t.count.Add(1))
				if ctx.Err() != nil && status == 0 {
					status = cutOff
				}
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				select {
				case <-pace.C:
				case <-ctx.Done():
				}
			}
		})
	}
	callers.Wait()
	return statuses
}
