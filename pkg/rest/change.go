package rest

import (
	"cmp"
	"context"
	"errors"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
)

// maxTries is how often a change is tried if another request changes the record between the reading and the writing.
const maxTries = 64

// decision returns what is to replace the document that was read; nil to leave the record as it is.
type decision[T any] func(docstore.Document, *Record[T]) (*succession, error)

// succession is the document that replaces one, and what is kept of that.
type succession struct {
	next   docstore.Document
	former *docstore.Former
}

// digest gives the documents their digests. was is the document that was read.
func (s *succession) digest(was docstore.Document) {
	s.next.Digest = docstore.NewDigest(was.Version+1, s.next.Body, s.next.State, was.Digest)
	if s.former != nil {
		s.former.Digest = was.Digest.Of(was.Version)
	}
}

// changedTo is what became of a record.
type changedTo[T any] struct {
	doc    docstore.Document
	record *Record[T]
	// repeated: the key was used on the record before, and nothing changed.
	repeated bool
}

// change reads a record, decides what becomes of it, and replaces it if its version is still the one that was read; if
// not, it begins again. The first try takes the record that was read before, where there is one. A key that was used
// on the record before changes nothing.
func (r *Records[T]) change(ctx context.Context, id string, read *Record[T], key *history.UsedKey,
	precondition func(docstore.Document) error, decide decision[T],
) (changedTo[T], error) {
	var done changedTo[T]
	for range maxTries {
		doc, record, err := r.toDecide(ctx, id, read)
		if err != nil {
			return done, err
		}
		read, done = nil, changedTo[T]{doc: doc, record: record}
		if done.repeated, err = r.repeated(ctx, doc, &record.state.History, key); err != nil || done.repeated {
			return done, err
		}
		if err := precondition(doc); err != nil {
			return done, err
		}
		decided, err := decide(doc, record)
		if err != nil || decided == nil {
			return done, err
		}
		decided.digest(doc)
		switch err := r.collection.Replace(ctx, request.OrganisationFrom(ctx), decided.next, decided.former); {
		case errors.Is(err, docstore.ErrStale):
			continue
		case err != nil:
			return done, r.refusedReplace(ctx, refusedWrite(err), record.Value, doc)
		}
		decided.next.Version++
		done.doc = decided.next
		return done, nil
	}
	return done, problem.Outage(errors.New(r.resource + " " + id + " changed at every try"))
}

// toDecide returns the document and the record that a try begins with. Of a record that was read before, the document
// has the id, the version and the digest alone.
func (r *Records[T]) toDecide(ctx context.Context, id string, read *Record[T]) (docstore.Document, *Record[T], error) {
	if read != nil {
		parsed, _ := parseID(id)
		return docstore.Document{ID: parsed, Version: read.Version, Digest: read.digest}, read, nil
	}
	doc, err := r.toChange(ctx, id)
	if err != nil {
		return doc, nil, err
	}
	record, err := r.Decode(doc)
	return doc, record, err
}

// refusedReplace returns the refusal of a changed record whose value another record has, where an index refused it;
// any other error as it is.
func (r *Records[T]) refusedReplace(ctx context.Context, err error, v T, doc docstore.Document) error {
	index, duplicate := docstore.Duplicate(err)
	if !duplicate {
		return err
	}
	if reference, is := r.referenceOf(v); is && index == referenceIndex {
		if !request.OrganisationFrom(ctx).Sees(doc.Owner) {
			return referenceTaken(docstore.Document{}) // what its owner has is not the caller's to know
		}
		holder, _, findErr := r.namedBy(ctx, reference)
		return cmp.Or(findErr, referenceTaken(holder))
	}
	for _, u := range r.Unique {
		if u.Index != index || u.Taken == nil {
			continue
		}
		holder, held, findErr := r.holder(ctx, index, u.Value(v))
		if findErr != nil {
			return findErr
		}
		if held && holder.ID != doc.ID {
			return u.Taken(holder.ID.String())
		}
	}
	return err
}

