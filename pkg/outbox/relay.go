package outbox

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/retry"
	"insurance.example/exchange/pkg/tracing"
)

const (
	defaultPage  = 500
	defaultQueue = 10_000
	// relayLinger is how long the relay waits so that simultaneous writes go out as one page. It is the greater part
	// of the time between a write and its message. A broker may sync several files for each page.
	relayLinger = 50 * time.Millisecond
	// relayGrace is the time for publishing the messages in hand when the relay is stopped.
	relayGrace = 2 * time.Second
)

// RelayConfig configures a Relay. The fields without a default are required.
type RelayConfig struct {
	Cluster kafka.Cluster
	Topic   kafka.Topic
	// Message returns the message about a document. If it returns an error, none is published.
	Message func(docstore.Document) (kafka.Message, error)
	// Page is the greatest number of messages that are published in one batch; 500 if not set.
	Page int
	// Queue is the greatest number of messages that wait for being published; 10,000 if not set.
	Queue int
	// Tracer records what is done for messages whose headers say that they are traced; nil if nothing is.
	Tracer  trace.Tracer
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Relay publishes messages about documents that this process has just stored with their unsent marks. It keeps the
// messages in memory and gives up those for which it has no room: their documents keep their marks, by which a Sweep
// finds them.
type Relay struct {
	config    RelayConfig
	publisher *kafka.Publisher
	metrics   relayMetrics
	state     retry.Condition
	queue     chan outgoing
}

// outgoing is a message that awaits publication, with the span of that.
type outgoing struct {
	kafka.Message
	span trace.Span
}

// NewRelay returns a relay, which does nothing until Run is called. It panics if config.Metrics already has a relay of
// the same topic.
func NewRelay(config RelayConfig) *Relay {
	config.Page = cmp.Or(config.Page, defaultPage)
	config.Queue = cmp.Or(config.Queue, defaultQueue)
	config.Log = config.Log.With("topic", config.Topic.Name)
	return &Relay{
		config:    config,
		publisher: kafka.NewPublisher(config.Cluster, config.Topic, config.Page),
		metrics:   newRelayMetrics(config.Metrics, config.Topic.Name),
		state: retry.Condition{
			Log: config.Log, Bad: "messages are not being published", Good: "messages are being published again",
		},
		queue: make(chan outgoing, config.Queue),
	}
}

// Send has a message about a stored document published soon. It never blocks.
func (r *Relay) Send(doc docstore.Document) {
	message, err := r.config.Message(doc)
	if err == nil {
		err = message.Check()
	}
	if err != nil {
		r.metrics.failures.WithLabelValues(stepMessage).Inc()
		r.config.Log.Error("no message can be made of a document", "id", doc.ID, "version", doc.Version, "error", err)
		return
	}
	var out outgoing
	out.Message, out.span = kafka.StartSending(r.config.Tracer, r.config.Topic.Name, message)
	select {
	case r.queue <- out:
		r.metrics.backlog.Inc()
	default:
		r.metrics.left.Inc()
		tracing.Fail(out.span, "left")
		out.span.End()
	}
}

// Check returns why messages are not being published at present, or nil.
func (r *Relay) Check(context.Context) error { return r.state.Check() }

// Run publishes until ctx ends and then finishes the batch in progress, for at most 2 s. When Kafka fails it logs
// that once and tries again, with growing pauses of up to 1 s. It returns an error only if closing the connections
// fails.
func (r *Relay) Run(ctx context.Context) error {
	step, cancel := retry.WithGrace(ctx, relayGrace)
	defer cancel()

	_ = retry.Soon(ctx, func() error {
		err := r.publisher.EnsureTopic(step)
		if err != nil {
			err = r.failed(stepTopic, err)
		}
		return r.report(ctx, err)
	})
	var batch []outgoing
	for ctx.Err() == nil {
		_ = retry.Soon(ctx, func() error {
			batch = r.take(r.await(ctx, batch))
			left, err := r.publish(step, batch)
			progress := len(left) < len(batch)
			batch = left
			err = r.report(ctx, err)
			if progress {
				return nil
			}
			return err
		})
	}
	_, _ = r.publish(step, r.take(batch))
	return r.publisher.Close()
}

// await waits until there is something to publish and simultaneous writes have joined it, or ctx ends.
func (r *Relay) await(ctx context.Context, batch []outgoing) []outgoing {
	if len(batch) == 0 {
		select {
		case m := <-r.queue:
			batch = append(batch, m)
		case <-ctx.Done():
			return batch
		}
	}
	retry.Pause(ctx, relayLinger)
	return batch
}

// take adds up to a page of the messages in the queue to a batch. Those that are in the batch already could not be
// published; they may wait for one broker, and those that follow need not.
func (r *Relay) take(batch []outgoing) []outgoing {
	if len(batch) >= r.config.Queue {
		return batch
	}
	for range r.config.Page {
		select {
		case m := <-r.queue:
			batch = append(batch, m)
		default:
			return batch
		}
	}
	return batch
}

// publish publishes a batch and returns the messages that may not be stored. It returns an error if there are any.
func (r *Relay) publish(ctx context.Context, batch []outgoing) (left []outgoing, err error) {
	if len(batch) == 0 {
		return nil, nil
	}
	messages := make([]kafka.Message, len(batch))
	for i, m := range batch {
		messages[i] = m.Message
	}
	began := time.Now()
	stored, err := r.publisher.Publish(ctx, messages...)
	r.metrics.batches.Observe(began, err)
	if err != nil {
		err = r.failed(stepPublish, err)
	}
	r.metrics.published.Add(float64(len(stored)))
	r.metrics.backlog.Sub(float64(len(stored)))
	for i, m := range batch {
		if len(stored) > 0 && stored[0] == i {
			stored = stored[1:]
			m.span.End()
			continue
		}
		left = append(left, m)
	}
	return left, err
}

// failed counts the failure of a step and returns an error that names the step.
func (r *Relay) failed(step string, err error) error {
	r.metrics.failures.WithLabelValues(step).Inc()
	return fmt.Errorf("outbox: relay, step %s: %w", step, err)
}

// report logs a change of state after a step and returns err. It ignores failures while the relay is being stopped.
func (r *Relay) report(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		r.state.Report(err)
	}
	return err
}
