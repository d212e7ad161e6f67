package rest

import (
	"context"

	"insurance.example/exchange/pkg/problem"
)

// Fact is something that checks look up about a draft, such as the policy that a claim is against. Of loads it. It is
// loaded at most once for each draft, by whichever check asks first, so that no check depends on another having run.
// F is what is loaded.
type Fact[T, F any] struct {
	// Name is the name under which the dry run shows the fact.
	Name string
	// Requires are the members of the record without which the fact cannot be loaded.
	Requires []string
	// MissingAs is the problem of a record that lacks a member of Requires; problem.Required where nil.
	MissingAs problem.Kind
	// Refuses are the problems that Load returns.
	Refuses []problem.Kind
	// Load looks the fact up. Its errors are those of Check.Run.
	Load func(ctx context.Context, d *Draft[T]) (F, error)
}

// Of returns the fact about a draft. Errors: the problem of a missing member, those of Load. After an error, the
// next calls return a *Unevaluated that wraps it.
func (f *Fact[T, F]) Of(ctx context.Context, d *Draft[T]) (F, error) {
	if known, ok := d.facts[f]; ok {
		value, _ := known.value.(F)
		if known.err != nil {
			return value, &Unevaluated{known.err}
		}
		return value, nil
	}
	value, err := f.load(ctx, d)
	d.learn(f, fact{f.Name, value, err})
	return value, err
}

func (f *Fact[T, F]) load(ctx context.Context, d *Draft[T]) (value F, err error) {
	if p := d.missing(f.Requires, f.MissingAs); p != nil {
		return value, p
	}
	return f.Load(ctx, d)
}

// Set gives the fact about a draft that is not made from a caller's body, in place of loading it.
func (f *Fact[T, F]) Set(d *Draft[T], value F) { d.learn(f, fact{f.Name, value, nil}) }

// Check returns the check that the fact can be loaded. It depends on the members that the fact requires.
func (f *Fact[T, F]) Check(name string) Check[T] {
	return Check[T]{
		Name: name, DependsOn: f.Requires, Requires: f.Requires, MissingAs: f.MissingAs, Refuses: f.Refuses,
		Run: func(ctx context.Context, d *Draft[T]) error {
			_, err := f.Of(ctx, d)
			return err
		},
		loads: true,
	}
}

// Unevaluated is the error of a check that could not be evaluated because a fact that it needs could not be loaded,
// which an earlier check has reported.
type Unevaluated struct{ cause error }

func (u *Unevaluated) Error() string { return "not evaluated: " + u.cause.Error() }

// Unwrap returns why the fact could not be loaded.
func (u *Unevaluated) Unwrap() error { return u.cause }

// fact is what is known of one Fact about a draft.
type fact struct {
	name  string
	value any
	err   error
}

func (d *Draft[T]) learn(key any, known fact) {
	if d.facts == nil {
		d.facts = make(map[any]fact, 2)
	}
	d.facts[key] = known
}

// Referenced returns the fact that is the record which a member refers to. A reference that names no record of the
// resource is refused with the kind given.
func Referenced[T, R any](member string, reference func(*T) string, to *Records[R], unknown problem.Kind) *Fact[T, R] {
	return &Fact[T, R]{
		Name: to.Name, Requires: []string{member}, Refuses: []problem.Kind{unknown},
		Load: func(ctx context.Context, d *Draft[T]) (R, error) {
			record, found, err := to.Get(ctx, reference(d.Value))
			if err == nil && !found {
				err = problem.New(unknown, "").At("/"+member, "names no "+to.Name)
			}
			if err != nil {
				var none R
				return none, err
			}
			return record.Value, nil
		},
	}
}
