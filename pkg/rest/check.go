package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/visible"
)

// Check is one named condition that a record must meet to be written.
//
// A check runs whenever a record is written: on creation, on replacement and on every action that amends the record.
// Only a check that names what it depends on is left out, where none of those members changed: what was right when it
// was written stays, though a licence has expired since.
type Check[T any] struct {
	// Name is the condition that fails, in the words of the errors table.
	Name string
	// DependsOn are the members of the record that the outcome depends on; empty where it depends on more than them.
	DependsOn []string
	// Requires are the members without which the check cannot be evaluated. A record that lacks one (absent, null, an
	// empty string or list) is refused before Run.
	Requires []string
	// MissingAs is the problem of a record that lacks a member of Requires; problem.Required where nil.
	MissingAs problem.Kind
	// Refuses are the problems that Run returns; none for a check that only warns.
	Refuses []problem.Kind
	// Run evaluates the check. It returns nil where the record passes, a *problem.Error where it refuses, and any
	// other error where the check could not be evaluated. It may be nil where Requires says it all.
	Run func(ctx context.Context, d *Draft[T]) error

	// loads: Run is the loading of a fact, which finds out itself what is missing.
	loads bool
	// unique is the index whose value must be free; see Untaken.
	unique string
	// among is whose ids are looked for among those of its collection.
	among *documents
}

// run evaluates a check, with what it requires.
func (c *Check[T]) run(ctx context.Context, d *Draft[T]) error {
	if !c.loads {
		if p := d.missing(c.Requires, c.MissingAs); p != nil {
			return p
		}
	}
	if c.Run == nil {
		return nil
	}
	return c.Run(ctx, d)
}

// problems returns the problems that the check can refuse with.
func (c *Check[T]) problems() []problem.Kind {
	kinds := slices.Clone(c.Refuses)
	if len(c.Requires) == 0 {
		return kinds
	}
	missing := c.MissingAs
	if missing == nil {
		missing = problem.Required
	}
	if !slices.Contains(kinds, missing) {
		kinds = append(kinds, missing)
	}
	return kinds
}

// concerns reports whether the check runs where the members named changed; nil stands for a new record, or for one
// that is checked as if it were new.
func (c *Check[T]) concerns(changed []string) bool {
	return changed == nil || len(c.DependsOn) == 0 ||
		slices.ContainsFunc(c.DependsOn, func(m string) bool { return slices.Contains(changed, m) })
}

// check runs the listed checks in their order, then the value sets and the rules. changed are the members that differ
// from the stored record; nil for a record that is checked as a new one.
func (r *Records[T]) check(ctx context.Context, d *Draft[T], changed []string) error {
	for i := range r.Checks {
		if c := &r.Checks[i]; c.concerns(changed) {
			if err := r.evaluate(ctx, c, d); err != nil {
				return err
			}
		}
	}
	return r.rules(ctx, d, changed)
}

// note notes what is unusual about a record that has passed all checks.
func (r *Records[T]) note(ctx context.Context, d *Draft[T]) {
	if r.Unusual != nil {
		r.Unusual(ctx, d)
	}
}

// evaluate runs one check and reports its refusal to Config.Refused.
func (r *Records[T]) evaluate(ctx context.Context, c *Check[T], d *Draft[T]) error {
	d.look = r.look
	var err error
	if c.unique != "" {
		err = r.free(ctx, c, d)
	} else {
		err = c.run(ctx, d)
	}
	if err != nil {
		r.reportRefusal(c.Name, err)
	}
	return err
}

// reportRefusal reports to Config.Refused what a check returned, if it refuses.
func (r *documents) reportRefusal(check string, err error) {
	var p *problem.Error
	var unevaluated *unevaluatedError // an earlier check has refused
	if r.server.Refused != nil && !errors.As(err, &unevaluated) && errors.As(err, &p) &&
		p.Kind.Status() < http.StatusInternalServerError {
		r.server.Refused(r.resource, check, p.Kind)
	}
}

