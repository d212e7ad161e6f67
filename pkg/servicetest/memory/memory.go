// Package memory is a network in memory, for tests that have no sockets. Its connections work in a bubble of
// testing/synctest: who waits for one is durably blocked, so that the clock of the bubble goes on.
package memory

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// buffered is how many bytes a direction of a connection holds that nobody has read yet.
const buffered = 64 << 10

// Network has addresses of the form host:port, where the host is an IP address. The zero value is empty.
type Network struct {
	mu        sync.Mutex
	listeners map[string]*listener
	ports     int
}

// Listen listens on an address of TCP. The port 0 stands for one that is free.
func (n *Network) Listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if port == "0" {
		n.ports++
		port = strconv.Itoa(n.ports)
	}
	address = net.JoinHostPort(host, port)
	if n.listeners[address] != nil {
		return nil, fmt.Errorf("listen %s: %w", address, syscall.EADDRINUSE)
	}
	if n.listeners == nil {
		n.listeners = map[string]*listener{}
	}
	l := &listener{network: n, at: addr(address), waiting: make(chan net.Conn, 1024), closed: make(chan struct{})}
	n.listeners[address] = l
	return l, nil
}

// Listens reports whether somebody listens on an address.
func (n *Network) Listens(address string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.listeners[address] != nil
}

// Dial connects to an address from 127.0.0.1. It has the form of the functions that dial for net/http.
func (n *Network) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	return n.DialFrom(ctx, "127.0.0.1", address)
}

// DialFrom connects to an address from a host.
func (n *Network) DialFrom(ctx context.Context, host, address string) (net.Conn, error) {
	n.mu.Lock()
	l := n.listeners[address]
	n.ports++
	from := addr(net.JoinHostPort(host, strconv.Itoa(n.ports)))
	n.mu.Unlock()
	if l == nil {
		return nil, fmt.Errorf("dial %s: %w", address, syscall.ECONNREFUSED)
	}
	there, back := newFlow(), newFlow()
	select {
	case l.waiting <- &conn{in: there, out: back, local: l.at, remote: from}:
		return &conn{in: back, out: there, local: from, remote: l.at}, nil
	case <-l.closed:
		return nil, fmt.Errorf("dial %s: %w", address, syscall.ECONNREFUSED)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func addr(hostPort string) net.Addr {
	host, port, _ := net.SplitHostPort(hostPort)
	number, _ := strconv.Atoi(port)
	return &net.TCPAddr{IP: net.ParseIP(host), Port: number}
}

type listener struct {
	network *Network
	at      net.Addr
	waiting chan net.Conn
	once    sync.Once
	closed  chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() {
		l.network.mu.Lock()
		delete(l.network.listeners, l.at.String())
		l.network.mu.Unlock()
		close(l.closed)
		for {
			select {
			case c := <-l.waiting:
				_ = c.Close()
			default:
				return
			}
		}
	})
	return nil
}

func (l *listener) Addr() net.Addr { return l.at }

// conn is one end of a connection.
type conn struct {
	in, out       *flow
	local, remote net.Addr
}

func (c *conn) Read(b []byte) (int, error)  { return c.in.read(b) }
func (c *conn) Write(b []byte) (int, error) { return c.out.write(b) }
func (c *conn) LocalAddr() net.Addr         { return c.local }
func (c *conn) RemoteAddr() net.Addr        { return c.remote }

// CloseWrite ends what is written. The other end can still be read.
func (c *conn) CloseWrite() error {
	c.out.change(func() { c.out.ended = true })
	return nil
}

func (c *conn) Close() error {
	c.in.change(func() { c.in.left = true })
	c.out.change(func() { c.out.ended, c.out.gone = true, true })
	return nil
}

func (c *conn) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.reading, t)
	return nil
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writing, t)
	return nil
}

// flow is one direction of a connection.
type flow struct {
	mu      sync.Mutex
	changed *sync.Cond
	held    []byte
	// ended is set when the writer writes no more, gone when it has closed the connection, and left when the reader
	// has.
	ended, gone, left bool
	reading, writing  deadline
}

// deadline is when a read or a write ends without success.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d deadline) over() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func newFlow() *flow {
	f := &flow{}
	f.changed = sync.NewCond(&f.mu)
	return f
}

// change makes a change, and wakes those who wait for one.
func (f *flow) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
	f.changed.Broadcast()
}

func (f *flow) setDeadline(d *deadline, at time.Time) {
	f.change(func() {
		if d.timer != nil {
			d.timer.Stop()
		}
		*d = deadline{at: at}
		// A deadline that is over wakes who waits at once, without a timer: net/http gives one of 1970 to end a read.
		if left := time.Until(at); !at.IsZero() && left > 0 {
			d.timer = time.AfterFunc(left, func() { f.change(func() {}) })
		}
	})
}

func (f *flow) read(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.left:
			return 0, net.ErrClosed
		case f.reading.over():
			return 0, os.ErrDeadlineExceeded
		case len(f.held) > 0 || len(b) == 0:
			n := copy(b, f.held)
			f.held = f.held[n:]
			f.changed.Broadcast()
			return n, nil
		case f.ended:
			return 0, io.EOF
		}
		f.changed.Wait()
	}
}

func (f *flow) write(b []byte) (written int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.gone:
			return written, net.ErrClosed
		case f.ended || f.left:
			return written, syscall.EPIPE
		case f.writing.over():
			return written, os.ErrDeadlineExceeded
		case len(b) == 0:
			return written, nil
		}
		if n := min(len(b), buffered-len(f.held)); n > 0 {
			f.held = append(f.held, b[:n]...)
			b, written = b[n:], written+n
			f.changed.Broadcast()
			continue
		}
		f.changed.Wait()
	}
}
