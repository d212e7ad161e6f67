package bus

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	// maxMessageBytes is the greatest size of a message. Brokers refuse above 1 MiB unless told otherwise.
	maxMessageBytes = 1 << 20
	// framingBytes is more than what a message takes in addition to its parts.
	framingBytes = 128
	// writeLinger is how long kafka-go holds a batch that is not full. Callers hand over all they have at once, so there
	// is nothing to wait for; zero would mean its default of a second.
	writeLinger = time.Millisecond
)

// size is no less than what m takes up on the wire, in bytes.
func (m Message) size() int {
	size := framingBytes + len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		size += framingBytes + len(h.Key) + len(h.Value)
	}
	return size
}

// newWriter returns a writer that returns only when all in-sync replicas hold the messages. It does not retry: its
// callers do, and know the state to report.
func newWriter(cluster Cluster, transport *kafka.Transport, topic Topic, batch int) *kafka.Writer {
	return &kafka.Writer{
		Addr:      kafka.TCP(cluster.Brokers...),
		Transport: transport,
		Topic:     topic.Name,
		// The partition of a key is the one that the Java client and librdkafka choose.
		Balancer:     kafka.Murmur2Balancer{},
		RequiredAcks: kafka.RequireAll,
		BatchSize:    batch,
		BatchBytes:   int64(cmp.Or(topic.maxMessageBytes, maxMessageBytes)),
		BatchTimeout: writeLinger,
		MaxAttempts:  1,
		ReadTimeout:  requestTimeout,
		WriteTimeout: requestTimeout,
	}
}

// publish writes messages and returns the indexes of those that are certainly stored, with an error if that is not all
// of them.
func publish(ctx context.Context, w *kafka.Writer, messages []Message) (stored []int, err error) {
	batch := make([]kafka.Message, len(messages))
	for i, m := range messages {
		batch[i] = kafka.Message{Key: m.Key, Value: m.Value, Headers: m.Headers}
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
			// One cause stands for the list, which repeats it for every message of a batch.
			err = each[i]
		}
	}
	return stored, err
}
