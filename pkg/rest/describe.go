package rest

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/service"
)

// Description is a resource as its declaration tells it, for a document about the interface.
type Description struct {
	Route
	// Record is the type of its records.
	Record reflect.Type
	// Fixed: there is one list, always whole.
	Fixed bool
	// Aliases, Hoist, Merge, ListsIdempotency are those of Resource.
	Aliases                 map[string]string
	Hoist                   []string
	Merge, ListsIdempotency bool
	Parameters              []Parameter
	// Checks are the listed ones, in order; Rules are what holds beside them.
	Checks, Rules []CheckDescription
	// Taken are the problems of a value that another record has; Kept are those of a replacement alone.
	Taken, Kept []problem.Kind
	// Beside are the members that stand beside the record in the answer of a create, each with a value of its type.
	Beside  map[string]any
	Actions []ActionDescription
}

// Parameter is a query parameter of a list. Format is int64, date, or empty for text.
type Parameter struct{ Name, Format, Means string }

// CheckDescription is a Check without its function.
type CheckDescription struct {
	Name     string
	Refuses  []problem.Kind
	Requires []string
}

// ActionDescription is an Action without its functions.
type ActionDescription struct {
	Name string
	// Sub: the action is the last segment of the path; else it follows a colon.
	Sub   bool
	Moves []Move
	// Body is the type of its body.
	Body reflect.Type
	// Spawns: it writes a second record, and answers it with 201.
	Spawns          bool
	Answers, Amends bool
	Refuses         []problem.Kind
	Requires        []string
}

// Describe answers what the service's declarations say, without a store.
func (s Service) Describe() ([]Description, []Extension, error) {
	server, err := s.undialled()
	if err != nil {
		return nil, nil, err
	}
	var all []Description
	for _, r := range server.resources {
		all = append(all, r.describe())
	}
	return all, server.extensions(), nil
}

// undialled answers the declared resources, of which nothing can be asked but what they are.
func (s Service) undialled() (*Server, error) {
	sets, err := s.Sets("")
	if err != nil {
		return nil, err
	}
	server := NewServer(Config{Sets: sets, Now: time.Now})
	_, err = s.Declare(server, service.Undialled())
	return server, err
}

func (f *Fixed) describe() Description {
	return Description{Route: f.route(), Record: f.Of, Fixed: true}
}

func (r *Records[T]) describe() Description {
	d := Description{
		Route: r.route(), Record: reflect.TypeFor[T](), Aliases: r.Aliases, Hoist: r.Hoist, Merge: r.Merge,
		ListsIdempotency: r.ListsIdempotency, Checks: checkDescriptions(r.Checks), Rules: checkDescriptions(r.Rules),
		Kept: r.KeepRefuses,
	}
	for _, f := range r.Filters {
		for _, p := range f.params {
			d.Parameters = append(d.Parameters, Parameter{p.name, p.format, p.means})
		}
	}
	for _, u := range r.Unique {
		if u.Taken != nil {
			d.Taken = appendKind(d.Taken, u.Taken(""))
		}
	}
	if r.Immutable != nil {
		d.Kept = appendKind(slices.Clone(d.Kept), r.Immutable())
	}
	if r.Answer != nil {
		d.Beside = r.Answer(new(T))
	}
	for _, a := range r.Actions {
		d.Actions = append(d.Actions, ActionDescription{
			Name: a.Name, Sub: a.Sub, Moves: a.Moves, Body: a.body, Spawns: a.spawn != nil, Answers: a.Answers,
			Amends: a.Amends, Refuses: a.Refuses, Requires: a.Requires,
		})
	}
	return d
}

func checkDescriptions[T any](checks []Check[T]) []CheckDescription {
	var all []CheckDescription
	for _, c := range checks {
		all = append(all, CheckDescription{c.Name, c.Refuses, c.Requires})
	}
	return all
}

// appendKind adds the kind of a refusal that is a problem; others never reach a caller.
func appendKind(kinds []problem.Kind, refusal error) []problem.Kind {
	var p *problem.Error
	if errors.As(refusal, &p) {
		kinds = append(kinds, p.Kind)
	}
	return kinds
}
