package kafka

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/retry"
)

// Message is one message. Messages with the same key go to the same partition.
type Message struct {
	Key, Value []byte
	// Trace is the trace that the message is a part of (traceparent, W3C trace context), empty for none.
	Trace string
}

// traceHeader is the header of a message that has its trace.
const traceHeader = "traceparent"

const (
	// publishPage is the greatest number of messages that are published at once, and publishQueue that of those that
	// wait for it. Messages beyond are left.
	publishPage, publishQueue = 500, 10_000
	// publishLinger is how long the publisher waits so that simultaneous messages go out as one page.
	publishLinger = 50 * time.Millisecond
	// publishGrace is the time for publishing the messages in hand when the publisher is stopped.
	publishGrace = 2 * time.Second
	// writeLinger is how long kafka-go holds a page that is not full. The publisher hands over all messages at once,
	// so there is nothing to wait for. Zero would mean kafka-go's default of a second.
	writeLinger = time.Millisecond
)

// Publisher publishes messages to a topic, soon after they were sent. It is safe for concurrent use.
type Publisher struct {
	cluster Cluster
	topic   Topic
	queue   chan Message
	state   retry.Condition
	backlog prometheus.Gauge
	// published and left count messages.
	published, left prometheus.Counter
}

// NewPublisher returns a publisher, which does nothing until Run is called. It panics if metrics already has one of
// the same topic.
func NewPublisher(c Cluster, topic Topic, log *slog.Logger, metrics prometheus.Registerer) *Publisher {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"topic": topic.Name}, metrics))
	return &Publisher{
		cluster: c, topic: topic, queue: make(chan Message, publishQueue),
		state: retry.Condition{
			Log: log.With("topic", topic.Name),
			Bad: "messages are not being published", Good: "messages are being published again",
		},
		backlog: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_relay_backlog", Help: "Messages that await publication.",
		}),
		published: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_relay_published_total", Help: "Messages that the brokers have confirmed.",
		}),
		left: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_relay_left_total",
			Help: "Messages that were left: too many awaited publication, or the brokers did not confirm them. The " +
				"sweep finds what they are about.",
		}),
	}
}

// Send has a message published soon. It never blocks.
func (p *Publisher) Send(m Message) {
	select {
	case p.queue <- m:
		p.backlog.Inc()
	default:
		p.left.Inc()
	}
}

// Check returns why messages are not being published at present, or nil.
func (p *Publisher) Check(context.Context) error { return p.state.Check() }

// Run publishes until ctx ends and then the messages in hand, for at most 2 s. It creates the topic if it is missing.
// It returns an error only if closing the connections fails.
func (p *Publisher) Run(ctx context.Context) error {
	step, cancel := retry.WithGrace(ctx, publishGrace)
	defer cancel()
	transport := p.cluster.transport(p.topic)
	defer transport.CloseIdleConnections()
	_ = retry.Soon(ctx, func() error {
		return p.report(ctx, ensureTopics(step, p.cluster.client(transport), p.topic))
	})
	w := newWriter(p.cluster, transport, p.topic)
	for {
		select {
		case m := <-p.queue:
			retry.Pause(ctx, publishLinger)
			p.publish(ctx, step, w, p.page(m))
		case <-ctx.Done():
			for len(p.queue) > 0 && step.Err() == nil {
				p.publish(ctx, step, w, p.page(<-p.queue))
			}
			return w.Close()
		}
	}
}

// page returns a message and those that wait behind it, as they are written.
func (p *Publisher) page(first Message) (page []kafka.Message) {
	for m := first; ; {
		record := kafka.Message{Key: m.Key, Value: m.Value}
		if m.Trace != "" {
			record.Headers = []kafka.Header{{Key: traceHeader, Value: []byte(m.Trace)}}
		}
		page = append(page, record)
		if len(page) == publishPage {
			return page
		}
		select {
		case m = <-p.queue:
		default:
			return page
		}
	}
}

// publish writes a page, and counts what became of it.
func (p *Publisher) publish(ctx, step context.Context, w *kafka.Writer, page []kafka.Message) {
	p.backlog.Sub(float64(len(page)))
	err := w.WriteMessages(step, page...)
	left := 0
	var each kafka.WriteErrors
	switch {
	case errors.As(err, &each):
		for _, cause := range each {
			if cause != nil {
				left++
				err = cause // the list repeats one cause for every message
			}
		}
	case err != nil:
		left = len(page)
	}
	p.left.Add(float64(left))
	p.published.Add(float64(len(page) - left))
	_ = p.report(ctx, err)
}

// report logs a change of state and returns err. It ignores failures while the publisher is being stopped.
func (p *Publisher) report(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		p.state.Report(explained(err))
	}
	return err
}

// newWriter returns a writer that waits until all in-sync replicas hold the messages, and tries once.
func newWriter(c Cluster, transport *kafka.Transport, topic Topic) *kafka.Writer {
	return &kafka.Writer{
		Addr: kafka.TCP(c.Brokers...), Transport: transport, Topic: topic.Name,
		// This balancer chooses the same partition for a key as the Java client and librdkafka.
		Balancer: kafka.Murmur2Balancer{}, RequiredAcks: kafka.RequireAll,
		BatchSize: publishPage, BatchBytes: int64(topic.maxBytes()), BatchTimeout: writeLinger,
		MaxAttempts: 1, ReadTimeout: requestTimeout, WriteTimeout: requestTimeout,
	}
}
