package broker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/segmentio/kafka-go"
)

// trimInterval is how often the log is trimmed.
const trimInterval = time.Minute

// trimUntil trims the log at intervals until ctx ends.
func (b *Broker) trimUntil(ctx context.Context) {
	transport := &kafka.Transport{SASL: b.sasl}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(b.Addr()), Transport: transport}
	tick := time.NewTicker(trimInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if err := b.trim(ctx, client); err != nil && ctx.Err() == nil {
			b.log.Warn("the log of the broker is not trimmed and grows", "cause", err)
		}
	}
}

// trim deletes the records that all groups of their topic have handled, except for the last one. A topic that no group
// reads, such as one of dead letters, is left as it is.
func (b *Broker) trim(ctx context.Context, client *kafka.Client) error {
	groups, err := client.ListGroups(ctx, &kafka.ListGroupsRequest{})
	if err == nil {
		err = groups.Error
	}
	if err != nil {
		return fmt.Errorf("broker: listing groups: %w", err)
	}
	handled := make(map[string][]int64)
	for _, group := range groups.Groups {
		b.lower(handled, group.GroupID)
	}

	var failed error
	for topic, partitions := range handled {
		for partition, offset := range partitions {
			// After a restart the last record says where the log ends. Without it the offsets would begin at 0 again,
			// which is less than what groups have committed.
			keepFrom := offset - 1
			if info := b.cluster.PartitionInfo(topic, int32(partition)); info != nil && keepFrom > info.LogStartOffset {
				failed = errors.Join(failed, b.cluster.DeleteRecords(topic, int32(partition), keepFrom))
			}
		}
	}
	return failed
}

// lower lowers the offsets in handled, by topic and partition, to those that the group has committed. A group that
// reads a topic and has not committed an offset of a partition has yet to read all of it.
func (b *Broker) lower(handled map[string][]int64, group string) {
	info := b.cluster.GroupInfo(group)
	if info == nil {
		return // It has ended since it was listed.
	}
	topics := make(map[string]bool)
	for topic := range info.Commits {
		topics[topic] = true
	}
	for _, member := range info.Members {
		for topic := range member.Assignment {
			topics[topic] = true
		}
	}
	for topic := range topics {
		partitions := b.cluster.PartitionInfos(topic)
		for len(handled[topic]) < len(partitions) {
			handled[topic] = append(handled[topic], math.MaxInt64)
		}
		for _, p := range partitions {
			committed := info.Commits[topic][p.Partition].Offset
			handled[topic][p.Partition] = min(handled[topic][p.Partition], committed)
		}
	}
}
