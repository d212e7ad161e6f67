package process

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

// timedStore is a store whose operations are timed, and whose work in the background is counted.
type timedStore struct {
	docstore.Store
	seconds   *prometheus.HistogramVec
	backfills *backfills
	log       *slog.Logger
}

func newTimedStore(store docstore.Store, registerer prometheus.Registerer, log *slog.Logger) docstore.Store {
	backfills := &backfills{of: map[string]docstore.Collection{}}
	registerer.MustRegister(backfills)
	return &timedStore{store, promauto.With(registerer).NewHistogramVec(prometheus.HistogramOpts{
		Name: "store_operation_duration_seconds", Help: "Time of an operation of the store, waiting for its turn included.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
	}, []string{"collection", "operation", "outcome"}), backfills, log}
}

func (s *timedStore) Collection(ctx context.Context, spec docstore.Spec) (docstore.Collection, error) {
	spec.Lacking = func(id uuid.UUID, cause error) {
		s.log.Warn("a stored record does not get a key of an index", "collection", spec.Name, "id", id, "cause", cause)
	}
	collection, err := s.Store.Collection(ctx, spec)
	if err != nil {
		return nil, err
	}
	s.backfills.add(spec.Name, collection)
	of := func(operation string) timing {
		labels := s.seconds.MustCurryWith(prometheus.Labels{"collection": spec.Name, "operation": operation})
		return timing{
			ok: labels.WithLabelValues("ok"), failed: labels.WithLabelValues("unavailable"),
			name: operation + " " + spec.Name,
			attributes: []attribute.KeyValue{
				attribute.String("db.operation.name", operation), attribute.String("db.collection.name", spec.Name),
			},
		}
	}
	return &timedCollection{
		Collection: collection, insert: of("insert"), get: of("get"), replace: of("replace"), find: of("find"),
		unsent: of("unsent"), sent: of("sent"), former: of("former"), formers: of("formers"), formerByKey: of("former_by_key"),
		present: of("present"), texts: of("texts"), sum: of("sum"), firstUnsent: of("first_unsent"),
	}, nil
}

// timedCollection is a collection whose operations are timed.
type timedCollection struct {
	docstore.Collection
	insert, get, replace, find, unsent, sent timing
	present, texts                           timing
	former, formers, formerByKey             timing
	sum, firstUnsent                         timing
}

// timing observes one operation of one collection.
type timing struct {
	ok, failed prometheus.Observer
	// name and attributes are those of its spans.
	name       string
	attributes []attribute.KeyValue
}

// timed is an operation that has begun.
type timed struct {
	timing *timing
	began  time.Time
	span   trace.Span
}

// begin begins an operation. Its span is below the one that ctx carries.
func (t *timing) begin(ctx context.Context) (context.Context, timed) {
	ctx, span := tracing.Begin(ctx, t.name, trace.SpanKindClient, t.attributes...)
	return ctx, timed{t, time.Now(), span}
}

// end observes the operation. It counts a refusal, such as that of a stale version, as a success of the store: it did
// respond.
func (t timed) end(err *error) {
	observer := t.timing.ok
	if errors.Is(*err, docstore.ErrUnavailable) {
		observer = t.timing.failed
		tracing.Fail(t.span, "unavailable")
	}
	tracing.Observe(t.span, observer, time.Since(t.began).Seconds())
	t.span.End()
}

func (c *timedCollection) Insert(ctx context.Context, doc docstore.Document) (err error) {
	ctx, operation := c.insert.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Insert(ctx, doc)
}

func (c *timedCollection) Get(ctx context.Context, id uuid.UUID) (doc docstore.Document, err error) {
	ctx, operation := c.get.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Get(ctx, id)
}

func (c *timedCollection) Present(ctx context.Context, ids []uuid.UUID) (present map[uuid.UUID]bool, err error) {
	ctx, operation := c.present.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Present(ctx, ids)
}

func (c *timedCollection) Texts(ctx context.Context, ids []uuid.UUID, member string) (texts map[uuid.UUID]string, err error) {
	ctx, operation := c.texts.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Texts(ctx, ids, member)
}

func (c *timedCollection) Replace(ctx context.Context, doc docstore.Document, former *docstore.Former) (err error) {
	ctx, operation := c.replace.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Replace(ctx, doc, former)
}

func (c *timedCollection) Former(ctx context.Context, id uuid.UUID, version int64) (former docstore.Former, err error) {
	ctx, operation := c.former.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Former(ctx, id, version)
}

func (c *timedCollection) Formers(ctx context.Context, id uuid.UUID, after int64, limit int) (formers []docstore.Former, err error) {
	ctx, operation := c.formers.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Formers(ctx, id, after, limit)
}

func (c *timedCollection) FormerByKey(ctx context.Context, id uuid.UUID, key string) (former docstore.Former, err error) {
	ctx, operation := c.formerByKey.begin(ctx)
	defer operation.end(&err)
	return c.Collection.FormerByKey(ctx, id, key)
}

func (c *timedCollection) Find(ctx context.Context, q docstore.Query) (found []docstore.Document, err error) {
	ctx, operation := c.find.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Find(ctx, q)
}

func (c *timedCollection) Unsent(ctx context.Context, after uuid.UUID, limit int) (found []docstore.Document, err error) {
	ctx, operation := c.unsent.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Unsent(ctx, after, limit)
}

func (c *timedCollection) Sum(ctx context.Context, index, value string, after uuid.UUID, limit int) (sum docstore.Sum, err error) {
	ctx, operation := c.sum.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Sum(ctx, index, value, after, limit)
}

func (c *timedCollection) FirstUnsent(ctx context.Context, index, value string) (id uuid.UUID, err error) {
	ctx, operation := c.firstUnsent.begin(ctx)
	defer operation.end(&err)
	return c.Collection.FirstUnsent(ctx, index, value)
}

func (c *timedCollection) Sent(ctx context.Context, refs []docstore.Ref) (removed int, err error) {
	ctx, operation := c.sent.begin(ctx)
	defer operation.end(&err)
	return c.Collection.Sent(ctx, refs)
}
