// Package auth tells who calls: it verifies bearer tokens at the gateway, hands the caller's identity on to the
// services, and issues tokens for a deployment that has no identity provider of its own.
package auth

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

// Has tells whether the caller holds a scope.
func (c Caller) Has(scope string) bool { return slices.Contains(c.Scopes, scope) }

type callerKey struct{}

// WithCaller answers a context that carries the caller.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerFrom answers the caller that the context carries; the zero Caller where there is none.
func CallerFrom(ctx context.Context) Caller {
	caller, _ := ctx.Value(callerKey{}).(Caller)
	return caller
}
