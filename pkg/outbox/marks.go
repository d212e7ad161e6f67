package outbox

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/retry"
)

const (
	// marksPage is the number of marks that are removed at once, if so many wait.
	marksPage = 1000
	// marksLinger is how long marks are gathered. A mark that stays a little longer costs nothing; a write for each
	// would.
	marksLinger = 100 * time.Millisecond
	// marksQueue is the number of calls of Remove that may wait.
	marksQueue = 1000
	// marksGrace is the time for the marks in hand when the removal is stopped.
	marksGrace = 2 * time.Second
)

// Marks removes unsent marks in batches, soon after their rows are right. A mark that is not removed, because of an
// error or a crash, stays: a Sweep then handles its document once more.
type Marks struct {
	collection docstore.Collection
	queue      chan []docstore.Ref
	ended      chan struct{}
	state      retry.Condition
	metrics    marksMetrics
}

// NewMarks returns a removal of the marks of a collection, which does nothing until Run is called. It panics if metrics
// already has one of the same topic. The topic names it in metrics and in the log.
func NewMarks(topic string, collection docstore.Collection, log *slog.Logger, metrics prometheus.Registerer) *Marks {
	return &Marks{
		collection: collection,
		queue:      make(chan []docstore.Ref, marksQueue),
		ended:      make(chan struct{}),
		state: retry.Condition{
			Log: log.With("topic", topic), Bad: "unsent marks are not being removed",
			Good: "unsent marks are being removed again",
		},
		metrics: newMarksMetrics(metrics, topic),
	}
}

// Remove has the marks of documents removed, where the documents are still at these versions. It waits while too many
// calls wait already, until ctx or Run ends.
func (m *Marks) Remove(ctx context.Context, refs []docstore.Ref) {
	if len(refs) == 0 {
		return
	}
	select {
	case m.queue <- refs:
	case <-m.ended:
	case <-ctx.Done():
	}
}

// Run removes marks until ctx ends, and then those in hand, for at most 2 s. It always returns nil.
func (m *Marks) Run(ctx context.Context) error {
	defer close(m.ended)
	step, cancel := retry.WithGrace(ctx, marksGrace)
	defer cancel()
	for {
		var refs []docstore.Ref
		select {
		case refs = <-m.queue:
		case <-ctx.Done():
			m.remove(step, m.gather(nil))
			return nil
		}
		retry.Pause(ctx, marksLinger)
		m.remove(step, m.gather(refs))
	}
}

// gather adds what waits, up to about a page.
func (m *Marks) gather(refs []docstore.Ref) []docstore.Ref {
	for len(refs) < marksPage {
		select {
		case more := <-m.queue:
			refs = append(refs, more...)
		default:
			return refs
		}
	}
	return refs
}

// remove removes marks, a page at a time. It does not try again what failed.
func (m *Marks) remove(ctx context.Context, refs []docstore.Ref) {
	for len(refs) > 0 && ctx.Err() == nil {
		page := refs[:min(marksPage, len(refs))]
		refs = refs[len(page):]
		removed, err := m.collection.Sent(ctx, organisation.Exchange(), page)
		m.metrics.removed.Add(float64(removed))
		m.state.Report(err)
	}
}
