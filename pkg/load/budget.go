package load

import (
	"context"
	"errors"
	"io"
	"sync"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

const (
	// Page is what a request takes besides its body while a service works on it, in bytes: nothing that is read for one
	// is larger at a time than a page of a list may be, or than one record.
	Page = 1 << 20
	// leastKept is what a request keeps of that at least while its response is sent; else it keeps what it sends. So
	// who asks for many small records at once needs no page for each that is on its way.
	leastKept = 64 << 10
	// bodyWeight is what a body needs, as a multiple of its size: its text, the record that is made of it, its
	// canonical form, and what is written of it. A body with as many members as one may have needs the most.
	bodyWeight = 10
)

// Budget is the bytes that the requests of a process may have in work together. One caller may have half of them.
type Budget struct {
	total int64

	mu   sync.Mutex // guards the accounts as well
	used int64
	// callers holds what each caller has in work, if anything.
	callers map[string]int64
}

// NewBudget returns a budget of a number of bytes.
func NewBudget(total int64) *Budget { return &Budget{total: total, callers: map[string]int64{}} }

// PagesOfOne returns how many pages one caller may have of a budget of a number of bytes.
func PagesOfOne(total int64) int64 { return total / 2 / Page }

// Used returns how many bytes are in work.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// account is what one request has taken. A nil account takes nothing.
type account struct {
	budget *Budget
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
		b.mu.Lock()
		defer b.mu.Unlock()
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
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	if a.taken == 0 {
		a.caller = caller
	}
	return a.takeFlat()
}

// Rest implements request.Account.
func (a *account) Rest() {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.add(-a.flat)
	a.flat = 0
}

// Resume implements request.Account.
func (a *account) Resume() error {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	return a.takeFlat()
}

// keep gives back what a response of some bytes does not need of the flat part.
func (a *account) keep(bytes int) {
	if a == nil {
		return
	}
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	if kept := max(leastKept, int64(bytes)); kept < a.flat {
		a.add(kept - a.flat)
		a.flat, a.due = kept, kept
	}
}

func (a *account) close() {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.add(-a.taken)
}

// awaits gives back the flat part while a body of a declared length is awaited, and returns the error of the work on it
// if it had come. Otherwise a few bodies that never come would keep all memory from others.
func (a *account) awaits(declared int64) error {
	a.Rest()
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	return a.refusal(a.due + bodyWeight*declared)
}

// came takes what a part of a body needs that has come.
func (a *account) came(bytes int64) error {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	err := a.refusal(bodyWeight * bytes)
	if err == nil {
		a.add(bodyWeight * bytes)
	}
	return err
}

// takeFlat takes what is due and not taken yet. The budget is locked, as it is for what follows.
func (a *account) takeFlat() error {
	err := a.refusal(a.due - a.flat)
	if err == nil {
		a.add(a.due - a.flat)
		a.flat = a.due
	}
	return err
}

// add takes bytes, or gives them back.
func (a *account) add(bytes int64) {
	b := a.budget
	a.taken += bytes
	b.used += bytes
	if b.callers[a.caller] += bytes; b.callers[a.caller] == 0 {
		delete(b.callers, a.caller)
	}
}

// refusal returns why a request gets no more bytes, nil if it does.
func (a *account) refusal(bytes int64) error {
	b := a.budget
	ofCaller := b.callers[a.caller]
	switch {
	case bytes == 0:
		return nil
	case ofCaller > a.taken && ofCaller+bytes > b.total/2:
		return problem.New(problem.ShareUsedUp, "Other requests of this caller have as much in work as one caller may "+
			"have. Send the request again when they have ended.").WithHeader("Retry-After", retryAfter)
	case b.used > a.taken && b.used+bytes > b.total:
		return problem.New(problem.Overloaded,
			"The exchange has as much in work as it can have. Nothing was done; send the request again.").
			WithHeader("Retry-After", retryAfter)
	default:
		return nil
	}
}

// retryAfter is the number of seconds after which a refused caller may try again. What fills a budget ends within
// that, mostly.
const retryAfter = "1"

// accountedBody is the body of a request that a service works on. Reading it takes the memory for that work. What a
// body declares as its length is not taken before it has come: otherwise a few that never come would keep the memory
// from all others.
type accountedBody struct {
	io.ReadCloser
	account  *account
	declared int64
	begun    bool
	// ended is what further reads return.
	ended error
}

// Unaccounted returns the body of a request so that reading it takes no memory from its account.
func Unaccounted(body io.ReadCloser) io.ReadCloser {
	if accounted, is := body.(*accountedBody); is {
		return accounted.ReadCloser
	}
	return body
}

// Read implements io.Reader. Its errors are those of the body, and *problem.Error.
func (b *accountedBody) Read(p []byte) (int, error) {
	if !b.begun {
		// A body that cannot be worked on at present is not read.
		b.begun, b.ended = true, b.account.awaits(b.declared)
	}
	if b.ended != nil {
		return 0, b.ended
	}
	n, err := b.ReadCloser.Read(p)
	if b.ended = b.account.came(int64(n)); b.ended != nil {
		return 0, b.ended
	}
	if errors.Is(err, io.EOF) {
		if b.ended = b.account.Resume(); b.ended == nil {
			b.ended = io.EOF
		}
		err = b.ended
	}
	return n, err
}
