package request

import "context"

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
