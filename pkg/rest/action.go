package rest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/history"
)

// Action is an operation on one record: a transition of its state or an addition to it. Act, Amend and Spawn make one.
type Action[T any] struct {
	Operation

	apply func(ctx context.Context, c *Change[T], body any) error
	spawn func(ctx context.Context, c *Change[T], body any) (*Draft[T], error)
	after *after[T]
}

// after is what follows once an action has created a second record; see Then.
type after[T any] struct {
	follows func(body any) bool
	keyFor  string
	do      func(ctx context.Context, of string, made T, header http.Header) error
}

// Operation is what an action declares, whatever the type of the record.
type Operation struct {
	// Name is the word after the colon, or the last path segment if Sub.
	Name string
	// Sub says that the path is /{resource}/{id}/{name}, and not /{resource}/{id}:{name}.
	Sub bool
	// Beyond says that the path is /x/{resource}/{id}:{name}: the interface does not name the action.
	Beyond bool
	// Moves are the transitions that the action makes, or AnyState. A record in a state that no move begins with is
	// refused with 409.
	Moves []Move
	// WithExtra says that the response carries Resource.Extra, as that of a creation does.
	WithExtra bool
	// Amends says that the body holds members of the record besides those of the action, and any others that no field
	// names. The body of another action has the action's members alone.
	Amends bool
	// NotHere are members of other actions that the body of an action that amends may not have.
	NotHere []string
	// Refuses are the problems that the action refuses with, besides those of its checks and of its moves.
	Refuses []problem.Kind
	// Requires are the members that its body must have. They follow from its checks.
	Requires []string

	body  reflect.Type
	names *names
	parse func(ctx context.Context, s *Server, body []byte) (any, error)
}

// Move is one transition: from one state to another.
type Move struct{ From, To string }

// AnyState are the moves of an action that is taken in every state and leaves it.
var AnyState = []Move{{everyState, everyState}}

const everyState = "*"

// Act makes an action that changes the record. B is the type of its body, an empty body counting as {}. The checks are
// those of the body; they run in their order before the record is read.
func Act[T, B any](
	name string, moves []Move, apply func(ctx context.Context, c *Change[T], body B) error, checks ...Check[B],
) Action[T] {
	a := Action[T]{Operation: newOperation(name, moves, checks)}
	a.apply = func(ctx context.Context, c *Change[T], body any) error { return apply(ctx, c, body.(B)) }
	return a
}

// Spawn makes an action that writes a second record and leaves the one it is called on as it is. B and the checks are
// as for Act.
func Spawn[T, B any](
	name string, moves []Move, spawn func(ctx context.Context, c *Change[T], body B) (*Draft[T], error),
	checks ...Check[B],
) Action[T] {
	a := Action[T]{Operation: newOperation(name, moves, checks)}
	a.spawn = func(ctx context.Context, c *Change[T], body any) (*Draft[T], error) { return spawn(ctx, c, body.(B)) }
	return a
}

func newOperation[B any](name string, moves []Move, checks []Check[B]) Operation {
	a := Operation{Name: name, Moves: moves, body: recordType[B]()}
	for i := range checks {
		a.Requires = append(a.Requires, checks[i].Requires...)
		a.Refuses = append(a.Refuses, checks[i].problems()...)
	}
	a.parse = func(ctx context.Context, s *Server, body []byte) (any, error) { return parseBody(ctx, s, body, checks) }
	return a
}

// AsSub returns the action with the path /{resource}/{id}/{name}.
func (a Action[T]) AsSub() Action[T] {
	a.Sub = true
	return a
}

// BeyondInterface returns the action with the path /x/{resource}/{id}:{name}.
func (a Action[T]) BeyondInterface() Action[T] {
	a.Beyond = true
	return a
}

// AddingExtra returns the action with Resource.Extra in its response.
func (a Action[T]) AddingExtra() Action[T] {
	a.WithExtra = true
	return a
}

