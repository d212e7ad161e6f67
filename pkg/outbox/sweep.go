package outbox

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/retry"
)

const (
	defaultSweepAge   = 5 * time.Second
	defaultSweepEvery = time.Second
	// sweepPage is the greatest number of documents that a sweep reads at a time.
	sweepPage = 500
	// sweepShare is how many times as long as its last call of the handler a sweep rests before the next one, while
	// messages are at work. At most it rests for maxSweepRest.
	sweepShare   = 20
	maxSweepRest = time.Second
	// sweepPatience is the number of failures in a row after which a sweep stops until its next round.
	sweepPatience = 20
)

// SweepConfig configures a Sweep. The fields without a default are required.
type SweepConfig struct {
	// Topic is the name of the topic whose messages should have arrived. It names the sweep in metrics and in the log.
	Topic string
	// Collection holds the documents with the unsent marks.
	Collection docstore.Collection
	// Message returns the message about a document, and Handle handles it, as those of the relay and the consumer do.
	// Handle has the marks removed that it makes superfluous.
	Message func(docstore.Document) (kafka.Message, error)
	Handle  func(context.Context, kafka.Message) error
	// Busy reports whether messages are being handled at present. The sweep then handles one document at a time, and
	// takes only a small share of the time.
	Busy func() bool
	// Workers is the number of documents that are handled at the same time; 1 if not set.
	Workers int
	// Age is how long a document may have its mark before the sweep handles it; 5 s if not set.
	Age time.Duration
	// Every is the pause between two rounds; 1 s if not set.
	Every time.Duration
	// Tracer records what is done for messages whose headers say that they are traced; nil if nothing is.
	Tracer  trace.Tracer
	Log     *slog.Logger
	Metrics prometheus.Registerer
}

// Sweep handles the documents that keep their unsent marks, without the help of a broker. It finds what a broker has
// lost, what no relay has published, and what a crash has interrupted. Several sweeps may serve one collection, and a
// sweep and a consumer may handle the same message at once, because handlers bear repetition.
//
// When nothing is due, a round is two reads of an index that is nearly empty.
type Sweep struct {
	config  SweepConfig
	metrics sweepMetrics
	// store is the state of the collection, handling that of the handler.
	store, handling retry.Condition
	failing         failing
	// from is the document after which the next round begins, because the last one stopped there.
	from uuid.UUID
}

// NewSweep returns a sweep, which does nothing until Run is called. It panics if config.Metrics already has a sweep
// of the same topic.
func NewSweep(config SweepConfig) *Sweep {
	config.Age = cmp.Or(config.Age, defaultSweepAge)
	config.Every = cmp.Or(config.Every, defaultSweepEvery)
	config.Workers = cmp.Or(config.Workers, 1)
	config.Log = config.Log.With("topic", config.Topic)
	return &Sweep{
		config:  config,
		metrics: newSweepMetrics(config.Metrics, config.Topic),
		store: retry.Condition{
			Log: config.Log, Bad: "unsent documents cannot be read", Good: "unsent documents are read again",
		},
		handling: retry.Condition{
			Log: config.Log, Bad: "unsent documents are not handled yet and are tried again",
			Good: "all unsent documents that were due are handled",
		},
		failing: newFailing(),
	}
}

// Run sweeps until ctx ends. It always returns nil.
func (s *Sweep) Run(ctx context.Context) error {
	for retry.Pause(ctx, s.config.Every) {
		if err := s.round(ctx); ctx.Err() == nil {
			s.store.Report(err)
		}
	}
	return nil
}

// round measures the age of the oldest mark and handles what is due. Documents from the future are due as well: the
// clock of the process that wrote them is wrong, and they would have to wait for long.
func (s *Sweep) round(ctx context.Context) error {
	now := time.Now()
	oldest, err := s.config.Collection.Unsent(ctx, organisation.Exchange(), uuid.Nil, 1)
	if err != nil {
		return err
	}
	if len(oldest) == 0 {
		s.metrics.age.Set(0)
		s.finish(true)
		return nil
	}
	age := now.Sub(storedAt(oldest[0].ID))
	s.metrics.age.Set(max(age, 0).Seconds())
	finished := true
	if age > s.config.Age {
		if finished, err = s.walk(ctx, s.from, firstID(now.Add(-s.config.Age))); err != nil {
			return err
		}
	}
	if finished {
		if finished, err = s.walk(ctx, firstID(now.Add(s.config.Age)), uuid.Max); err != nil {
			return err
		}
	}
	s.finish(finished)
	return nil
}

