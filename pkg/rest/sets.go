package rest

import (
	"reflect"
	"strconv"
	"strings"

	"insurance.example/exchange/pkg/problem"
)

// Sets are the value sets that members tagged `set:"Name"` are checked against.
type Sets interface {
	// Lookup returns the value that is stored for a spelling, and whether the set has it.
	Lookup(set, value string) (stored string, ok bool)
	// Values returns the values of a set, in order; none for a set that does not exist.
	Values(set string) []string
}

// plan is where the tagged members of a struct are; it is made once for each type.
type plan []planned

type planned struct {
	index  int
	name   string // of the JSON member; empty for an embedded struct
	set    string
	nested plan
}

// planOf finds the members tagged with a set: *string or []string, in the struct and in the structs it holds.
func planOf(t reflect.Type) plan {
	var p plan
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if set := field.Tag.Get("set"); set != "" {
			p = append(p, planned{index: i, name: name, set: set})
			continue
		}
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() != reflect.Struct {
			continue
		}
		if nested := planOf(inner); nested != nil {
			p = append(p, planned{index: i, name: name, nested: nested})
		}
	}
	return p
}

// apply replaces each value by the one that is stored for it, and adds a violation for each that its set lacks.
func (p plan) apply(v reflect.Value, sets Sets, at string, violations []problem.Violation) []problem.Violation {
	for _, m := range p {
		field, pointer := v.Field(m.index), at
		if m.name != "" {
			pointer += "/" + m.name
		}
		switch {
		case field.Kind() == reflect.Pointer && field.IsNil():
		case m.nested != nil:
			violations = m.nested.apply(reflect.Indirect(field), sets, pointer, violations)
		case field.Kind() == reflect.Slice:
			for i := range field.Len() {
				violations = look(field.Index(i), sets, m.set, pointer+"/"+strconv.Itoa(i), violations)
			}
		default:
			violations = look(field.Elem(), sets, m.set, pointer, violations)
		}
	}
	return violations
}

func look(field reflect.Value, sets Sets, set, pointer string, violations []problem.Violation) []problem.Violation {
	stored, ok := sets.Lookup(set, field.String())
	if !ok {
		return append(violations, problem.Violation{
			Pointer: pointer, Reason: notIn(field.String(), set),
		})
	}
	field.SetString(stored)
	return violations
}

// notIn says that a value is outside its set.
func notIn(value, set string) string { return strconv.Quote(short(value)) + " is no value of " + set }

// short cuts a text that a response repeats, so that a long one does not fill it.
func short(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
