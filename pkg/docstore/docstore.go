package docstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/organisation"
)

// Document is one stored record. The store reads and writes its ID, Version, Owner, Keys and Unsent, and returns Body,
// State and Digest byte for byte as they were stored.
type Document struct {
	// ID names the document within its collection. It is a UUID of version 7, so that the order of ids is the order of
	// creation. Every find returns documents in this order, or in the reverse.
	ID uuid.UUID
	// Version is 1 after Insert. Each Replace adds 1.
	Version int64
	// Owner is the name of the organisation in whose name the document was inserted, empty if that has none. It never
	// changes. What a caller gives counts only where it writes in the name of the exchange, which writes for others.
	Owner string
	// Body is the record as callers read it: a JSON object in UTF-8.
	Body []byte
	// State is what the owning service keeps about the record and does not show as it is: a JSON object in UTF-8, or
	// empty.
	State []byte
	// Digest is the digest of the version, or nil. A caller that replaces a document gives the digest of the version
	// that it is to have. A find without states returns none.
	Digest Digest
	// Keys are the values by which the document is found, one for each index that holds it. Reads leave Keys nil, so a
	// caller that replaces a document gives all of its keys again.
	Keys Keys
	// Unsent marks a document about which a message has still to be sent and acted on. The mark is part of the
	// document, so that one write stores both the record and this duty.
	Unsent bool
}

// Former is a version of a document that another one has replaced. It is written once and never changes. So it does
// not matter if it is written again, by a caller who read the same version, or is written and its successor is not.
type Former struct {
	// Version is the version that the document had.
	Version int64
	// Body and State are the document's at that version, byte for byte.
	Body, State []byte
	// Digest is the document's at that version, nil for none. A read without the bodies may leave out the digest of a
	// version whose body is large.
	Digest Digest
	// Key is a value by which FormerByKey finds the version among those of its document; empty for none.
	Key string
}

// Keys maps the names of indexes to values. A value is any text; two values are equal if their bytes are.
type Keys map[string]string

// Index is one way to find the documents of a collection. It holds the documents that have a key of its name.
type Index struct {
	// Name is made of ASCII letters, digits and underscores and begins with a letter, as in "policyNumber".
	Name string
	// Unique means that at most one document of the collection has each value. Such an index has no order: a query
	// can ask for one of its values, not for a range.
	Unique bool
	// Global means that the index has the values of all organisations in one: a unique value is unique among all of
	// them, and the exchange finds documents by it. It is for values that the exchange issues, or that name a record
	// which the caller sees: the refusal of any other would say what another organisation has. In the other indexes
	// each organisation has values of its own, and by these the exchange finds only documents without an owner. A
	// global index has no ranges.
	Global bool
	// Since is the number of the migration that gives the documents of earlier releases their values, 0 if there is
	// none. An index that is added to a collection, and one that forms its values in another way than before, has a
	// number that is greater than those of all others of the collection; see Spec.Keys.
	Since int
}

// Spec describes a collection.
type Spec struct {
	// Name is made as the name of an Index is.
	Name string
	// Indexes are ordered by selectivity, the most selective first. A find that names several of them reads the first
	// and compares the others document by document.
	Indexes []Index
	// Unlogged leaves the documents out of the log of changes: those that a service rewrites all the time for its own
	// work, which nobody is to learn of. A collection keeps what it was when it was made.
	Unlogged bool
	// Public means that every organisation sees the documents, while the owner of each alone replaces it. The keys are
	// not led by the owner: an index has the values of all. It holds where package shared decorates the store.
	Public bool
	// SharedBy is the index with the number of the policy that a document is under, by which an organisation may share
	// it with others; empty if it cannot. Right is the right that others need to write such a document; empty if the
	// owner alone may. Both hold where package shared decorates the store.
	SharedBy, Right string
	// Unowned means that the documents are the exchange's own: no organisation ever has one.
	Unowned bool
	// Keys returns the keys that a stored document is to have by now, from its body and state. With it, a collection
	// whose indexes have changed gives the documents that are there their keys before it is opened, so that every
	// index holds all of them. Without it, a new index holds the documents stored from then on.
	Keys func(Document) (Keys, error)
	// Progress, if set, is called every now and then while documents get their keys so, with how many were read.
	Progress func(documents int64)
	// NoKey, if set, is called with a document that does not get a key so: either another document has the value (a
	// *DuplicateError), or Keys failed. It keeps its other keys.
	NoKey func(id uuid.UUID, cause error)
}

// Range selects the documents whose value in an index lies from From to To, both inclusive, compared byte by byte. An
// empty bound is open.
type Range struct {
	Index    string
	From, To string
}

