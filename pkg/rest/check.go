package rest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"

	"insurance.example/exchange/pkg/problem"
)

// check runs the listed checks in order, then the value sets and the rules. members, if not nil, are the only ones that
// changed: checks on others are left out.
func (r *Records[T]) check(ctx context.Context, d *Draft[T], members []string) error {
	concerns := func(c Check[T]) bool {
		return members == nil || slices.ContainsFunc(c.On, func(m string) bool { return slices.Contains(members, m) })
	}
	for _, c := range r.Checks {
		if concerns(c) {
			if err := c.Run(ctx, d); err != nil {
				return err
			}
		}
	}
	return r.rules(ctx, d, concerns)
}

// rules tells the violations of all rules together; a refusal of another kind decides only where there is none.
func (r *Records[T]) rules(ctx context.Context, d *Draft[T], concerns func(Check[T]) bool) error {
	violations := r.sets.apply(reflect.ValueOf(d.Value).Elem(), r.server.Sets, "", nil)
	var first error
	for _, c := range r.Rules {
		if !concerns(c) {
			continue
		}
		err := c.Run(ctx, d)
		var p *problem.Error
		switch {
		case err == nil:
		case errors.As(err, &p) && p.Kind == problem.Invalid:
			violations = append(violations, p.Violations...)
		case first == nil:
			first = err
		}
	}
	if len(violations) > 0 {
		p := problem.New(problem.Invalid, "Members of the body have values that are not allowed.")
		p.Violations = violations
		return p
	}
	return first
}

// Required is the refusal for identifiers or fields that a check cannot be evaluated without.
func Required(members ...string) *problem.Error {
	detail := members[0] + " is required."
	if len(members) > 1 {
		detail = "Several members are required."
	}
	p := problem.New(problem.Required, detail)
	for _, m := range members {
		p.At("/"+m, "is required")
	}
	return p
}

// Refers is the check that a reference names a record of another resource of the same service. A missing reference
// is 400, one that names nothing is of the kind given.
func Refers[T, R any](name, member string, ref func(*T) string, to *Records[R], kind problem.Kind) Check[T] {
	return Check[T]{Name: name, On: []string{member}, Refuses: []problem.Kind{kind}, Requires: []string{member}, Run: func(ctx context.Context, d *Draft[T]) error {
		id := ref(d.Value)
		if id == "" {
			return Required(member)
		}
		_, found, err := to.Get(ctx, id)
		if err == nil && !found {
			return problem.New(kind, "").At("/"+member, "names no "+to.Name)
		}
		return err
	}}
}

// OneIn is the listed check that a required member has a value of a set. It stores the published spelling.
func OneIn[T any](name, member, set string, sets Sets, value func(*T) *string, kind problem.Kind) Check[T] {
	return Check[T]{Name: name, On: []string{member}, Refuses: []problem.Kind{kind}, Requires: []string{member}, Run: func(_ context.Context, d *Draft[T]) error {
		p := value(d.Value)
		if Text(p) == "" {
			return Required(member)
		}
		stored, ok := sets.Lookup(set, *p)
		if !ok {
			return problem.New(kind, "").At("/"+member, notIn(*p, set))
		}
		*p = stored
		return nil
	}}
}

// EachIn is the listed check that every element of a member, if there is any, is a value of a set. It stores the
// published spellings.
func EachIn[T any](name, member, set string, sets Sets, values func(*T) []string, kind problem.Kind) Check[T] {
	return Check[T]{Name: name, On: []string{member}, Refuses: []problem.Kind{kind}, Run: func(_ context.Context, d *Draft[T]) error {
		p := problem.New(kind, "")
		for i, value := range values(d.Value) {
			stored, ok := sets.Lookup(set, value)
			if !ok {
				p.At("/"+member+"/"+strconv.Itoa(i), notIn(value, set))
				continue
			}
			values(d.Value)[i] = stored
		}
		if len(p.Violations) > 0 {
			return p
		}
		return nil
	}}
}
