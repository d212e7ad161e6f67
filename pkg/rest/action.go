package rest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
)

// Action is an operation on one record, a transition of its state or an addition to it. Act and Spawn make one.
type Action[T any] struct {
	// Name is the word after the colon, or the last path segment if Sub.
	Name string
	Sub  bool
	// Moves are the transitions that the action makes. A record in a state that none begins with is refused with 409.
	// None at all: the action is taken in any state and leaves it.
	Moves []Move
	// Answers: what stands beside the record in the answer of a create stands there as well.
	Answers bool
	// Amends: beside its own members the body holds members of the record, and the checks of a create run on them.
	Amends bool
	// Refuses are the problems that the action itself may answer; Requires are the members that its body must have.
	Refuses  []problem.Kind
	Requires []string

	body  reflect.Type
	parse func(sets Sets, body []byte) (any, error)
	apply func(ctx context.Context, c *Change[T], body any) error
	spawn func(ctx context.Context, c *Change[T], body any) (*Draft[T], error)
}

// Move is one listed transition.
type Move struct{ From, To string }

// Change is a record under an action.
type Change[T any] struct {
	// Draft holds the record to be changed in place; Stored is the record as it was.
	Draft[T]
	// ID is the record's identifier.
	ID string
	// Body is the object that the caller sent, "{}" for an empty body.
	Body []byte
	// Record is what is stored, with its history.
	Record *Record[T]

	resource *Records[T]
	to       string
	until    time.Time
	then     string
}

// Act makes an action that changes the record. B is what its body holds.
func Act[T, B any](name string, moves []Move, apply func(ctx context.Context, c *Change[T], body *B) error) Action[T] {
	return Action[T]{
		Name: name, Moves: moves, body: reflect.TypeFor[B](), parse: parseBody[B],
		apply: func(ctx context.Context, c *Change[T], body any) error { return apply(ctx, c, body.(*B)) },
	}
}

// Spawn makes an action that writes a second record and leaves the one it is called on as it is.
func Spawn[T, B any](name string, moves []Move, spawn func(ctx context.Context, c *Change[T], body *B) (*Draft[T], error)) Action[T] {
	return Action[T]{
		Name: name, Moves: moves, body: reflect.TypeFor[B](), parse: parseBody[B],
		spawn: func(ctx context.Context, c *Change[T], body any) (*Draft[T], error) { return spawn(ctx, c, body.(*B)) },
	}
}

// AsSub answers the action as POST /{resource}/{id}/{name}.
func (a Action[T]) AsSub() Action[T] {
	a.Sub = true
	return a
}

// WithAnswer answers the action with what stands beside the record in the answer of a create.
func (a Action[T]) WithAnswer() Action[T] {
	a.Answers = true
	return a
}

// Amending answers the action with a body that also holds members of the record.
func (a Action[T]) Amending() Action[T] {
	a.Amends = true
	return a
}

// Refusing answers the action with the problems that it may answer.
func (a Action[T]) Refusing(kinds ...problem.Kind) Action[T] {
	a.Refuses = kinds
	return a
}

// Requiring answers the action with the members that its body must have.
func (a Action[T]) Requiring(members ...string) Action[T] {
	a.Requires = members
	return a
}

func parseBody[B any](sets Sets, body []byte) (any, error) {
	b := new(B)
	if p := jsonobject.Decode(body, b); p != nil {
		return nil, p
	}
	violations := planOf(reflect.TypeFor[B]()).apply(reflect.ValueOf(b).Elem(), sets, "", nil)
	if len(violations) > 0 {
		p := problem.New(problem.Invalid, "Members of the body have values that are not allowed.")
		p.Violations = violations
		return nil, p
	}
	return b, nil
}

// MoveTo makes the transition to a state. An action whose moves lead from the record's state to one state only makes it
// without being told.
func (c *Change[T]) MoveTo(to string) { c.to = to }

// MoveUntil makes the transition to a state that gives way to another by itself.
func (c *Change[T]) MoveUntil(to string, until time.Time, then string) {
	c.to, c.until, c.then = to, until, then
}

