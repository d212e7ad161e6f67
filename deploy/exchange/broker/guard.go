package broker

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"net"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// largestRequest is the most bytes that a request may have. The largest of the exchange carries a dead letter of 2 MiB.
const largestRequest = 8 << 20

// guarded is a listener whose connections end at a request that no client of Kafka sends: one of more than
// largestRequest bytes, or of a kind that does not exist. The broker reserves as much memory as a request says that
// it has, and a kind that it does not know would end the process. Whatever runs on the same machine can send such
// bytes, if only to find out what listens there.
type guarded struct {
	net.Listener
	log *slog.Logger
}

func (g guarded) Accept() (net.Conn, error) {
	conn, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &guardedConn{Conn: conn, log: g.log}, nil
}

// guardedConn follows where the requests of a connection begin.
type guardedConn struct {
	net.Conn
	log *slog.Logger
	// head is what has come of the beginning of a request: four bytes for its size, two for its kind.
	head   [6]byte
	filled int
	// rest is how many bytes of the request are to come after its head.
	rest int
}

func (c *guardedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if refused := c.follow(p[:n]); refused != nil {
		c.log.Debug("a connection to the broker was ended", "cause", refused, "from", c.RemoteAddr())
		return 0, refused
	}
	return n, err
}

var (
	errSize = errors.New("a request announces a size that none has")
	errKind = errors.New("a request is of an unknown kind")
)

// follow returns an error if a request that begins in p, or goes on in it, is to be refused.
func (c *guardedConn) follow(p []byte) error {
	for len(p) > 0 {
		if c.rest > 0 {
			skipped := min(c.rest, len(p))
			c.rest, p = c.rest-skipped, p[skipped:]
			continue
		}
		c.head[c.filled] = p[0]
		c.filled, p = c.filled+1, p[1:]
		switch size := binary.BigEndian.Uint32(c.head[:4]); c.filled {
		case 4:
			if size < 8 || size > largestRequest {
				return errSize
			}
		case len(c.head):
			//nolint:gosec // the protocol has it so
			if kmsg.RequestForKey(int16(binary.BigEndian.Uint16(c.head[4:]))) == nil {
				return errKind
			}
			c.filled, c.rest = 0, int(size)-2
		}
	}
	return nil
}
