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

// avoidFor is how long a replica is avoided after it has failed or said that it stops. A stopping process goes on for
// about as long.
const avoidFor = 5 * time.Second

// replicas holds the known replicas of a service, by address.
type replicas struct {
	mu    sync.Mutex
	known map[string]*replica
	next  int
}

// replica is one process of the service.
type replica struct {
	candidate
	// underWay is the number of requests that it has not responded to yet.
	underWay atomic.Int64
	// avoid is the time until which it is avoided, in Unix nanoseconds.
	avoid atomic.Int64
	silence
}

// choose returns one of the candidates; there is at least one. It prefers those that were not tried, then those that
// are not avoided, then those with the fewest requests under way.
func (m *replicas) choose(candidates []candidate, tried []string) *replica {
	now := time.Now().UnixNano()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]*replica{}
	}
	m.next++
	var best *replica
	var lowest [3]int64
	for i := range candidates {
		at := candidates[(m.next+i)%len(candidates)]
		one := m.known[at.address]
		if one == nil {
			one = &replica{candidate: at}
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

// forget drops the addresses that no name resolves to any more, which bounds the map.
func (m *replicas) forget(candidates []candidate) {
	if len(m.known) <= 2*len(candidates)+8 {
		return
	}
	for address, one := range m.known {
		if one.underWay.Load() == 0 &&
			!slices.ContainsFunc(candidates, func(c candidate) bool { return c.address == address }) {
			delete(m.known, address)
		}
	}
}

// name returns the name in the certificate of the replica at an address.
func (m *replicas) name(address string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if one := m.known[address]; one != nil {
		return one.name
	}
	host, _, _ := net.SplitHostPort(address) // one that was forgotten meanwhile
	return host
}

// failed notes that the replica did not respond. If the caller gave up, nothing is known about the replica.
func (m *replica) failed(ctx context.Context) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		m.leaves()
	}
}

// leaves makes the replica avoided for a while.
func (m *replica) leaves() { m.avoid.Store(time.Now().Add(avoidFor).UnixNano()) }

// untried reports whether a candidate was not tried.
func untried(candidates []candidate, tried []string) bool {
	return slices.ContainsFunc(candidates, func(c candidate) bool { return !slices.Contains(tried, c.address) })
}