// Then returns the action, which makes a second record, with what follows it, also where the Idempotency-Key says that
// the record was made before: what has not followed is completed by repeating the request. follows reports whether
// something follows a request with a body, which then needs an Idempotency-Key; keyFor says for what. do does it, and
// may set headers of the response; of is the id of the record that the action was called on.
func (a Action[T]) Then(
	follows func(body any) bool, keyFor string,
	do func(ctx context.Context, of string, made T, header http.Header) error,
) Action[T] {
	a.after = &after[T]{follows, keyFor, do}
	return a
}

// follows reports whether something follows a request with a body. Errors: problem.BadHeader without the
// Idempotency-Key that it needs.
func (a *Action[T]) follows(body any, key *history.UsedKey) (bool, error) {
	if a.after == nil || !a.after.follows(body) {
		return false, nil
	}
	if key == nil {
		return false, problem.New(problem.BadHeader, "An Idempotency-Key is needed "+a.after.keyFor+".").
			At("", "is sent without an Idempotency-Key")
	}
	return true, nil
}

// Amending returns the action with a body that also holds members of the record, but not some of other actions, which
// a caller would think to be heeded.
func (a Action[T]) Amending(notHere ...string) Action[T] {
	a.Amends, a.NotHere = true, notHere
	return a
}

// Refusing returns the action with further problems that it refuses with.
func (a Action[T]) Refusing(kinds ...problem.Kind) Action[T] {
	a.Refuses = append(slices.Clone(a.Refuses), kinds...)
	return a
}

// parseBody reads the body of an action and runs its checks, the value sets after them.
func parseBody[B any](ctx context.Context, s *Server, body []byte, checks []Check[B]) (any, error) {
	b := empty[B]()
	if p := jsonobject.Decode(body, b); p != nil {
		return nil, p
	}
	d := &Draft[B]{Value: b, Now: s.Now()}
	for i := range checks {
		if err := checks[i].run(ctx, d); err != nil {
			return nil, err
		}
	}
	if violations := planOf(recordType[B]()).apply(reflect.ValueOf(b).Elem(), s.Sets, "",
		nil); len(violations) > 0 {
		return nil, invalid(violations)
	}
	return b, nil
}

// anyState reports whether the action is taken in every state.
func (a *Operation) anyState() bool { return slices.Equal(a.Moves, AnyState) }

// allowed refuses the action on a record whose state is the start of none of its moves.
func (a *Action[T]) allowed(r *Records[T], v T) error {
	if a.anyState() {
		return nil
	}
	return a.leaves(r.Name, Text(*r.Status(v)))
}

// leaves refuses the action on a record of a resource in a state that is the start of none of its moves.
func (a *Operation) leaves(resource, state string) error {
	if slices.ContainsFunc(a.Moves, func(m Move) bool { return m.From == state }) {
		return nil
	}
	return a.refused(resource, state)
}

func (a *Operation) refused(resource, state string) error {
	return problem.New(problem.Transition,
		fmt.Sprintf("%s does not apply to a %s that is %s.", a.Name, resource, state)).With("state", state)
}

// move makes the transition, if the action makes one, and refuses one that is not declared.
func (a *Action[T]) move(r *Records[T], c *Change[T], entry *history.Entry) error {
	if a.anyState() {
		return nil
	}
	from := Text(*r.Status(c.Stored))
	var err error
	if c.to, err = a.target(r.Name, from, c.to); err != nil {
		return err
	}
	if !c.until.IsZero() && !slices.Contains(r.Temporary, c.to) {
		return a.undeclared(r.Name, c.to)
	}
	entry.To, entry.Until, entry.Then = c.to, c.until, c.then
	to := c.to
	*r.Status(c.Value) = &to
	return nil
}

// target returns the state that a record of a resource moves to: the one asked for or, if none is, that of the
// action's move from the present state. It refuses a move that is not declared.
func (a *Operation) target(resource, from, to string) (string, error) {
	if to == "" {
		for _, m := range a.Moves {
			if m.From == from {
				to = m.To
			}
		}
	}
	if !slices.Contains(a.Moves, Move{from, to}) {
		return to, a.refused(resource, from)
	}
	return to, nil
}

func (a *Operation) undeclared(resource, state string) error {
	return fmt.Errorf("action %s of %s moves for a time to %q, which is not declared as Temporary", a.Name,
		resource, state)
}
