// Package request holds what a request carries from process to process: its id and trace context, its caller, the
// credential that proves that it comes from within the exchange, and the time that is left for it.
package request

import (
	"context"
	"slices"

	"insurance.example/exchange/pkg/organisation"
)

// Caller is the party that a request is made for.
type Caller struct {
	// Subject is the caller's name, from its token.
	Subject string
	// Client is the program that acts for the subject, from its token; empty if the token names none.
	Client string
	// Scopes holds the scopes of the token, in its order.
	Scopes []string
	// Organisation is the one that the caller acts for, from its token.
	Organisation organisation.ID
}

// Has reports whether the caller has a scope.
func (c Caller) Has(scope string) bool { return slices.Contains(c.Scopes, scope) }

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerFrom returns the caller that the context carries, or the zero Caller.
func CallerFrom(ctx context.Context) Caller {
	caller, _ := callerFrom(ctx)
	return caller
}

func callerFrom(ctx context.Context) (caller Caller, carried bool) {
	caller, carried = ctx.Value(callerKey{}).(Caller)
	return caller, carried
}

// OrganisationFrom returns the organisation that the caller whom the context carries acts for. It is nobody's without a
// caller, and then every store refuses the call.
func OrganisationFrom(ctx context.Context) organisation.ID {
	return CallerFrom(ctx).Organisation
}

// ForExchange returns a context for what the exchange does of its own accord: its work in the background and when it
// starts.
func ForExchange(ctx context.Context) context.Context {
	return WithCaller(ctx, Caller{Organisation: organisation.Exchange()})
}

// Account is what a request takes memory from. Package load has the accounts of a process.
type Account interface {
	// Charge says in whose name the request takes from now on. It is called before anything is taken. Its error says
	// that the caller, or all together, have too much in work.
	Charge(caller string) error
}

type accountKey struct{}

// WithAccount returns a context that carries the account of a request.
func WithAccount(ctx context.Context, account Account) context.Context {
	return context.WithValue(ctx, accountKey{}, account)
}

// AccountFrom returns the account that the context carries, or nil.
func AccountFrom(ctx context.Context) Account {
	account, _ := ctx.Value(accountKey{}).(Account)
	return account
}

// Charge charges a caller for what a request takes, if it takes from an account.
func Charge(ctx context.Context, caller string) error {
	if account := AccountFrom(ctx); account != nil {
		return account.Charge(caller)
	}
	return nil
}
