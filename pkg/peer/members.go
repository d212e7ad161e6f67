package peer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// avoidFor is how long a replica is avoided that has failed or is stopping. A process that stops goes on for about as long.
const avoidFor = 5 * time.Second

// members holds what is known of the replicas of a service, by address.
type members struct {
	mu    sync.Mutex
	known map[string]*member
	turn  int
}

// member is a replica.
type member struct {
	address string
	// underWay is the number of requests that it has not answered yet.
	underWay atomic.Int64
	// avoid is the time until which it is avoided, in Unix nanoseconds.
	avoid atomic.Int64
}

// choose returns one of the candidates, of which there is at least one: one that was not tried, is not to be avoided and has
// the fewest requests under way, as far as there is such a one.
func (m *members) choose(candidates, tried []string) *member {
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
		address := candidates[(m.turn+i)%len(candidates)]
		one := m.known[address]
		if one == nil {
			one = &member{address: address}
			m.known[address] = one
		}
		rank := [3]int64{0, max(0, one.avoid.Load()-now), one.underWay.Load()}
		if slices.Contains(tried, address) {
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
func (m *members) forget(candidates []string) {
	if len(m.known) <= 2*len(candidates)+8 {
		return
	}
	for address, one := range m.known {
		if one.underWay.Load() == 0 && !slices.Contains(candidates, address) {
			delete(m.known, address)
		}
	}
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
func untried(candidates, tried []string) bool {
	return slices.ContainsFunc(candidates, func(address string) bool { return !slices.Contains(tried, address) })
}
