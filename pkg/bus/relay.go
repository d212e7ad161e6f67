package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/segmentio/kafka-go"

	"insurance.example/exchange/pkg/docstore"
)

const (
	defaultPage = 500
	defaultPoll = time.Second
	// relayLinger is how long the relay waits so that simultaneous writes go out as one page. It is the greater part of the
	// time between a write and its message.
	relayLinger = 10 * time.Millisecond
	// relayGrace is the time for publishing and marking the page in hand when the relay is stopped.
	relayGrace = 2 * time.Second
)

// RelayConfig configures a Relay. The fields without a default are required.
type RelayConfig struct {
	Cluster Cluster
	Topic   Topic
	// Collection holds the documents whose unsent marks are published.
	Collection docstore.Collection
	// Message returns the message about a document. If it returns an error, the document keeps its mark, and the relay
	// tries again after the document has changed or the relay was restarted.
	Message func(docstore.Document) (Message, error)
	// Page is the greatest number of documents that are published in one batch; 500 if not set.
	Page int
	// Poll is how often the relay looks for marks without a call of Wake; 1 s if not set. Polling finds what was written
	// before a crash or by another process.
	Poll    time.Duration
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Relay publishes a message for each document that has the unsent mark, and then removes the mark. Several relays may
// serve one collection: some messages are then published more than once, and none is lost.
type Relay struct {
	config    RelayConfig
	transport *kafka.Transport
	writer    *kafka.Writer
	metrics   relayMetrics
	state     condition
	wake      chan struct{}
	// refused are the document versions for which no message can be made. The store returns the oldest marks first, so
	// each page is requested with additional room for these. Otherwise enough of them would hide all others.
	refused map[docstore.Ref]struct{}
}

// NewRelay returns a relay, which does nothing until Run is called. It panics if config.Metrics already has a relay of
// the same topic.
func NewRelay(config RelayConfig) *Relay {
	config.Page = cmp.Or(config.Page, defaultPage)
	config.Poll = cmp.Or(config.Poll, defaultPoll)
	config.Log = config.Log.With("topic", config.Topic.Name)
	transport := config.Cluster.transport(config.Topic)
	return &Relay{
		config:    config,
		transport: transport,
		writer:    newWriter(config.Cluster, transport, config.Topic, config.Page),
		metrics:   newRelayMetrics(config.Metrics, config.Topic.Name),
		state:     condition{log: config.Log, bad: "messages are not being published", good: "messages are being published again"},
		wake:      make(chan struct{}, 1),
		refused:   make(map[docstore.Ref]struct{}),
	}
}

// Wake makes the relay look for new marks soon. It never blocks. Calls before the relay has looked count as one.
func (r *Relay) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run publishes until ctx ends and then finishes the batch in progress, for at most 2 s. When the store or Kafka fails it
// logs that once and tries again, with growing pauses of up to 5 s. It returns an error only if closing the connections
// fails.
func (r *Relay) Run(ctx context.Context) error {
	step, cancel := withGrace(ctx, relayGrace)
	defer cancel()
	defer r.transport.CloseIdleConnections()

	_ = retry(ctx, func() error {
		err := ensureTopics(step, r.config.Cluster, r.transport, r.config.Topic)
		if err != nil {
			err = r.failed(stepTopic, err)
		}
		return r.report(ctx, err)
	})
	for ctx.Err() == nil {
		_ = retry(ctx, func() error { return r.drain(ctx, step) })
		r.rest(ctx)
	}
	return r.writer.Close()
}

// rest waits until Wake was called, the poll interval has passed, or ctx has ended.
func (r *Relay) rest(ctx context.Context) {
	poll := time.NewTimer(r.config.Poll)
	defer poll.Stop()
	select {
	case <-ctx.Done():
	case <-poll.C:
	case <-r.wake:
		select {
		case <-ctx.Done():
		case <-time.After(relayLinger):
		}
	}
}

// drain publishes page after page until no marks are left or ctx has ended. A page is processed with the context step, which
// ends some time after ctx.
func (r *Relay) drain(ctx, step context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		var err error
		more, err = r.page(step)
		if r.report(ctx, err) != nil {
			return err
		}
	}
	return nil
}

// page publishes the oldest marked documents and reports whether there may be more of them.
func (r *Relay) page(ctx context.Context) (more bool, err error) {
	limit := r.config.Page + len(r.refused)
	docs, err := r.config.Collection.Unsent(ctx, uuid.Nil, limit)
	if err != nil {
		return false, r.failed(stepRead, err)
	}
	more = len(docs) == limit
	r.metrics.backlog.Set(float64(len(docs)))

	messages, refs := r.messages(docs, more)
	if len(messages) == 0 {
		return more, nil
	}
	stored, err := publish(ctx, r.writer, messages)
	if err != nil {
		err = r.failed(stepPublish, err)
	}
	if len(stored) == 0 {
		return false, err
	}
	r.metrics.published.Add(float64(len(stored)))

	sent := make([]docstore.Ref, len(stored))
	for i, index := range stored {
		sent[i] = refs[index]
	}
	if markErr := r.config.Collection.Sent(ctx, sent); markErr != nil {
		return false, errors.Join(err, r.failed(stepMark, markErr))
	}
	r.metrics.backlog.Sub(float64(len(sent)))
	return more, err
}

// messages returns a message for each document and the documents that these are about. It leaves out the documents for
// which no message can be made.
func (r *Relay) messages(docs []docstore.Document, more bool) ([]Message, []docstore.Ref) {
	messages := make([]Message, 0, len(docs))
	refs := make([]docstore.Ref, 0, len(docs))
	still := make(map[docstore.Ref]struct{})
	for _, doc := range docs {
		ref := docstore.Ref{ID: doc.ID, Version: doc.Version}
		if _, known := r.refused[ref]; known {
			still[ref] = struct{}{}
			continue
		}
		message, err := r.config.Message(doc)
		if size := message.size(); err == nil && size > maxMessageBytes {
			err = fmt.Errorf("bus: message of %d bytes is too long", size)
		}
		if err != nil {
			still[ref] = struct{}{}
			r.metrics.failures.WithLabelValues(stepMessage).Inc()
			r.config.Log.Error("no message can be made of a document; it stays unsent", "id", doc.ID, "version", doc.Version, "error", err)
			continue
		}
		messages = append(messages, message)
		refs = append(refs, ref)
	}
	// If the page holds all marks, refused versions that are not on it have changed or lost their mark. A full page says
	// nothing about the versions beyond it, so all are kept.
	if more {
		for ref := range still {
			r.refused[ref] = struct{}{}
		}
	} else {
		r.refused = still
	}
	r.metrics.refused.Set(float64(len(r.refused)))
	return messages, refs
}

// failed counts the failure of a step and returns an error that names the step.
func (r *Relay) failed(step string, err error) error {
	r.metrics.failures.WithLabelValues(step).Inc()
	return fmt.Errorf("bus: relay, step %s: %w", step, err)
}

// report logs a change of state after a step and returns err. It ignores failures while the relay is being stopped.
func (r *Relay) report(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		r.state.report(err)
	}
	return err
}