func unconditionally(docstore.Document) error { return nil }

// Insert writes a record that the service itself makes. No check runs, and the record's history begins with the event.
// Errors: those of Unique.Taken, docstore.ErrTooLarge, docstore.ErrUnavailable.
func (r *Records[T]) Insert(ctx context.Context, v T, event string) error {
	d := &Draft[T]{Value: v, Now: r.server.Now(), Spawned: true}
	id, err := r.issue(d)
	if err != nil {
		return err
	}
	_, _, err = r.insert(ctx, id, d, nil, history.Entry{Event: event})
	return err
}

// Alter changes a record that Get or One returned, for the service itself. alter works on the record in place and
// reports whether to write it; where another request has changed the record since it was read, it runs again on the
// record as it is then. The record on which it ran last is as it is stored then, and can be altered again. The
// history stays as it is, and what the record was before is not kept. Errors: those of alter, the problem of an
// unknown id, docstore.ErrTooLarge, docstore.ErrUnavailable.
func (r *Records[T]) Alter(
	ctx context.Context, record *Record[T], alter func(*Record[T]) (write bool, err error),
) error {
	id := identity(record.Value).RecordID()
	done, err := r.change(ctx, id, record, nil, unconditionally,
		func(doc docstore.Document, record *Record[T]) (*succession, error) {
			write, err := alter(record)
			if err != nil || !write {
				return nil, err
			}
			record.state.History.Altered, record.own = r.server.Now(), true
			next, err := r.encodeDocument(doc.ID, record)
			return &succession{next: next}, err
		})
	if err != nil {
		return err
	}
	if size := len(done.doc.Body) + len(done.doc.State); size > 0 { // it was written or read anew
		done.record.Version, done.record.digest, done.record.size = done.doc.Version, done.doc.Digest, size
	}
	return nil
}

// Apply applies an action for the service itself, as a caller's request with the body would; an empty body counts as
// {}. The action need not be one that the resource declares. Errors: problems, as a caller gets them.
func (r *Records[T]) Apply(c *gin.Context, id string, a Action[T]) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	ctx := c.Request.Context()
	parsed, err := a.parse(ctx, r.server, body)
	if err != nil {
		return err
	}
	var warnings []Warning
	_, err = r.change(ctx, id, nil, nil, unconditionally, r.applying(ctx, id, &a, parsed, body, nil, &warnings))
	return err
}

// lacking returns the refusal of an organisation that sees what another one owns, and lacks a right to write it; nil
// if it lacks none.
func lacking(right string) error {
	switch right {
	case "":
		return nil
	case "owner":
		return problem.New(problem.RightMissing,
			"Another organisation owns the record, and its owner alone may do this.").With("right", right)
	default:
		return problem.New(problem.RightMissing,
			"The policy is shared with the organisation without the right "+right+", which this needs.").
			With("right", right)
	}
}

// mayChange refuses the change of a document that another organisation owns, unless the right to it is shared.
func (r *documents) mayChange(ctx context.Context, doc docstore.Document) error {
	who := request.OrganisationFrom(ctx)
	if r.rights == nil || who.Sees(doc.Owner) {
		return nil
	}
	lacked, err := r.rights.Lacks(ctx, who, doc.ID, "")
	if err != nil {
		return err
	}
	return lacking(lacked)
}

// toChange reads a document that is to be changed. One that is not as it was written is not changed: its next version
// would vouch for what is wrong.
func (r *documents) toChange(ctx context.Context, id string) (docstore.Document, error) {
	doc, err := r.existing(ctx, id)
	if err == nil {
		err = r.mayChange(ctx, doc)
	}
	if err == nil {
		err = r.log.Intact(doc.ID, doc.Digest.Check(doc.Version, doc.Body, doc.State))
	}
	return doc, err
}
