package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/kafka/broker"
)

// rejoinDelay is how long to wait before joining the group again after a failure to do so.
const rejoinDelay = 500 * time.Millisecond

// groupConfig returns the configuration of a membership.
func (c Cluster) groupConfig(m broker.Membership) kafka.ConsumerGroupConfig {
	return kafka.ConsumerGroupConfig{
		ID:      m.Group,
		Brokers: c.Brokers,
		Dialer:  c.dialer(),
		Topics:  []string{m.Topic},
		// Members learn of a rebalance from a heartbeat.
		HeartbeatInterval:      min(m.SessionTimeout/3, time.Second),
		SessionTimeout:         m.SessionTimeout,
		RebalanceTimeout:       m.RebalanceTimeout,
		JoinGroupBackoff:       rejoinDelay,
		WatchPartitionChanges:  true,
		PartitionWatchInterval: m.PartitionWatch,
		// A group that has committed nothing for a partition begins with its first message.
		StartOffset: kafka.FirstOffset,
		Timeout:     requestTimeout,
	}
}

func (c *kafkaClient) Join(m broker.Membership) (broker.Group, error) {
	group, err := kafka.NewConsumerGroup(c.cluster.groupConfig(m))
	if err != nil {
		return nil, err
	}
	return kafkaGroup{group, m.Topic}, nil
}

// kafkaGroup is a membership of a group of a topic.
type kafkaGroup struct {
	*kafka.ConsumerGroup
	topic string
}

func (g kafkaGroup) Next(ctx context.Context) (broker.Generation, error) {
	generation, err := g.ConsumerGroup.Next(ctx)
	if errors.Is(err, kafka.RebalanceInProgress) {
		return nil, broker.ErrRebalancing
	}
	if err != nil {
		return nil, err
	}
	return kafkaGeneration{generation, g.topic}, nil
}

// kafkaGeneration is what a generation gives to a member of a group of a topic.
type kafkaGeneration struct {
	*kafka.Generation
	topic string
}

func (g kafkaGeneration) Number() int32 { return g.ID }

func (g kafkaGeneration) Partitions() map[int]int64 {
	offsets := make(map[int]int64)
	for _, p := range g.Assignments[g.topic] {
		offsets[p.ID] = p.Offset
	}
	return offsets
}

func (g kafkaGeneration) Commit(offsets map[int]int64) error {
	return g.CommitOffsets(map[string]map[int]int64{g.topic: offsets})
}
