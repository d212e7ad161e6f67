package kafka

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/kafka/broker"
	"insurance.example/exchange/pkg/retry"
)

const (
	defaultWorkers        = 8
	defaultBatch          = 1000
	defaultLinger         = 20 * time.Millisecond
	defaultSessionTimeout = 10 * time.Second
	defaultPartitionWatch = 5 * time.Second

	// handleGrace is the time a running handler has to finish when the consumer is stopped or its partitions move.
	handleGrace = 5 * time.Second
)

// ConsumerConfig configures a Consumer. The fields without a default are required.
type ConsumerConfig struct {
	Cluster Cluster
	Topic   Topic
	// Group is the name of the consumer group, whose members share the partitions of the topic and the committed
	// offsets.
	Group string
	// Handle handles one message. It is called concurrently for different messages, of one key too; equal messages of
	// a batch are handled once. After an error of Poison, or a panic, the message goes to the dead-letter topic. After
	// any other error it is handled twice more within a second, and then left, so that it does not hold up those behind
	// it: what it is about must be found otherwise, as outbox.Sweep finds it by its mark.
	Handle func(context.Context, Message) error
	// Workers is the greatest number of concurrent calls of Handle; 8 if not set.
	Workers int
	// Batch is the greatest number of messages of a partition that are handled before the next ones are fetched; 1,000
	// if not set.
	Batch int
	// Linger is how long messages are collected for a batch after its first; 20 ms if not set.
	Linger time.Duration
	// SessionTimeout is how long the group waits for a member that no longer responds before it gives its partitions to
	// others; 10 s if not set. Brokers refuse values out of their bounds, which begin at 6 s by default.
	SessionTimeout time.Duration
	// PartitionWatch is how often the consumer checks whether the topic has more partitions; 5 s if not set.
	PartitionWatch time.Duration
	// Tracer records what is done for messages whose headers say that they are traced; nil if nothing is.
	Tracer  trace.Tracer
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Consumer calls a handler with each message of a topic, and then commits its offset.
type Consumer struct {
	config     ConsumerConfig
	client     broker.Client
	membership broker.Membership
	metrics    consumerMetrics
	state      retry.Condition
	// calls are attempts to handle a message, for the workers.
	calls   chan func()
	working atomic.Int64 // the workers that are handling a message
	// closing counts the readers that are being closed.
	closing sync.WaitGroup
}

// NewConsumer returns a consumer, which does nothing until Run is called. It returns an error if config lacks a
// broker or a group or has values that Kafka cannot take. It panics if config.Metrics already has a consumer of the
// same topic and group.
func NewConsumer(config ConsumerConfig) (*Consumer, error) {
	config.Workers = cmp.Or(config.Workers, defaultWorkers)
	config.Batch = cmp.Or(config.Batch, defaultBatch)
	config.Linger = cmp.Or(config.Linger, defaultLinger)
	config.SessionTimeout = cmp.Or(config.SessionTimeout, defaultSessionTimeout)
	config.PartitionWatch = cmp.Or(config.PartitionWatch, defaultPartitionWatch)
	config.Log = config.Log.With("topic", config.Topic.Name, "group", config.Group)

	membership := broker.Membership{
		Group: config.Group, Topic: config.Topic.Name, SessionTimeout: config.SessionTimeout,
		PartitionWatch: config.PartitionWatch,
		// A member has to finish the messages it has in hand before it joins again.
		RebalanceTimeout: config.SessionTimeout + handleGrace,
	}
	group := config.Cluster.groupConfig(membership)
	if err := group.Validate(); err != nil {
		return nil, err
	}
	metrics := newConsumerMetrics(config.Metrics, config.Topic.Name, config.Group)
	return &Consumer{
		config:     config,
		client:     config.Cluster.open(config.Log, 1, config.Topic, config.Topic.DeadLetters()),
		membership: membership,
		metrics:    metrics,
		state: retry.Condition{
			Log: config.Log, Bad: "messages are not being received", Good: "messages are being received again",
		},
		calls: make(chan func()),
	}, nil
}

// Run consumes until ctx ends. It then gives the handlers at work 5 s to finish, commits and leaves the group, so
// that the member that takes over need not wait for a session to time out. When Kafka fails it logs that once and
// tries again. It returns an error if the group cannot be set up or closing the connections fails.
func (c *Consumer) Run(ctx context.Context) error {
	defer c.startWorkers()()
	_ = retry.Soon(ctx, func() error { return c.report(ctx, c.client.EnsureTopics(ctx)) })

	group, err := c.client.Join(c.membership)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		generation, err := group.Next(ctx)
		if errors.Is(err, broker.ErrRebalancing) {
			// Another member has joined or left at the same time. The group asks again by itself.
			continue
		}
		if c.report(ctx, err) != nil {
			// The group waits by itself before it tries again.
			continue
		}
		generation.Start(func(ctx context.Context) { c.run(ctx, generation) })
		if len(generation.Partitions()) == 0 {
			// If the topic is gone, each generation ends at once: the group must not join again without a pause.
			retry.Pause(ctx, rejoinDelay)
		}
	}
	// Close ends the generation, waits for its end, and leaves the group. It always returns nil.
	_ = group.Close()
	c.closing.Wait()
	return c.client.Close()
}

// Check returns why messages are not being received at present, or nil.
func (c *Consumer) Check(context.Context) error { return c.state.Check() }

// startWorkers starts the goroutines in which the handler runs, and returns the function that ends them. They outlive
// the messages: what a handler does may need a deep stack, and a new goroutine would have to grow its own.
func (c *Consumer) startWorkers() (end func()) {
	var workers sync.WaitGroup
	for range c.config.Workers {
		workers.Go(func() {
			for call := range c.calls {
				c.working.Add(1)
				call()
				c.working.Add(-1)
			}
		})
	}
	return func() {
		close(c.calls)
		workers.Wait()
	}
}

// Busy reports whether messages are being handled.
func (c *Consumer) Busy() bool { return c.working.Load() > 0 }

// report logs a change of state after a step and returns err. It ignores failures while the consumer is being stopped.
func (c *Consumer) report(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		c.state.Report(explained(err))
	}
	return err
}
