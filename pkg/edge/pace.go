package edge

import (
	"net/netip"
	"time"
)

// A client of HTTP/2 may take requests back as fast as it sends them. Each costs it less than its frames and its
// handler cost here, and net/http reads frames by itself, as many as come. So what such a client sends is not read as
// it comes: it waits in the kernel, where it costs nothing. Nothing is closed, since a client that is cut off shakes
// hands again.
const (
	// mostTakenBack is how many more requests a connection may take back than it lets end. Beyond it, it is read in
	// turn with the others of its kind.
	mostTakenBack = 16
	// mostFromNetwork is the same for a network, less forgiven in each second. Beyond it, those of its connections that
	// have had no response yet are read in turn too; else a client would connect anew in place of waiting.
	mostFromNetwork, forgiven = 64, 16
	// remembered bounds what a connection or a network owes, so that it can make up for it, and mostOwing is the
	// number of networks that are remembered.
	remembered, mostOwing = 4, 1024
	// turnTime is how long a turn takes: there are 100 reads a second in all, of about a dozen requests each.
	turnTime = 10 * time.Millisecond
)

// debt is what a network owes: requests that were taken back, less those that ended.
type debt struct {
	count int
	// since is the time up to which some was forgiven.
	since time.Time
}

// forgive reduces a debt by what the time has brought.
func (d *debt) forgive(now time.Time) {
	if seconds := int(now.Sub(d.since) / time.Second); seconds > 0 {
		d.count = max(0, d.count-seconds*forgiven)
		d.since = d.since.Add(time.Duration(seconds) * time.Second)
	}
}

// settle notes that a request of the connection ended, or that the client took it back. The room is locked.
func (c *countedConnection) settle(takenBack bool) {
	r, change := c.room, -1
	if takenBack {
		change = 1
	} else {
		c.answered.Store(true)
	}
	c.owes = min(max(0, c.owes+change), remembered*mostTakenBack)
	if slow := c.owes > mostTakenBack; c.slow.Swap(slow) != slow && slow {
		r.slowed.Add(1)
	}
	of := r.owing[c.from]
	if of == nil {
		if !takenBack {
			return
		}
		if len(r.owing) == mostOwing {
			r.forget()
		}
		of = &debt{since: time.Now()}
		r.owing[c.from] = of
	}
	of.forgive(time.Now())
	of.count = min(max(0, of.count+change), remembered*mostFromNetwork)
	if of.count == 0 {
		delete(r.owing, c.from)
	}
	r.debtors.Store(int64(len(r.owing)))
}

// forget removes the networks that owe nothing any more; if all of them do, the one that owes least.
func (r *room) forget() {
	var least netip.Prefix
	for network, of := range r.owing {
		if of.forgive(time.Now()); of.count == 0 {
			delete(r.owing, network)
		} else if other := r.owing[least]; other == nil || of.count < other.count {
			least = network
		}
	}
	if len(r.owing) == mostOwing {
		delete(r.owing, least)
	}
}

// paced reports whether what the connection sends is read in turn.
func (c *countedConnection) paced() bool {
	if c.slow.Load() {
		return true
	}
	if c.answered.Load() || c.room.debtors.Load() == 0 {
		return false
	}
	c.room.mu.Lock()
	defer c.room.mu.Unlock()
	of := c.room.owing[c.from]
	if of == nil {
		return false
	}
	of.forgive(time.Now())
	return of.count > mostFromNetwork
}

// Read reads what the client sent. What a client sends that takes its requests back is handed on in turn.
func (c *countedConnection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil || !c.paced() {
		return n, err
	}
	select {
	case c.room.turn <- struct{}{}:
	case <-c.gone:
		return n, nil
	}
	defer func() { <-c.room.turn }()
	select {
	case <-time.After(turnTime):
	case <-c.gone:
	}
	return n, nil
}
