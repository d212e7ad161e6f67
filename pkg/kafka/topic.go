package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"

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

	// dead is true for a topic of dead letters.
	dead bool
}

// DeadLetters returns the topic for the messages of t that can never be handled. It has one partition, so that a
// reader sees the messages in the order of their failure. It takes larger messages, because a dead letter is longer
// than its message, and keeps them until somebody deletes them.
func (t Topic) DeadLetters() Topic {
	return Topic{Name: t.Name + ".dead", Partitions: 1, Replication: t.Replication, dead: true}
}

// maxBytes is the greatest size of a message.
func (t Topic) maxBytes() int {
	if t.dead {
		return 2 * maxMessageBytes
	}
	return maxMessageBytes
}

// brokersChoice is the replication that leaves it to the brokers.
const brokersChoice = -1

// config returns t in the form that kafka-go takes.
func (t Topic) config() kafka.TopicConfig {
	config := kafka.TopicConfig{Topic: t.Name, NumPartitions: max(t.Partitions, 1), ReplicationFactor: t.Replication}
	if t.Replication < 1 {
		config.ReplicationFactor = brokersChoice
	}
	if t.dead {
		config.ConfigEntries = []kafka.ConfigEntry{
			{ConfigName: "max.message.bytes", ConfigValue: strconv.Itoa(t.maxBytes())},
			{ConfigName: "retention.ms", ConfigValue: "-1"},
		}
	}
	return config
}

func names(topics []Topic) []string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.Name
	}
	return names
}

// ensureTopics creates the topics that are missing. It first asks which exist, so that a client without the right to
// create topics can use those that an operator has created.
func ensureTopics(ctx context.Context, client *kafka.Client, topics ...Topic) error {
	metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: names(topics)})
	if err != nil {
		return fmt.Errorf("kafka: asking for topics: %w", err)
	}
	missing := make(map[string]bool, len(topics))
	for _, t := range metadata.Topics {
		switch {
		case errors.Is(t.Error, kafka.UnknownTopicOrPartition):
			missing[t.Name] = true
		case t.Error != nil:
			return fmt.Errorf("kafka: asking for topic %s: %w", t.Name, t.Error)
		}
	}
	if len(missing) == 0 {
		return nil
	}

	request := &kafka.CreateTopicsRequest{}
	for _, t := range topics {
		if missing[t.Name] {
			request.Topics = append(request.Topics, t.config())
		}
	}
	response, err := client.CreateTopics(ctx, request)
	if err != nil {
		return fmt.Errorf("kafka: creating topics: %w", err)
	}
	for name, err := range response.Errors {
		// Another process may have created the topic in between.
		if err != nil && !errors.Is(err, kafka.TopicAlreadyExists) {
			return fmt.Errorf("kafka: creating topic %s: %w", name, err)
		}
	}
	return nil
}
