package book

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/changes"
	"insurance.example/exchange/services/book/rows"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

// sources are the services whose logs the book reads, each after those that it calls.
var sources = []string{"parties", "coverage", "claims", "premium"}

const (
	// again is how long the follower rests at least once it has read all logs to their ends. It rests as long as it has
	// worked, so that what runs beside it has half of the time. Until then it does not rest.
	again = 400 * time.Millisecond
	// later is how long it rests after a service did not respond.
	later = 2 * time.Second
	// contractsEvery is how often it reads the contracts of an organisation, which have no log.
	contractsEvery = 5 * time.Second
)

// follower reads the logs of the other services into a book.
type follower struct {
	// book is the book, nil until open could open it.
	book *rows.Book
	open func() (*rows.Book, error)
	peer func(string) *peer.Client
	log  *slog.Logger
	lag  *lag
	// wall is the clock of the machine, which no test clock moves.
	wall func() time.Time
	// contractsAt is when the contracts of each organisation were read.
	contractsAt map[string]time.Time
	// next gets the book that takes the place of this one.
	next chan *successor
	// entries is how many were read, and says gets that and the instant up to which all logs were; nil for nobody.
	entries int
	says    func(entries int, upTo time.Time)
}

// beside returns what reads the logs into a book beside the one that is served.
func beside(
	b *rows.Book, peer func(string) *peer.Client, log *slog.Logger, wall func() time.Time,
) *follower {
	return &follower{book: b, peer: peer, log: log, lag: newLag(prometheus.NewRegistry()), wall: wall,
		contractsAt: map[string]time.Time{}}
}

// CatchUp reads the logs of the other services to their ends into a book that nobody else writes. says gets how many
// entries were read by then.
func CatchUp(ctx context.Context, b *rows.Book, peer func(string) *peer.Client, says func(entries int)) error {
	still := func() time.Time { return time.Time{} } // contracts are read once
	f := beside(b, peer, slog.New(slog.DiscardHandler), still)
	f.says = func(entries int, _ time.Time) { says(entries) }
	return f.round(request.ForExchange(ctx))
}

// run follows the logs until ctx ends.
func (f *follower) run(ctx context.Context) {
	failing := ""
	for ctx.Err() == nil {
		began := f.wall()
		err := f.opened()
		if err == nil {
			err = f.round(ctx)
		}
		rest := max(again, f.wall().Sub(began))
		switch {
		case err == nil && failing != "":
			f.log.InfoContext(ctx, "the book follows again")
			failing = ""
		case err != nil && ctx.Err() == nil:
			if rest = later; failing != err.Error() {
				failing = err.Error()
				f.log.WarnContext(ctx, "the book does not follow, and tries again", "error", err)
			}
		}
		f.lag.behind(failing != "")
		select {
		case <-ctx.Done():
		case next := <-f.next:
			f.succeed(ctx, next)
		case <-time.After(rest):
		}
	}
}

// opened opens the book, if it is not open.
func (f *follower) opened() (err error) {
	if f.book == nil {
		f.book, err = f.open()
	}
	return err
}

// rounds is how often all logs are read before what is due is computed, while they have more. A policy is computed once
// for all that was read of it: in the beginning for all that there is.
const rounds = 50

// round reads all logs to their ends, and computes what is due.
func (f *follower) round(ctx context.Context) error {
	first, err := f.book.First()
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		reached, more, err := f.readAll(ctx)
		if err != nil {
			return err
		}
		if f.says != nil {
			f.says(f.entries, reached)
		}
		if more && (first || n%rounds > 0) {
			continue
		}
		if err := f.contracts(ctx); err != nil {
			return fmt.Errorf("desk: %w", err)
		}
		for due := true; due; {
			if due, err = f.book.Settle(ctx); err != nil {
				return err
			}
		}
		if !more {
			f.lag.reaches(reached)
			return f.book.Reached(reached)
		}
	}
}

// readAll reads some pages of each log. reached is an instant that no entry which was not read is before, and more
// reports whether others may follow.
func (f *follower) readAll(ctx context.Context) (reached time.Time, more bool, err error) {
	for _, service := range sources {
		at, left, err := f.read(ctx, service)
		if err != nil {
			return reached, false, fmt.Errorf("%s: %w", service, err)
		}
		if more = more || left; reached.IsZero() || at.Before(reached) {
			reached = at
		}
	}
	return reached, more, nil
}

// pages is how many pages of one log are read before the next log is.
const pages = 20