// finish ends a round. Only one that went through all documents that are due can tell that none of them fails any more.
func (s *Sweep) finish(all bool) {
	if all {
		s.from = uuid.Nil
		s.failing.forgetOthers()
	}
	s.metrics.failing.Set(float64(s.failing.count()))
	if all && s.failing.count() == 0 {
		s.handling.Report(nil)
	}
}

// walk handles the documents after one id and before another. It reports whether it went through all of them.
func (s *Sweep) walk(ctx context.Context, after, until uuid.UUID) (finished bool, err error) {
	failures := 0
	for {
		docs, err := s.config.Collection.Unsent(ctx, organisation.Exchange(), after, sweepPage)
		if err != nil {
			return false, err
		}
		last := len(docs) < sweepPage
		beyond := slices.IndexFunc(docs, func(d docstore.Document) bool {
			return bytes.Compare(d.ID[:], until[:]) >= 0
		})
		if beyond >= 0 {
			docs, last = docs[:beyond], true
		}
		// Documents about which the same message is due are handled once.
		seen := make(map[string]struct{})
		for len(docs) > 0 {
			var together []*due
			for most := s.together(); len(docs) > 0 && len(together) < most; docs = docs[1:] {
				after = docs[0].ID
				if d := s.due(docs[0], seen); d != nil {
					together = append(together, d)
				}
			}
			s.handle(ctx, together)
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			for _, d := range together {
				if failed := s.note(d); !failed {
					failures = 0
				} else if failures++; failures == sweepPatience {
					s.from = after
					return false, nil
				}
			}
		}
		if last {
			return true, nil
		}
	}
}

// together returns how many documents are to be handled at the same time now.
func (s *Sweep) together() int {
	if s.config.Busy() {
		return 1
	}
	return s.config.Workers
}

// due is a document that is handled, by the message about it. err is why it cannot be.
type due struct {
	id      uuid.UUID
	message kafka.Message
	name    string
	err     error
}

// due returns a document as it is to be handled, or nil if that happens later, or with another one.
func (s *Sweep) due(doc docstore.Document, seen map[string]struct{}) *due {
	d := &due{id: doc.ID}
	d.message, d.err = s.config.Message(doc)
	d.name = string(d.message.Key) + "\n" + string(d.message.Value)
	if d.err != nil {
		d.name, d.err = doc.ID.String(), kafka.Poison(d.err)
	}
	if _, again := seen[d.name]; again || !s.failing.due(d.name) {
		return nil
	}
	seen[d.name] = struct{}{}
	return d
}

// handle handles documents at the same time, and then rests if messages are at work.
func (s *Sweep) handle(ctx context.Context, all []*due) {
	began := time.Now()
	var workers sync.WaitGroup
	for _, d := range all {
		if d.err == nil {
			workers.Go(func() { d.err = s.unlessSent(ctx, d.id, d.message) })
		}
	}
	workers.Wait()
	if len(all) > 0 && s.config.Busy() {
		retry.Pause(ctx, min(sweepShare*time.Since(began), maxSweepRest))
	}
}

// note remembers and logs what became of a document. It reports whether it failed in a way that may affect others too.
func (s *Sweep) note(d *due) (failed bool) {
	switch {
	case d.err == nil:
		s.failing.succeeded(d.name)
	case kafka.IsPoison(d.err):
		if first := s.failing.failed(d.name, d.err); first {
			s.config.Log.With(kafka.TraceName(d.message)...).
				Error("an unsent document cannot be handled", "id", d.id, "error", d.err)
		}
	default:
		s.failing.failed(d.name, d.err)
		s.handling.Report(d.err)
		return true
	}
	return false
}

// unlessSent calls the handler if a document still has its mark.
func (s *Sweep) unlessSent(ctx context.Context, id uuid.UUID, message kafka.Message) error {
	doc, err := s.config.Collection.Get(ctx, organisation.Exchange(), id)
	if err != nil || !doc.Unsent {
		return err
	}
	ctx, handling := kafka.StartHandling(ctx, s.config.Tracer, "sweep "+s.config.Topic, s.config.Topic,
		message.Traces())
	err = s.config.Handle(ctx, message)
	handling.End(err)
	if err != nil {
		return err
	}
	s.metrics.handled.Inc()
	return nil
}

// storedAt returns the time at which a document was given its id.
func storedAt(id uuid.UUID) time.Time { return time.Unix(id.Time().UnixTime()) }

// firstID returns the least id that a document can be given at a time.
func firstID(at time.Time) uuid.UUID {
	var id uuid.UUID
	milliseconds := at.UnixMilli()
	for i := range 6 {
		id[i] = byte(milliseconds >> (8 * (5 - i)))
	}
	return id
}
