package rest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/search"
)

// Description is what the declaration of a resource says, for documents about the interface.
type Description struct {
	Route
	// Record is the type of its records.
	Record reflect.Type
	// Static says that the resource is a StaticList.
	Static bool
	// Aliases, Flatten, Merge and ListsIdempotency are as in Resource.
	Aliases                 map[string]string
	Flatten                 []string
	Merge, ListsIdempotency bool
	// Parameters are the parameters of the list, without the paging parameters.
	Parameters []Parameter
	// Checks are the listed checks, in their order; Rules are the conditions that no row lists.
	Checks, Rules []CheckDescription
	// Taken are the problems of a value that another record has. ReplaceRefuses are the problems that only a
	// replacement has.
	Taken, ReplaceRefuses []problem.Kind
	// WriteRefuses are the problems that any operation returns that writes a record.
	WriteRefuses []problem.Kind
	// Extra are the members of the response of a creation that are not the record's, each with a value of its type.
	Extra map[string]any
	// Dated says that actions may have effective dates; see Resource.Begins.
	Dated bool
	// Issued are the members that every new record has, whatever its creator sends.
	Issued  []string
	Actions []ActionDescription
}

// Parameter is a query parameter of a list, a search or another operation.
type Parameter struct {
	Name string
	// Format is int64, date, date-time, decimal, uuid, or empty for text.
	Format string
	// Means says what the parameter asks for.
	Means string
	// Values are those that it may have; any if there are none.
	Values []string
	// Most is how often it may be sent; once where it is 0.
	Most int
	// Deprecated says that callers should leave the parameter.
	Deprecated bool
}

// CheckDescription is a Check without its function. Refuses includes the problem of a member that is missing.
type CheckDescription struct {
	Name      string
	DependsOn []string
	Refuses   []problem.Kind
	Requires  []string
}

// ActionDescription is an Action without its functions.
type ActionDescription struct {
	Name string
	// Sub says that the action is the last segment of the path, and not a word after a colon.
	Sub bool
	// Beyond says that the interface does not name it: its path is that of an Extension.
	Beyond bool
	// Moves are its transitions; none where it is taken in every state.
	Moves []Move
	// Body is the type of its body.
	Body reflect.Type
	// Spawns says that it writes a second record, which the response carries with 201.
	Spawns bool
	// WithExtra and Amends are as in Action.
	WithExtra, Amends bool
	Refuses           []problem.Kind
	Requires          []string
	// KeyFor says for what some requests need an Idempotency-Key; empty where none does.
	KeyFor string
}

// Describe returns what the service's declarations say, without a store. Errors: those of the declarations.
func (s Service) Describe() ([]Description, []Extension, error) {
	server, _, err := s.undialled()
	if err != nil {
		return nil, nil, err
	}
	var all []Description
	for _, r := range server.resources {
		d, err := r.describe()
		if err != nil {
			return nil, nil, err
		}
		all = append(all, d)
	}
	return all, server.extensions(), nil
}

// Searches returns what can be searched, from the declarations alone.
func (s Service) Searches() ([]*search.Table, error) {
	server, _, err := s.undialled()
	if err != nil {
		return nil, err
	}
	return server.searchTables(), nil
}

// undialled returns a server with the declared resources, which cannot be asked anything but what they are.
func (s Service) undialled() (*Server, Parts, error) {
	sets, err := s.Sets("")
	if err != nil {
		return nil, Parts{}, err
	}
	deps := process.Undialled()
	server := NewServer(Config{Sets: sets, Now: deps.Now})
	parts, err := s.Declare(server, deps)
	if err != nil {
		return nil, parts, err
	}
	return server, parts, server.validate()
}

func (l *StaticList) describe() (Description, error) {
	return Description{Route: l.route(), Record: l.Of, Static: true}, nil
}

func (r *Records[T]) describe() (Description, error) {
	d := Description{
		Route: r.route(), Record: recordType[T](), Aliases: r.Aliases, Flatten: r.Flatten, Merge: r.Merge,
		ListsIdempotency: r.ListsIdempotency, Checks: r.described(r.Checks), Rules: r.described(r.Rules),
		ReplaceRefuses: slices.Clone(r.BeforeReplaceRefuses),
	}
	if slices.ContainsFunc(r.members, func(m member) bool { return m.owner == issued || m.owner == fixed }) &&
		r.Immutable == nil {
		d.ReplaceRefuses = append(d.ReplaceRefuses, problem.Issued)
	}
	if r.Public {
		d.ReplaceRefuses = append(d.ReplaceRefuses, problem.RightMissing)
	}
	if r.SharedBy != "" {
		d.WriteRefuses = []problem.Kind{problem.RightMissing}
	}
	for _, f := range r.Filters {
		for _, p := range f.params {
			d.Parameters = append(d.Parameters, Parameter{Name: p.name, Format: p.format, Means: p.means})
		}
	}
	if r.named() {
		d.Parameters = append(d.Parameters, Parameter{Name: byReference.name, Means: byReference.means})
		d.Taken = append(d.Taken, problem.ReferenceTaken)
	}
	for _, u := range r.Unique {
		if u.Taken != nil {
			d.Taken = appendKind(d.Taken, u.Taken(""))
		}
	}
	if r.Immutable != nil {
		d.ReplaceRefuses = appendKind(d.ReplaceRefuses, r.Immutable())
	}
	d.Dated = r.Begins != nil
	if r.Extra != nil {
		d.Extra = r.Extra(empty[T]())
	}
	for _, a := range r.Actions {
		described := ActionDescription{
			Name: a.Name, Sub: a.Sub, Beyond: a.Beyond, Moves: a.Moves, Body: a.body, Spawns: a.spawn != nil,
			WithExtra: a.WithExtra, Amends: a.Amends, Refuses: a.Refuses, Requires: a.Requires,
		}
		if a.after != nil {
			described.KeyFor = a.after.keyFor
		}
		if a.anyState() {
			described.Moves = nil
		}
		if a.Amends && a.spawn == nil {
			described.Refuses = append(slices.Clone(a.Refuses), problem.Issued)
		}
		d.Actions = append(d.Actions, described)
	}
	var err error
	d.Issued, err = r.issued()
	return d, err
}