// read reads some pages of the log of a service; see readAll. Each page is asked for while the one before is applied.
func (f *follower) read(ctx context.Context, service string) (reached time.Time, more bool, err error) {
	place, err := f.book.Place(service)
	if err != nil {
		return reached, false, err
	}
	if place == "" {
		place = changes.Oldest
	}
	asking, end := context.WithCancel(ctx)
	next := f.ask(asking, service, place)
	defer func() {
		if end(); next != nil {
			<-next // nobody asks for anything once this returns
		}
	}()
	for n := 1; ; n++ {
		page := <-next
		if next = nil; page.err != nil {
			return reached, false, page.err
		}
		if !page.known {
			return reached, true, f.lost(ctx, service, place) // from its beginning
		}
		if len(page.Changes) > 0 && n < pages {
			next = f.ask(asking, service, page.Next)
		}
		reached = page.upTo
		if page.Next != place {
			if err := f.book.Apply(ctx, page.Batch); err != nil {
				return reached, false, err
			}
			f.entries += len(page.Changes)
		}
		if place = page.Next; len(page.Changes) == 0 || n == pages {
			return reached, len(page.Changes) > 0, nil
		}
	}
}

// asked is a page of a log; known is false for one of a place that the log does not have.
type asked struct {
	rows.Batch
	upTo  time.Time
	known bool
	err   error
}

// ask asks for the page of the log of a service after a place.
func (f *follower) ask(ctx context.Context, service, place string) <-chan asked {
	to := make(chan asked, 1)
	go func() { to <- f.page(ctx, service, place) }()
	return to
}

func (f *follower) page(ctx context.Context, service, place string) (a asked) {
	var page internalapi.Changes
	page, a.known, a.err = peer.Get[internalapi.Changes](ctx, f.peer(service), internalapi.ChangesPath+
		url.PathEscape(place)+"?records=true&limit="+strconv.Itoa(rest.MaxLimit))
	if a.err == nil && a.known {
		a.upTo = page.Watermark.Time()
		a.Batch = rows.Batch{Service: service, Changes: page.Changes, Next: page.Next}
		a.Reserved, a.err = f.reserved(ctx, page.Changes)
	}
	return a
}

// lost throws the book away if a log does not have the place that was read to: its database was restored or replaced.
func (f *follower) lost(ctx context.Context, service, place string) error {
	if place == changes.Oldest {
		return fmt.Errorf("the release of %s has no log of changes with records", service)
	}
	if _, has, err := peer.Get[internalapi.Changes](ctx, f.peer(service), internalapi.ChangesPath+changes.Now+
		"?records=true&limit=1"); err != nil || !has {
		return fmt.Errorf("the log of changes of %s does not respond: %w", service, err)
	}
	f.log.WarnContext(ctx, "the database of a service was restored or replaced: the book is made "+
		"anew", "service", service)
	clear(f.contractsAt)
	return f.book.Clear()
}

// reserved asks of claims that were opened again how many payments there were when their reserves were set.
func (f *follower) reserved(ctx context.Context, page []internalapi.Change) (map[string]int, error) {
	after := map[string]int{}
	for i := range page {
		c := &page[i]
		if c.Resource != "claim" || c.Type != claims.Reopened {
			continue
		}
		id, err := uuid.Parse(string(c.ID))
		if err != nil {
			return nil, err
		}
		query := url.Values{"limit": {"1"}, "at": {c.Time.Time().UTC().Format(time.RFC3339Nano)}}
		of, known, err := peer.Get[internalapi.Claims](ctx, f.peer("claims"), internalapi.ClaimsPath+
			docstore.IDBefore(id).String()+"?"+query.Encode())
		if err != nil || !known {
			return nil, fmt.Errorf("a claim as it was cannot be read: %w", err)
		}
		if len(of.Claims) == 1 && of.Claims[0].Record.ID == c.ID {
			after[rows.Versioned(c)] = of.Claims[0].ReservedAfter
		}
	}
	return after, nil
}

// contracts reads the contracts of organisations that own policies of the book, where that was not done of late.
func (f *follower) contracts(ctx context.Context) error {
	owners, err := f.book.Owners()
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if read, is := f.contractsAt[owner]; is && f.wall().Sub(read) < contractsEvery {
			continue
		}
		as, err := request.ForOwner(ctx, owner)
		if err != nil {
			return err
		}
		of, known, err := peer.Get[internalapi.BookedContracts](as, f.peer("desk"), internalapi.BookedContractsPath)
		if err != nil || !known {
			return fmt.Errorf("the contracts cannot be read: %w", err)
		}
		assigned := map[string]string{}
		for after := internalapi.Oldest; after != ""; {
			page, known, err := peer.Get[internalapi.BookedAssignments](as, f.peer("desk"),
				internalapi.BookedAssignmentsPath+after+"?limit="+strconv.Itoa(rest.MaxLimit))
			if err != nil || !known {
				return fmt.Errorf("the policies that were assigned cannot be read: %w", err)
			}
			for _, a := range page.Assignments {
				assigned[a.PolicyNumber] = a.Contract
			}
			after = page.Next
		}
		if err := f.book.Contracts(owner, of.Contracts, assigned); err != nil {
			return err
		}
		f.contractsAt[owner] = f.wall()
	}
	return nil
}
