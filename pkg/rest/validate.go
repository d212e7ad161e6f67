package rest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"insurance.example/exchange/pkg/problem"
)

// noSet says that the value set of a member is none of those that are loaded.
const noSet = "member %s: there is no value set %s among those that are loaded"

// validate returns what is wrong with the declarations, every fault with the name of the resource and of the
// declaration.
func (s *Server) validate() error {
	var faults []error
	seen := map[string]bool{}
	for _, r := range s.resources {
		if seen[r.name()] {
			faults = append(faults, fmt.Errorf("resource %s is declared twice", r.name()))
		}
		seen[r.name()] = true
		for _, fault := range r.validate(s.Sets) {
			faults = append(faults, fmt.Errorf("resource %s: %w", r.name(), fault))
		}
	}
	return errors.Join(faults...)
}

func (l *StaticList) validate(Sets) []error {
	var f faults
	f.unless(l.Name != "", "it has no Name")
	f.unless(len(l.Body) > 0 && l.Of != nil, "it has no Body, or does not say of what")
	return f
}

// faults collects what is wrong with a declaration.
type faults []error

func (f *faults) unless(holds bool, format string, arguments ...any) {
	if !holds {
		*f = append(*f, fmt.Errorf(format, arguments...))
	}
}

func (r *Records[T]) validate(sets Sets) []error {
	var f faults
	f.unless(r.Name != "", "it has no Name")
	_, identifies := any(empty[T]()).(identified)
	f.unless(identifies, "%s has no RecordID and SetRecordID", recordType[T]())
	f.unless(r.Immutable == nil || !r.Merge && !r.NoReplace,
		"Immutable says all about PUT; Merge and NoReplace do not go with it")
	f.unless(!r.Merge || !r.NoReplace, "Merge and NoReplace do not go together")
	f.unless(r.MadeOf == "" || slices.ContainsFunc(r.Actions, func(a Action[T]) bool { return a.spawn != nil }),
		"it has an index MadeOf and no action that makes a second record")
	r.validateNames(&f)
	r.sets.validate(&f, sets)
	for _, m := range r.members {
		f.unless(m.set == "" || len(sets.Values(m.set)) > 0, noSet, m.name, m.set)
	}
	for i := range r.Unique {
		f.unless(r.Unique[i].Index != "" && r.Unique[i].Value != nil, "a Unique has no Index or no Value")
	}
	for i := range r.Checks {
		r.validateCheck(&f, &r.Checks[i])
	}
	for i := range r.Rules {
		r.validateCheck(&f, &r.Rules[i])
	}
	r.validateActions(&f, sets)
	return f
}

// validateNames checks that the names in aliases and filters exist.
func (r *Records[T]) validateNames(f *faults) {
	f.aliases(r.members, r.Aliases, r.Flatten)
	r.validateSearch(f)
	for _, filter := range r.Filters {
		_, known := r.members.find(filter.Index)
		f.unless(known, "filter %s names no member", filter.Index)
		f.unless(filter.Key != nil && len(filter.params) > 0, "filter %s has no Key or no parameter", filter.Index)
		unique := slices.ContainsFunc(r.Unique, func(u Unique[T]) bool { return u.Index == filter.Index })
		f.unless(!filter.ranged || !unique, "filter %s asks for ranges of a unique index, which has none", filter.Index)
	}
}

// aliases checks that aliases stand for members, and that neither they nor flattened objects are members themselves.
func (f *faults) aliases(all members, aliases map[string]string, flattened []string) {
	for alias, name := range aliases {
		_, taken := all.find(alias)
		f.unless(!taken, "alias %s is itself a member", alias)
		_, known := all.find(name)
		f.unless(known || name == "" || name == "id", "alias %s stands for %s, which is no member", alias, name)
	}
	for _, name := range flattened {
		_, taken := all.find(name)
		f.unless(!taken, "flattened object %s is itself a member", name)
	}
}

func (r *Records[T]) validateCheck(f *faults, c *Check[T]) {
	f.unless(c.Name != "", "a check has no Name")
	c.validate(f, r.members)
	if c.unique != "" {
		f.unless(slices.ContainsFunc(r.Unique, func(u Unique[T]) bool { return u.Index == c.unique && u.Taken != nil }),
			"check %q: there is no Unique %s with a Taken", c.Name, c.unique)
	}
	if c.among != nil {
		f.unless(!c.among.shared(), "check %q: %s shares its collection, so that an id there may be that of "+
			"another record", c.Name, c.among.resource)
	}
}

