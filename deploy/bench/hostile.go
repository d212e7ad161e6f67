package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// The bounds that hold whatever a caller sends. Memory is what the process has resident, without file pages.
const (
	mostMemory  = 256 << 20
	mostOthers  = 50 * time.Millisecond // p99 of the ordinary requests
	mostSeconds = 0.050                 // of a core, for one hostile request
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

// measureHostile prints what each assault costs the exchange and those who use it meanwhile. It reports whether all bounds hold.
// Each assault has a freshly started exchange on the same data.
func (b *bench) measureHostile(ctx context.Context, written *book) (met bool, err error) {
	prey, err := prepare(ctx, b.exchange, written, min(mostOfKind, max(1, b.count/perKind)))
	if err != nil {
		return false, err
	}
	b.exchange.stop()
	idle, err := b.assail(ctx, written, prey, &assault{name: "nobody"})
	if err != nil {
		return false, err
	}
	table := newHostileTable(b.out, idle)
	for _, a := range chosen(assaultsOn(prey), b.only) {
		o, err := b.assail(ctx, written, prey, a)
		if err != nil {
			return false, err
		}
		table.print(o)
	}
	return table.met, b.start(ctx)
}

// assail starts the exchange and measures one assault.
func (b *bench) assail(ctx context.Context, written *book, prey *prey, a *assault) (*outcome, error) {
	exchange, err := startExchange(ctx, b.command, b.data, b.connections)
	if err != nil {
		return nil, err
	}
	defer exchange.stop()
	duration := b.duration / turns
	var foes *horde
	if a.send != nil {
		if foes, err = b.gather(ctx, exchange.address, prey, a); err != nil {
			return nil, err
		}
		defer foes.disband()
	}
	ordinary := newOrdinary(exchange.client, written)
	o := &outcome{assault: a}
	ordinary.run(ctx, settling) // so that what only a start costs is not counted
	watch := exchange.watch()
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

// gather starts the hostile callers of a row, and what they send to if that is not the exchange.
func (b *bench) gather(ctx context.Context, address string, prey *prey, a *assault) (*horde, error) {
	token, err := exec.CommandContext(ctx, b.command, "token", "--data", b.data, "--subject", "hostile").Output()
	if err != nil {
		return nil, fmt.Errorf("%s token: %w", b.command, err)
	}
	var bare *child
	if a.elsewhere {
		if bare, err = startBare(ctx, bareOf(prey)); err != nil {
			return nil, err
		}
		address = bare.address
	}
	return startHorde(ctx, bare, orders{address, strings.TrimSpace(string(token)), *prey, a.name, b.duration / turns})
}

// settling is how long ordinary requests are made before a measurement.
const settling = 300 * time.Millisecond

// perKind is the part of count, which is for the load of -scale, that is made of each kind of large record.
const perKind = 200

// hostileRate is the most hostile requests in a second, of all callers of a row together. More would measure how fast the machine
// moves bytes to the exchange, on which whoever sends them runs as well.
const hostileRate = 200

// cutOff stands for the status of a request that the end of the measurement cut off.
const cutOff = -1

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

// hostileTable prints rows as they are measured.
type hostileTable struct {
	out  io.Writer
	idle float64 // seconds of a core that the ordinary requests take in a second
	met  bool
}

func newHostileTable(out io.Writer, idle *outcome) *hostileTable {
	t := &hostileTable{out: out, idle: idle.used.seconds / idle.took.Seconds(), met: true}
	fmt.Fprintf(out, "bounds: memory %d MB, p99 of the others %v, %.0f ms of a core for a request; ordinary requests: %d a second\n",
		mostMemory>>20, mostOthers, 1000*mostSeconds, ordinaryRate)
	t.line("row", "callers", "requests", "ms of a core each", "memory MB", "heap MB", "others p99 ms", "writes p99 ms", "others failed", "statuses")
	t.print(idle)
	return t
}

// print prints a row, with a remark for each bound that does not hold.
func (t *hostileTable) print(o *outcome) {
	requests, refused := int64(0), o.statuses[http.StatusTooManyRequests]+o.statuses[http.StatusServiceUnavailable]
	for _, n := range o.statuses {
		requests += n
	}
	// What is refused for lack of room costs little, and would hide what the others cost. So these have to answer for all of it.
	each := max(0, o.used.seconds-t.idle*o.took.Seconds()) / float64(max(1, requests-refused))
	if o.callers == 0 {
		each = 0
	}
	others, failed := o.reads.with(o.writes), o.reads.failed+o.writes.failed
	t.line(o.name, strconv.Itoa(o.callers), strconv.FormatInt(requests, 10),
		mark(fmt.Sprintf("%.2f", 1000*each), each <= mostSeconds),
		mark(strconv.Itoa(int(o.used.memory>>20)), o.used.memory <= mostMemory), strconv.Itoa(int(o.used.heap>>20)),
		mark(milliseconds(others.p99()), others.p99() <= mostOthers), milliseconds(o.writes.p99()), strconv.Itoa(failed), said(o.statuses))
	t.met = t.met && each <= mostSeconds && o.used.memory <= mostMemory && others.p99() <= mostOthers
}

// line prints cells in columns. The widths are fixed, because a row is printed as soon as it is measured.
func (t *hostileTable) line(cells ...string) {
	widths := []int{60, 7, 8, 17, 9, 7, 13, 13, 13, 0}
	for i, cell := range cells {
		cells[i] = fmt.Sprintf("%-*s", widths[i], cell)
	}
	fmt.Fprintln(t.out, strings.TrimRight(strings.Join(cells, "  "), " "))
}

// mark adds a sign to a value that is above its bound.
func mark(value string, holds bool) string {
	if holds {
		return value
	}
	return value + " !"
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }

// said returns the statuses and how often each came, such as "200: 12, 503: 4".
func said(statuses map[int]int64) string {
	var all []string
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		name := strconv.Itoa(status)
		switch status {
		case 0:
			name = "none"
		case cutOff:
			name = "cut off"
		}
		all = append(all, fmt.Sprintf("%s: %d", name, statuses[status]))
	}
	return strings.Join(all, ", ")
}
