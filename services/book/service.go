package book

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/setting"
	"insurance.example/exchange/services/book/figures"
	"insurance.example/exchange/services/book/rows"
)

// Service returns the service.
func Service() rest.Service {
	var file string
	return rest.Service{
		Name: "book", Summary: "The book in figures: policies, claims and money, added up",
		Foreign: settings.All(), Storeless: true, Peers: internalapi.Booked(),
		Sets: func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Flags: func(flags *pflag.FlagSet) {
			flags.StringVar(&file, settings.BookFile, "",
				"file in which the book is kept, so that a start need not read all logs again; a temporary one "+
					"where not given")
		},
		Declare: func(s *rest.Server, deps process.Deps) (rest.Parts, error) { return declare(s, deps, file) },
	}
}

// library is the running service.
type library struct {
	// open is the book, once it could be opened; a disk that is full does not prevent the start.
	open atomic.Pointer[rows.Book]
	zone *time.Location
	now  func() time.Time
	// amounts say what the operator has said of amounts.
	amounts setting.Amounts
	file    string
	// organisations says that organisations share the exchange, and peer returns another service.
	organisations bool
	peer          func(string) *peer.Client
	// temporary is the folder that is removed at the end; empty for none.
	temporary string
}

// book returns the book. Errors: problem.Unavailable while it is not open.
func (l *library) book() (*rows.Book, error) {
	if b := l.open.Load(); b != nil {
		return b, nil
	}
	return nil, problem.Outage(errUnread)
}

// words say in the documents what the words of money mean.
const words = "Written is the premium agreed for the whole cover, and earned the part of it that is for the days of " +
	"cover that have passed. Received is what was paid to the insurer as premium. Paid is what the insurer has paid " +
	"for claims, outstanding what is still to be paid for them as their reserves say, and incurred both together. " +
	"Ceded is the part of an amount that a reinsurer takes over; the book shows amounts before that."

func declare(s *rest.Server, deps process.Deps, file string) (rest.Parts, error) {
	l := &library{zone: s.Zone, now: deps.Now, file: file, organisations: deps.Organisations, peer: deps.Peer,
		amounts: setting.Amounts{Unit: s.AmountUnit, Currency: s.Currency}}
	s.Extend(
		l.list(rows.Policies, "listBookPolicies", "Policies with what people ask about them, filtered and sorted",
			reflect.TypeFor[book.PolicyRows](), true),
		l.list(rows.Claims, "listBookClaims", "Claims with what people ask about them, filtered and sorted",
			reflect.TypeFor[book.ClaimRows](), true),
		l.list(rows.Movements, "listBookMovements", "Receipts, refunds and payments for claims, filtered and sorted",
			reflect.TypeFor[book.MovementRows](), false),
		l.late(), l.triangle(), l.aging(),
		rest.Extension{
			Path: rest.ExtensionPrefix + "/book/summary", Method: http.MethodGet, Optional: true, ID: "summariseBook",
			Summary: "Written, earned, received, paid and incurred, added up",
			Details: "Amounts of different currencies are never added up. Each cell has the paths of the lists that " +
				"it is the sum of. " + words,
			Query: summaryParameters, Response: reflect.TypeFor[book.Summary](), Refuses: refusesReported,
			Serve: l.serveSummary,
		},
	)
	f := &follower{peer: deps.Peer, log: deps.Log, lag: newLag(deps.Metrics), wall: deps.Wall,
		contractsAt: map[string]time.Time{}, next: make(chan *successor)}
	rebuilder := newRebuilder(l, f)
	s.Extend(rebuilder.operations()...)
	f.open = func() (*rows.Book, error) {
		b, err := rows.Open(l.file, l.amounts, l.zone)
		if err == nil {
			l.open.Store(b)
		}
		return b, err
	}
	return rest.Parts{
		Open: func(context.Context) (err error) {
			if l.file == "" {
				l.temporary, err = os.MkdirTemp("", "book")
				l.file = filepath.Join(l.temporary, "book.db")
			}
			_ = f.opened() // the follower tries again, and says why
			return err
		},
		Background: func() (map[string]func(context.Context) error, error) {
			return map[string]func(context.Context) error{"follow": func(ctx context.Context) error {
				var both sync.WaitGroup
				both.Go(func() { rebuilder.run(ctx) })
				f.run(ctx)
				both.Wait()
				return l.close()
			}}, nil
		},
	}, nil
}

// lastFull returns the last month that is over.
func (l *library) lastFull() figures.Month { return figures.MonthOf(l.now(), l.zone) - 1 }

// close closes the book, and removes it if it was a temporary one.
func (l *library) close() error {
	var err error
	if b := l.open.Swap(nil); b != nil {
		err = b.Close()
	}
	if l.temporary != "" {
		err = errors.Join(err, os.RemoveAll(l.temporary))
	}
	return err
}
