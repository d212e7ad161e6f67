package bus

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"
)

const (
	defaultWorkers        = 8
	defaultWindow         = 10_000
	defaultLinger         = 20 * time.Millisecond
	defaultSessionTimeout = 10 * time.Second
	defaultPartitionWatch = 5 * time.Second

	// handleGrace is what a handler at work gets to finish when the consumer is stopped or its partitions move.
	handleGrace = 5 * time.Second
	// rejoinDelay is how long to wait before joining the group again after a failure to do so.
	rejoinDelay = 500 * time.Millisecond
)

// ConsumerConfig says what a Consumer reads and what becomes of it. The fields without a default are required.
type ConsumerConfig struct {
	Cluster Cluster
	Topic   Topic
	// Group is the consumer group: its members share the partitions of the topic and its offsets.
	Group string
	// Handle handles one message. It is called for several keys at once, and for the messages of one key one after the
	// other. An error of Poison is final, as is a panic; any other is tried again until it is gone.
	Handle func(context.Context, Message) error
	// Workers is the number of messages handled at the same time; 8 if not set.
	Workers int
	// Window is the number of messages in hand at which fetching pauses; 10,000 if not set.
	Window int
	// Linger is how long messages are gathered before they are handled, so that those alike are handled once; 20 ms if
	// not set.
	Linger time.Duration
	// SessionTimeout is how long the group waits for a member that died before its partitions go to others; 10 s if not
	// set. The brokers bound it, by default from 6 s.
	SessionTimeout time.Duration
	// PartitionWatch is how often to look whether the number of partitions has changed; 5 s if not set.
	PartitionWatch time.Duration
	Log            *slog.Logger
	Metrics        prometheus.Registerer
}

// Consumer hands over the messages of a topic until each is handled, and then commits their offsets.
type Consumer struct {
	config    ConsumerConfig
	transport *kafka.Transport
	group     kafka.ConsumerGroupConfig
	metrics   consumerMetrics
	dead      *kafka.Writer
	state     condition
	retrying  tally
	// slots bounds the handlers at work.
	slots    chan struct{}
	fetchers sync.WaitGroup
}

// NewConsumer answers a consumer that does nothing until it is run, or an error if config cannot be. It panics if the
// metrics of this topic and group are registered already.
func NewConsumer(config ConsumerConfig) (*Consumer, error) {
	config.Workers = cmp.Or(config.Workers, defaultWorkers)
	config.Window = cmp.Or(config.Window, defaultWindow)
	config.Linger = cmp.Or(config.Linger, defaultLinger)
	config.SessionTimeout = cmp.Or(config.SessionTimeout, defaultSessionTimeout)
	config.PartitionWatch = cmp.Or(config.PartitionWatch, defaultPartitionWatch)
	config.Log = config.Log.With("topic", config.Topic.Name, "group", config.Group)

	group := kafka.ConsumerGroupConfig{
		ID:      config.Group,
		Brokers: config.Cluster.Brokers,
		Dialer:  config.Cluster.dialer(),
		Topics:  []string{config.Topic.Name},
		// Members learn of a rebalance from a heartbeat.
		HeartbeatInterval: min(config.SessionTimeout/3, time.Second),
		SessionTimeout:    config.SessionTimeout,
		// A member has to finish what it has in hand before it joins anew.
		RebalanceTimeout:       config.SessionTimeout + handleGrace,
		JoinGroupBackoff:       rejoinDelay,
		WatchPartitionChanges:  true,
		PartitionWatchInterval: config.PartitionWatch,
		// A group that is new to a partition owes all of its messages.
		StartOffset: kafka.FirstOffset,
		Timeout:     requestTimeout,
	}
	if err := group.Validate(); err != nil {
		return nil, err
	}
	transport := config.Cluster.transport(config.Topic, config.Topic.dead())
	metrics := newConsumerMetrics(config.Metrics, config.Topic.Name, config.Group)
	return &Consumer{
		config:    config,
		transport: transport,
		group:     group,
		metrics:   metrics,
		dead:      newWriter(config.Cluster, transport, config.Topic.dead(), 1),
		state:     condition{log: config.Log, bad: "messages are not being received", good: "messages are being received again"},
		retrying:  tally{log: config.Log, gauge: metrics.retrying},
		slots:     make(chan struct{}, config.Workers),
	}, nil
}

// Run consumes until ctx ends. It then finishes what the handlers have in hand, commits and leaves the group, so that
// whoever takes over need not wait for a session to time out.
func (c *Consumer) Run(ctx context.Context) error {
	defer c.transport.CloseIdleConnections()
	_ = retry(ctx, func() error {
		return c.report(ctx, ensureTopics(ctx, c.config.Cluster, c.transport, c.config.Topic, c.config.Topic.dead()))
	})

	group, err := kafka.NewConsumerGroup(c.group)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		generation, err := group.Next(ctx)
		if c.report(ctx, err) != nil {
			// The group waits by itself before it tries again.
			continue
		}
		generation.Start(newAssignment(c, generation).run)
	}
	// Closing ends the generation, and waits for it, before it leaves the group. It answers nil always.
	_ = group.Close()
	c.fetchers.Wait()
	return c.dead.Close()
}

// report tells how the last step went, and answers err. What fails because the consumer is being stopped says nothing.
func (c *Consumer) report(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		c.state.report(err)
	}
	return err
}
