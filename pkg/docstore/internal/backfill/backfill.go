// Package backfill gives documents the keys of indexes that were added after they were stored. It works in the
// background of both stores.
//
// Each write stamps its document with a digest of the collection's indexes, and the store keeps what each stamp
// stands for. So the documents that lack a key are those whose stamp stands for fewer indexes. An index of the stamps
// finds them, also after a process has ended halfway, and also those that a process of another release writes
// meanwhile. An index is being built while there is a document whose stamp lacks it, and a find that names it is
// refused.
package backfill

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// The bounds of one batch: its documents, and their bodies and states in bytes, beyond which no further one is read.
const (
	BatchLength = 100
	BatchSize   = 4 << 20
)

// Unstamped stands for the stamp of documents that were written before there were stamps.
const Unstamped = ""

const (
	// retryAfter is the time from a failure of the store to the next attempt.
	retryAfter = time.Second
	// searchAfter is the time from the last batch to the search for more.
	searchAfter = 10 * time.Millisecond
)

// Documents are the stored documents of a collection.
type Documents interface {
	// Stamps returns the stamps that documents have, each once, without the collection's own. Errors:
	// docstore.ErrUnavailable.
	Stamps(ctx context.Context) ([]string, error)
	// Labels returns the labels of the indexes that a stamp stands for, none if it is not known. Errors:
	// docstore.ErrUnavailable.
	Labels(ctx context.Context, stamp string) ([]string, error)
	// Rekey reads a batch of documents with a stamp. Each that is still as it was read gets what derive returns and a
	// stamp that stands for the collection's indexes; its version does not change. A document for which derive fails
	// keeps its keys. Errors: docstore.ErrUnavailable; then some may have been changed.
	Rekey(ctx context.Context, stamp string, derive Derive) (Batch, error)
}

// Derive returns the keys that a stored document is to be found by.
type Derive func(docstore.Document) (docstore.Keys, error)

// Batch is what became of a batch of documents.
type Batch struct {
	// Read is how many documents were read, Done how many of them were changed.
	Read, Done int
	// Lacking are the keys that documents did not get.
	Lacking []Lacking
}

// Lacking is a document that did not get a key, and why.
type Lacking struct {
	ID    uuid.UUID
	Cause error
}

// Backfill is the work on one collection.
type Backfill struct {
	spec      docstore.Spec
	documents Documents
	// again is the time from one search for documents to the next once there are none.
	again time.Duration

	building      atomic.Pointer[[]string]
	done, lacking atomic.Int64
	cancel        context.CancelFunc
	ended         chan struct{}
}

// Start finds out which indexes are being built, and begins the work in the background. again is the time from one
// search to the next once all documents are up to date; with zero the work then ends. Without Spec.Keys nothing can
// be done, and every index counts as complete. Errors: docstore.ErrUnavailable.
func Start(ctx context.Context, spec docstore.Spec, documents Documents, again time.Duration) (*Backfill, error) {
	b := &Backfill{spec: spec, documents: documents, again: again, ended: make(chan struct{})}
	outdated, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	if spec.Keys == nil || len(outdated) == 0 && again == 0 {
		close(b.ended)
		return b, nil
	}
	go b.run(running)
	return b, nil
}

// Look finds out which indexes are being built, by another process, for a store that only reads. It needs no Close.
// Errors: docstore.ErrUnavailable.
func Look(ctx context.Context, spec docstore.Spec, documents Documents) (*Backfill, error) {
	b := &Backfill{spec: spec, documents: documents}
	_, err := b.begin(ctx)
	return b, err
}

// begin is the first look.
func (b *Backfill) begin(ctx context.Context) (outdated []string, err error) {
	b.building.Store(&[]string{})
	if b.spec.Keys == nil {
		return nil, nil
	}
	return b.look(ctx)
}

// Close ends the work and waits until it has ended.
func (b *Backfill) Close() {
	b.cancel()
	<-b.ended
}

// Check returns a *docstore.BuildingError if a query names an index that is being built.
func (b *Backfill) Check(q docstore.Query) error {
	for _, index := range *b.building.Load() {
		_, named := q.Equal[index]
		if named || slices.ContainsFunc(q.Ranges, func(r docstore.Range) bool { return r.Index == index }) {
			return b.Building(index)
		}
	}
	return nil
}

// Building returns the refusal of an index that is being built.
func (b *Backfill) Building(index string) error {
	return &docstore.BuildingError{Collection: b.spec.Name, Index: index}
}

// Progress returns what was done since the start.
func (b *Backfill) Progress() docstore.Backfill {
	return docstore.Backfill{Building: len(*b.building.Load()), Done: b.done.Load(), Lacking: b.lacking.Load()}
}

func (b *Backfill) run(ctx context.Context) {
	defer close(b.ended)
	for ctx.Err() == nil {
		outdated, err := b.look(ctx)
		for _, stamp := range outdated {
			if err == nil {
				err = b.rekey(ctx, stamp)
			}
		}
		switch {
		case err != nil:
			wait(ctx, retryAfter)
		case len(outdated) > 0:
			// Only a search that finds nothing says that there is nothing left.
			wait(ctx, searchAfter)
		case b.again == 0:
			return
		default:
			wait(ctx, b.again)
		}
	}
}

// look finds the stamps whose documents are to be brought up to date, and with them the indexes that are being built.
func (b *Backfill) look(ctx context.Context) (outdated []string, err error) {
	stamps, err := b.documents.Stamps(ctx)
	if err != nil {
		return nil, err
	}
	building := []string{}
	for _, stamp := range stamps {
		labels, err := b.documents.Labels(ctx, stamp)
		if err != nil {
			return nil, err
		}
		// A document that no stamp vouches for may lack a key although there was an index: it is brought up to date
		// too.
		lacks := stamp == Unstamped
		for _, index := range b.spec.Indexes {
			if !slices.Contains(labels, Label(index)) {
				lacks = true
				building = append(building, index.Name)
			}
		}
		if lacks {
			outdated = append(outdated, stamp)
		}
	}
	b.building.Store(&building)
	return outdated, nil
}

// rekey brings all documents with a stamp up to date, batch by batch. It pauses after each for as long as the batch
// took, so that most of the store is left to the requests.
func (b *Backfill) rekey(ctx context.Context, stamp string) error {
	for {
		began := time.Now()
		batch, err := b.documents.Rekey(ctx, stamp, b.derive)
		if err != nil {
			return err
		}
		b.done.Add(int64(batch.Done))
		b.lacking.Add(int64(len(batch.Lacking)))
		if b.spec.Lacking != nil {
			for _, lacking := range batch.Lacking {
				b.spec.Lacking(lacking.ID, lacking.Cause)
			}
		}
		// Where none was changed, others changed all of them: that is for the next search to find out.
		if batch.Done == 0 || batch.Read == 0 {
			return nil
		}
		wait(ctx, time.Since(began))
	}
}

func (b *Backfill) derive(doc docstore.Document) (docstore.Keys, error) {
	keys, err := b.spec.Keys(doc)
	if err != nil {
		return nil, err
	}
	return b.spec.Led(doc.Owner, keys), b.spec.CheckKeys(keys)
}

func wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
