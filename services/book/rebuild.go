package book

import (
	"context"
	"errors"
	"net/http"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/services/book/rows"
)

// anew is what the name of the file ends with in which a book is made beside the one that is served.
const anew = ".anew"

// rebuilder makes the book anew beside the one that is served, which it then takes the place of. A restart goes on with
// the file that is there.
type rebuilder struct {
	*library
	*follower // of the book that is served
	// asked gets a value when a book is to be made.
	asked chan struct{}
	mu    sync.Mutex // guards the state
	state *book.Rebuild
}

func newRebuilder(l *library, f *follower) *rebuilder {
	return &rebuilder{library: l, follower: f, asked: make(chan struct{}, 1)}
}

// operations are those that have the book made anew, and say how far that has come.
func (r *rebuilder) operations() []rest.Extension {
	const path = rest.ExtensionPrefix + "/book:rebuild"
	return []rest.Extension{{
		Path: path, Method: http.MethodPost, Writes: true, Optional: true, ID: "rebuildBook",
		Summary: "Make the book anew from the logs, beside the one that is served until it takes its place",
		Details: "Asked again meanwhile, it says how far that has come. A restart goes on with it. Of several " +
			"replicas it is the one that gets the request. Where organisations share the exchange it is nobody's: " +
			"who runs the exchange deletes the file of the book.",
		Response: reflect.TypeFor[book.Rebuild](), Refuses: []problem.Kind{problem.RightMissing},
		Serve: func(*gin.Context, any) (any, error) {
			if r.organisations {
				return nil, problem.New(problem.RightMissing, "The book has the figures of all organisations, and "+
					"none of them has it made anew: who runs the exchange deletes its file and starts it again.")
			}
			return r.begin(), nil
		},
	}, {
		Path: path, Method: http.MethodGet, Optional: true, ID: "readBookRebuild",
		Summary:  "How far the book has come that is made anew, or when it took the place of the former one",
		Response: reflect.TypeFor[book.Rebuild](), Refuses: []problem.Kind{problem.NotFound},
		Serve: func(*gin.Context, any) (any, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.state == nil {
				return nil, problem.New(problem.NotFound, "The book was not made anew since this process began.")
			}
			return *r.state, nil
		},
	}}
}

// begin has the book made anew, unless it is being made.
func (r *rebuilder) begin() book.Rebuild {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == nil || !r.state.Finished.IsZero() {
		r.state = &book.Rebuild{Since: scalar.Instant(r.wall())}
		r.asked <- struct{}{}
	}
	return *r.state
}

// run makes the book anew whenever that is asked for, and goes on with one that was begun before.
func (r *rebuilder) run(ctx context.Context) {
	if _, err := os.Stat(r.file + anew); err == nil {
		r.begin()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.asked:
		}
		for failing := ""; ctx.Err() == nil; {
			err := r.make(ctx)
			if err == nil {
				break
			}
			if ctx.Err() == nil && failing != err.Error() {
				failing = err.Error()
				r.log.WarnContext(ctx, "the book cannot be made anew, and is tried again", "error", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(later):
			}
		}
	}
}

// make makes the book, or goes on with it, and has the follower of the one that is served put it in its place.
func (r *rebuilder) make(ctx context.Context) error {
	b, err := rows.Open(r.file+anew, r.amounts, r.zone)
	if err != nil {
		return err
	}
	var since time.Time
	r.says(func(s *book.Rebuild) {
		since, err = b.Since(s.Since.Time())
		s.Since = scalar.Instant(since)
	})
	if err != nil {
		return errors.Join(err, b.Close())
	}
	f := beside(b, r.follower.peer, r.log, r.wall)
	f.says = func(entries int, upTo time.Time) {
		r.says(func(s *book.Rebuild) { s.Read, s.ReadUpTo = int64(entries), scalar.Instant(upTo) })
	}
	if err := f.round(ctx); err != nil {
		return errors.Join(err, b.Close())
	}
	to := &successor{f, make(chan error, 1)}
	select {
	case r.next <- to:
		err = <-to.put
	case <-ctx.Done():
		return errors.Join(ctx.Err(), b.Close())
	}
	if err == nil {
		r.says(func(s *book.Rebuild) { s.Finished = scalar.Instant(r.wall()) })
		r.log.InfoContext(ctx, "the book was made anew", "since", since)
	}
	return err
}

func (r *rebuilder) says(do func(*book.Rebuild)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do(r.state)
}

// successor is a book that takes the place of the one that is served. put gets what became of it; it is closed then.
type successor struct {
	*follower
	put chan error
}

// succeed has a book take the place of the one that is followed, once it has read all that this one has.
func (f *follower) succeed(ctx context.Context, next *successor) {
	err := f.opened()
	if err == nil {
		err = next.round(ctx)
	}
	if err != nil {
		next.put <- errors.Join(err, next.book.Close())
		return
	}
	if err = f.book.Become(next.book); err != nil {
		f.book = nil // it is opened again
	}
	f.contractsAt = next.contractsAt
	next.put <- err
}
