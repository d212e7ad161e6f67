package rest

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"insurance.example/exchange/pkg/near"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/visible"
)

// ownership says who decides the value of a member. It is declared by a tag of the struct's field, so that it holds in
// every operation: creation, replacement, amendment.
type ownership int

const (
	// callers is the ownership of a member without a tag.
	callers ownership = iota
	// issued (tag `issued:"ValueSet"`, the value set empty where there is none): the exchange sets it. It is not taken
	// from the body of a creation; later it may be sent unchanged, and any other value is refused with 409.
	issued
	// fixed (tag `fixed:""`): the caller sets it on creation. Later it is as an issued member.
	fixed
	// kept (tag `kept:""`): the exchange sets it, and ignores what callers send.
	kept
)

// member is a member of a record, at its top level.
type member struct {
	name  string
	index []int // of the struct's field, for reflect.Value.FieldByIndex
	owner ownership
	set   string // the value set that an issued member has
	// identity (tag `identity:""`): its value identifies something, so that two that read the same must be the same.
	identity bool
	// reference (tag `reference:""`): its value is the name that callers give to the record; see package external.
	reference bool
	// refers are the targets of the tag `refers:"vehicle"`: a record of one of them must have each value of the member;
	// see Reference.
	refers []string
}

// members are the members of one type of record.
type members []member

var membersOfTypes sync.Map // reflect.Type -> members

// membersOf returns the members of a struct type. Members of embedded structs count as its own.
func membersOf(t reflect.Type) members {
	if value, ok := membersOfTypes.Load(t); ok {
		return value.(members)
	}
	var all members
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || !field.IsExported() || name == "" || name == "-" {
			continue
		}
		m := member{name: name, index: field.Index}
		if set, is := field.Tag.Lookup("issued"); is {
			m.owner, m.set = issued, set
		} else if _, is := field.Tag.Lookup("fixed"); is {
			m.owner = fixed
		} else if _, is := field.Tag.Lookup("kept"); is {
			m.owner = kept
		}
		_, m.identity = field.Tag.Lookup("identity")
		_, m.reference = field.Tag.Lookup("reference")
		if targets := field.Tag.Get("refers"); targets != "" {
			m.refers = strings.Split(targets, ",")
		}
		all = append(all, m)
	}
	membersOfTypes.Store(t, all)
	return all
}

// names returns the names of the members.
func (all members) names() []string {
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.name
	}
	return names
}

// find returns the member with a name.
func (all members) find(name string) (member, bool) {
	for _, m := range all {
		if m.name == name {
			return m, true
		}
	}
	return member{}, false
}

// has reports whether a record has a value for the member: not null, not an empty list, not a text of which nothing is
// seen.
func (m member) has(record reflect.Value) bool {
	if !m.given(record) {
		return false
	}
	field := reflect.Indirect(record.FieldByIndex(m.index))
	return field.Kind() != reflect.String || visible.In(field.String())
}

// given reports whether a record has something for the member: not null, not an empty string, not an empty list.
func (m member) given(record reflect.Value) bool {
	field := record.FieldByIndex(m.index)
	if zero, ok := field.Interface().(interface{ IsZero() bool }); ok && field.Kind() != reflect.Pointer {
		return !zero.IsZero()
	}
	if field.Kind() == reflect.Pointer {
		if field.IsNil() {
			return false
		}
		return field.Elem().Kind() != reflect.String || field.Elem().Len() > 0
	}
	if field.Kind() == reflect.Slice {
		return field.Len() > 0
	}
	return !field.IsZero()
}

// missing returns the problem of a record that lacks some of the members, nil where it has them all. The problem is of
// the kind given; problem.Required where nil.
func (d *Draft[T]) missing(names []string, kind problem.Kind) *problem.Error {
	return missing(reflect.ValueOf(d.Value).Elem(), names, kind)
}

func missing(record reflect.Value, names []string, kind problem.Kind) *problem.Error {
	var lacking []string
	all := membersOf(record.Type())
	for _, name := range names {
		if m, known := all.find(name); !known || !m.has(record) {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	p := Required(lacking...)
	if kind != nil {
		p.Kind = kind
	}
	return p
}

// Required returns the refusal for members that an operation cannot do without.
func Required(names ...string) *problem.Error {
	p := problem.New(problem.Required, missingDetail(len(names)))
	for _, name := range names {
		p.At("/"+name, isRequired)
	}
	return p
}

// isRequired is the reason of a violation where a required member is missing.
const isRequired = "is required"

// missingDetail returns the detail of a problem whose violations are missing members; of one, the violation says it.
func missingDetail(lacking int) string {
	if lacking == 1 {
		return ""
	}
	return "Several members are required."
}

// disown removes from a record that a caller sent for creation what is not the caller's to set.
func (all members) disown(record reflect.Value) {
	for _, m := range all {
		if m.owner == issued || m.owner == kept {
			record.FieldByIndex(m.index).SetZero()
		}
	}
}

// restore gives a record that replaces another the members that the caller does not set: those left out, and those that
// the exchange keeps. It returns a refusal for members that were sent with another value, nil where there are none.
func (all members) restore(record, stored reflect.Value) *problem.Error {
	var refused *problem.Error
	for _, m := range all {
		is, was := record.FieldByIndex(m.index), stored.FieldByIndex(m.index)
		switch {
		case m.owner == callers:
		case m.owner == kept, !m.given(record):
			is.Set(was)
		case !reflect.DeepEqual(is.Interface(), was.Interface()):
			if refused == nil {
				refused = issuedMembers()
			}
			refused.At("/"+m.name, "cannot be changed")
		}
	}
	return refused
}

// issuedMembers returns the refusal to change what the exchange issues; its violations name the members.
func issuedMembers() *problem.Error {
	return problem.New(problem.Issued, "Leave these members out, or send them as they are.")
}

// sendable reports whether a caller who creates a record sets the member.
func (all members) sendable(name string) bool {
	m, known := all.find(name)
	return name != "id" && (!known || m.owner == callers || m.owner == fixed)
}

// Sets are the value sets that members tagged `set:"Name"` are checked against.
type Sets interface {
	// Lookup returns the value that is stored for a spelling, and whether the set has it.
	Lookup(set, value string) (stored string, ok bool)
	// Values returns the values of a set, in order; none for a set that does not exist.
	Values(set string) []string
	// Meant returns the value of a set that people mean by one that it does not have; empty if that is not known.
	Meant(set, value string) string
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
			Pointer: pointer, Reason: notIn(field.String(), set, sets, len(violations)),
		})
	}
	field.SetString(stored)
	return violations
}

// notIn says that a value is outside its set, and for the violations that a problem lists which values there are.
// before is the number of violations before it.
func notIn(value, set string, sets Sets, before int) string {
	value = problem.Short(value)
	reason := strconv.Quote(value) + " is no value of " + set
	if meant := sets.Meant(set, value); meant != "" {
		return reason + "; what is meant is " + meant
	}
	if before < problem.MaxViolations {
		reason += "; " + near.Values(value, sets.Values(set))
	}
	return reason
}
