package edge

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// shortestIdle is how long a connection may be without a request when nearly all places are taken. It is longer
	// than the clients of the exchange keep one (peer.IdleTimeout), so that they are the ones who close it.
	shortestIdle = 5 * time.Second
	// leastIdle is how long a connection must have been without a request before it is closed for another one. One
	// that was just accepted, or has just had a response, is about to be used.
	leastIdle = time.Second
	// oneInKept and oneInShare say which part of the places one remote address cannot have for itself, and from which
	// part on that holds. Behind a load balancer all callers have its address: they lose the last eighth of the places.
	oneInKept, oneInShare = 8, 2
)

// room holds the connections within the bound. When it is nearly full, it closes the one that has been without a
// request for longest to let another one in. A connection on which a request is handled is never closed.
type room struct {
	most int
	// idle is how long a connection may be without a request while there is room.
	idle time.Duration

	mu sync.Mutex
	// all holds the connections. Those without a request are in the order in which they have been so.
	all list.List
	// from counts them by the network that they come from.
	from map[netip.Prefix]int
	// owing has the networks whose clients take requests back, and debtors is how many they are. slowed counts the
	// connections that began to be read in turn, and turn is held by the one that is read; see settle.
	owing           map[netip.Prefix]*debt
	debtors, slowed atomic.Int64
	turn            chan struct{}
}

func newRoom(most int64, idle time.Duration) *room {
	return &room{
		most: int(most), idle: idle, from: map[netip.Prefix]int{}, owing: map[netip.Prefix]*debt{},
		turn: make(chan struct{}, 1),
	}
}

// countedConnection is a connection within the bound.
type countedConnection struct {
	net.Conn
	room   *room
	from   netip.Prefix
	closed sync.Once
	gone   chan struct{} // closed with the connection
	// handled counts the requests that a handler has; with HTTP/1 until their responses are written. It is below 0 once
	// the connection is being closed for another one.
	handled atomic.Int32
	// place is nil once the connection is out of the room, and since is when it began to be without a request. Both are
	// guarded by the room.
	place *list.Element
	since time.Time
	// owes is how many requests the client took back, less those that ended; guarded by the room. answered says that
	// one ended, and slow that too many were taken back.
	owes           int
	answered, slow atomic.Bool
}

// enter lets a connection in. It returns nil if there is no place for it. closed are the connections that lost theirs,
// which the caller closes.
func (r *room) enter(conn net.Conn) (entered *countedConnection, closed []*countedConnection) {
	from, now := networkOf(conn.RemoteAddr()), time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.all.Len() >= r.most/2 {
		one := r.take(now.Add(-r.allowed()), netip.Prefix{})
		if one == nil {
			break
		}
		closed = append(closed, one)
	}
	if lacking, of := r.lacks(from); lacking {
		one := r.take(now.Add(-leastIdle), of)
		if one == nil {
			return nil, closed
		}
		closed = append(closed, one)
	}
	entered = &countedConnection{Conn: conn, room: r, from: from, since: now, gone: make(chan struct{})}
	entered.place = r.all.PushBack(entered)
	r.from[from]++
	return entered, closed
}

// lacks reports whether there is no place for a connection from a network unless another one is closed. That one comes
// from the network of, unless it is the zero one.
func (r *room) lacks(from netip.Prefix) (lacking bool, of netip.Prefix) {
	count := r.all.Len()
	if count >= r.most-r.most/oneInKept && r.from[from] >= max(1, r.most/oneInShare) {
		return true, from
	}
	return count >= r.most, netip.Prefix{}
}

// allowed is how long a connection may be without a request: the less, the more of the second half of the places are
// taken.
func (r *room) allowed() time.Duration {
	half := max(1, r.most-r.most/2)
	free := max(0, r.most-r.all.Len())
	return shortestIdle + (r.idle-shortestIdle)*time.Duration(min(half, free))/time.Duration(half)
}

// find returns the connection of a network that has been without a request for longest, if that began before a time;
// nil if there is none. The zero network stands for all.
func (r *room) find(before time.Time, of netip.Prefix) *countedConnection {
	// Those with a request go to the end, so that they are not met again soon.
	for at, left := r.all.Front(), r.all.Len(); left > 0; left-- {
		one, next := at.Value.(*countedConnection), at.Next()
		switch {
		case one.handled.Load() > 0:
			r.all.MoveToBack(at)
		case !one.since.Before(before):
			return nil
		case of == netip.Prefix{} || of == one.from:
			return one
		}
		at = next
	}
	return nil
}

// take takes the place of the connection that find returns.
func (r *room) take(before time.Time, of netip.Prefix) *countedConnection {
	for {
		one := r.find(before, of)
		if one == nil {
			return nil
		}
		if one.handled.CompareAndSwap(0, taken) { // else a request has just come
			r.remove(one)
			return one
		}
	}
}

// taken is the value of handled of a connection that lost its place: below 0 whatever requests still come.
const taken = -1 << 30

func (r *room) remove(c *countedConnection) {
	if c.place == nil {
		return
	}
	r.all.Remove(c.place)
	c.place = nil
	if r.from[c.from]--; r.from[c.from] == 0 {
		delete(r.from, c.from)
	}
}

// full reports whether further connections are refused at present: each connection has a request, and either there is
// no room for more, or all come from one address, which may have no more.
func (r *room) full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	var only netip.Prefix
	if len(r.from) == 1 {
		for network := range r.from {
			only = network
		}
	}
	lacking, of := r.lacks(only)
	return lacking && r.find(time.Now().Add(-leastIdle), of) == nil
}

// count returns the number of connections.
func (r *room) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.Len()
}

// begin notes that a handler gets a request of the connection. It returns false if the connection is being closed; then
// nothing must be done for the request.
func (c *countedConnection) begin() bool { return c.handled.Add(1) > 0 }

// end notes that a request of the connection has ended, or that its client took it back.
func (c *countedConnection) end(takenBack bool) {
	c.room.mu.Lock()
	defer c.room.mu.Unlock()
	c.settle(takenBack)
	c.since = time.Now()
	if c.place != nil {
		c.room.all.MoveToBack(c.place)
	}
	c.handled.Add(-1)
}

// Close closes the connection, and makes room for another one.
func (c *countedConnection) Close() error {
	c.closed.Do(func() {
		c.room.mu.Lock()
		defer c.room.mu.Unlock()
		c.room.remove(c)
		close(c.gone)
	})
	return c.Conn.Close()
}

// CloseWrite ends what is sent.
func (c *countedConnection) CloseWrite() error { return closeWrite(c.Conn) }

// networkOf returns the network that an address counts for: the address itself, of IPv6 the 64 bits that one caller is
// given; the zero network if it is no address of the internet.
func networkOf(address net.Addr) netip.Prefix {
	tcp, is := address.(*net.TCPAddr)
	if !is {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap()
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	network, err := ip.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
