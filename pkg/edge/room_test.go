package edge

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// end is a connection of which only the address counts.
type end struct {
	net.Conn
	from string
}

func (e end) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(e.from)} }
func (e end) Close() error         { return nil }

// entered lets a connection in and closes those that lose their places for it.
func entered(r *room, from string) (*countedConnection, []*countedConnection) {
	c, closed := r.enter(end{from: from})
	for _, one := range closed {
		_ = one.Close()
	}
	return c, closed
}

// TestTheFullerTheShorter fills a room. The more places are taken, the sooner a connection without a request goes.
func TestTheFullerTheShorter(t *testing.T) {
	fill := func(count int) (*room, *countedConnection) {
		r := newRoom(100, 2*time.Minute)
		first, _ := entered(r, "192.0.2.1")
		for i := range count - 1 {
			c, _ := entered(r, fmt.Sprintf("198.51.100.%d", i))
			c.begin() // it has a request
		}
		return r, first
	}
	synctest.Test(t, func(t *testing.T) {
		for count, allowed := range map[int]time.Duration{
			10: 2 * time.Minute, 50: 2 * time.Minute, 75: 62500 * time.Millisecond, 99: 7300 * time.Millisecond,
		} {
			r, _ := fill(count)
			time.Sleep(allowed)
			if _, closed := entered(r, "203.0.113.1"); len(closed) != 0 {
				t.Errorf("%d connections: one is closed that was without a request for %s", count, allowed)
			}
			r, first := fill(count)
			time.Sleep(allowed + 1)
			_, closed := entered(r, "203.0.113.1")
			if closes := count >= 50; closes != slices.Contains(closed, first) {
				t.Errorf("%d connections: after %s, closed is %v", count, allowed, !closes)
			}
		}
	})
}

// TestNetworksOfAddresses counts the addresses of one IPv6 network together, and an IPv4 address for itself.
func TestNetworksOfAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7/32", "::ffff:192.0.2.7": "192.0.2.7/32",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "fe80::1": "fe80::/64",
	} {
		if got := networkOf(&net.TCPAddr{IP: net.ParseIP(address), Zone: "eth0"}); got.String() != want {
			t.Errorf("%s counts for %s, want %s", address, got, want)
		}
	}
	if got := networkOf(&net.UnixAddr{}); got.IsValid() {
		t.Errorf("a socket of a file counts for %s", got)
	}
}

// TestRoomsKeepTheirPromises has connections of a greedy address and of others come, ask, and go. What happens when is
// decided by a seed.
func TestRoomsKeepTheirPromises(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			defer func() { // a bubble that fails ends the test
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()
			useRoom(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

func useRoom(t *testing.T, random *rand.Rand) {
	r := newRoom(int64(1+random.IntN(40)), 2*time.Minute)
	var open []*countedConnection
	busy := map[*countedConnection]int{}
	greedy := 1 + random.IntN(10)
	for range 2000 {
		if random.IntN(3) == 0 {
			time.Sleep(time.Duration(random.Int64N(int64(3 * time.Second))))
		}
		if len(open) > 0 && random.IntN(2) == 0 {
			c := open[random.IntN(len(open))]
			switch {
			case busy[c] > 0 && random.IntN(2) == 0:
				c.end(false)
				busy[c]--
			case random.IntN(8) == 0:
				_ = c.Close()
				delete(busy, c)
				open = slices.DeleteFunc(open, func(one *countedConnection) bool { return one == c })
			default:
				if !c.begin() {
					t.Error("a connection that has its place cannot have a request")
				}
				busy[c]++
			}
			continue
		}
		from := "192.0.2.1"
		if random.IntN(greedy) == 0 {
			from = "2001:db8::1"
		}
		full := r.full()
		came, closed := entered(r, from)
		for _, one := range closed {
			if busy[one] > 0 {
				t.Error("a connection with a request is closed")
			}
			if time.Since(one.since) < leastIdle {
				t.Errorf("a connection is closed that was without a request for %s", time.Since(one.since))
			}
			if one.begin() {
				t.Error("a connection that lost its place can have a request")
			}
			// Of the same network, the one that waited longest.
			for _, other := range open {
				if busy[other] == 0 && other.from == one.from && other.since.Before(one.since) &&
					!slices.Contains(closed, other) {
					t.Error("one that waited longer stays")
				}
			}
			open = slices.DeleteFunc(open, func(o *countedConnection) bool { return o == one })
		}
		if came != nil {
			open = append(open, came)
		}
		if came != nil && full {
			t.Error("a full room lets one in")
		}
		if r.count() != len(open) || len(open) > r.most {
			t.Errorf("there are %d connections, %d are counted, and %d may be", len(open), r.count(), r.most)
		}
		own := 0
		for _, one := range open {
			if one.from == networkOf(end{from: from}.RemoteAddr()) {
				own++
			}
		}
		if came == nil && len(open) < r.most && own < r.most/2 {
			t.Errorf("a connection of a network that has %d of %d places is refused", own, r.most)
		}
	}
	for _, c := range open {
		_ = c.Close()
	}
	if r.count() != 0 || len(r.from) != 0 {
		t.Errorf("%d connections of %d networks are left", r.count(), len(r.from))
	}
}
