package rest

import (
	"cmp"
	"context"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/visible"
)

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
