package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// maxMessageBytes is the greatest size of a message. Brokers refuse larger ones unless configured otherwise.
const maxMessageBytes = 1 << 20

// Topic describes a topic, which is created as described if it is missing. An existing topic is used as it is.
type Topic struct {
	Name string
	// Partitions is the number of partitions, and so the greatest number of consumers of a group that share the
	// topic; 1 if not set.
	Partitions int
	// Replication is the number of copies of each partition. If it is less than 1, the brokers decide.
	Replication int
}

// brokersChoice is the replication that leaves it to the brokers.
const brokersChoice = -1

// ensure creates the topic if it is missing. It first asks whether it exists, so that a client without the right to
// create topics can use one that an operator has created.
func (t Topic) ensure(ctx context.Context, client *kafka.Client) error {
	metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{t.Name}})
	if err == nil && len(metadata.Topics) == 1 {
		err = metadata.Topics[0].Error
	}
	if err == nil {
		return nil
	}
	if !errors.Is(err, kafka.UnknownTopicOrPartition) {
		return fmt.Errorf("kafka: asking for topic %s: %w", t.Name, err)
	}
	config := kafka.TopicConfig{Topic: t.Name, NumPartitions: max(t.Partitions, 1), ReplicationFactor: t.Replication}
	if t.Replication < 1 {
		config.ReplicationFactor = brokersChoice
	}
	response, err := client.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{config}})
	if err == nil {
		err = response.Errors[t.Name]
	}
	// Another process may have created the topic in between.
	if err != nil && !errors.Is(err, kafka.TopicAlreadyExists) {
		return fmt.Errorf("kafka: creating topic %s: %w", t.Name, err)
	}
	return nil
}