// Query selects the documents for which all of its conditions hold; without conditions, all of the collection. They
// are returned in order of id, ascending or descending.
type Query struct {
	// Equal are the values that a document must have.
	Equal Keys
	// Ranges are the ranges in which a document must lie.
	Ranges []Range
	// After excludes the document with this id and all that the order has before it. The zero UUID excludes none. A
	// caller that reads page after page gives the last id that it has seen, and sees each document once while others
	// insert.
	After uuid.UUID
	// Descending makes the find return the greatest ids first: the newest documents.
	Descending bool
	// Skip is the number of selected documents to leave out first; 0 or more.
	Skip int
	// Limit is the greatest number of documents to return; 1 or more.
	Limit int
	// Bytes is the greatest size of all bodies and states together; 0 for any. The first document is returned
	// whatever its size. A document beyond it is returned without body and state, as a sign that there is one, and
	// ends the find.
	Bytes int
	// Settled promises that no document will be inserted before the last one that is returned, in ascending order,
	// where more may follow. A reader who goes on after it misses none. The find waits for writes under way, and ends
	// before a document that they may precede, as Bytes says. A reader who also goes on after a page that none follows
	// at present uses FindSettled. On a store that several processes share this holds for what was acknowledged, as
	// long as their clocks and that of the database agree within a second.
	Settled bool
	// Near has a find by a range end where it would read all of a range that holds many: it may look only among the
	// NearWindow documents of the collection that come next in order of id. Its last document is then the last of
	// these, with Version 0 and without body and state; a reader goes on after it. Such a find skips none.
	Near bool
	// Own leaves out what is shared with the organisation: what it reports is what it owns. Package shared knows it.
	Own bool
	// WithState has the find read the states of the documents as well, which are then returned. A state may be larger
	// than its body.
	WithState bool
}

// Ref names one version of a document.
type Ref struct {
	ID      uuid.UUID
	Version int64
}

// Collection holds the documents of one kind, or of several kinds that share a unique index. It is safe for concurrent
// use.
//
// Every call says in whose name it is made; nobody's is refused with organisation.ErrNobody before anything is read.
// An organisation sees the documents that it owns, and the exchange all. A document that it does not see is, for each
// call, one that does not exist: the result is the same, and it is found out in an index, so that neither the document
// nor its size plays a part in how long it takes. What is there for the exchange (Unsent, Sent, Changes) is refused in
// the name of one with organisation.ErrNamed.
//
// When a context ends before the result of a call is known, the call returns an error that wraps both ErrUnavailable
// and the error of the context; a write may then have happened.
type Collection interface {
	// Insert stores a new document with version 1. Errors: *DuplicateError, *PassedError, ErrTooLarge, ErrUnavailable.
	Insert(ctx context.Context, who organisation.ID, doc Document) error
	// Get returns the document with an id. Errors: ErrNotFound, ErrUnavailable.
	Get(ctx context.Context, who organisation.ID, id uuid.UUID) (Document, error)
	// Replace stores doc, with its body, state, keys and unsent mark, in place of the stored version doc.Version, and
	// gives it the version doc.Version+1. It keeps former, the version that it replaces, unless former is nil; a
	// former version is there before its successor is. Errors: ErrStale if the stored version is another or there is
	// no document with the id, *DuplicateError, ErrTooLarge, ErrUnavailable.
	Replace(ctx context.Context, who organisation.ID, doc Document, former *Former) error
	// Find returns the documents that a query selects. Errors: ErrUnavailable.
	Find(ctx context.Context, who organisation.ID, q Query) ([]Document, error)
	// Unsent returns up to limit documents that carry the unsent mark, in order of id. It leaves out the document
	// with the id after and all before it; the zero UUID leaves out none. Errors: ErrUnavailable.
	Unsent(ctx context.Context, who organisation.ID, after uuid.UUID, limit int) ([]Document, error)
	// Sent removes the unsent mark from each document that is still at the version named, and does not change that
	// version. A document that has changed keeps its mark. It returns how many marks it removed; where it had to find
	// out whether it did, because a response was lost, it does not count them. Errors: ErrUnavailable.
	Sent(ctx context.Context, who organisation.ID, refs []Ref) (removed int, err error)

	History
	Members
	Owners
	Changes
}

// Store is an open database. It is safe for concurrent use.
type Store interface {
	// Collection creates the collection and its indexes where they are missing, and returns the collection. A service
	// calls it once for each collection when it starts. First it gives the documents that lack keys of the indexes
	// these, which takes as long as there are documents. If it ends before, the next call begins again. Errors:
	// ErrUnavailable.
	Collection(ctx context.Context, spec Spec) (Collection, error)
	// Ping returns nil if the store can serve reads and writes. Errors: ErrUnavailable.
	Ping(ctx context.Context) error
	// Close waits for the writes under way and closes the store.
	Close() error
}

