package overload

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// Statuses that stand for what became of requests that were taken back, and of their connections.
const (
	takenBack = 1 // a request and its reset were sent
	cutOff    = 2 // the connection ended
)

// pause is how long who was cut off waits before it connects again.
const pause = 10 * time.Millisecond

// reset has each connection send requests by HTTP/2 and take each back at once. A client of net/http would limit how
// many it has open, and wait for what became of them.
func reset(out io.Writer, o *crowdOrders) error {
	var sent, cut atomic.Int64
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var dialing, sending sync.WaitGroup
	begin := make(chan struct{})
	for i := range o.Callers {
		dialing.Add(1)
		sending.Go(func() {
			c, err := dial2(ctx, o.Address)
			dialing.Done()
			<-begin
			for ctx.Err() == nil {
				if err == nil {
					sent.Add(c.flood(ctx, o, uint64(i)))
				}
				cut.Add(1)
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					return
				}
				c, err = dial2(ctx, o.Address)
			}
		})
	}
	dialing.Wait()
	fmt.Fprintln(out, "begins")
	close(begin)
	time.AfterFunc(o.Duration, cancel)
	sending.Wait()
	return json.NewEncoder(out).Encode(load.Statuses{takenBack: int(sent.Load()), cutOff: int(cut.Load())})
}

// connection2 is a connection of HTTP/2.
type connection2 struct {
	*tls.Conn
	framer *http2.Framer
	// out has frames that are not sent yet.
	out bytes.Buffer
	mu  sync.Mutex
}

// dial2 connects and sends what a client begins with.
func dial2(ctx context.Context, address string) (*connection2, error) {
	config := sides.Unchecked()
	config.NextProtos = []string{http2.NextProtoTLS}
	conn, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	c := &connection2{Conn: conn.(*tls.Conn)}
	c.framer = http2.NewFramer(&c.out, c.Conn)
	c.out.WriteString(http2.ClientPreface)
	if err := c.framer.WriteSettings(); err != nil {
		return nil, err
	}
	return c, c.send()
}

// send sends the frames that are not sent yet; c.mu is held, or nobody else has the connection.
func (c *connection2) send() error {
	_, err := c.Write(c.out.Bytes())
	c.out.Reset()
	return err
}

// flood sends requests and takes them back until the connection or ctx ends. It returns how many.
func (c *connection2) flood(ctx context.Context, o *crowdOrders, from uint64) (sent int64) {
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	defer c.Close()
	go c.acknowledge()
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	read := load.Get(o.Vehicles, "/vehicle/")
	for stream := uint32(1); stream < 1<<31; stream += 2 {
		block.Reset()
		for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", o.Address},
			{":path", read(from + uint64(sent)).Path}, {"authorization", "Bearer " + o.Tokens[0]}} {
			if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
				return sent
			}
		}
		if err := c.takeBack(stream, block.Bytes()); err != nil {
			return sent
		}
		sent++
	}
	return sent
}

// takeBack sends a request and its reset.
func (c *connection2) takeBack(stream uint32, block []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: block, EndStream: true, EndHeaders: true,
	}); err != nil {
		return err
	}
	if err := c.framer.WriteRSTStream(stream, http2.ErrCodeCancel); err != nil {
		return err
	}
	return c.send()
}

// acknowledge reads what comes until the connection ends, and acknowledges what has to be.
func (c *connection2) acknowledge() {
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			_ = c.Close()
			return
		}
		c.mu.Lock()
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				err = c.framer.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !f.IsAck() {
				err = c.framer.WritePing(true, f.Data)
			}
		case *http2.GoAwayFrame:
			err = io.EOF
		}
		if err == nil {
			err = c.send()
		}
		c.mu.Unlock()
		if err != nil {
			_ = c.Close()
			return
		}
	}
}