// rules returns the violations of the value sets and of all rules together. A refusal of another kind decides only
// where there is no violation.
func (r *Records[T]) rules(ctx context.Context, d *Draft[T], changed []string) error {
	wrong := broken{violations: r.sets.apply(reflect.ValueOf(d.Value).Elem(), r.server.Sets, "", nil)}
	for i := range r.Rules {
		if c := &r.Rules[i]; c.concerns(changed) {
			wrong.add(r.evaluate(ctx, c, d))
		}
	}
	return wrong.error()
}

// broken is what rules have found: violations, and the first refusal of another kind.
type broken struct {
	violations []problem.Violation
	other      error
}

// add adds what a rule returned, which may be nil.
func (b *broken) add(err error) {
	var p *problem.Error
	switch {
	case err == nil:
	case errors.As(err, &p) && p.Kind == problem.Invalid:
		b.violations = append(b.violations, p.Violations...)
	case b.other == nil:
		b.other = err
	}
}

func (b *broken) error() error {
	if len(b.violations) > 0 {
		return invalid(b.violations)
	}
	return b.other
}

func invalid(violations []problem.Violation) error {
	p := problem.New(problem.Invalid, "Members of the body have values that are not allowed.")
	return p.Violate(violations...)
}

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
	// Load looks the fact up. It returns errors as Check.Run does.
	Load func(ctx context.Context, d *Draft[T]) (F, error)
}

