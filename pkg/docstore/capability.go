package docstore

import (
	"context"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/organisation"
)

// History reads the former versions that Replace has kept.
type History interface {
	// Former returns a former version of a document. Errors: ErrNotFound if it was not kept, ErrUnavailable.
	Former(ctx context.Context, who organisation.ID, id uuid.UUID, version int64) (Former, error)
	// Formers returns up to limit former versions of a document, those after a version, in order of version, without
	// their bodies. It returns fewer if the states of more are larger than FormersBytes together; none means that
	// there are no more. Errors: ErrUnavailable.
	Formers(ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int) ([]Former, error)
	// FormerByKey returns the latest former version of a document that has the key, without its body. Errors:
	// ErrNotFound, ErrUnavailable.
	FormerByKey(ctx context.Context, who organisation.ID, id uuid.UUID, key string) (Former, error)
}

// Members reads little of many documents.
type Members interface {
	// Texts returns one member of the documents that have some ids, at most MaxTexts: the text that the body has in
	// the member, empty where it has none. For the member "" no body is read, and the result says which documents
	// there are. Errors: ErrUnavailable.
	Texts(ctx context.Context, who organisation.ID, ids []uuid.UUID, member string) (map[uuid.UUID]string, error)
}

// Owners says which organisations with a name own documents.
type Owners interface {
	// OwnerAfter returns the first name after another one, in the order of their bytes, of an organisation that owns a
	// document. It returns the empty name if there is none. Errors: ErrUnavailable.
	OwnerAfter(ctx context.Context, who organisation.ID, after string) (string, error)
}

// Sharing shares what is under a policy with other organisations. Only the collections of package shared do.
type Sharing interface {
	// Stamp has the participants of a policy find the documents under it. The owner calls it once the list of the
	// participants has changed. Errors: ErrUnavailable.
	Stamp(ctx context.Context, who organisation.ID, policyNumber string) error
	// Lacks returns the right that an organisation lacks to change a document of another one that it sees, empty if it
	// has it. With a policy number it is about a new document under the policy, and empty as well if the organisation
	// does not see the policy. Errors: ErrUnavailable.
	Lacks(ctx context.Context, who organisation.ID, id uuid.UUID, policyNumber string) (right string, err error)
}

// RightError is the refusal of a write under a policy that is shared, because the organisation lacks a right.
type RightError struct {
	// Right is the name of the right.
	Right string
}

func (e *RightError) Error() string { return "docstore: the organisation lacks the right " + e.Right }

// Changes reads the log of changes of the store that a collection is in. The log has an entry for each version of each
// document of all its collections, made with the write or after it, in an order that never changes: the versions of a
// document ascend without a gap.
type Changes interface {
	// Changes returns up to limit entries of the log, those after a position. A position that was ever returned keeps
	// its meaning. Errors: ErrPosition, ErrUnavailable.
	Changes(ctx context.Context, who organisation.ID, after Position, limit int) (ChangePage, error)
	// EndOfChanges returns the position after the entries that the log has by now. Errors: as those of Changes.
	EndOfChanges(ctx context.Context, who organisation.ID) (Position, error)
}

// Position is a place in a log of changes, and names the log. The empty one is before the oldest entry.
type Position string

// Change is an entry of a log of changes: one version of a document.
type Change struct {
	Collection string
	Ref
	// At is the instant of the write by the clock of the store. It never descends along the log.
	At time.Time
	// Position is the place after the entry.
	Position Position
}

// ChangePage is some entries of a log of changes, in order.
type ChangePage struct {
	Changes []Change
	// Next is the position after the page, also if it has no entries.
	Next Position
	// Watermark is an instant that no entry after the page is before, unless the clock of the store is set back.
	Watermark time.Time
}

// SharingOf returns a collection as one that is shared, also where it is decorated; nil if it is not.
func SharingOf(c Collection) Sharing {
	if d, is := c.(*decorated); is {
		return SharingOf(d.inner)
	}
	sharing, _ := c.(Sharing)
	return sharing
}

// Call is one call of a collection, as what decorates the collection sees it. What an operation does not take is zero.
type Call struct {
	// Operation names the method, as in "find" or "former_by_key".
	Operation string
	// Organisation is in whose name the call is made.
	Organisation organisation.ID
	// ID is the document that is named, also of an insert and a replacement, and Version the version of it.
	ID      uuid.UUID
	Version int64
	// Former is what a replacement keeps.
	Former *Former
	// Query is the query of a find.
	Query *Query
	// Refs are the documents of a call of Sent.
	Refs []Ref
	// Value is the text that is looked for: the key of a former version, the value of an index, or the member.
	Value string
}

