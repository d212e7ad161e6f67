package load

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// Budget is the bytes that the requests of a process may have in work together. One caller may have half of them.
type Budget struct {
	total, share int64
	turns        *Turns // nil if large requests need none

	mu   sync.Mutex
	used int64
	// callers holds what each caller has in work, if anything.
	callers map[string]int64
}

// NewBudget returns a budget of a number of bytes. Large requests wait for one of the turns, if there are any.
func NewBudget(total int64, turns *Turns) *Budget {
	return &Budget{total: total, share: total / 2, turns: turns, callers: map[string]int64{}}
}

// Used returns how many bytes are in work.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// step is what an account takes at a time, in bytes, so that an ordinary request takes once.
const step = 16 << 10

// account is what one request has taken.
type account struct {
	budget *Budget
	caller string
	// forwarding is what a request takes when its caller is known, because it is forwarded to another process.
	forwarding int64
	// taken is the memory that the budget gave; needed is the part of it that is in use.
	mu            sync.Mutex
	taken, needed int64
	turn, closed  bool
}

// begin opens an account for a request, which it puts into the context that is returned. A request that has one keeps
// it, and opened is nil: what a service does for it in the process of the gateway ends with the gateway's response.
// Without a budget nothing is bounded.
func (b *Budget) begin(ctx context.Context, forwarding int64) (under context.Context, opened *account) {
	if b == nil || accountOf(ctx) != nil {
		return ctx, nil
	}
	opened = &account{budget: b, forwarding: forwarding}
	return docstore.WithGate(request.WithAccount(ctx, opened), opened), opened
}

func accountOf(ctx context.Context) *account {
	a, _ := request.AccountFrom(ctx).(*account)
	return a
}

// Charge implements request.Account.
func (a *account) Charge(caller string) error {
	a.mu.Lock()
	forwarding := a.forwarding
	if a.taken == 0 {
		a.caller = caller
	}
	a.forwarding = 0
	a.mu.Unlock()
	return a.take(forwarding)
}

// Take implements docstore.Gate. It takes nothing if it is refused: with problem.Overloaded if the budget is used up,
// and with problem.ShareUsedUp if other requests of the caller have too much in work. A request that has the share, or
// the budget, for itself alone is never refused, however much it needs.
func (a *account) Take(bytes int) error { return a.take(int64(bytes)) }

// Await implements docstore.Gate: it refuses what the account has no room for, unless that was read already, and waits
// for the turn of the request.
func (a *account) Await(ctx context.Context, bytes int) (waited bool, err error) {
	if a.Held() < int64(bytes) {
		if err := a.fits(int64(bytes)); err != nil {
			return false, err
		}
	}
	return a.awaitTurn(ctx, bytes)
}

// fits returns the error that take would return at present, and takes nothing.
func (a *account) fits(bytes int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusal(a, a.needed+bytes-a.taken)
}

// Held implements docstore.Gate.
func (a *account) Held() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.needed
}

// Release implements docstore.Gate: work that is done again, or piece by piece, needs the memory once.
func (a *account) Release(held int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.needed = min(a.needed, held)
	if spare := (a.taken - a.needed) / step * step; spare > 0 {
		a.budget.give(a.caller, spare)
		a.taken -= spare
	}
}

func (a *account) take(bytes int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	lacking := a.needed + bytes - a.taken
	if lacking > 0 {
		lacking = (lacking + step - 1) / step * step
		if err := a.budget.take(a, lacking); err != nil {
			return err
		}
		a.taken += lacking
	}
	a.needed += bytes
	return nil
}

func (a *account) close() {
	a.endTurn()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if a.taken > 0 {
		a.budget.give(a.caller, a.taken)
		a.taken, a.needed = 0, 0
	}
}

func (b *Budget) take(a *account, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refusal(a, bytes); err != nil {
		return err
	}
	b.used += bytes
	b.callers[a.caller] += bytes
	return nil
}

// refusal returns why an account gets no more bytes, nil if it does.
func (b *Budget) refusal(a *account, bytes int64) error {
	others := b.callers[a.caller] - a.taken
	switch {
	case bytes <= 0:
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

func (b *Budget) give(caller string, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	if b.callers[caller] -= bytes; b.callers[caller] == 0 {
		delete(b.callers, caller)
	}
}

// How much memory a body needs, as multiples of its size.
const (
	// arrivingWeight is for a body under way: its buffer, and the former one until it is collected.
	arrivingWeight = 2
	// bodyWeight is for a whole body: its text, the record that is made of it, its canonical form, and what is written
	// of it. A body with as many members as one may have needs the most.
	bodyWeight = 10
)

// accountedBody is the body of a request that a service works on. Reading it takes the memory for that work, and the
// end of a large one waits for the turn of the request. What a body declares as its length is not taken before it has
// come: otherwise a few that never come would keep the memory from all others.
type accountedBody struct {
	io.ReadCloser
	ctx      context.Context
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
	return &accountedBody{
		ReadCloser: r.Body, ctx: r.Context(), account: a, declared: max(0, r.ContentLength),
	}
}

// Read implements io.Reader. Its errors are those of the body, and *problem.Error.
func (b *accountedBody) Read(p []byte) (int, error) {
	if b.refused != nil {
		return 0, b.refused
	}
	if b.came == 0 {
		// A body that cannot be worked on at present is not read.
		if b.refused = b.account.fits(bodyWeight * b.declared); b.refused != nil {
			return 0, b.refused
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.came += int64(n)
	if b.refused = b.account.take(arrivingWeight * int64(n)); b.refused != nil {
		return 0, b.refused
	}
	if errors.Is(err, io.EOF) {
		if b.refused = b.end(); b.refused == nil {
			b.refused = io.EOF
		}
		err = b.refused
	}
	return n, err
}

// end takes the memory for the work on the whole body, and waits for the turn.
func (b *accountedBody) end() error {
	if err := b.account.take((bodyWeight - arrivingWeight) * b.came); err != nil {
		return err
	}
	_, err := b.account.awaitTurn(b.ctx, int(b.came))
	if refused := (*problem.Error)(nil); err != nil && !errors.As(err, &refused) {
		return problem.Outage(err) // the time of the request is over
	}
	return err
}
