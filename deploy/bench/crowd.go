package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// kind is a kind of request.
type kind struct {
	name string
	// status is what the response has if the request is served.
	status int
	call   func(n uint64) call
}

// crowd is many callers of one exchange, each with a connection of its own. What they send is written, and what they get is read, with
// as little work as can be, because they share the machine with what is measured.
type crowd struct {
	kinds   []*kind
	head    []byte // of every request: the headers after its first line
	address string
	callers []*caller
	count   atomic.Uint64
}

// caller is one connection, and what came of its requests.
type caller struct {
	conn net.Conn
	gone bool
	seen []seen
}

// seen is one request that was due.
type seen struct {
	kind *kind
	// status is 0 if there was no response.
	status int
	// took is the time from when it was due to its response, and waited what of it passed before a caller was free to send it.
	took, waited time.Duration
}

// gatherPatience is how long a connection may take, and lastPatience how long after the end of a measurement a response is waited for.
const (
	gatherPatience = 30 * time.Second
	lastPatience   = 3 * time.Second
)

// gather connects a number of callers. Each makes one request, so that its connection is in use.
func gather(ctx context.Context, c *client, kinds []*kind, callers int) (*crowd, error) {
	crowd := &crowd{
		kinds: kinds, address: c.http.Addr, callers: make([]*caller, callers),
		head: fmt.Appendf(nil, " HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", c.http.Addr, c.token),
	}
	var dials errgroup.Group
	dials.SetLimit(capacityCallers)
	for i := range crowd.callers {
		dials.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			conn, err := net.DialTimeout("tcp", crowd.address, gatherPatience)
			if err != nil {
				return fmt.Errorf("connection %d of %d: %w; each needs an open file in both processes (ulimit -n)", i+1, callers, err)
			}
			one := &caller{conn: conn}
			crowd.callers[i] = one
			_ = conn.SetDeadline(time.Now().Add(gatherPatience))
			one.ask(crowd, time.Now())
			one.seen = one.seen[:0]
			return nil
		})
	}
	if err := dials.Wait(); err != nil {
		crowd.leave()
		return nil, err
	}
	return crowd, nil
}

// leave closes all connections.
func (c *crowd) leave() {
	for _, one := range c.callers {
		if one != nil {
			_ = one.conn.Close()
		}
	}
}

// inTurn has every caller send its next request as soon as it has the response to the last, for some time.
func (c *crowd) inTurn(ctx context.Context, d time.Duration) *attendance {
	began := time.Now()
	return c.each(began, began.Add(d), func(one *caller) {
		for ctx.Err() == nil && time.Since(began) < d && !one.gone {
			one.ask(c, time.Now())
		}
	})
}

// atRate sends requests at a rate for some time, whether or not earlier ones have their responses. A request that is due waits for a
// caller who has no other one; its time counts from when it was due.
func (c *crowd) atRate(ctx context.Context, rate float64, d time.Duration) *attendance {
	began := time.Now()
	count := int(rate * d.Seconds())
	dues := make(chan time.Time, count)
	go func() {
		defer close(dues)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for n := 0; n < count && ctx.Err() == nil; {
			for due := int(rate * time.Since(began).Seconds()); n < min(due, count); n++ {
				dues <- began.Add(time.Duration(float64(n) / rate * float64(time.Second)))
			}
			<-tick.C
		}
	}()
	end := began.Add(d)
	result := c.each(began, end, func(one *caller) {
		for due := range dues {
			if one.gone || time.Since(end) > lastPatience {
				one.seen = append(one.seen, seen{kind: c.next(), took: time.Since(due)})
				continue
			}
			one.ask(c, due)
		}
	})
	result.asking = d
	return result
}

// each runs a function for all callers at once. Responses are waited for until lastPatience after the end.
func (c *crowd) each(began, end time.Time, do func(*caller)) *attendance {
	var callers sync.WaitGroup
	for _, one := range c.callers {
		_ = one.conn.SetDeadline(end.Add(lastPatience))
		callers.Go(func() { do(one) })
	}
	callers.Wait()
	took := time.Since(began)
	a := &attendance{asking: took, took: took}
	for _, one := range c.callers {
		a.seen = append(a.seen, one.seen...)
		one.seen = nil
	}
	return a
}

func (c *crowd) next() *kind { return c.kinds[c.count.Add(1)%uint64(len(c.kinds))] }

// ask sends the next request, which was due at an instant, and reads its response. A connection that the exchange has closed is
// replaced before the next request.
func (one *caller) ask(c *crowd, due time.Time) {
	kind := c.next()
	to := kind.call(c.count.Load())
	request := make([]byte, 0, 2048)
	request = append(append(append(append(request, to.method...), ' '), to.path...), c.head...)
	if to.body != nil {
		request = fmt.Appendf(request, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(to.body))
	}
	request = append(append(request, "\r\n"...), to.body...)
	status, open, waited := 0, false, time.Since(due)
	if _, err := one.conn.Write(request); err == nil {
		status, open = readResponse(one.conn)
	}
	one.seen = append(one.seen, seen{kind, status, time.Since(due), waited})
	if !open {
		_ = one.conn.Close()
		fresh, err := net.DialTimeout("tcp", c.address, gatherPatience)
		if one.gone = err != nil; err == nil {
			one.conn = fresh
			_ = fresh.SetDeadline(time.Now().Add(gatherPatience))
		}
	}
}

// readResponse reads a whole response that declares its length. It returns its status, 0 if there is none, and whether the connection
// stays open.
func readResponse(from io.Reader) (status int, open bool) {
	var buffer [4 << 10]byte
	length := 0
	for {
		n, err := from.Read(buffer[length:])
		length += n
		head, rest, whole := bytes.Cut(buffer[:length], []byte("\r\n\r\n"))
		if !whole {
			if err != nil || length == len(buffer) {
				return 0, false
			}
			continue
		}
		if len(head) > 12 {
			status, _ = strconv.Atoi(string(head[9:12]))
		}
		_, declared, _ := bytes.Cut(head, []byte("\r\nContent-Length: "))
		declared, _, _ = bytes.Cut(declared, []byte("\r\n"))
		left, err := strconv.Atoi(string(declared))
		if err != nil {
			return 0, false
		}
		for left -= len(rest); left > 0; left -= n {
			if n, err = from.Read(buffer[:]); err != nil {
				return 0, false
			}
		}
		return status, !bytes.Contains(head, []byte("\r\nConnection: close"))
	}
}

// ownSeconds returns the time of cores that this process has used.
func ownSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
