// Package request holds what travels with a request from process to process: its id and trace context, the caller it
// speaks for, the credential that proves that it comes from within the exchange, and what is left of its time.
package request

import (
	"context"
	"slices"
)

// Caller is who a request speaks for.
type Caller struct {
	// Subject names the caller, as its token does.
	Subject string
	// Scopes are what the token allows, in its order.
	Scopes []string
}

// Has reports whether the caller holds a scope.
func (c Caller) Has(scope string) bool { return slices.Contains(c.Scopes, scope) }

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerFrom returns the caller that the context carries; the zero Caller where there is none.
func CallerFrom(ctx context.Context) Caller {
	caller, _ := ctx.Value(callerKey{}).(Caller)
	return caller
}
