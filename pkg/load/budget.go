package load

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// Page is what a request takes besides its body while a service works on it, in bytes: nothing that is read for one is
// larger at a time than a page of a list may be, or than one record.
const Page = 1 << 20

// Budget is the bytes that the requests of a process may have in work together. One caller may have half of them.
type Budget struct {
	total, share int64

	mu   sync.Mutex
	used int64
	// callers holds what each caller has in work, if anything.
	callers map[string]int64
}

// NewBudget returns a budget of a number of bytes.
func NewBudget(total int64) *Budget {
	return &Budget{total: total, share: total / 2, callers: map[string]int64{}}
}

// PagesOfOne returns how many pages one caller may have of a budget of a number of bytes.
func PagesOfOne(total int64) int64 { return total / 2 / Page }

// Used returns how many bytes are in work.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// account is what one request has taken.
type account struct {
	budget *Budget

	mu     sync.Mutex
	caller string
	// taken is all that the request has, and flat the part of it that does not depend on its body. flat becomes due
	// when the caller is known.
	taken, flat, due int64
}

// begin opens an account for a request that takes a flat number of bytes, and puts it into the context that is
// returned. A request that has one keeps it, and opened is nil: what a service does for it in the process of the
// gateway ends with the gateway's response. Without a budget nothing is bounded.
func (b *Budget) begin(ctx context.Context, flat int64) (under context.Context, opened *account) {
	if b == nil {
		return ctx, nil
	}
	if a := accountOf(ctx); a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.due = max(a.due, flat)
		return ctx, nil
	}
	opened = &account{budget: b, due: flat}
	return request.WithAccount(ctx, opened), opened
}

func accountOf(ctx context.Context) *account {
	a, _ := request.AccountFrom(ctx).(*account)
	return a
}

// Charge implements request.Account. It takes nothing if it is refused: with problem.Overloaded if the budget is used
// up, and with problem.ShareUsedUp if other requests of the caller have too much in work. A request that has the share,
// or the budget, for itself alone is never refused, however much it needs.
func (a *account) Charge(caller string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken == 0 {
		a.caller = caller
	}
	return a.takeFlat(0)
}

// takeFlat takes what is due and not taken yet, and a number of bytes more. The account is locked.
func (a *account) takeFlat(more int64) error {
	bytes := a.due - a.flat + more
	if err := a.budget.take(a, bytes); err != nil {
		return err
	}
	a.taken += bytes
	a.flat = a.due
	return nil
}

// Rest implements request.Account.
func (a *account) Rest() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.give(a.flat)
	a.flat = 0
}

// Resume implements request.Account.
func (a *account) Resume() error { return a.worked(0) }

// awaits gives back the flat part while a body is awaited, and returns the error that worked would return if the body
// had come. Otherwise a few bodies that never come would keep all memory from others.
func (a *account) awaits(bytes int64) error {
	a.Rest()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.budget.fits(a, a.due+bytes)
}

// came takes bytes for a part of a body that has come, and worked those for the work on the whole body.
func (a *account) came(bytes int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.budget.take(a, bytes); err != nil {
		return err
	}
	a.taken += bytes
	return nil
}

func (a *account) worked(bytes int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.takeFlat(bytes)
}

func (a *account) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.give(a.taken)
}

// give gives bytes back. The account is locked.
func (a *account) give(bytes int64) {
	if bytes == 0 {
		return
	}
	a.taken -= bytes
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	if b.callers[a.caller] -= bytes; b.callers[a.caller] == 0 {
		delete(b.callers, a.caller)
	}
}

func (b *Budget) take(a *account, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refusal(a, bytes); err != nil || bytes == 0 {
		return err
	}
	b.used += bytes
	b.callers[a.caller] += bytes
	return nil
}

// fits returns the error that take would return at present, and takes nothing.
func (b *Budget) fits(a *account, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusal(a, bytes)
}

// refusal returns why an account gets no more bytes, nil if it does.
func (b *Budget) refusal(a *account, bytes int64) error {
	others := b.callers[a.caller] - a.taken
	switch {
	case bytes == 0:
		return nil
	case others > 0 && others+a.taken+bytes > b.share:
		return shareUsedUp()
	case b.used > a.taken && b.used+bytes > b.total:
		return overloaded()
	default:
		return nil
	}
}

func shareUsedUp() error {
	return problem.New(problem.ShareUsedUp, "Other requests of this caller have as much in work as one caller may "+
		"have. Send the request again when they have ended.").
		WithHeader("Retry-After", retryAfter)
}

func overloaded() error {
	return problem.New(problem.Overloaded,
		"The exchange has as much in work as it can have. Nothing was done; send the request again.").
		WithHeader("Retry-After", retryAfter)
}

// retryAfter is the number of seconds after which a refused caller may try again. What fills a budget ends within
// that, mostly.
const retryAfter = "1"

// How much memory a body needs, as multiples of its size.
const (
	// arrivingWeight is for a body under way: its buffer, and the former one until it is collected.
	arrivingWeight = 2
	// bodyWeight is for a whole body: its text, the record that is made of it, its canonical form, and what is written
	// of it. A body with as many members as one may have needs the most.
	bodyWeight = 10
)

// accountedBody is the body of a request that a service works on. Reading it takes the memory for that work. What a
// body declares as its length is not taken before it has come: otherwise a few that never come would keep the memory
// from all others.
type accountedBody struct {
	io.ReadCloser
	account  *account
	declared int64
	came     int64
	// refused is what further reads return.
	refused error
}

// Unaccounted returns the body of a request so that reading it takes no memory from its account.
func Unaccounted(body io.ReadCloser) io.ReadCloser {
	if accounted, is := body.(*accountedBody); is {
		return accounted.ReadCloser
	}
	return body
}

// bodyOf returns the body of a request whose reading takes from its account.
func bodyOf(r *http.Request, a *account) io.ReadCloser {
	return &accountedBody{ReadCloser: r.Body, account: a, declared: max(0, r.ContentLength)}
}

// Read implements io.Reader. Its errors are those of the body, and *problem.Error.
func (b *accountedBody) Read(p []byte) (int, error) {
	if b.refused != nil {
		return 0, b.refused
	}
	if b.came == 0 {
		// A body that cannot be worked on at present is not read.
		if b.refused = b.account.awaits(bodyWeight * b.declared); b.refused != nil {
			return 0, b.refused
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.came += int64(n)
	if b.refused = b.account.came(arrivingWeight * int64(n)); b.refused != nil {
		return 0, b.refused
	}
	if errors.Is(err, io.EOF) {
		if b.refused = b.account.worked((bodyWeight - arrivingWeight) * b.came); b.refused == nil {
			b.refused = io.EOF
		}
		err = b.refused
	}
	return n, err
}
