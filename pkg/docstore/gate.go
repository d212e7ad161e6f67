package docstore

import "context"

// Gate decides what stores may read into memory for a caller. A context carries it; without one, nothing is refused.
type Gate interface {
	// Await is called before a store reads something that it knows to be large. It may wait, and takes nothing.
	Await(ctx context.Context, bytes int) error
	// Take is called before a store copies something into memory that it then returns.
	Take(bytes int) error
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

// Await is called by a store before it reads something large. Errors: *Refusal.
func Await(ctx context.Context, bytes int) error {
	if gate, ok := ctx.Value(gateKey{}).(Gate); ok {
		return refusal(gate.Await(ctx, bytes))
	}
	return nil
}

// Take is called by a store before it copies something into memory that it then returns. Errors: *Refusal.
func Take(ctx context.Context, bytes int) error {
	if gate, ok := ctx.Value(gateKey{}).(Gate); ok {
		return refusal(gate.Take(bytes))
	}
	return nil
}

func refusal(err error) error {
	if err != nil {
		return &Refusal{err}
	}
	return nil
}
