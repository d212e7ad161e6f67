package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// Between two looks at the network so many requests are read, and so many get slots. Those that have come meanwhile
// take part in the turns, however many came before them.
const (
	mostAtATime  = 16
	crowdAtATime = 4
)

// atATime returns how many follow each other without a look at the network while some wait. Beside a crowd it is looked
// at more often: what a calm caller sends lies in the kernel until then. A look costs as much as a part of a request.
func atATime(waiting int) int {
	if waiting > mostAtATime {
		return crowdAtATime
	}
	return mostAtATime
}

// Gate is what requests on connections of HTTP/1 pass before they are read. Few are read at a time, and so many may
// wait for slots; the others wait here, where each has no more than its first bytes in memory, by turns over what
// their connections proved last. HTTP/2 has many requests on one connection; they wait for slots only.
type Gate struct {
	most   int
	wait   time.Duration
	holder *Holder
	bell   *Bell

	mu sync.Mutex
	// inside is how many requests have passed and wait for slots, and passed how many have passed since the bell.
	inside, passed int
	open           bool
	queue          *queue
}

// NewGate returns a gate behind which up to most requests may wait for slots. connections is how many connections may
// be open; all of them may wait in front of the gate, each for up to wait. The holder holds back refusals, and the
// bell says when the network has been looked at.
func NewGate(most, connections int, wait time.Duration, holder *Holder, bell *Bell) *Gate {
	g := &Gate{most: most, wait: wait, holder: holder, bell: bell, queue: newQueue(connections)}
	bell.at(g.letIn)
	return g
}

// Waiting returns how many requests wait until they are read.
func (g *Gate) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.queue.waiting
}

// Open lets in all that wait, and has none wait from now on: a process that stops has to read what has come.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
	for g.queue.waiting > 0 {
		g.queue.next().decided <- decision{}
	}
}

// Visitor is one connection in front of a gate. One goroutine at a time uses it.
type Visitor struct {
	gate *Gate
	// caller is the last one that a request of the connection was admitted for; the zero caller for strangers.
	caller Caller
	// arrived is when the present request came.
	arrived time.Time
	// inside says that the request has passed the gate and waits for a slot.
	inside bool
	// refused says that the last request was refused, and that this is to be held back.
	refused bool
}

type visitorKey struct{}

// Visit returns a context for the requests of a connection that is new, and its visitor.
func (g *Gate) Visit(ctx context.Context) (context.Context, *Visitor) {
	v := &Visitor{gate: g}
	return context.WithValue(ctx, visitorKey{}, v), v
}

func visitorOf(ctx context.Context) *Visitor {
	v, _ := ctx.Value(visitorKey{}).(*Visitor)
	return v
}

// Rest returns when the connection may be read again: later if its last request was refused while many are. Meanwhile
// the kernel keeps what comes.
func (v *Visitor) Rest() {
	if v.refused {
		v.refused = false
		v.gate.holder.hold(context.Background())
	}
}

// Enter returns when a request whose first bytes have come may be read. After the time that requests may wait it is
// read in any case, in order to be refused.
func (v *Visitor) Enter() {
	v.arrived = time.Now()
	w := v.gate.admit(v)
	if w == nil {
		return
	}
	late := time.NewTimer(v.gate.wait)
	defer late.Stop()
	select {
	case <-w.decided:
	case <-late.C:
		v.gate.leave(w)
	}
}

// Await says that the request waits for a slot.
func (v *Visitor) Await() { v.move(true) }

// Leave says that the request waits for no slot.
func (v *Visitor) Leave() { v.move(false) }

func (v *Visitor) move(inside bool) {
	if v == nil || v.inside == inside {
		return
	}
	v.inside = inside
	g := v.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if inside {
		g.inside++
		return
	}
	g.inside--
	if g.queue.waiting > 0 && !g.bell.ring() {
		g.passed = 0
		g.dispatch()
	}
}

// letIn lets in those that wait once the network has been looked at.
func (g *Gate) letIn() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.passed = 0
	g.dispatch()
}

// dispatch lets in those that wait if there is room for them.
func (g *Gate) dispatch() {
	for g.queue.waiting > 0 && g.room() {
		g.queue.next().decided <- decision{}
		g.pass()
	}
}

// room reports whether one more request may be read.
func (g *Gate) room() bool { return g.inside < g.most && g.passed < atATime(g.queue.waiting) }

// pass notes that a request is read.
func (g *Gate) pass() {
	if g.passed++; g.passed >= atATime(g.queue.waiting) && !g.bell.ring() {
		g.passed = 0
	}
}

// waited returns how long the request of a context has waited in front of the gate, if it had to pass one.
func waited(ctx context.Context, now time.Time) time.Duration {
	if v := visitorOf(ctx); v != nil {
		return now.Sub(v.arrived)
	}
	return 0
}

// admit lets a request in, or returns its place in the queue.
func (g *Gate) admit(v *Visitor) *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {
		return nil
	}
	if g.queue.waiting == 0 && g.room() {
		g.pass()
		return nil
	}
	w, worst := g.queue.add(v.caller, Read)
	if worst != nil {
		g.queue.remove(worst)
		worst.decided <- decision{}
	}
	return w
}

// leave takes a request out of the queue, if it waits there.
func (g *Gate) leave(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.line != nil {
		g.queue.remove(w)
	}
}

// Bell lets in those that wait once the network has been read. Go looks there only while nothing is ready to run,
// or every 10 ms, for 128 connections at a time. As long as whatever ends makes the next that waits ready, it would let
// thousands of requests lie in the kernel, those of calm callers among them, and no turn would be fair. The bell is a
// pipe: Go finds it in the network behind all connections that had something before it was rung. A nil bell lets in at
// once.
type Bell struct {
	read, write *os.File
	network     syscall.RawConn // of read
	rings       chan struct{}
	closed      chan struct{}
	mu          sync.Mutex
	letIn       []func()
}

// NewBell returns a bell, which is to be closed.
func NewBell() (*Bell, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("a pipe: %w", err)
	}
	network, err := read.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	b := &Bell{read: read, write: write, network: network, rings: make(chan struct{}, 1), closed: make(chan struct{})}
	go b.hear()
	return b, nil
}

// Close ends the bell, once. Nobody is let in any more.
func (b *Bell) Close() error {
	close(b.closed)
	return errors.Join(b.write.Close(), b.read.Close())
}

// hear calls the functions of the bell after each ring, until the bell is closed.
func (b *Bell) hear() {
	for {
		select {
		case <-b.rings:
		case <-b.closed:
			return
		}
		if b.lookAtNetwork() != nil {
			return // it is closed
		}
		for _, letIn := range b.all() {
			letIn()
		}
	}
}

// lookAtNetwork returns when Go has looked at the network, up to what comes now.
func (b *Bell) lookAtNetwork() error {
	one := make([]byte, 1)
	var failed error
	written := false
	err := b.network.Read(func(uintptr) (done bool) {
		if written {
			return true
		}
		// It is written here so that Go finds it while it waits for it.
		written = true
		_, failed = b.write.Write(one)
		return failed != nil
	})
	if err = errors.Join(err, failed); err == nil {
		_, err = b.read.Read(one)
	}
	return err
}

func (b *Bell) all() []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.letIn
}

// at adds a function that the bell calls after each ring.
func (b *Bell) at(letIn func()) {
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.letIn = append(b.letIn, letIn)
	}
}

// ring makes the bell call all functions soon, once for all rings until then. It reports false if there is no bell.
func (b *Bell) ring() bool {
	if b == nil {
		return false
	}
	select {
	case b.rings <- struct{}{}:
	default: // it is rung
	}
	return true
}
