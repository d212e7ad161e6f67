// Package observed decorates a store with metrics and traces of its operations.
package observed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/tracing"
)

// Store is a store whose operations are timed, and whose migrations are logged.
type Store struct {
	docstore.Store
	seconds *prometheus.HistogramVec
	without *prometheus.GaugeVec
	log     *slog.Logger
	// migrating says how far the migration is that runs; nil for none.
	migrating atomic.Pointer[string]
}

// New returns a store that observes each operation of another one. It logs its migrations, and which documents get no
// key by them.
func New(of docstore.Store, registerer prometheus.Registerer, log *slog.Logger) *Store {
	metrics := promauto.With(registerer)
	return &Store{Store: of, log: log, without: metrics.NewGaugeVec(prometheus.GaugeOpts{
		Name: "store_records_without_key",
		Help: "Keys of new indexes that stored records did not get when the process started, because another one has " +
			"the value or they could not be read.",
	}, []string{"collection"}), seconds: metrics.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "store_operation_duration_seconds",
		Help:    "Time of an operation of the store, waiting for its turn included.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
	}, []string{"collection", "operation", "outcome"})}
}

// operations are the names of the operations of a collection and its capabilities.
var operations = []string{
	"insert", "get", "replace", "find", "unsent", "sent", "former", "formers", "former_by_key", "texts",
	"changes", "end_of_changes",
}

func (s *Store) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	collection, err := s.Store.Collection(ctx, s.reporting(spec))
	s.migrating.Store(nil)
	if err != nil {
		return nil, err
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

// sayAgain is the time from one line of the log about a migration to the next.
const sayAgain = 10 * time.Second

// reporting returns a spec whose migration is told in the log and by Migrating.
func (s *Store) reporting(spec docstore.Spec) docstore.Spec {
	var said time.Time
	without := s.without.WithLabelValues(spec.Name)
	spec.Progress = func(documents int64) {
		s.migrating.Store(new(fmt.Sprintf("migration %d of %s: %d records have got the keys of its indexes",
			spec.Migration(), spec.Name, documents)))
		if time.Since(said) >= sayAgain {
			said = time.Now()
			s.log.Info("records get the keys of new indexes; requests are served afterwards",
				"collection", spec.Name, "migration", spec.Migration(), "records", documents)
		}
	}
	spec.NoKey = func(id uuid.UUID, cause error) {
		without.Inc()
		s.log.Warn("a stored record does not get a key of an index", "collection", spec.Name, "id", id, "cause", cause)
	}
	return spec
}

// Migrating is a readiness check, which fails during a migration and says how far that is.
func (s *Store) Migrating(context.Context) error {
	if migrating := s.migrating.Load(); migrating != nil {
		return errors.New(*migrating)
	}
	return nil
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
