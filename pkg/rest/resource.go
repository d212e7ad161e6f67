// Package rest turns the declaration of a resource into its HTTP operations: create, list, read, replace and actions,
// with the checks in their order, idempotency, conditional requests, paging and problem documents. It knows no
// insurance; a service declares its resources with it and reads like the tables of the interface.
package rest

import (
	"context"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
)

// Resource declares one resource whose records are T, a struct whose pointer has RecordID and SetRecordID.
type Resource[T any] struct {
	// Name is the path segment, such as "vehicle".
	Name string
	// Collection is where the records are stored; the resources of one service that name the same collection share
	// its unique indexes. Empty: a collection of the resource's own name.
	Collection string
	// Aliases are further names that members are accepted under: name sent -> name of the record. A name that stands for
	// "" is dropped: it stands beside the record in answers, and callers send back what they were answered.
	Aliases map[string]string
	// Hoist are names of objects whose members are accepted at the top of the record.
	Hoist []string
	// Filters are the members a list can be narrowed by.
	Filters []Filter[T]
	// Unique are the values that no two records of the collection share.
	Unique []Unique[T]
	// Checks are the rows of the errors table for the create of this resource, in its order. The first that fails
	// decides the response.
	Checks []Check[T]
	// Rules are what holds beside the rows. They run after the checks; violations of several are told together.
	Rules []Check[T]
	// ListsIdempotency: the errors table has a row for the replay of an Idempotency-Key, after the other rows. For a
	// resource without it the replay is recognised before the checks, so that a retry cannot fail on what has changed
	// since.
	ListsIdempotency bool
	// Issue sets what the exchange issues, and the defaults, on a new record that passed decoding. It overwrites
	// whatever the caller sent for those members.
	Issue func(d *Draft[T])
	// Pin answers index values of a new record that cannot be read off the record itself. They stay as they are for the
	// life of the record.
	Pin func(d *Draft[T]) docstore.Keys
	// Indexes are further indexes, whose values come from Pin.
	Indexes []docstore.Index
	// Keep restores on a replacement what the exchange has issued, and refuses to have it changed.
	Keep func(d *Draft[T]) error
	// KeepRefuses are the problems that Keep may answer.
	KeepRefuses []problem.Kind
	// Immutable: a record never changes. A PUT with its content answers it, one with any other is refused with this.
	Immutable func() error
	// NoReplace: there is no PUT.
	NoReplace bool
	// Merge: PUT replaces the members sent; without it the body is the whole record.
	Merge bool
	// Status points to the member that holds the state; nil for a resource without states.
	Status func(v *T) **string
	// Actions are the operations POST /{name}/{id}:{action} and POST /{name}/{id}/{action}.
	Actions []Action[T]
	// Answer are members that stand beside the record in the answer of a create, and of the actions that say so.
	Answer func(v *T) map[string]any
	// Trial, if set, is the name of POST /x/{name}/{trial}: the body of a create, answered with the outcome of every check.
	Trial string
	// Announce: a message follows every new record. It is stored with the unsent mark, and Announce is called after
	// the write, to wake whoever sends.
	Announce func()
}

// Check is one named check. Run answers nil where it passes, a *problem.Error where it refuses, and any other error where
// it could not be evaluated.
type Check[T any] struct {
	// Name is the condition of the row, in its words.
	Name string
	// On are the members it reads. Where a stored record changes, only the checks on the members that differ run again:
	// what was right when it was written stays, though a licence has expired since.
	On []string
	// Leads: the checks after it build on what it looks up.
	Leads bool
	// Refuses are the problems that it may answer, that of the row first; none for a check that only warns.
	Refuses []problem.Kind
	// Requires are the members that it cannot be evaluated without.
	Requires []string
	Run      func(ctx context.Context, d *Draft[T]) error
}

// Unique declares that no two records share a value.
type Unique[T any] struct {
	Index string
	// Value answers the value of a record, "" for none.
	Value func(v *T) string
	// Taken answers the refusal, given the id of the record that holds the value. Nil for a value that the exchange
	// issues: another is issued then.
	Taken func(holder string) error
}

// Draft is a record on its way to be written.
type Draft[T any] struct {
	// Value is the record as it will be written.
	Value *T
	// Stored is the record that this one replaces; nil for a new one.
	Stored *T
	// Now is the instant of the request, UTC.
	Now time.Time
	// Spawned: the exchange makes the record, and not the body of a create.
	Spawned bool

	warnings []Warning
	facts    map[any]any
}

// Warning tells the caller of a written record what is unusual about it.
type Warning struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
}

// Warn adds a warning to the answer.
func (d *Draft[T]) Warn(kind, title, detail string) {
	d.warnings = append(d.warnings, Warning{kind, title, detail})
}

// Fact is something a check looked up and later checks need as well. The pointer is the key.
type Fact[F any] struct{ Name string }

func (f *Fact[F]) name() string { return f.Name }

// named is what every fact is.
type named interface{ name() string }

// Note keeps the fact with the draft.
func Note[T, F any](d *Draft[T], fact *Fact[F], value F) {
	if d.facts == nil {
		d.facts = make(map[any]any, 2)
	}
	d.facts[fact] = value
}

// Noted answers the fact, the zero value if it was not noted.
func Noted[T, F any](d *Draft[T], fact *Fact[F]) F {
	value, _ := d.facts[fact].(F)
	return value
}

// identified is what a record's pointer must be.
type identified interface {
	RecordID() string
	SetRecordID(id string)
}

func identity[T any](v *T) identified { return any(v).(identified) }
