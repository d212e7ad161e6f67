// Package broker is what package kafka asks of Kafka. In production Kafka does it; a simulation of the exchange has a
// broker of its own, whose every step it decides.
package broker

import (
	"context"
	"errors"
	"time"
)

// First is the offset of a partition for which its group has committed none: reading begins with the first message.
const First int64 = -2

var (
	// ErrOutOfRange means that the log of a partition does not reach to the offset to read from: it is shorter, or
	// begins later.
	ErrOutOfRange = errors.New("broker: the offset is out of the range of the log")
	// ErrRebalancing means that the members of a group are still changing, and that Next is to be called again at once.
	ErrRebalancing = errors.New("broker: the group is being rebalanced")
)

// Header is a named value of a message.
type Header struct {
	Key   string
	Value []byte
}

// Message is a message to publish, or one that was fetched, which has its place in the log and the time at which it
// came there.
type Message struct {
	Key, Value []byte
	Headers    []Header
	Partition  int
	Offset     int64
	Time       time.Time
}

// Broker is a cluster of brokers.
type Broker interface {
	// Open returns a client, which does not ask the brokers yet.
	Open() Client
}

// Client publishes to a few topics and reads from them. It is safe for concurrent use.
type Client interface {
	// EnsureTopics creates the topics of the client that are missing.
	EnsureTopics(ctx context.Context) error
	// Publish adds messages to a topic, those with the same key to the same partition. It returns the indexes of
	// those that are certainly stored, and an error unless all are.
	Publish(ctx context.Context, topic string, messages []Message) (stored []int, err error)
	// Join makes the client a member of a group.
	Join(m Membership) (Group, error)
	// Read returns a reader of a partition of a topic, which begins at an offset, or with the first message at First.
	Read(topic string, partition int, offset int64) Reader
	// Ends returns, by partition, the offsets after the last messages. It leaves out partitions whose leader does not
	// respond.
	Ends(ctx context.Context, topic string, partitions []int) (map[int]int64, error)
	// Close closes the connections, after what uses them has ended.
	Close() error
}

// Membership describes the membership of a group, whose members share the partitions of a topic.
type Membership struct {
	Group, Topic string
	// SessionTimeout is how long the group waits for a member that no longer responds, and RebalanceTimeout for the
	// members to join again when they change.
	SessionTimeout, RebalanceTimeout time.Duration
	// PartitionWatch is how often to look whether the topic has more partitions.
	PartitionWatch time.Duration
}

// Group is a membership.
type Group interface {
	// Next waits for the next generation of the group, after the end of the last one. Errors: ErrRebalancing, and
	// those of brokers; it then has waited for some time already.
	Next(ctx context.Context) (Generation, error)
	// Close ends the generation, waits for its end and leaves the group.
	Close() error
}

// Generation is the share of the partitions that a member has until the members change.
type Generation interface {
	// Number counts the generations of the group.
	Number() int32
	// Partitions are the partitions of the member, each with the offset from which to read it, which may be First.
	Partitions() map[int]int64
	// Start calls run in a goroutine, with a context that ends with the generation. If run returns before, the
	// generation ends.
	Start(run func(ctx context.Context))
	// Commit commits, by partition, the offsets before which all messages are handled. It fails if the generation has
	// ended.
	Commit(offsets map[int]int64) error
}

// Reader reads a partition in the order of its offsets. One goroutine at a time may use it.
type Reader interface {
	// Rewind continues with the first message.
	Rewind()
	// Fetch waits for the next message. Errors: ErrOutOfRange, and those of brokers.
	Fetch(ctx context.Context) (Message, error)
	Close() error
}
