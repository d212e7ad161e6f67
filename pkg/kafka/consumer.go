package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/retry"
)

const (
	// fetchWait is how long a broker holds a fetch that finds nothing. It bounds how long a reader takes to close.
	fetchWait = 500 * time.Millisecond
	// rejoinDelay is how long to wait before joining the group again after a failure to do so.
	rejoinDelay = 500 * time.Millisecond
	// partitionWatch is how often the members of the group look whether the topic has more partitions.
	partitionWatch = 5 * time.Second
	// commitEvery is how often the offsets are committed. After a crash the messages since then come again.
	commitEvery = time.Second
	// memory is how long the last failure counts as the state of the consumer. While a failure lasts, kafka-go meets
	// it again within this time; it does not say when one is over.
	memory = 15 * time.Second
	// maxReasonBytes bounds the reason in a dead letter. The log has the whole reason.
	maxReasonBytes = 4 << 10
)

// The headers that a dead letter has in addition to those of the message: why it could not be handled, and the topic,
// partition and offset that it had.
const (
	HeaderDeadReason    = "dead-letter-reason"
	HeaderDeadTopic     = "dead-letter-topic"
	HeaderDeadPartition = "dead-letter-partition"
	HeaderDeadOffset    = "dead-letter-offset"
)

// ConsumerConfig configures a Consumer.
type ConsumerConfig struct {
	Cluster Cluster
	Topic   Topic
	// Group is the name of the consumer group, whose members share the partitions of the topic and the committed
	// offsets.
	Group string
	// Handle takes note of one message, without waiting for what it leads to. An error says that the message can never
	// be understood: it goes to the dead-letter topic.
	Handle func(Message) error
	// SessionTimeout is how long the group waits for a member that no longer responds before it gives its partitions
	// to others. Brokers refuse values out of their bounds, which begin at 6 s by default.
	SessionTimeout time.Duration
	Log            *slog.Logger
	Metrics        prometheus.Registerer
}

// Consumer calls a handler with each message of a topic.
type Consumer struct {
	config ConsumerConfig
	reader kafka.ReaderConfig
	// handled counts the messages that were handled, and dead those that became dead letters.
	handled, dead prometheus.Counter
	state         retry.Condition
	// forget ends the last failure after a while.
	forget *time.Timer
}

// NewConsumer returns a consumer, which does nothing until Run is called. It returns an error if config has values
// that Kafka cannot take. It panics if config.Metrics already has a consumer of the same topic and group.
func NewConsumer(config ConsumerConfig) (*Consumer, error) {
	labels := prometheus.Labels{"topic": config.Topic.Name, "group": config.Group}
	config.Log = config.Log.With("topic", config.Topic.Name, "group", config.Group)
	with := promauto.With(prometheus.WrapRegistererWith(labels, config.Metrics))
	c := &Consumer{
		config: config,
		handled: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_handled_total", Help: "Messages handled, dead letters among them.",
		}),
		dead: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_dead_letters_total",
			Help: "Messages that can never be handled, written to the dead-letter topic.",
		}),
		state: retry.Condition{
			Log: config.Log,
			Bad: "messages are not being received", Good: "messages are being received again",
		},
	}
	c.forget = time.AfterFunc(memory, c.works)
	c.reader = kafka.ReaderConfig{
		Brokers: config.Cluster.Brokers, Dialer: config.Cluster.dialer(),
		GroupID: config.Group, GroupTopics: []string{config.Topic.Name},
		MinBytes: 1, MaxBytes: maxMessageBytes, MaxWait: fetchWait, ReadBatchTimeout: requestTimeout,
		// Members learn of a rebalance from a heartbeat.
		HeartbeatInterval: min(config.SessionTimeout/3, time.Second), SessionTimeout: config.SessionTimeout,
		RebalanceTimeout: config.SessionTimeout, JoinGroupBackoff: rejoinDelay,
		WatchPartitionChanges: true, PartitionWatchInterval: partitionWatch, CommitInterval: commitEvery,
		// A group that has committed nothing for a partition begins with its first message.
		StartOffset: kafka.FirstOffset,
		ErrorLogger: kafka.LoggerFunc(c.failed),
	}
	return c, c.reader.Validate()
}

// Run consumes until ctx ends, and then leaves the group. It creates the topics if they are missing. It returns an
// error only if closing the connections fails.
func (c *Consumer) Run(ctx context.Context) error {
	dead := c.config.Topic.DeadLetters()
	transport := c.config.Cluster.transport(c.config.Topic, dead)
	defer transport.CloseIdleConnections()
	_ = retry.Soon(ctx, func() error {
		err := ensureTopics(ctx, c.config.Cluster.client(transport), c.config.Topic, dead)
		if err != nil && ctx.Err() == nil {
			c.failed("%v", err)
		}
		return err
	})
	if ctx.Err() != nil {
		return nil
	}
	letters := newWriter(c.config.Cluster, transport, dead)
	reader := kafka.NewReader(c.reader)
	for ctx.Err() == nil {
		m, err := reader.FetchMessage(ctx)
		if err != nil {
			retry.Pause(ctx, rejoinDelay)
			continue
		}
		c.works()
		message := Message{Key: m.Key, Value: m.Value, Trace: headerOf(m, traceHeader)}
		if reason := c.config.Handle(message); reason != nil {
			if retry.Until(ctx, func() error { return c.bury(ctx, letters, m, reason) }) != nil {
				break
			}
		}
		c.handled.Inc()
		_ = reader.CommitMessages(ctx, m) // it only hands over to the goroutine that commits
	}
	err := reader.Close()
	if closing := letters.Close(); err == nil {
		err = closing
	}
	return err
}

// failed notes a failure that kafka-go reports. The first of those that follow one another is logged.
func (c *Consumer) failed(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, arg := range args {
		if cause, is := arg.(error); is {
			err = cause
		}
	}
	if errors.Is(err, kafka.RebalanceInProgress) {
		return // another member has joined or left; kafka-go joins again at once
	}
	c.forget.Reset(memory)
	c.state.Report(explained(err))
}

// works notes that messages are received, as far as is known.
func (c *Consumer) works() { c.state.Report(nil) }

// Check returns why messages are not being received at present, or nil.
func (c *Consumer) Check(context.Context) error { return c.state.Check() }

// bury writes a message to the dead-letter topic, with the reason.
func (c *Consumer) bury(ctx context.Context, letters *kafka.Writer, m kafka.Message, reason error) error {
	text := reason.Error()
	letter := kafka.Message{Key: m.Key, Value: m.Value, Headers: append(m.Headers,
		kafka.Header{Key: HeaderDeadReason, Value: []byte(text[:min(len(text), maxReasonBytes)])},
		kafka.Header{Key: HeaderDeadTopic, Value: []byte(m.Topic)},
		kafka.Header{Key: HeaderDeadPartition, Value: strconv.AppendInt(nil, int64(m.Partition), 10)},
		kafka.Header{Key: HeaderDeadOffset, Value: strconv.AppendInt(nil, m.Offset, 10)},
	)}
	if err := letters.WriteMessages(ctx, letter); err != nil {
		if ctx.Err() == nil {
			c.failed("writing a dead letter: %w", err)
		}
		return err
	}
	c.dead.Inc()
	// The key and the value may be somebody's data.
	c.config.Log.Error("message can never be handled; it is in the dead-letter topic",
		"partition", m.Partition, "offset", m.Offset, "reason", text)
	return nil
}

func headerOf(m kafka.Message, key string) string {
	for _, h := range m.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}