// Lay answers the record with the members of an object laid over it, as another draft, and the names of the members
// that differ from the record's. The members named in without are left out.
func (c *Change[T]) Lay(over []byte, without ...string) (d *Draft[T], differ []string, err error) {
	r := c.resource
	renamed, _, p := jsonobject.Rename(over, r.Aliases, r.Hoist)
	if p != nil {
		return nil, nil, p
	}
	all, err := jsonobject.Members(renamed)
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(m jsonobject.Member) bool { return slices.Contains(without, m.Name) })
	before, err := json.Marshal(c.Value)
	if err != nil {
		return nil, nil, err
	}
	after, err := jsonobject.Overlay(before, jsonobject.Of(all))
	if err != nil {
		return nil, nil, err
	}
	v, err := r.decode(after)
	if err != nil {
		return nil, nil, err
	}
	if differ, err = r.differ(before, v); err != nil {
		return nil, nil, err
	}
	return &Draft[T]{Value: v, Stored: c.Stored, Now: c.Now}, differ, nil
}

// Check runs on a draft the checks of a create that concern the members named; nil: all of them.
func (c *Change[T]) Check(ctx context.Context, d *Draft[T], members []string) error {
	return c.resource.check(ctx, d, members)
}

// act serves POST /{resource}/{id}:{action} and POST /{resource}/{id}/{sub}.
func (r *Records[T]) act(c *gin.Context, id string, a *Action[T]) error {
	ctx := c.Request.Context()
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	parsed, err := a.parse(r.server.Sets, body)
	if err != nil {
		return err
	}
	key, err := r.key(c, r.Name+"/"+strings.ToLower(id)+":"+a.Name, body)
	if err != nil {
		return err
	}
	if a.spawn != nil {
		return r.actSpawning(c, id, a, parsed, body, key)
	}
	done, err := r.change(ctx, id, key, r.precondition(c), r.applying(ctx, id, a, parsed, body, key))
	if err != nil {
		return err
	}
	if done.repeated {
		return r.replay(c, done.doc, a.Answers)
	}
	var beside map[string]any
	if a.Answers {
		beside = r.beside(&done.record.Value, nil)
	}
	return r.answer(c, http.StatusOK, done.doc, beside)
}

// applying decides what an action makes of a record.
func (r *Records[T]) applying(ctx context.Context, id string, a *Action[T], parsed any, body []byte, key *usedKey) func(docstore.Document, *Record[T]) (*docstore.Document, error) {
	return func(doc docstore.Document, record *Record[T]) (*docstore.Document, error) {
		change := r.begin(id, record, body)
		if err := a.allowed(r, &record.Value); err != nil {
			return nil, err
		}
		if err := a.apply(ctx, change, parsed); err != nil {
			return nil, err
		}
		entry := Entry{Event: a.Name, At: change.Now, By: r.server.Caller(ctx), Change: jsontext.Value(body)}
		if err := a.move(r, change, &entry); err != nil {
			return nil, err
		}
		record.Value = *change.Value
		return r.successor(doc, record, &entry, key)
	}
}

// begin answers the change of a record: a copy to work on, so that the record stays as it was read.
func (r *Records[T]) begin(id string, record *Record[T], body []byte) *Change[T] {
	work, was := record.Value, record.Value
	return &Change[T]{
		Draft: Draft[T]{Value: &work, Stored: &was, Now: r.server.Now()},
		ID:    id, Body: body, Record: record, resource: r,
	}
}

// allowed refuses the action on a record whose state no listed transition begins with.
func (a *Action[T]) allowed(r *Records[T], v *T) error {
	if len(a.Moves) == 0 {
		return nil
	}
	state := Text(*r.Status(v))
	if slices.ContainsFunc(a.Moves, func(m Move) bool { return m.From == state }) {
		return nil
	}
	return a.refused(r, state)
}

func (a *Action[T]) refused(r *Records[T], state string) error {
	return problem.New(problem.Transition, fmt.Sprintf("%s does not apply to a %s that is %s.", a.Name, r.Name, state)).With("state", state)
}

// move makes the transition, if the action makes one, and refuses one that is not listed.
func (a *Action[T]) move(r *Records[T], c *Change[T], entry *Entry) error {
	if len(a.Moves) == 0 {
		return nil
	}
	from := Text(*r.Status(c.Stored))
	if c.to == "" {
		for _, m := range a.Moves {
			if m.From == from {
				c.to = m.To
			}
		}
	}
	if !slices.Contains(a.Moves, Move{from, c.to}) {
		return a.refused(r, from)
	}
	entry.To, entry.Until, entry.Then = c.to, c.until, c.then
	to := c.to
	*r.Status(c.Value) = &to
	return nil
}
