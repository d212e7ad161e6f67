package process

import (
	"net"
	"os"
	"runtime"
	"sync"
	"time"
)

// entry is where the requests of a connection are refused before net/http reads them. It follows where they begin: a
// request is refused only if net/http has everything that came before it and nothing of it.
//
// net/http calls read and next one after the other, although from several goroutines. While a handler works on a
// request that it has read to its end, it reads to notice that the client has left. What comes meanwhile belongs to
// the next request, and is kept for it.
type entry struct {
	door *door // nil if none is refused
	// begins says that what is read next is the beginning of a request.
	begins bool
	// rest is how much is to come of the request that net/http has begun to read, in bytes; -1 if that is not known.
	rest int
	// early is the first byte of the next request, if kept says that it came while a handler worked.
	early byte
	kept  bool
	// renewed is when the time that the connection may wait was last counted anew; zero if net/http has done so.
	renewed time.Time

	mu sync.Mutex
	// over says that the time in which something could be read is, overdue that somebody waits for that.
	over    bool
	overdue sync.Cond
}

func newEntry(door *door) *entry {
	e := &entry{door: door, begins: door != nil, rest: -1}
	e.overdue.L = &e.mu
	return e
}

// renewEvery is the least time between two changes of the time that a connection may wait, which cost something.
const renewEvery = time.Second

// read reads from a connection what net/http is to read. Requests that are refused are not part of it.
func (e *entry) read(conn net.Conn, p []byte) (int, error) {
	switch {
	case e.begins:
		return e.readFirst(conn, p)
	case e.rest == 0:
		return e.await(conn, p)
	}
	n, err := conn.Read(p)
	if e.rest -= n; e.rest < 0 {
		e.rest = -1
	}
	return n, err
}

// readFirst reads the first piece of a request that is not refused.
func (e *entry) readFirst(conn net.Conn, p []byte) (int, error) {
	for {
		n, err := e.readPiece(conn, p)
		if n == 0 {
			return 0, err
		}
		r, ok := readSimple(p[:n])
		if ok && err == nil {
			// What is behind the request is room for the response.
			if response, refused := e.door.refuse(&r, time.Now(), p[n:n]); refused {
				if err := e.respond(conn, response); err != nil {
					return 0, err
				}
				continue
			}
		}
		e.begins, e.rest = false, -1
		if ok {
			e.rest = r.rest
		}
		if !e.renewed.IsZero() {
			// As it was before the first refusal.
			_ = conn.SetReadDeadline(time.Now().Add(e.door.header))
		}
		return n, err
	}
}

// readPiece reads what there is of a request.
func (e *entry) readPiece(conn net.Conn, p []byte) (int, error) {
	if !e.kept {
		return conn.Read(p)
	}
	e.kept = false
	p[0] = e.early
	if len(p) == 1 {
		return 1, nil
	}
	// The request has begun, and what follows has no more time than the rest of a header.
	if err := conn.SetReadDeadline(time.Now().Add(e.door.header)); err != nil {
		return 1, err
	}
	n, err := conn.Read(p[1:])
	return n + 1, err
}

// await reads until the client leaves or the time is over. It then keeps what came.
func (e *entry) await(conn net.Conn, p []byte) (int, error) {
	if !e.kept {
		n, err := conn.Read(p[:min(1, len(p))])
		if n == 0 {
			return 0, err
		}
		e.early, e.kept = p[0], true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for !e.over {
		e.overdue.Wait()
	}
	return 0, os.ErrDeadlineExceeded
}

// limit notes until when something can be read.
func (e *entry) limit(deadline time.Time) {
	if e.door == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over = !deadline.IsZero() && deadline.Before(time.Now()); e.over {
		e.overdue.Broadcast()
	}
}

// respond writes a response, and lets the connection wait for the next request.
func (e *entry) respond(conn net.Conn, response []byte) error {
	if now := time.Now(); now.Sub(e.renewed) > renewEvery {
		e.renewed = now
		if err := conn.SetReadDeadline(now.Add(e.door.idle)); err != nil {
			return err
		}
		if err := conn.SetWriteDeadline(now.Add(e.door.write)); err != nil {
			return err
		}
	}
	_, err := conn.Write(response)
	return err
}

// next notes that net/http has written a response and waits for the next request. If that may have come already,
// other goroutines go first: the one of this connection would not have to wait, and would go on until the scheduler
// stops it after 10 ms.
func (e *entry) next() {
	if e.rest != 0 {
		runtime.Gosched()
	}
	e.begins = e.door != nil && e.rest == 0
	e.renewed = time.Time{}
}
