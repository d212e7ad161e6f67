// Package underway keeps how far work has come that takes long, so that every replica can say so until it ends.
package underway

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
)

const (
	// collection has a document for each thing that work is done for. It is written again by the next work.
	collection = "underWay"
	index      = "of"
	// step is how many records are read or made before it is written how far the work has come. Work that is smaller
	// is done before anybody could look, and writes nothing.
	step = 2000
	// silent is after what time without a step nobody is expected to be at work any more: the process was killed.
	silent = 5 * time.Minute
)

// Log knows what work is under way. It is safe for concurrent use, once Open has returned.
type Log struct {
	kept docstore.Kept[written]
	now  func() time.Time
}

// New returns a log. Open prepares it.
func New(now func() time.Time) *Log { return &Log{now: now} }

// Open prepares the collection. It is called once, before anything else is used.
func (l *Log) Open(ctx context.Context, store docstore.Store) error {
	in, err := store.Collection(ctx, docstore.Spec{
		Name: collection, Unlogged: true, Indexes: []docstore.Index{{Name: index, Unique: true}},
	})
	l.kept = docstore.Kept[written]{In: in, What: "work", At: func(w *written) *docstore.At { return &w.place },
		Keys: func(w *written) docstore.Keys { return docstore.Keys{index: w.of} }}
	return err
}

// Found is how far work has come.
type Found struct {
	desk.WorkUnderWay
	// Part says for which part of something the work is.
	Part string `json:"part"`
}

// written is how far work has come, as it is stored.
type written struct {
	Found
	// Work names the work among all that was done for the same.
	Work uuid.UUID `json:"work"`
	// At is when this was written, and Ended says that the work is over.
	At    time.Time `json:"at"`
	Ended bool      `json:"ended,omitzero"`

	// of is what the work is done for.
	of    string
	place docstore.At
}

// Work is work under way. A nil one is none, and keeps nothing. It is not safe for concurrent use.
type Work struct {
	log *Log
	is  written
	// shown is how many records had been read and made when it was written last; 0 if it never was.
	shown int
}

// Begin returns work that begins now: for something with a name, for a part of that, and of so many records; 0 if they
// are not counted. It must be ended.
func (l *Log) Begin(ctx context.Context, of, part string, records int) *Work {
	began := desk.WorkUnderWay{
		AskedBy: request.CallerFrom(ctx).Key(), Since: scalar.Instant(l.now()), Of: records,
	}
	return &Work{log: l, is: written{Work: uuid.New(), Found: Found{began, part}, of: of}}
}

// Read notes that records were read.
func (w *Work) Read(ctx context.Context, records int) {
	if w != nil {
		w.is.Read += records
		w.goesOn(ctx)
	}
}

// Made notes that a line or an item was made.
func (w *Work) Made(ctx context.Context) {
	if w != nil {
		w.is.Made++
		w.goesOn(ctx)
	}
}

func (w *Work) goesOn(ctx context.Context) {
	if w.is.Read+w.is.Made >= w.shown+step {
		w.write(ctx)
	}
}

// End notes that the work is over, whatever came of it.
func (w *Work) End(ctx context.Context) {
	if w.is.Ended = true; w.shown > 0 {
		w.write(context.WithoutCancel(ctx))
	}
}

// write writes how far the work has come. Where it cannot, the work goes on all the same: it fails by itself if the
// store does not respond.
func (w *Work) write(ctx context.Context) {
	w.shown, w.is.At = w.is.Read+w.is.Made, w.log.now()
	before, err := w.log.find(ctx, w.is.of)
	if err != nil || w.is.Ended && before.Work != w.is.Work {
		return // others have begun meanwhile, and say how far they have come
	}
	w.is.place = before.place
	_ = w.log.kept.Write(ctx, request.OrganisationFrom(ctx), &w.is, nil)
}

// find returns what was written about something; nothing if there is none.
func (l *Log) find(ctx context.Context, of string) (*written, error) {
	is, err := l.kept.One(ctx, request.OrganisationFrom(ctx), docstore.Keys{index: of})
	return cmp.Or(is, &written{}), err
}

// Of returns how far the work for something has come; nil if none is under way. Errors: those of the store.
func (l *Log) Of(ctx context.Context, of string) (*Found, error) {
	is, err := l.find(ctx, of)
	if err != nil || is.place.Version == 0 || is.Ended || l.now().Sub(is.At) > silent {
		return nil, err
	}
	return &is.Found, nil
}
