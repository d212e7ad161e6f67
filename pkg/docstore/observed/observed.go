// Package observed decorates a store with metrics and traces of its operations.
package observed

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/tracing"
)

// store is a store whose operations are timed, and whose work in the background is counted.
type store struct {
	docstore.Store
	seconds   *prometheus.HistogramVec
	backfills *backfills
	log       *slog.Logger
}

// New returns a store that observes each operation of another one, and logs which documents lack a key.
func New(of docstore.Store, registerer prometheus.Registerer, log *slog.Logger) docstore.Store {
	backfills := &backfills{of: map[string]docstore.Backfilling{}}
	registerer.MustRegister(backfills)
	return &store{of, promauto.With(registerer).NewHistogramVec(prometheus.HistogramOpts{
		Name:    "store_operation_duration_seconds",
		Help:    "Time of an operation of the store, waiting for its turn included.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
	}, []string{"collection", "operation", "outcome"}), backfills, log}
}

// operations are the names of the operations of a collection and its capabilities.
var operations = []string{
	"insert", "get", "replace", "find", "unsent", "sent", "former", "formers", "former_by_key", "texts",
	"first_unsent", "changes", "end_of_changes",
}

func (s *store) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	spec.Lacking = func(id uuid.UUID, cause error) {
		s.log.Warn("a stored record does not get a key of an index", "collection", spec.Name, "id", id, "cause", cause)
	}
	collection, err := s.Store.Collection(ctx, spec)
	if err != nil {
		return nil, err
	}
	if backfilling, err := docstore.As[docstore.Backfilling](collection); err == nil {
		s.backfills.add(spec.Name, backfilling)
	}
	of := timings{}
	for _, operation := range operations {
		labels := s.seconds.MustCurryWith(prometheus.Labels{"collection": spec.Name, "operation": operation})
		of[operation] = &timing{
			ok: labels.WithLabelValues("ok"), failed: labels.WithLabelValues("unavailable"),
			name: operation + " " + spec.Name,
			attributes: []attribute.KeyValue{
				attribute.String("db.operation.name", operation), attribute.String("db.collection.name", spec.Name),
			},
		}
	}
	return docstore.Decorate(collection, of.around), nil
}

// timings observe the operations of one collection, by name.
type timings map[string]*timing

// timing observes one operation of one collection.
type timing struct {
	ok, failed prometheus.Observer
	// name and attributes are the name and attributes of its spans.
	name       string
	attributes []attribute.KeyValue
}

// around observes a call. Its span is below the one that ctx carries. It counts a refusal, such as that of a stale
// version, as a success of the store: it did respond.
func (t timings) around(ctx context.Context, call docstore.Call, do func(context.Context) error) error {
	timing, observed := t[call.Operation]
	if !observed { // it is asked once, at the start
		return do(ctx)
	}
	ctx, span := tracing.Begin(ctx, timing.name, trace.SpanKindClient, timing.attributes...)
	defer span.End()
	began := time.Now()
	err := do(ctx)
	observer := timing.ok
	if errors.Is(err, docstore.ErrUnavailable) {
		observer = timing.failed
		tracing.Fail(span, "unavailable")
	}
	tracing.Observe(span, observer, time.Since(began).Seconds())
	return err
}