// Of returns the fact about a draft. Errors: the problem of a missing member, those of Load. After an error, the
// next calls return an *unevaluatedError that wraps it.
func (f *Fact[T, F]) Of(ctx context.Context, d *Draft[T]) (F, error) {
	if known, ok := d.facts[f]; ok {
		value, _ := known.value.(F)
		if known.err != nil {
			return value, &unevaluatedError{known.err}
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

// unevaluatedError is the error of a check that could not be evaluated because a fact that it needs could not be
// loaded, which an earlier check has reported.
type unevaluatedError struct{ cause error }

func (u *unevaluatedError) Error() string { return "not evaluated: " + u.cause.Error() }

// Unwrap returns why the fact could not be loaded.
func (u *unevaluatedError) Unwrap() error { return u.cause }

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
func Referenced[T, R any](member string, reference func(T) string, to *Records[R], unknown problem.Kind) *Fact[T, R] {
	return &Fact[T, R]{
		Name: to.Name, Requires: []string{member}, Refuses: []problem.Kind{unknown},
		Load: func(ctx context.Context, d *Draft[T]) (R, error) {
			if err := d.Resolve(ctx, member); err != nil {
				var none R
				return none, err
			}
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

// The checks that many resources have. Each takes the condition in the words of the errors table, the member that it
// depends on, and the problem that it refuses with.

// RefersTo returns the check that a required member is the id of a record of another resource of the same service.
func RefersTo[T, R any](name, member string, reference func(T) string, to *Records[R], unknown problem.Kind) Check[T] {
	return Referenced(member, reference, to, unknown).Check(name)
}

// EachRefersTo returns the check that every element of a required list is the id of a record of another resource of the
// same service, which has a collection for itself.
func EachRefersTo[T, R any](
	name, member string, references func(T) []string, to *Records[R], unknown problem.Kind,
) Check[T] {
	return Check[T]{
		Name: name, DependsOn: []string{member}, Requires: []string{member}, Refuses: []problem.Kind{unknown},
		among: &to.documents,
		Run: func(ctx context.Context, d *Draft[T]) error {
			if err := d.Resolve(ctx, member); err != nil {
				return err
			}
			p := problem.New(unknown, "")
			ids := references(d.Value)
			texts, err := to.Texts(ctx, ids, "")
			if err != nil {
				return err
			}
			for i, id := range ids {
				if _, exists := texts(id); !exists {
					p.At("/"+member+"/"+strconv.Itoa(i), "names no "+to.Name)
				}
			}
			return refusal(p)
		},
	}
}

// OneIn returns the check that a required member has a value of a set. It stores the published spelling.
func OneIn[T any](name, member, set string, sets Sets, value func(T) *string, unknown problem.Kind) Check[T] {
	return Check[T]{
		Name: name, DependsOn: []string{member}, Requires: []string{member}, Refuses: []problem.Kind{unknown},
		Run: func(_ context.Context, d *Draft[T]) error {
			p := value(d.Value)
			stored, ok := sets.Lookup(set, *p)
			if !ok {
				return problem.New(unknown, "").At("/"+member, notIn(*p, set, sets, 0))
			}
			*p = stored
			return nil
		},
	}
}

// EachIn returns the check that every element of a list, if there is any, is a value of a set. It stores the published
// spellings.
func EachIn[T any](name, member, set string, sets Sets, values func(T) []string, unknown problem.Kind) Check[T] {
	return Check[T]{
		Name: name, DependsOn: []string{member}, Refuses: []problem.Kind{unknown},
		Run: func(_ context.Context, d *Draft[T]) error {
			p := problem.New(unknown, "")
			for i, value := range values(d.Value) {
				stored, ok := sets.Lookup(set, value)
				if !ok {
					p.At("/"+member+"/"+strconv.Itoa(i), notIn(value, set, sets, len(p.Violations)))
					continue
				}
				values(d.Value)[i] = stored
			}
			return refusal(p)
		},
	}
}

// AboveZero returns the check that a required number is greater than 0.
func AboveZero[T any, N cmp.Ordered](name, member string, value func(T) *N, kind problem.Kind) Check[T] {
	return Check[T]{
		Name: name, DependsOn: []string{member}, Requires: []string{member}, Refuses: []problem.Kind{kind},
		Run: func(_ context.Context, d *Draft[T]) error {
			var zero N
			if *value(d.Value) <= zero {
				return problem.New(kind, "").At("/"+member, "must be greater than 0")
			}
			return nil
		},
	}
}

// Present returns the check that a record has the members.
func Present[T any](name string, members ...string) Check[T] {
	return Check[T]{Name: name, DependsOn: members, Requires: members}
}

// Untaken returns the check that no other record has the value of a Unique with a Taken, named by its index. It only
// settles the place of the refusal among the other checks: what keeps the value unique is the index itself.
func Untaken[T any](name, index string, dependsOn ...string) Check[T] {
	return Check[T]{Name: name, DependsOn: dependsOn, unique: index}
}

// identities returns the rules that the members which identify something have no characters that a reader does not see.
func identities[T any](all members) []Check[T] {
	var rules []Check[T]
	for _, m := range all {
		if !m.identity {
			continue
		}
		rules = append(rules, Check[T]{
			Name: m.name + " has characters that are not seen", DependsOn: []string{m.name},
			Refuses: []problem.Kind{problem.Invalid},
			Run: func(_ context.Context, d *Draft[T]) error {
				field := reflect.ValueOf(d.Value).Elem().FieldByIndex(m.index)
				if field.IsNil() {
					return nil
				}
				text := field.Elem().String()
				first, _ := utf8.DecodeRuneInString(text)
				last, _ := utf8.DecodeLastRuneInString(text)
				switch {
				case strings.ContainsFunc(text, visible.Hidden):
					return problem.New(problem.Invalid, "").At("/"+m.name, "has a control or invisible character")
				case unicode.IsSpace(first), unicode.IsSpace(last):
					return problem.New(problem.Invalid, "").At("/"+m.name, "begins or ends with a blank")
				}
				return nil
			},
		})
	}
	return rules
}

// refusal returns the problem if something violates it, and nil if nothing does.
func refusal(p *problem.Error) error {
	if len(p.Violations) == 0 {
		return nil
	}
	return p
}
