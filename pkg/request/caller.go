// Package request holds what a request carries from process to process: its id and trace context, its caller, the
// credential that proves that it comes from within the exchange, and the time that is left for it.
package request

import (
	"context"
	"slices"
	"strconv"

	"insurance.example/exchange/pkg/organisation"
)

// Caller is the party that a request is made for.
type Caller struct {
	// Subject is the caller's name, from its token.
	Subject string
	// Issuer is who issued the token; empty if the exchange is not shared by organisations.
	Issuer string
	// Client is the program that acts for the subject, from its token; empty if the token names none.
	Client string
	// Scopes holds the scopes of the token, in its order.
	Scopes []string
	// Organisation is the one that the caller acts for, from its token.
	Organisation organisation.ID
	// Reason is why an operator reads, in its words. It is empty for everybody else.
	Reason string
}

// Has reports whether the caller has a scope.
func (c Caller) Has(scope string) bool { return slices.Contains(c.Scopes, scope) }

// Key returns what is the same for two callers only if they are the same: the subject, and in an exchange that
// organisations share the organisation and the issuer as well.
func (c Caller) Key() string {
	if c.Organisation.Operates() {
		return operatorKey + " " + strconv.Quote(c.Issuer) + " " + c.Subject
	}
	if c.Organisation.Name() == "" {
		return c.Subject
	}
	return c.Organisation.Name() + " " + strconv.Quote(c.Issuer) + " " + c.Subject
}

// operatorKey stands for the organisation of an operator. No organisation can have it as its name.
const operatorKey = "!"

// Account returns in whose name the requests of a caller take memory and turns: that of its organisation if it has a
// name, so that no organisation gets more by having many callers, else its subject.
func (c Caller) Account() string {
	if c.Organisation.Operates() {
		return c.Key()
	}
	if name := c.Organisation.Name(); name != "" {
		return name
	}
	return c.Subject
}

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

// ForOwner returns a context for what the exchange does of its own accord in the name of the organisation that owns
// what it works on; the only one has the empty name. Errors: organisation.ErrName.
func ForOwner(ctx context.Context, name string) (context.Context, error) {
	who, err := organisation.Owner(name)
	if err != nil {
		return nil, err
	}
	return WithCaller(ctx, Caller{Organisation: who}), nil
}

// Sought is a name as an organisation looks it up. It is the key of what a process remembers: what one organisation has
// found is not there for another.
type Sought struct {
	by   organisation.ID
	name string
}

// SoughtBy returns a name as the organisation looks it up that the caller whom the context carries acts for.
func SoughtBy(ctx context.Context, name string) Sought { return Sought{OrganisationFrom(ctx), name} }

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
