package overload

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"insurance.example/exchange/deploy/proof/bench/load"
)

// kind is a kind of request.
type kind struct {
	name string
	// status is what the response has if the request is served.
	status int
	call   func(n uint64) load.Call
}

// crowd is many callers of one exchange, each with a connection of its own. One thread sends what they send and reads
// what they get: a goroutine for each would cost more than the requests.
type crowd struct {
	kinds   []*kind
	head    []byte // of every request: the headers after its first line
	to      unix.SockaddrInet4
	poll    int // the file of epoll, by which the thread learns who has got something
	callers []caller
	// free are those that have no request under way, who has waited longest first.
	free  []*caller
	busy  int
	count uint64
	seen  []seen
	// request is what is sent, and piece what is read, at the moment.
	request, piece []byte
}

// seen is one request that was due.
type seen struct {
	kind *kind
	// status is 0 if there was no response.
	status int
	// took is the time from when it was due to its response, and waited what of it passed before a caller was free to
	// send it.
	took, waited time.Duration
}

// gatherPatience is how long it may take until each caller has made a request, and lastPatience how long after the
// end of a measurement a response is waited for.
const (
	gatherPatience = 5 * time.Minute
	lastPatience   = 3 * time.Second
)

// gather connects a number of callers. Each makes one request, so that its connection is in use.
func gather(ctx context.Context, c *load.Client, kinds []*kind, callers int) (*crowd, error) {
	address, err := net.ResolveTCPAddr("tcp4", c.HTTP.Addr)
	if err != nil {
		return nil, err
	}
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	crowd := &crowd{
		kinds: kinds, poll: poll, callers: make([]caller, callers), request: make([]byte, 0, 4<<10), piece: make([]byte, 64<<10),
		head: fmt.Appendf(nil, " HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", c.HTTP.Addr, c.Token),
	}
	crowd.to.Port = address.Port
	copy(crowd.to.Addr[:], address.IP.To4())
	for i := range crowd.callers {
		one := &crowd.callers[i]
		one.number, one.socket = int32(i), noSocket
		if err := one.connect(crowd); err != nil {
			crowd.leave()
			return nil, fmt.Errorf("connection %d of %d: %w; each needs an open file in both processes (ulimit -n)", i+1, callers, err)
		}
		crowd.free = append(crowd.free, one)
	}
	left := callers
	err = crowd.ask(ctx, time.Now().Add(gatherPatience), capacityCallers, func(now time.Time) (due time.Time) {
		if left > 0 {
			due = now
		}
		left--
		return due
	})
	crowd.seen = nil
	if err != nil {
		crowd.leave()
		return nil, err
	}
	return crowd, nil
}

// leave closes all connections.
func (c *crowd) leave() {
	for i := range c.callers {
		c.callers[i].disconnect()
	}
	_ = unix.Close(c.poll)
}

// inTurn has every caller send its next request as soon as it has the response to the last, for some time.
func (c *crowd) inTurn(ctx context.Context, d time.Duration) (*attendance, error) {
	began := time.Now()
	end := began.Add(d)
	err := c.ask(ctx, end.Add(lastPatience), len(c.callers), func(now time.Time) (due time.Time) {
		if now.Before(end) {
			due = now
		}
		return due
	})
	return c.attended(time.Since(began), began), err
}

// atRate sends requests at a rate for some time, whether or not earlier ones have their responses. A request that is
// due waits for a caller who has no other one; its time counts from when it was due.
func (c *crowd) atRate(ctx context.Context, rate float64, d time.Duration) (*attendance, error) {
	began := time.Now()
	count, sent := int(rate*d.Seconds()), 0
	c.seen = make([]seen, 0, count)
	nextDue := func() time.Time { return began.Add(time.Duration(float64(sent) / rate * float64(time.Second))) }
	err := c.ask(ctx, began.Add(d+lastPatience), len(c.callers), func(now time.Time) (due time.Time) {
		if sent == count {
			return due
		}
		if due = nextDue(); !due.After(now) {
			sent++
		}
		return due
	})
	for ; sent < count; sent++ {
		c.seen = append(c.seen, seen{kind: c.next(), took: time.Since(nextDue())})
	}
	return c.attended(d, began), err
}

func (c *crowd) attended(asking time.Duration, began time.Time) *attendance {
	a := &attendance{seen: c.seen, asking: asking, took: time.Since(began)}
	c.seen = nil
	return a
}

// ask sends requests when they are due, at most a number of them at a time, and reads their responses, until none
// will be due and none is under way, or the end. next returns when the next request was or will be due, zero if none
// will; it is sent unless that is after now.
func (c *crowd) ask(ctx context.Context, end time.Time, atOnce int, next func(now time.Time) (due time.Time)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	events := make([]unix.EpollEvent, 512)
	for {
		now, more := time.Now(), true
		for len(c.free) > 0 && c.busy < atOnce {
			due := next(now)
			if more = !due.IsZero(); !more || due.After(now) {
				break
			}
			one := c.free[0]
			c.free = c.free[1:]
			one.send(c, due)
		}
		switch {
		case ctx.Err() != nil:
			return errors.New("interrupted")
		case !more && c.busy == 0, now.After(end):
			c.abandon()
			return nil
		}
		n, err := unix.EpollWait(c.poll, events, 1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		for _, event := range events[:max(n, 0)] {
			c.callers[event.Fd].ready(c)
		}
	}
}

// abandon notes that the requests under way have no response. Their connections are replaced before the next request.
func (c *crowd) abandon() {
	for i := range c.callers {
		if one := &c.callers[i]; one.asks {
			one.end(c, 0, false)
		}
	}
}

func (c *crowd) next() *kind {
	c.count++
	return c.kinds[c.count%uint64(len(c.kinds))]
}
