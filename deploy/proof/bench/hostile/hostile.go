// Package hostile measures what hostile requests cost the exchange, and those who use it meanwhile.
package hostile

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
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

// Title returns the name of the row.
func (a *assault) Title() string { return a.name }

// outcome is what was measured of a row.
type outcome struct {
	*assault
	statuses      map[int]int64
	reads, writes load.Latencies
	used          process.Usage
	took          time.Duration
}

// Measurement returns the measurement of what hostile requests cost.
func Measurement() measurement.Kind { return measurement.KindOf(assaultsOn(&prey{}), measure) }

// measure prints what each assault costs the exchange and those who use it meanwhile. It reports whether all bounds
// hold. Each assault has a freshly started exchange on the same data.
func measure(ctx context.Context, run *measurement.Run, written *records.Book) (met bool, err error) {
	prey, err := prepare(ctx, run.Exchange, written, min(mostOfKind, max(1, run.Count/perKind)))
	if err != nil {
		return false, err
	}
	run.Exchange.Stop()
	idle, err := assail(ctx, run, written, prey, &assault{name: "nobody"})
	if err != nil {
		return false, err
	}
	table := newTable(run.Out, idle)
	for _, a := range measurement.Chosen(assaultsOn(prey), run.Only) {
		o, err := assail(ctx, run, written, prey, a)
		if err != nil {
			return false, err
		}
		table.print(o)
	}
	return table.met, run.Restart(ctx)
}

// assail starts the exchange and measures one assault.
func assail(ctx context.Context, run *measurement.Run, written *records.Book, prey *prey, a *assault) (*outcome, error) {
	exchange, err := sides.StartExchange(ctx, run.Command, run.Data, run.Connections)
	if err != nil {
		return nil, err
	}
	defer exchange.Stop()
	duration := run.Duration / measurement.Turns
	var foes *horde
	if a.send != nil {
		if foes, err = gather(ctx, run, exchange.Address, prey, a); err != nil {
			return nil, err
		}
		defer foes.disband()
	}
	ordinary := newOrdinary(exchange.Client, written)
	o := &outcome{assault: a}
	ordinary.run(ctx, settling) // so that what only a start costs is not counted
	watch := exchange.Watch(exchange.Admin)
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
	o.used = watch.End()
	if ctx.Err() != nil {
		return nil, errors.New("interrupted")
	}
	return o, err
}

// gather starts the hostile callers of a row, and what they send to if that is not the exchange.
func gather(ctx context.Context, run *measurement.Run, address string, prey *prey, a *assault) (*horde, error) {
	token, err := exec.CommandContext(ctx, run.Command, "token", "--data", run.Data, "--subject", "hostile").Output()
	if err != nil {
		return nil, fmt.Errorf("%s token: %w", run.Command, err)
	}
	var bare *process.Child
	if a.elsewhere {
		if bare, err = sides.StartBare(ctx, bareOf(prey)); err != nil {
			return nil, err
		}
		address = bare.Address
	}
	return startHorde(ctx, bare, orders{address, strings.TrimSpace(string(token)), *prey, a.name, run.Duration / measurement.Turns})
}

// settling is how long ordinary requests are made before a measurement.
const settling = 300 * time.Millisecond

// perKind is the part of count, which is for the load of -scale, that is made of each kind of large record.
const perKind = 200

// hostileRate is the most hostile requests in a second, of all callers of a row together. More would measure how fast
// the machine moves bytes to the exchange, on which whoever sends them runs as well.
const hostileRate = 200

// assail has all callers send until the context ends, and counts the statuses. What they have sent by then still gets
// its response, so that all that it costs is measured.
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
					status = report.CutOff
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
