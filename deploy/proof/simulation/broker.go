package simulation

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/pkg/kafka/broker"
)

// brokers is the cluster of brokers: what they keep while processes come and go.
type brokers struct {
	world *world
	// self is the process of the brokers' own work, such as expelling a consumer.
	self *replica
	// logs are the partitions of the topic. dead are those of its dead letters.
	logs  []*partition
	dead  *partition
	group group
}

// deadLetters ends the name of the topic of dead letters.
const deadLetters = ".dead"

// partition is a log of messages.
type partition struct {
	// first is the offset of the oldest message that is still there.
	first    int64
	messages []broker.Message
	// changed is closed when the log changes.
	changed chan struct{}
}

func newBrokers(w *world, partitions int) *brokers {
	b := &brokers{world: w, self: &replica{world: w, label: "broker"}}
	b.group = group{brokers: b, committed: make(map[int]int64)}
	b.logs = make([]*partition, partitions)
	for i := range b.logs {
		b.logs[i] = &partition{changed: make(chan struct{})}
	}
	b.dead = &partition{changed: make(chan struct{})}
	return b
}

// topic returns the partitions of a topic.
func (b *brokers) topic(name string) []*partition {
	if strings.HasSuffix(name, deadLetters) {
		return []*partition{b.dead}
	}
	return b.logs
}

func (p *partition) end() int64 { return p.first + int64(len(p.messages)) }

// change wakes the readers of the log.
func (p *partition) change() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// add adds a message to the end. The caller then calls change.
func (p *partition) add(m broker.Message) {
	m.Offset, m.Time = p.end(), time.Now()
	p.messages = append(p.messages, m)
}

// connection is a process's connection to the brokers.
type connection struct {
	brokers *brokers
	process *replica
}

func (c connection) Open() broker.Client { return c }

// asIs returns the cause of a failure as the error of an operation on a broker.
func asIs(cause error) error { return cause }

func (c connection) EnsureTopics(ctx context.Context) error {
	_, err := call(ctx, c.process, "ensure topics", false, asIs, func() (struct{}, error) { return struct{}{}, nil })
	return err
}

func (c connection) Publish(ctx context.Context, topic string, messages []broker.Message) (stored []int, err error) {
	partitions := c.brokers.topic(topic)
	shares := make([][]int, len(partitions))
	for i, m := range messages {
		hash := fnv.New32a()
		_, _ = hash.Write(m.Key) // never fails
		to := int(hash.Sum32() % uint32(len(partitions)))
		shares[to] = append(shares[to], i)
	}
	for to, share := range shares {
		if len(share) == 0 {
			continue
		}
		store := func(share []int) {
			for _, i := range share {
				m := messages[i]
				m.Partition = to
				partitions[to].add(m)
			}
			partitions[to].change()
		}
		name := fmt.Sprintf("publish %d to %s/%d", len(share), topic, to)
		_, failure := callInParts(ctx, c.process, name, false, asIs, func() (struct{}, error) {
			store(share)
			return struct{}{}, nil
		}, func(random *rand.Rand) { store(share[:random.IntN(len(share))]) })
		if failure != nil {
			err = failure
			continue
		}
		stored = append(stored, share...)
	}
	slices.Sort(stored)
	return stored, err
}

func (c connection) Ends(ctx context.Context, topic string, partitions []int) (map[int]int64, error) {
	return call(ctx, c.process, "ends", false, asIs, func() (map[int]int64, error) {
		ends := make(map[int]int64)
		for _, p := range partitions {
			ends[p] = c.brokers.topic(topic)[p].end()
		}
		return ends, nil
	})
}

func (c connection) Read(topic string, partition int, offset int64) broker.Reader {
	return &reader{connection: c, topic: topic, number: partition, offset: offset}
}

func (c connection) Join(m broker.Membership) (broker.Group, error) {
	return &member{connection: c, membership: m, assigned: make(chan *generation, 1)}, nil
}

func (c connection) Close() error { return nil }

// reader reads a partition.
type reader struct {
	connection
	topic  string
	number int
	offset int64
}

// fetchPause is how long a reader waits after a failure.
const fetchPause = 100 * time.Millisecond

func (r *reader) Rewind() { r.offset = broker.First }

func (r *reader) Fetch(ctx context.Context) (broker.Message, error) {
	log := r.brokers.topic(r.topic)[r.number]
	for r.offset == log.end() || r.offset == broker.First && len(log.messages) == 0 {
		select {
		case <-log.changed:
		case <-ctx.Done():
			return broker.Message{}, ctx.Err()
		}
	}
	m, err := call(ctx, r.process, fmt.Sprintf("fetch %s/%d from %d", r.topic, r.number, r.offset), false, asIs,
		func() (broker.Message, error) {
			from := r.offset
			if from == broker.First {
				from = log.first
			}
			if from < log.first || from >= log.end() {
				return broker.Message{}, broker.ErrOutOfRange
			}
			return log.messages[from-log.first], nil
		})
	if err == nil {
		r.offset = m.Offset + 1
	} else if !errors.Is(err, broker.ErrOutOfRange) {
		pause(ctx, fetchPause)
	}
	return m, err
}

func (r *reader) Close() error { return nil }

// pause waits for some time, or until ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
