package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/kafka/broker"
)

const (
	// writeLinger is how long kafka-go holds a batch that is not full. Callers hand over all messages at once, so there
	// is nothing to wait for. Zero would mean kafka-go's default of a second.
	writeLinger = time.Millisecond
)

// newWriter returns a writer that waits until all in-sync replicas hold the messages. The writer does not retry,
// because its callers retry and log the failure.
func newWriter(cluster Cluster, transport *kafka.Transport, topic Topic, batch int) *kafka.Writer {
	return &kafka.Writer{
		Addr:      kafka.TCP(cluster.Brokers...),
		Transport: transport,
		Topic:     topic.Name,
		// This balancer chooses the same partition for a key as the Java client and librdkafka.
		Balancer:     kafka.Murmur2Balancer{},
		RequiredAcks: kafka.RequireAll,
		BatchSize:    batch,
		BatchBytes:   int64(topic.maxBytes()),
		BatchTimeout: writeLinger,
		MaxAttempts:  1,
		ReadTimeout:  requestTimeout,
		WriteTimeout: requestTimeout,
	}
}

// records returns messages as they are published.
func records(messages ...Message) []broker.Message {
	batch := make([]broker.Message, len(messages))
	for i, m := range messages {
		batch[i] = broker.Message{Key: m.Key, Value: m.Value, Headers: m.Headers}
	}
	return batch
}

// publish writes messages and returns the indexes of those that are certainly stored. It returns an error unless all
// are.
func publish(ctx context.Context, w *kafka.Writer, messages []broker.Message) (stored []int, err error) {
	batch := make([]kafka.Message, len(messages))
	for i, m := range messages {
		batch[i] = kafka.Message{Key: m.Key, Value: m.Value}
		for _, h := range m.Headers {
			batch[i].Headers = append(batch[i].Headers, kafka.Header(h))
		}
	}
	err = w.WriteMessages(ctx, batch...)

	var each kafka.WriteErrors
	if err != nil && !errors.As(err, &each) {
		return nil, err
	}
	for i := range messages {
		if each == nil || each[i] == nil {
			stored = append(stored, i)
		} else {
			// The list repeats one cause for every message of a batch, so one is enough.
			err = each[i]
		}
	}
	return stored, err
}
