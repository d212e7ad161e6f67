package rest

import (
	"context"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/jsonobject"
)

// Amended is a record with members of a body in place of its own.
type Amended[T any] struct {
	*Draft[T]
	// Sent are the names of the members that the body has, whether or not their values differ from the record's.
	Sent []string
	// Changed are the names of the members whose values differ from the record's.
	Changed []string
}

// Amend returns the record under change with the members of the body in place of its own. Members of the body that
// are the action's, named in without, are left out. Members that the caller does not set are protected: an action
// that changes the record refuses them as a replacement does, and an action that creates a second record ignores them
// as a creation does. Errors: problems of the body.
func (c *Change[T]) Amend(without ...string) (*Amended[T], error) {
	r := c.resource
	renamed, _, p := jsonobject.Rename(c.Body, r.Aliases, r.Flatten)
	if p != nil {
		return nil, p
	}
	all, err := jsonobject.Members(renamed)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(m jsonobject.Member) bool {
		return slices.Contains(without, m.Name) || m.Value.Kind() == jsontext.KindNull || c.creates && !r.members.sendable(m.Name)
	})
	before, err := json.Marshal(c.Value)
	if err != nil {
		return nil, err
	}
	after, err := jsonobject.Overlay(before, jsonobject.Of(all))
	if err != nil {
		return nil, err
	}
	v, err := r.decode(after)
	if err != nil {
		return nil, err
	}
	refused := r.members.restore(reflect.ValueOf(v).Elem(), reflect.ValueOf(c.Stored).Elem())
	if identity(v).RecordID() != identity(c.Stored).RecordID() {
		if refused == nil {
			refused = issuedMembers()
		}
		refused.At("/id", "cannot be changed")
	}
	if refused != nil {
		return nil, refused
	}
	amended := &Amended[T]{Draft: &Draft[T]{Value: v, Stored: c.Stored, Now: c.Now}}
	for _, m := range all {
		amended.Sent = append(amended.Sent, m.Name)
	}
	differs, err := differ(before, v)
	if err != nil {
		return nil, err
	}
	amended.Changed, err = differs.names()
	return amended, err
}

// Check runs the checks of a creation that concern the members that changed.
func (c *Change[T]) Check(ctx context.Context, a *Amended[T]) error {
	return c.resource.check(ctx, a.Draft, a.Changed)
}

// CheckNew runs all checks of a creation.
func (c *Change[T]) CheckNew(ctx context.Context, a *Amended[T]) error {
	return c.resource.check(ctx, a.Draft, nil)
}
