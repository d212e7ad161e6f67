package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"insurance.example/exchange/pkg/kafka/broker"
)

// group is the consumer group of premium, as the brokers know it.
type group struct {
	brokers *brokers
	// number counts the generations.
	number int32
	// members are in the order in which they joined.
	members     []*member
	committed   map[int]int64
	rebalancing bool
}

// member is the membership of one process in the group. The process and the brokers share it.
type member struct {
	connection
	membership broker.Membership
	// current is the last generation that the member got. joined is true while the member waits for the next one.
	current  *generation
	joined   bool
	assigned chan *generation
}

// errNoMember refuses a commit or a heartbeat of a process that is no member.
var errNoMember = errors.New("simulation: the generation has ended")

// rejoinPause is how long a member waits after a failure to join.
const rejoinPause = 500 * time.Millisecond

func (m *member) Next(ctx context.Context) (broker.Generation, error) {
	if m.current != nil {
		select {
		case <-m.current.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	_, err := call(ctx, m.process, "join", false, asIs, func() (struct{}, error) {
		m.brokers.group.join(m)
		return struct{}{}, nil
	})
	if err != nil {
		pause(ctx, rejoinPause)
		return nil, err
	}
	select {
	case g := <-m.assigned:
		return g, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *member) Close() error {
	if g := m.current; g != nil && g.cancel != nil {
		g.cancel()
		<-g.ended
	}
	return nil
}

// join adds a member, or notes that it has joined again.
func (g *group) join(m *member) {
	if !slices.Contains(g.members, m) {
		g.members = append(g.members, m)
	}
	m.joined = true
	if m.process.dead.Load() {
		g.miss(m)
	}
	g.rebalance(m.membership.RebalanceTimeout)
	g.complete()
}

// miss expels a member after its session timeout: its process is dead.
func (g *group) miss(m *member) {
	time.AfterFunc(m.membership.SessionTimeout, func() {
		g.brokers.world.wait(&operation{
			name: "broker: session of " + m.process.label + " times out", process: g.brokers.self, prompt: true,
			run: func(outcome) { g.expel(m) },
		})
	})
}

// expel removes a member after its session has timed out.
func (g *group) expel(m *member) {
	if at := slices.Index(g.members, m); at >= 0 {
		g.members = slices.Delete(g.members, at, at+1)
		m.joined = false
		m.tell()
		g.rebalance(m.membership.RebalanceTimeout)
		g.complete()
	}
}

// expelProcess removes the member of a process, if the process is a member.
func (g *group) expelProcess(p *replica) {
	if at := slices.IndexFunc(g.members, func(m *member) bool { return m.process == p }); at >= 0 {
		g.brokers.world.note("broker: expels %s", p.label)
		g.expel(g.members[at])
	}
}

// rebalance begins a rebalance. The members learn of it by their next heartbeats. A member that does not join again in
// time is removed.
func (g *group) rebalance(timeout time.Duration) {
	if g.rebalancing {
		return
	}
	g.rebalancing = true
	for _, m := range g.members {
		if !m.joined {
			m.tell()
		}
	}
	number := g.number
	time.AfterFunc(timeout, func() {
		g.brokers.world.wait(&operation{
			name:    fmt.Sprintf("broker: rebalance after generation %d times out", number),
			process: g.brokers.self, prompt: true,
			run: func(outcome) {
				if g.rebalancing && g.number == number {
					g.members = slices.DeleteFunc(g.members, func(m *member) bool { return !m.joined })
					g.complete()
				}
			},
		})
	})
}

// tell notes that the next heartbeat of a member reports the end of its generation.
func (m *member) tell() {
	if g := m.current; g != nil && g.cancel != nil {
		m.brokers.world.wait(&operation{
			name: m.process.label + ": heartbeat", process: m.process, due: m.process.deaf,
			run: func(outcome) { g.cancel() },
		})
	}
}

// complete begins a generation once all members have joined.
func (g *group) complete() {
	if !g.rebalancing || slices.ContainsFunc(g.members, func(m *member) bool { return !m.joined }) {
		return
	}
	g.rebalancing = false
	g.number++
	for i, m := range g.members {
		m.joined = false
		next := &generation{member: m, number: g.number, partitions: make(map[int]int64), ended: make(chan struct{})}
		for p := range g.brokers.logs {
			if (p+int(g.number))%len(g.members) != i {
				continue
			}
			offset, known := g.committed[p]
			if !known {
				offset = broker.First
			}
			next.partitions[p] = offset
		}
		m.current = next
		select {
		case m.assigned <- next:
		default: // It is dead, and did not take the last one.
		}
	}
}

// generation is what a member is assigned until the next rebalance.
type generation struct {
	member     *member
	number     int32
	partitions map[int]int64
	cancel     context.CancelFunc
	ended      chan struct{}
}

func (g *generation) Number() int32 { return g.number }

func (g *generation) Partitions() map[int]int64 { return g.partitions }

func (g *generation) Start(run func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(as(g.member.process.ctx, "aggregator"))
	g.cancel = cancel
	go func() {
		defer close(g.ended)
		defer cancel()
		run(ctx)
	}()
}

func (g *generation) Commit(offsets map[int]int64) error {
	// A commit does not wait for the scheduler: whatever the consumer did meanwhile would be ready at one instant, in
	// an order that the seed does not decide.
	_, err := call(as(context.Background(), "aggregator"), g.member.process, fmt.Sprintf("commit %v", offsets), true,
		asIs, func() (struct{}, error) {
			group := &g.member.brokers.group
			if g.number != group.number || !slices.Contains(group.members, g.member) {
				return struct{}{}, errNoMember
			}
			for p, offset := range offsets {
				group.committed[p] = offset
			}
			return struct{}{}, nil
		})
	return err
}
