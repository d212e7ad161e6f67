package kafka

import (
	"context"
	"errors"
	"log/slog"

	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/kafka/broker"
)

// open returns a client for topics that publishes up to batch messages at once. log, if set, gets a line for each
// difference between a topic and its description.
func (c Cluster) open(log *slog.Logger, batch int, topics ...Topic) broker.Client {
	if c.Broker != nil {
		return c.Broker.Open()
	}
	client := &kafkaClient{
		cluster: c, transport: c.transport(topics...), topics: topics, log: log,
		writers: make(map[string]*kafka.Writer),
	}
	for _, t := range topics {
		client.writers[t.Name] = newWriter(c, client.transport, t, batch)
	}
	return client
}

// kafkaClient is a client of Kafka.
type kafkaClient struct {
	cluster   Cluster
	transport *kafka.Transport
	topics    []Topic
	log       *slog.Logger
	writers   map[string]*kafka.Writer
}

func (c *kafkaClient) EnsureTopics(ctx context.Context) error {
	client := c.cluster.client(c.transport)
	err := ensureTopics(ctx, client, c.topics...)
	if err == nil && c.log != nil {
		checkTopics(ctx, client, c.log, c.topics...)
	}
	return err
}

func (c *kafkaClient) Publish(ctx context.Context, topic string, messages []broker.Message) (stored []int, err error) {
	return publish(ctx, c.writers[topic], messages)
}

func (c *kafkaClient) Ends(ctx context.Context, topic string, partitions []int) (map[int]int64, error) {
	var wanted []kafka.OffsetRequest
	for _, p := range partitions {
		wanted = append(wanted, kafka.LastOffsetOf(p))
	}
	request := &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: wanted}}
	found, err := c.cluster.client(c.transport).ListOffsets(ctx, request)
	if err != nil {
		return nil, err
	}
	ends := make(map[int]int64)
	for _, p := range found.Topics[topic] {
		if p.Error == nil {
			ends[p.Partition] = p.LastOffset
		}
	}
	return ends, nil
}

func (c *kafkaClient) Close() error {
	var errs []error
	for _, w := range c.writers {
		errs = append(errs, w.Close())
	}
	c.transport.CloseIdleConnections()
	return errors.Join(errs...)
}
