package overload

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// caller is one of a crowd: a connection, and the request on it that is under way.
type caller struct {
	number int32
	socket int // noSocket if it is not connected
	// unsent is the request that is sent once the connection is made; empty if it is.
	unsent []byte
	// asks says that a request is under way: of a kind, when it was due and when it was sent.
	asks      bool
	kind      *kind
	due, sent time.Time
	// header is what was read of a header that has not ended; empty once it has.
	header []byte
	// status and last are what the header says, and left how much of the body is to come.
	status int
	last   bool
	left   int
}

const noSocket = -1

// connect connects a caller, and has the crowd learn when it gets something.
func (one *caller) connect(c *crowd) error {
	return one.dial(c, 0, unix.EPOLLIN)
}

// connectFor begins to connect a caller, who then sends the request: others do not wait for it.
func (one *caller) connectFor(c *crowd, request []byte) error {
	one.unsent = append(one.unsent[:0], request...)
	return one.dial(c, unix.SOCK_NONBLOCK, unix.EPOLLIN|unix.EPOLLOUT)
}

func (one *caller) dial(c *crowd, options int, events uint32) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|options, 0)
	if err != nil {
		return err
	}
	one.socket = socket
	if err = unix.Connect(socket, &c.to); err == nil || errors.Is(err, unix.EINPROGRESS) {
		err = errors.Join(unix.SetNonblock(socket, true), unix.SetsockoptInt(socket, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1),
			unix.EpollCtl(c.poll, unix.EPOLL_CTL_ADD, socket, &unix.EpollEvent{Events: events, Fd: one.number}))
	}
	if err != nil {
		one.disconnect()
	}
	return err
}

// ready goes on with what the caller waits for.
func (one *caller) ready(c *crowd) {
	if one.socket == noSocket {
		return // closed after the system had said that there is something
	}
	if len(one.unsent) == 0 {
		one.receive(c)
		return
	}
	failed, err := unix.GetsockoptInt(one.socket, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && failed == 0 {
		err = unix.EpollCtl(c.poll, unix.EPOLL_CTL_MOD, one.socket, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: one.number})
	}
	if err != nil || failed != 0 {
		one.end(c, 0, false)
		return
	}
	request := one.unsent
	one.unsent = one.unsent[:0]
	one.write(c, request)
}

func (one *caller) disconnect() {
	if one.socket != noSocket {
		_ = unix.Close(one.socket)
		one.socket, one.unsent = noSocket, one.unsent[:0]
	}
}

// send sends the next request, which was due at an instant. A connection that was closed is replaced before.
func (one *caller) send(c *crowd, due time.Time) {
	one.kind, one.due = c.next(), due
	one.asks, one.header, one.left = true, one.header[:0], 0
	c.busy++
	to := one.kind.call(c.count)
	c.request = append(append(append(append(c.request[:0], to.Method...), ' '), to.Path...), c.head...)
	if to.Body != nil {
		c.request = fmt.Appendf(c.request, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(to.Body))
	}
	c.request = append(append(c.request, "\r\n"...), to.Body...)
	one.sent = time.Now()
	if one.socket != noSocket {
		one.write(c, c.request)
	} else if one.connectFor(c, c.request) != nil {
		one.end(c, 0, false)
	}
}

// write writes a request. There is room for it in the buffer of a connection on which nothing is under way.
func (one *caller) write(c *crowd, request []byte) {
	if n, err := unix.Write(one.socket, request); err != nil || n < len(request) {
		one.end(c, 0, false)
	}
}

// receive reads what there is of a response that declares its length.
func (one *caller) receive(c *crowd) {
	n, err := unix.Read(one.socket, c.piece)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return
	case err != nil || n == 0:
		if one.asks {
			one.end(c, 0, false)
		} else {
			one.disconnect()
		}
		return
	}
	piece := c.piece[:n]
	if one.left == 0 {
		if len(one.header) > 0 {
			one.header = append(one.header, piece...)
			piece = one.header
		}
		head, rest, whole := bytes.Cut(piece, []byte("\r\n\r\n"))
		if !whole {
			if len(one.header) == 0 {
				one.header = append(one.header, piece...)
			}
			return
		}
		if one.status, one.left, one.last = readHead(head); one.left < 0 {
			one.end(c, 0, false)
			return
		}
		piece = rest
	}
	if one.left -= len(piece); one.left <= 0 {
		one.end(c, one.status, !one.last && one.left == 0)
	}
}

// readHead reads the status and the header of a response. It returns the length of the body, -1 if it is not
// declared, and whether the response is the last one on its connection.
func readHead(head []byte) (status, length int, last bool) {
	if len(head) > 12 {
		status, _ = strconv.Atoi(string(head[9:12]))
	}
	_, declared, _ := bytes.Cut(head, []byte("\r\nContent-Length: "))
	declared, _, _ = bytes.Cut(declared, []byte("\r\n"))
	length, err := strconv.Atoi(string(declared))
	if err != nil {
		length = -1
	}
	return status, length, bytes.Contains(head, []byte("\r\nConnection: close"))
}

// end notes what came of a request, after which the connection stays open or not.
func (one *caller) end(c *crowd, status int, open bool) {
	now := time.Now()
	c.seen = append(c.seen, seen{one.kind, status, now.Sub(one.due), one.sent.Sub(one.due)})
	one.asks = false
	c.busy--
	c.free = append(c.free, one)
	if !open {
		one.disconnect()
	}
}
