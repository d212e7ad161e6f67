package outbox

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/retry"
)

const (
	// sweepAge is how long a document may have its mark before the sweep finds it, and sweepPause how long the sweep
	// waits between two rounds.
	sweepAge   = 5 * time.Second
	sweepPause = time.Second
	// sweepPage is the greatest number of documents that a sweep reads at a time, and sweepPages that of the pages of
	// one round. The next round goes on where one has stopped.
	sweepPage  = 500
	sweepPages = 20
)

// marksPage is the number of marks that are removed at once.
const marksPage = 1000

// sweepUntil removes marks, and asks for what marked documents lead to, until ctx ends. When nothing is due, a round is
// two reads of an index that is nearly empty. Several processes may sweep one collection.
func (o *Outbox) sweepUntil(ctx context.Context) {
	for retry.Pause(ctx, sweepPause) {
		o.removeMarks(ctx)
		if err := o.round(ctx); ctx.Err() == nil {
			o.reading.Report(err)
		}
	}
}

// removeMarks removes the marks that results have made superfluous, since the last time. A mark that stays a little
// longer costs nothing; a write for each would. One that is not removed, because of an error or a crash, stays: the
// sweep then finds its document once more.
func (o *Outbox) removeMarks(ctx context.Context) {
	o.mu.Lock()
	marked := o.marked
	o.marked = nil
	o.mu.Unlock()
	for page := range slices.Chunk(marked, marksPage) {
		if ctx.Err() != nil {
			return
		}
		removed, err := o.config.Collection.Sent(ctx, organisation.Exchange(), page)
		o.metrics.removed.Add(float64(removed))
		o.removing.Report(err)
	}
}

// round measures the age of the oldest mark, and asks for what is due by documents of a certain age. Those from the
// future are due as well: the clock of the process that wrote them is wrong, and they would have to wait for long.
func (o *Outbox) round(ctx context.Context) error {
	now := time.Now()
	oldest, err := o.config.Collection.Unsent(ctx, organisation.Exchange(), uuid.Nil, 1)
	if err != nil {
		return err
	}
	if len(oldest) == 0 {
		o.metrics.age.Set(0)
		o.after = uuid.Nil
		return nil
	}
	age := now.Sub(docstore.CreatedAt(oldest[0].ID))
	o.metrics.age.Set(max(age, 0).Seconds())
	if age > sweepAge {
		if o.after, err = o.walk(ctx, o.after, docstore.LeastID(now.Add(-sweepAge))); err != nil {
			return err
		}
	}
	_, err = o.walk(ctx, docstore.LeastID(now.Add(sweepAge)), uuid.Max)
	return err
}

// walk asks for what is due by the documents after one id and before another. It returns where to go on: after the last
// one for which there was room, or at the beginning if it went through all.
func (o *Outbox) walk(ctx context.Context, after, until uuid.UUID) (last uuid.UUID, err error) {
	for range sweepPages {
		docs, err := o.config.Collection.Unsent(ctx, organisation.Exchange(), after, sweepPage)
		if err != nil {
			return after, err
		}
		for _, doc := range docs {
			if bytes.Compare(doc.ID[:], until[:]) >= 0 {
				return uuid.Nil, nil
			}
			if !o.Due(o.config.Of(doc)) {
				return after, nil
			}
			after = doc.ID
			o.metrics.swept.Inc()
		}
		if len(docs) < sweepPage {
			return uuid.Nil, nil
		}
	}
	return after, nil
}
