package peer

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// avoidFor is how long a replica is avoided that has failed or is stopping. A process that stops goes on for about as
// long.
const avoidFor = 5 * time.Second

// members holds what is known of the replicas of a service, by address.
type members struct {
	mu    sync.Mutex
	known map[string]*member
	turn  int
}

// member is a replica.
type member struct {
	candidate
	// underWay is the number of requests that it has not answered yet.
	underWay atomic.Int64
	// avoid is the time until which it is avoided, in Unix nanoseconds.
	avoid atomic.Int64
}

// choose returns one of the candidates, of which there is at least one: one that was not tried, is not to be avoided
// and has the fewest requests under way, as far as there is such a one.
func (m *members) choose(candidates []candidate, tried []string) *member {
	now := time.Now().UnixNano()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]*member{}
	}
	m.turn++
	var best *member
	var lowest [3]int64
	for i := range candidates {
		at := candidates[(m.turn+i)%len(candidates)]
		one := m.known[at.address]
		if one == nil {
			one = &member{candidate: at}
			m.known[at.address] = one
		}
		rank := [3]int64{0, max(0, one.avoid.Load()-now), one.underWay.Load()}
		if slices.Contains(tried, at.address) {
			rank[0] = 1
		}
		if best == nil || slices.Compare(rank[:], lowest[:]) < 0 {
			best, lowest = one, rank
		}
	}
	m.forget(candidates)
	return best
}

// forget drops the addresses that no name stands for any more, so that there is no end to new ones.
func (m *members) forget(candidates []candidate) {
	if len(m.known) <= 2*len(candidates)+8 {
		return
	}
	for address, one := range m.known {
		if one.underWay.Load() == 0 && !slices.ContainsFunc(candidates, func(c candidate) bool { return c.address == address }) {
			delete(m.known, address)
		}
	}
}

// name returns the name that the certificate of the replica at an address bears.
func (m *members) name(address string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if one := m.known[address]; one != nil {
		return one.name
	}
	host, _, _ := net.SplitHostPort(address) // one that was forgotten meanwhile
	return host
}

// failed notes that the replica did not respond. A caller who gave up says nothing about it.
func (m *member) failed(ctx context.Context) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		m.leaves()
	}
}

// leaves notes that the replica is to be avoided for a while.
func (m *member) leaves() { m.avoid.Store(time.Now().Add(avoidFor).UnixNano()) }

// untried reports whether a candidate was not tried.
func untried(candidates []candidate, tried []string) bool {
	return slices.ContainsFunc(candidates, func(c candidate) bool { return !slices.Contains(tried, c.address) })
}