// Writes reports whether the operation changes what is stored.
func (c Call) Writes() bool {
	return c.Operation == "insert" || c.Operation == "replace" || c.Operation == "sent"
}

// around makes a call by calling do, once at most, under a context of its choice, and returns the error of do or one
// of its own. It may be called from any goroutine.
type around = func(ctx context.Context, call Call, do func(context.Context) error) error

// Decorate returns a collection that makes each call through around.
func Decorate(c Collection, around around) Collection { return &decorated{c, around} }

type decorated struct {
	inner  Collection
	around around
}

// through makes a call that has a result. After an error the call may still be under way, and its result is not read.
func through[T any](ctx context.Context, d *decorated, call Call, do func(context.Context) (T, error)) (T, error) {
	var result T
	err := d.around(ctx, call, func(ctx context.Context) (err error) {
		result, err = do(ctx)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return result, nil
}

func (d *decorated) Insert(ctx context.Context, who organisation.ID, doc Document) error {
	return d.around(ctx, Call{Organisation: who, Operation: "insert", ID: doc.ID},
		func(ctx context.Context) error { return d.inner.Insert(ctx, who, doc) })
}

func (d *decorated) Get(ctx context.Context, who organisation.ID, id uuid.UUID) (Document, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "get", ID: id},
		func(ctx context.Context) (Document, error) { return d.inner.Get(ctx, who, id) })
}

func (d *decorated) Replace(ctx context.Context, who organisation.ID, doc Document, former *Former) error {
	return d.around(ctx,
		Call{Organisation: who, Operation: "replace", ID: doc.ID, Version: doc.Version, Former: former},
		func(ctx context.Context) error {
			return d.inner.Replace(ctx, who, doc, former)
		})
}

func (d *decorated) Find(ctx context.Context, who organisation.ID, q Query) ([]Document, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "find", Query: &q},
		func(ctx context.Context) ([]Document, error) { return d.inner.Find(ctx, who, q) })
}

func (d *decorated) Unsent(ctx context.Context, who organisation.ID, after uuid.UUID, limit int) ([]Document, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "unsent"}, func(ctx context.Context) ([]Document, error) {
		return d.inner.Unsent(ctx, who, after, limit)
	})
}

func (d *decorated) Sent(ctx context.Context, who organisation.ID, refs []Ref) (removed int, err error) {
	return through(ctx, d, Call{Organisation: who, Operation: "sent", Refs: refs},
		func(ctx context.Context) (int, error) { return d.inner.Sent(ctx, who, refs) })
}

func (d *decorated) Former(ctx context.Context, who organisation.ID, id uuid.UUID, version int64) (Former, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "former", ID: id, Version: version},
		func(ctx context.Context) (Former, error) {
			return d.inner.Former(ctx, who, id, version)
		})
}

func (d *decorated) Formers(
	ctx context.Context, who organisation.ID, id uuid.UUID, after int64, limit int,
) ([]Former, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "formers", ID: id, Version: after},
		func(ctx context.Context) ([]Former, error) {
			return d.inner.Formers(ctx, who, id, after, limit)
		})
}

func (d *decorated) FormerByKey(ctx context.Context, who organisation.ID, id uuid.UUID, key string) (Former, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "former_by_key", ID: id, Value: key},
		func(ctx context.Context) (Former, error) {
			return d.inner.FormerByKey(ctx, who, id, key)
		})
}

func (d *decorated) Texts(
	ctx context.Context, who organisation.ID, ids []uuid.UUID, member string,
) (map[uuid.UUID]string, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "texts", Value: member},
		func(ctx context.Context) (map[uuid.UUID]string, error) {
			return d.inner.Texts(ctx, who, ids, member)
		})
}

func (d *decorated) Changes(ctx context.Context, who organisation.ID, after Position, limit int) (ChangePage, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "changes"},
		func(ctx context.Context) (ChangePage, error) {
			return d.inner.Changes(ctx, who, after, limit)
		})
}

func (d *decorated) EndOfChanges(ctx context.Context, who organisation.ID) (Position, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "end_of_changes"},
		func(ctx context.Context) (Position, error) {
			return d.inner.EndOfChanges(ctx, who)
		})
}

func (d *decorated) OwnerAfter(ctx context.Context, who organisation.ID, after string) (string, error) {
	return through(ctx, d, Call{Organisation: who, Operation: "owner_after"},
		func(ctx context.Context) (string, error) {
			return d.inner.OwnerAfter(ctx, who, after)
		})
}
