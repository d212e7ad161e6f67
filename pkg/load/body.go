package load

import (
	"context"
	"errors"
	"io"
	"net/http"

	"insurance.example/exchange/pkg/problem"
)

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
