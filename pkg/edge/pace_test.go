package edge

import (
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// sending is a connection whose client always has sent something.
type sending struct{ end }

func (sending) Read(p []byte) (int, error) { return len(p), nil }

// come returns a new connection, and one that had a response already.
func (r *room) come(from string) *countedConnection {
	c, _ := r.enter(sending{end{from: from}})
	return c
}

func (r *room) known(from string) *countedConnection {
	c := r.come(from)
	c.handle(false, 1)
	return c
}

// handle has a number of requests of a connection, which end or are taken back.
func (c *countedConnection) handle(takenBack bool, count int) {
	for range count {
		c.begin()
		c.end(takenBack)
	}
}

// read returns how long a read takes.
func (c *countedConnection) read() time.Duration {
	began := time.Now()
	_, _ = c.Read(make([]byte, 100)) // it cannot fail
	return time.Since(began)
}

// inTurn is what a read takes that is in turn, while no other one is.
const inTurn = 10 * time.Millisecond

// TestWhoTakesRequestsBackIsReadInTurn counts what becomes of the requests of a connection.
func TestWhoTakesRequestsBackIsReadInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(100, time.Minute)
		other, c := r.known("192.0.2.1"), r.known("192.0.2.1")
		want := func(what string, of *countedConnection, want time.Duration) {
			t.Helper()
			if got := of.read(); got != want {
				t.Errorf("%s: a read takes %s, want %s", what, got, want)
			}
		}
		c.handle(true, 16)
		want("16 taken back", c, 0)
		c.handle(false, 1)
		c.handle(true, 1)
		want("16 taken back but for one that ended", c, 0)
		c.handle(true, 1)
		want("17 taken back", c, inTurn)
		want("another one of its network", other, 0)
		c.handle(false, 1)
		want("16 again", c, 0)
		c.handle(true, 10000)
		c.handle(false, 47)
		want("47 of 10,000 made up for", c, inTurn)
		c.handle(false, 1)
		want("48 of 10,000 made up for", c, 0)
		if slowed := r.slowed.Load(); slowed != 2 {
			t.Errorf("%d connections were slowed, want 2", slowed)
		}
	})
}

// TestTurnsAreOneAfterTheOther reads from a hundred connections at the same time.
func TestTurnsAreOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(1000, time.Minute)
		calm, began, ended := r.known("192.0.2.1"), time.Now(), make(chan time.Duration)
		for i := range 100 {
			c := r.come(fmt.Sprintf("198.51.100.%d", i))
			c.handle(true, 17)
			go func() { c.read(); ended <- time.Since(began) }()
		}
		if took := calm.read(); took != 0 {
			t.Errorf("one that takes nothing back waits for %s", took)
		}
		for i := range time.Duration(100) {
			if after := <-ended; after != (i+1)*inTurn {
				t.Fatalf("read %d ends after %s", i, after)
			}
		}
	})
}

// TestNewConnectionsOfAFloodAreReadInTurn floods from one network, with new connections.
func TestNewConnectionsOfAFloodAreReadInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(1000, time.Hour)
		known := r.known("192.0.2.1")
		reads := func(when string, new, other time.Duration) {
			t.Helper()
			for name, one := range map[string]struct {
				c    *countedConnection
				want time.Duration
			}{
				"a new one of the network":        {r.come("192.0.2.1"), new},
				"a new one of another network":    {r.come("192.0.2.2"), other},
				"one of the network with answers": {known, 0},
			} {
				if got := one.c.read(); got != one.want {
					t.Errorf("%s: %s: a read takes %s, want %s", when, name, got, one.want)
				}
				_ = one.c.Close()
			}
			known = r.known("192.0.2.1")
		}
		flood := func(from string, count int) {
			for ; count > 0; count -= 10 {
				c := r.come(from)
				c.handle(true, min(10, count))
				_ = c.Close()
			}
		}
		flood("192.0.2.1", 64)
		reads("64 taken back", 0, 0)
		flood("192.0.2.1", 2) // reads let one end
		reads("65 taken back", inTurn, 0)
		time.Sleep(time.Second)
		reads("a second later", 0, 0)
		flood("192.0.2.1", 100000)
		time.Sleep(12 * time.Second)
		reads("12 s after the greatest flood", 0, 0)
		if time.Sleep(time.Minute); len(r.owing) > 1 {
			t.Errorf("%d networks owe something", len(r.owing))
		}
	})
}

// TestNetworksThatOweAreBounded has a client with very many addresses.
func TestNetworksThatOweAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(1<<20, time.Minute)
		worst := r.come("192.0.2.1")
		worst.handle(true, 200)
		for i := range 5000 {
			r.come(fmt.Sprintf("10.0.%d.%d", i/250, i%250)).handle(true, 1+i%3)
		}
		if len(r.owing) != mostOwing || r.debtors.Load() != mostOwing {
			t.Errorf("%d networks are remembered, %d counted", len(r.owing), r.debtors.Load())
		}
		if took := r.come("192.0.2.1").read(); took != inTurn {
			t.Errorf("the one that owes most is forgotten: %s", took)
		}
		time.Sleep(time.Minute) // all is forgiven
		r.come("192.0.2.3").handle(true, 1)
		if len(r.owing) != 1 {
			t.Errorf("%d networks are remembered that owe nothing", len(r.owing))
		}
	})
}

// failing is a connection that cannot be read.
type failing struct{ end }

func (failing) Read([]byte) (int, error) { return 0, io.EOF }

// TestTurnsEndWithTheConnection closes connections that wait for their turn, and one that has it.
func TestTurnsEndWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := newRoom(100, time.Minute), time.Now()
		var all []net.Conn
		for range 3 {
			c := r.come("192.0.2.1")
			c.handle(true, 17)
			all = append(all, c)
			go c.read()
		}
		synctest.Wait()
		for _, c := range all {
			_ = c.Close()
		}
		synctest.Wait()
		if len(r.turn) != 0 || !time.Now().Equal(began) {
			t.Errorf("after %s a closed connection has the turn", time.Since(began))
		}
		c, _ := r.enter(failing{end{from: "192.0.2.1"}})
		c.handle(true, 17)
		if took := c.read(); took != 0 {
			t.Errorf("an end waits for %s", took)
		}
	})
}