var (
	// ErrNotFound means that no document has the id.
	ErrNotFound = errors.New("docstore: no such document")
	// ErrStale means that the document is no longer at the version that was read.
	ErrStale = errors.New("docstore: the document has changed")
	// ErrUnavailable means that the store failed or did not finish in time. A write may or may not have happened.
	// Every error of a store that is none of the others wraps it.
	ErrUnavailable = errors.New("docstore: store unavailable")
	// ErrNoCollection means that a store which only reads has never had the collection.
	ErrNoCollection = errors.New("docstore: there is no such collection")
	// ErrPosition means that a position does not belong to the log of changes that is read.
	ErrPosition = errors.New("docstore: not a position of this log of changes")
	// ErrTooLarge means that a document is larger than MaxSize, or larger than the store can hold. Nothing was
	// written.
	ErrTooLarge = errors.New("docstore: the document is too large")
)

// MaxSize is the greatest length of a document's body and state together, in bytes. MongoDB holds 16 MiB; half of that
// leaves room for the form in which it keeps them, and for the keys.
const MaxSize = 8 << 20

// NearWindow is the number of documents among which a find with Query.Near looks.
const NearWindow = 2000

// MaxTexts is the greatest number of ids that Members.Texts is asked for at a time.
const MaxTexts = 500

// FormersBytes is the greatest size of the states that History.Formers returns together, in bytes. The first may
// be larger.
const FormersBytes = 1 << 20

// IDIndex is the Index of a DuplicateError whose cause is a document id that is taken.
const IDIndex = "id"

// DuplicateError is the refusal of a write because a document has its value of a unique index already.
type DuplicateError struct {
	// Index is the name of the index, or IDIndex.
	Index string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("docstore: value of unique index %q is taken", e.Index)
}

// PassedError is the refusal of an insert because its id is too small: a settled find has returned a greater one, or
// may do so, or it is older than an insert may be. The document can be inserted with an id of NewID.
type PassedError struct {
	// Least is the least id that is taken now.
	Least uuid.UUID
}

func (e *PassedError) Error() string {
	return "docstore: ids below " + e.Least.String() + " are passed"
}

// NewID returns a new id that is not below another one, which may be the zero UUID.
func NewID(least uuid.UUID) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	if bytes.Compare(id[:], least[:]) < 0 {
		// The next millisecond, whatever the clock says.
		at := append([]byte{0, 0}, least[:6]...)
		binary.BigEndian.PutUint64(at, binary.BigEndian.Uint64(at)+1)
		copy(id[:], at[2:])
	}
	return id, err
}

// LeastID returns the least id that a document can be given at an instant.
func LeastID(at time.Time) (id uuid.UUID) {
	ms := binary.BigEndian.AppendUint64(nil, uint64(at.UnixMilli()))
	copy(id[:], ms[2:])
	id[6], id[8] = 0x70, 0x80 // version 7
	return id
}

// CreatedAt returns the instant, to the millisecond, at which a document was given its id.
func CreatedAt(id uuid.UUID) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(append([]byte{0, 0}, id[:6]...))))
}

// InsertNew inserts a document under a new id, which it gives the document. Errors: those of Insert, but no
// *PassedError.
func InsertNew(ctx context.Context, in Collection, who organisation.ID, doc *Document) error {
	return InsertNamed(ctx, in, who, doc, func() error { return nil })
}

// InsertNamed is InsertNew for a document that has its id in itself: named is called each time that it has got another
// one. Errors: also those of named.
func InsertNamed(ctx context.Context, in Collection, who organisation.ID, doc *Document, named func() error) error {
	for least := (uuid.UUID{}); ; {
		id, err := NewID(least)
		if err != nil {
			return err
		}
		doc.ID = id
		if err := named(); err != nil {
			return err
		}
		err = in.Insert(ctx, who, *doc)
		passed, is := errors.AsType[*PassedError](err)
		if !is {
			return err
		}
		least = passed.Least
	}
}

// Duplicate reports whether err is or wraps a *DuplicateError, and returns the name of its index.
func Duplicate(err error) (index string, ok bool) {
	if duplicate, ok := errors.AsType[*DuplicateError](err); ok {
		return duplicate.Index, true
	}
	return "", false
}

// IDBefore returns the UUID that comes immediately before another one in their order.
func IDBefore(id uuid.UUID) uuid.UUID {
	for i := len(id) - 1; i >= 0; i-- {
		id[i]--
		if id[i] != 0xff {
			break
		}
	}
	return id
}