func (r *Records[T]) described(checks []Check[T]) []CheckDescription {
	var all []CheckDescription
	for i := range checks {
		c := &checks[i]
		refuses := c.problems()
		for _, u := range r.Unique {
			if c.unique != "" && u.Index == c.unique {
				refuses = appendKind(refuses, u.Taken(""))
			}
		}
		all = append(all, CheckDescription{c.Name, c.DependsOn, refuses, c.Requires})
	}
	return all
}

// issued returns the members that Issue sets in a record without any. It leaves out the member that Complete adds,
// because records of an earlier release lack it.
func (r *Records[T]) issued() ([]string, error) {
	if r.Issue == nil {
		return nil, nil
	}
	d := &Draft[T]{Value: empty[T](), Now: r.server.Now()}
	identity(d.Value).SetRecordID(uuid.NewString())
	r.Issue(d)
	object, err := json.Marshal(d.Value)
	if err != nil {
		return nil, err
	}
	all, err := jsonobject.Members(object)
	var names []string
	for _, m := range all {
		if m.Name != r.Complete.Member {
			names = append(names, m.Name)
		}
	}
	return names, err
}

// appendKind adds the kind of a refusal that is a problem; other errors never reach a caller.
func appendKind(kinds []problem.Kind, refusal error) []problem.Kind {
	var p *problem.Error
	if errors.As(refusal, &p) {
		kinds = append(kinds, p.Kind)
	}
	return kinds
}

// Inspected returns what an examination of stored records needs to know of the service, from its declarations alone.
func (s Service) Inspected() (inspect.Service, error) {
	server, parts, err := s.undialled()
	if err != nil {
		return inspect.Service{}, err
	}
	inspected := inspect.Service{Further: parts.Examine}
	for _, spec := range server.specs() {
		in := server.resourcesIn(spec.Name)
		inspected.Collections = append(inspected.Collections,
			inspect.Collection{Spec: spec, Decode: func(doc docstore.Document) (inspect.Record, error) {
				r, err := in.of(doc)
				if err != nil {
					return inspect.Record{}, err
				}
				return r.inspected(doc)
			}})
	}
	for _, r := range server.resources {
		inspected.Targets = append(inspected.Targets, r.targets()...)
	}
	return inspected, nil
}

// Inspect returns the collection of the records in the database that is examined.
func (r *Records[T]) Inspect(ctx context.Context, x inspect.Examination) (docstore.Collection, error) {
	for _, spec := range r.server.specs() {
		if spec.Name == r.Collection {
			return x.Store.Collection(ctx, spec)
		}
	}
	return nil, fmt.Errorf("there is no collection %s", r.Collection)
}

// inspected returns the record of a document as it was written, before time moved its state.
func (r *Records[T]) inspected(doc docstore.Document) (inspect.Record, error) {
	record, err := r.decodeAt(doc, time.Time{})
	if err != nil {
		return inspect.Record{}, err
	}
	inspected := inspect.Record{
		ID: identity(record.Value).RecordID(), State: record.state, References: r.References(record.Value),
		Keys: r.keys(record.Value, &record.state),
	}
	if r.Status != nil {
		inspected.Status = Text(*r.Status(record.Value))
		inspected.States, _ = r.states(&faults{}, r.server.Sets)
	}
	return inspected, nil
}

// targets returns what the members of the resource refer to.
func (r *Records[T]) targets() []string {
	var all []string
	for _, m := range r.members {
		all = append(all, m.refers...)
	}
	return all
}

// References returns what a record refers to.
func (r *Records[T]) References(v T) []inspect.Reference {
	var all []inspect.Reference
	record := reflect.ValueOf(v).Elem()
	for _, m := range r.members {
		if len(m.refers) == 0 || !m.has(record) {
			continue
		}
		targets := strings.Join(m.refers, ",")
		switch field := reflect.Indirect(record.FieldByIndex(m.index)); field.Kind() {
		case reflect.Slice:
			for i := range field.Len() {
				all = append(all, inspect.Reference{Member: m.name, Value: field.Index(i).String(), Targets: targets})
			}
		case reflect.Struct:
			// What is no id is from before there was the member.
			if text := referenceIn(field); len(text) == len(uuid.Nil.String()) && uuid.Validate(text) == nil {
				all = append(all, inspect.Reference{Member: m.name, Value: text, Targets: targets})
			}
		default:
			all = append(all, inspect.Reference{Member: m.name, Value: field.String(), Targets: targets})
		}
	}
	return all
}
