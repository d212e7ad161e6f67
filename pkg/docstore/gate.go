package docstore

import "context"

// Gate decides what may be read into memory for a caller. A context carries it; without one, nothing is refused. It is
// safe for concurrent use.
type Gate interface {
	// Await is called with the size of something large: by a store before it reads it, or by a caller before it works
	// on it. It may wait, and takes nothing. waited reports whether it did.
	Await(ctx context.Context, bytes int) (waited bool, err error)
	// Take is called before something is copied into memory.
	Take(bytes int) error
	// Held returns how many bytes were taken and not released. Release gives back what was taken beyond that since.
	Held() int64
	Release(held int64)
}

type gateKey struct{}

// WithGate returns a context under which the gate decides about every read.
func WithGate(ctx context.Context, gate Gate) context.Context {
	return context.WithValue(ctx, gateKey{}, gate)
}

// Refusal is the error of a read that the gate refused. It wraps the error of the gate, and says nothing about the
// store.
type Refusal struct{ cause error }

func (r *Refusal) Error() string { return r.cause.Error() }

func (r *Refusal) Unwrap() error { return r.cause }

// Await is called by a store before it reads something large, and by a caller before it works on something that it has
// read. waited reports whether others were worked on first, who may have changed it. Errors: *Refusal.
func Await(ctx context.Context, bytes int) (waited bool, err error) {
	if gate := gateOf(ctx); gate != nil {
		waited, err = gate.Await(ctx, bytes)
	}
	return waited, refusal(err)
}

// Take is called by a store before it copies something into memory that it then returns, and by a caller before it
// makes something as large of that. Errors: *Refusal.
func Take(ctx context.Context, bytes int) error {
	if gate := gateOf(ctx); gate != nil {
		return refusal(gate.Take(bytes))
	}
	return nil
}

// Held returns how many bytes the gate has given. A caller that reads again, or piece by piece, releases with it what
// it no longer needs.
func Held(ctx context.Context) int64 {
	if gate := gateOf(ctx); gate != nil {
		return gate.Held()
	}
	return 0
}

// Release gives back what was taken since Held returned a number of bytes.
func Release(ctx context.Context, held int64) {
	if gate := gateOf(ctx); gate != nil {
		gate.Release(held)
	}
}

func gateOf(ctx context.Context) Gate {
	gate, _ := ctx.Value(gateKey{}).(Gate)
	return gate
}

func refusal(err error) error {
	if err != nil {
		return &Refusal{err}
	}
	return nil
}