// validate checks that the members which a check names exist, and that it can refuse something or run.
func (c *Check[T]) validate(f *faults, all members) {
	f.unless(c.Run != nil || len(c.Requires) > 0 || c.unique != "", "check %q has no Run and requires nothing", c.Name)
	f.unless(!slices.Contains(c.Refuses, problem.Kind(nil)), "check %q refuses with a problem that is nil", c.Name)
	f.dependencies(all, c.Name, c.DependsOn, c.Requires)
}

// dependencies checks that the members which a check depends on and requires exist.
func (f *faults) dependencies(all members, check string, dependsOn, requires []string) {
	for _, name := range slices.Concat(dependsOn, requires) {
		_, known := all.find(name)
		f.unless(known, "check %q names %s, which is no member", check, name)
	}
	if len(dependsOn) > 0 {
		for _, name := range requires {
			f.unless(slices.Contains(dependsOn, name), "check %q requires %s and does not depend on it", check, name)
		}
	}
}

// validateActions checks that actions have distinct names, and that their moves are between states of the value set.
func (r *Records[T]) validateActions(f *faults, sets Sets) {
	states, withStates := r.states(f, sets)
	for _, state := range r.Temporary {
		f.unless(withStates && slices.Contains(states, state), "Temporary names %q, which is no state", state)
	}
	paths := map[string]bool{}
	for i := range r.Actions {
		a := &r.Actions[i]
		f.unless(a.Name != "" && a.parse != nil && (a.apply != nil || a.spawn != nil),
			"an action has no Name, or was not made by Act or Spawn")
		path := fmt.Sprint(a.Sub, a.Name)
		f.unless(!paths[path], "action %s is declared twice", a.Name)
		paths[path] = true
		f.unless(!a.WithExtra || r.Extra != nil, "action %s adds Extra, which the resource has not", a.Name)
		a.validate(f, states, withStates)
	}
}

// validate checks that the moves of an action are between states of the record, if it has any, and that its body has
// what the action requires.
func (a *Operation) validate(f *faults, states []string, withStates bool) {
	f.unless(len(a.Moves) > 0, "action %s has no moves; say AnyState where it is taken in every state", a.Name)
	if !a.anyState() {
		f.unless(withStates, "action %s moves a record that has no Status", a.Name)
		for _, m := range a.Moves {
			f.unless(!withStates || slices.Contains(states, m.From), "action %s moves from %q, which is no state",
				a.Name, m.From)
			f.unless(!withStates || slices.Contains(states, m.To),
				"action %s moves to %q, which is no state", a.Name, m.To)
		}
	}
	for _, name := range a.Requires {
		_, known := membersOf(a.body).find(name)
		f.unless(known, "action %s requires %s, which is no member of its body", a.Name, name)
	}
}

// states returns the value set of the member that Status returns.
func (r *Records[T]) states(f *faults, sets Sets) (states []string, has bool) {
	if r.Status == nil {
		return nil, false
	}
	m, found := r.statusMember()
	if !found {
		f.unless(false, "Status returns no member of the record")
		return nil, true
	}
	f.unless(m.owner == issued && m.set != "", `status member %s is not tagged issued:"ValueSet"`, m.name)
	return sets.Values(m.set), true
}

// statusMember returns the member that Status returns, if it returns one.
func (r *Records[T]) statusMember() (member, bool) {
	if r.Status == nil {
		return member{}, false
	}
	v := empty[T]()
	record, address := reflect.ValueOf(v).Elem(), reflect.ValueOf(r.Status(v)).Pointer()
	for _, m := range r.members {
		if field := record.FieldByIndex(m.index); field.Addr().Pointer() == address &&
			field.Type() == reflect.TypeFor[*string]() {
			return m, true
		}
	}
	return member{}, false
}

// validate checks that every `set` tag names a set.
func (p plan) validate(f *faults, sets Sets) {
	for _, m := range p {
		if m.nested != nil {
			m.nested.validate(f, sets)
			continue
		}
		f.unless(len(sets.Values(m.set)) > 0, noSet, m.name, m.set)
	}
}
