package load

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

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

// Register registers the metric of a budget, which deploy/README.md describes.
func (b *Budget) Register(registerer prometheus.Registerer) {
	promauto.With(registerer).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_work_bytes",
		Help: "Memory that requests have taken from the budget of the process (work-memory).",
	}, func() float64 { return float64(b.Used()) })
}

// account is what one request has taken.
type account struct {
	budget *Budget
	caller string
	// taken is all that the request has, and flat the part of it that does not depend on its body. due is what flat is
	// unless the request rests.
	taken, flat, due int64
}

func accountOf(ctx context.Context) *account {
	a, _ := request.AccountFrom(ctx).(*account)
	return a
}

// Charge implements request.Account. It takes nothing if it is refused: with problem.Overloaded if the budget is used
// up, and with problem.ShareUsedUp if other requests of the caller have too much in work. A request that has the share,
// or the budget, for itself alone is never refused, however much it needs.
func (a *account) Charge(caller string, bytes int64) error {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	if a.taken == 0 {
		a.caller = caller
	}
	a.due = max(a.due, bytes)
	return a.take(a.due, 0)
}

// Rest implements request.Account.
func (a *account) Rest() {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	_ = a.take(0, 0) // less is never refused
}

// Resume implements request.Account.
func (a *account) Resume() error {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	return a.take(a.due, 0)
}

// keep gives back what a response of some bytes does not need of the flat part.
func (a *account) keep(bytes int) {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	if kept := max(leastKept, int64(bytes)); kept < a.flat {
		a.due = kept
		_ = a.take(kept, 0) // less is never refused
	}
}

func (a *account) close() {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	_ = a.take(0, a.flat-a.taken) // less is never refused
}

// awaits gives back the flat part while a body of a declared length is awaited, and returns the error of the work on it
// if it had come. Otherwise a few bodies that never come would keep all memory from others.
func (a *account) awaits(declared int64) error {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	_ = a.take(0, 0) // less is never refused
	return a.refusal(a.due + bodyWeight*declared)
}

// came takes what a part of a body needs that has come, and at its end the flat part again. It returns the error with
// which that was read, or why the request gets no more.
func (a *account) came(bytes int, err error) error {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	flat := a.flat
	if errors.Is(err, io.EOF) {
		flat = a.due
	}
	if refused := a.take(flat, bodyWeight*int64(bytes)); refused != nil {
		return refused
	}
	return err
}

// take has the flat part be a number of bytes, and takes some for the body, unless that is refused. The budget is
// locked, as it is for what follows.
func (a *account) take(flat, body int64) error {
	b, bytes := a.budget, flat-a.flat+body
	if err := a.refusal(bytes); err != nil {
		return err
	}
	a.flat = flat
	a.taken += bytes
	b.used += bytes
	if b.callers[a.caller] += bytes; b.callers[a.caller] == 0 {
		delete(b.callers, a.caller)
	}
	return nil
}

// full is the error of the requests for which there is no memory.
var full = problem.Later(problem.Overloaded,
	"The exchange has as much in work as it can have. Nothing was done; send the request again.")

// refusal returns why a request gets no more bytes, nil if it does.
func (a *account) refusal(bytes int64) error {
	b := a.budget
	ofCaller := b.callers[a.caller]
	switch {
	case bytes <= 0:
		return nil
	case ofCaller > a.taken && ofCaller+bytes > b.total/2:
		return ShareRefusal
	case b.used > a.taken && b.used+bytes > b.total:
		return full
	default:
		return nil
	}
}

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

// Read implements io.Reader. Its errors are those of the body, and *problem.Error.
func (b *accountedBody) Read(p []byte) (n int, err error) {
	if !b.begun {
		// A body that cannot be worked on at present is not read.
		b.begun, b.ended = true, b.account.awaits(b.declared)
	}
	if b.ended == nil {
		n, err = b.ReadCloser.Read(p)
		b.ended = b.account.came(n, err)
	}
	return n, b.ended
}
