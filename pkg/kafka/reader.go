package kafka

import (
	"context"
	"errors"
	"time"

	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/kafka/broker"
)

const (
	// fetchWait is how long a broker holds a fetch that finds nothing. It bounds how long a reader takes to close.
	fetchWait = 500 * time.Millisecond
	// fetchBytes is the most that a fetch returns.
	fetchBytes = 1 << 20
	// fetchBackoff is the longest pause between two attempts to reach the leader of a partition.
	fetchBackoff = 500 * time.Millisecond
	// fetchAttempts is large enough that the generation ends first when a broker is gone, so that one failure is
	// logged.
	fetchAttempts = 10
)

// kafkaReader reads a partition.
type kafkaReader struct {
	*kafka.Reader
	// failure is why the reader could not be set to its offset.
	failure error
}

func (c *kafkaClient) Read(topic string, partition int, offset int64) broker.Reader {
	r := &kafkaReader{Reader: kafka.NewReader(kafka.ReaderConfig{
		Brokers:          c.cluster.Brokers,
		Dialer:           c.cluster.dialer(),
		Topic:            topic,
		Partition:        partition,
		MinBytes:         1,
		MaxBytes:         fetchBytes,
		MaxWait:          fetchWait,
		MaxAttempts:      fetchAttempts,
		ReadBatchTimeout: requestTimeout,
		ReadBackoffMax:   fetchBackoff,
		ReadLagInterval:  -1,
		// Otherwise the reader waits until the log has grown up to the offset, and misses all messages until then.
		OffsetOutOfRangeError: true,
	})}
	r.failure = r.SetOffset(offset)
	return r
}

func (r *kafkaReader) Rewind() { r.failure = r.SetOffset(kafka.FirstOffset) }

func (r *kafkaReader) Fetch(ctx context.Context) (broker.Message, error) {
	err := r.failure
	r.failure = nil
	var m kafka.Message
	if err == nil {
		m, err = r.FetchMessage(ctx)
	}
	if errors.Is(err, kafka.OffsetOutOfRange) {
		err = broker.ErrOutOfRange
	}
	if err != nil {
		return broker.Message{}, err
	}
	fetched := broker.Message{Key: m.Key, Value: m.Value, Partition: m.Partition, Offset: m.Offset, Time: m.Time}
	for _, h := range m.Headers {
		fetched.Headers = append(fetched.Headers, Header(h))
	}
	return fetched, nil
}
