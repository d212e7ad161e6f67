package outbox

import (
	"context"
	"time"

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
	// marksQueue is the number of results whose marks may wait. Workers wait while it is full.
	marksQueue = 1000
)

// removeMarks removes marks, a page at a time, until the outbox has ended. A mark that is not removed, because of an
// error or a crash, stays: the sweep then finds its document once more.
func (o *Outbox) removeMarks(ctx context.Context) {
	for refs := range o.marks {
		retry.Pause(ctx, marksLinger)
		refs = o.gather(refs)
		for len(refs) > 0 && ctx.Err() == nil {
			page := refs[:min(marksPage, len(refs))]
			refs = refs[len(page):]
			removed, err := o.config.Collection.Sent(ctx, organisation.Exchange(), page)
			o.metrics.removed.Add(float64(removed))
			o.removing.Report(err)
		}
	}
}

// gather adds what waits, up to about a page.
func (o *Outbox) gather(refs []docstore.Ref) []docstore.Ref {
	for len(refs) < marksPage {
		select {
		case more, open := <-o.marks:
			if !open {
				return refs
			}
			refs = append(refs, more...)
		default:
			return refs
		}
	}
	return refs
}
