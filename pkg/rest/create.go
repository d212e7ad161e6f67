package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/tracing"
)

// create serves POST /{resource}.
func (r *Records[T]) create(c *gin.Context) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	return r.names.asSent(r.createFrom(c, body), body)
}

func (r *Records[T]) createFrom(c *gin.Context, body []byte) error {
	ctx := c.Request.Context()
	v, err := r.decode(body)
	if err != nil {
		return err
	}
	warnings, err := r.names.judge(c, body)
	if err != nil {
		return err
	}
	key, err := r.server.UsedKey(c, r.Name, body)
	if err != nil {
		return err
	}
	if key != nil && !r.ListsIdempotency {
		if doc, again, err := r.replayed(ctx, key); err != nil || again {
			if err != nil {
				return err
			}
			return r.replay(c, doc, true)
		}
	}
	d := &Draft[T]{Value: v, Now: r.server.Now(), key: key}
	id, err := r.issue(d)
	if err != nil {
		return err
	}
	if err := r.mayCreate(ctx, v); err != nil {
		return err
	}
	if err := r.check(ctx, d, nil); err != nil {
		return err
	}
	r.note(ctx, d)
	doc, again, err := r.insert(ctx, id, d, key, history.Entry{Event: "created"})
	if err != nil {
		return err
	}
	if again {
		return r.replay(c, doc, true)
	}
	return r.respond(c, http.StatusCreated, doc, r.extra(d.Value, slices.Concat(warnings, d.warnings)))
}

// issue gives a new record its identifier and what else the exchange issues, in place of whatever a caller sent.
func (r *Records[T]) issue(d *Draft[T]) (uuid.UUID, error) {
	id, err := docstore.NewID(d.least)
	if err != nil {
		return id, err
	}
	if !d.Spawned {
		r.members.disown(reflect.ValueOf(d.Value).Elem())
	}
	identity(d.Value).SetRecordID(id.String())
	if r.Issue != nil {
		r.Issue(d)
	}
	return id, nil
}

// insert writes a new record. Where an index refuses it, insert finds out why: the same request came before (again is
// true and doc is the record that it made), another record has a value of the caller's, or another record has a value
// that the exchange issued, in which case another value is tried.
func (r *Records[T]) insert(
	ctx context.Context, id uuid.UUID, d *Draft[T], key *history.UsedKey, entry history.Entry,
) (doc docstore.Document, again bool, err error) {
	const tries = 8
	for range tries {
		if doc, err = r.newDocument(ctx, id, d, key, entry); err != nil {
			return doc, false, err
		}
		doc.Digest = docstore.NewDigest(doc.Version, doc.Body, doc.State, nil)
		err = refusedWrite(r.collection.Insert(ctx, request.OrganisationFrom(ctx), doc))
		if err == nil {
			if r.Announce != nil {
				r.Announce(doc)
			}
			return doc, false, nil
		}
		passed, _ := errors.AsType[*docstore.PassedError](err)
		if _, duplicate := docstore.Duplicate(err); duplicate {
			doc, again, err = r.taken(ctx, d.Value, key)
		} else if passed != nil {
			d.least, err = passed.Least, nil
		}
		if err != nil || again {
			return doc, again, err
		}
		if id, err = r.issue(d); err != nil {
			return doc, false, err
		}
	}
	return doc, false, problem.Outage(errors.New("no free identifier found for a new " + r.Name))
}

// newDocument returns the document of a new record, which led to an entry of its history.
func (r *Records[T]) newDocument(
	ctx context.Context, id uuid.UUID, d *Draft[T], key *history.UsedKey, entry history.Entry,
) (doc docstore.Document, err error) {
	entry.At, entry.By = d.Now, request.CallerFrom(ctx).Subject
	entry.Organisation = request.OrganisationFrom(ctx).Name()
	if r.Status != nil {
		entry.To = Text(*r.Status(d.Value))
	}
	record := &Record[T]{Value: d.Value, Version: 1, unsent: r.Announce != nil}
	record.state = history.State{Resource: r.Name, Key: key, Aside: d.Aside, History: history.Created(entry)}
	if span := trace.SpanFromContext(ctx); r.Announce != nil && span.IsRecording() {
		record.state.Trace = tracing.Parent(span)
	}
	if r.Pin != nil {
		if record.state.Pinned, err = r.Pin(ctx, d); err != nil {
			return doc, err
		}
	}
	r.findOrigin(&record.state)
	r.pinReference(record, request.OrganisationFrom(ctx).Name())
	return r.encodeDocument(id, record)
}

// errAnew means that another record has by now what followed from the records of before; see Unique.Anew.
var errAnew = errors.New("another record has the value")

// taken finds out why an index refused a record: it returns the record that the same key made, or the refusal of a
// value that another record has. It returns neither where the value was one that the exchange issued. Errors: errAnew.
func (r *Records[T]) taken(
	ctx context.Context, v T, key *history.UsedKey,
) (doc docstore.Document, again bool, err error) {
	var first docstore.Document
	found := false
	if key != nil {
		if first, found, err = r.createdWith(ctx, key); err != nil {
			return first, false, err
		}
	}
	for _, u := range r.Unique {
		value := u.Value(v)
		if u.Taken == nil && !u.Anew || value == "" {
			continue
		}
		holder, held, err := r.holder(ctx, u.Index, value)
		if err != nil {
			return doc, false, err
		}
		switch {
		case !held || found && holder.ID == first.ID:
		case u.Anew:
			return doc, false, errAnew
		default:
			return doc, false, u.Taken(holder.ID.String())
		}
	}
	if reference, is := r.referenceOf(v); is {
		holder, held, err := r.namedBy(ctx, reference)
		if err != nil || held && (!found || holder.ID != first.ID) {
			return doc, false, cmp.Or(err, referenceTaken(holder))
		}
	}
	if !found {
		return doc, false, nil
	}
	return r.replayed(ctx, key)
}

// free refuses a draft whose value of a unique index another record has. The record that the same Idempotency-Key
// created is no reason to refuse: whether the request is a replay is decided when the record is written.
func (r *Records[T]) free(ctx context.Context, c *Check[T], d *Draft[T]) error {
	u := r.Unique[slices.IndexFunc(r.Unique, func(u Unique[T]) bool { return u.Index == c.unique })]
	value := u.Value(d.Value)
	if value == "" {
		return nil
	}
	if id, held, err := r.assumedOwner(ctx, &u, value); err != nil || held {
		if err != nil {
			return err
		}
		return u.Taken(id)
	}
	holder, held, err := r.holder(ctx, u.Index, value)
	if err != nil || !held || holder.ID.String() == identity(d.Value).RecordID() {
		return err
	}
	if made, err := r.madeWith(holder, d.key); err != nil || made {
		return err
	}
	return u.Taken(holder.ID.String())
}

// mayCreate refuses the creation of a record under the policy of another organisation that the caller sees, unless the
// right to it is shared.
func (r *Records[T]) mayCreate(ctx context.Context, v T) error {
	if r.rights == nil || r.SharedBy == "" {
		return nil
	}
	for i := range r.Filters {
		number := r.Filters[i].Key(v)
		if r.Filters[i].Index != r.SharedBy || number == "" {
			continue
		}
		lacked, err := r.rights.Lacks(ctx, request.OrganisationFrom(ctx), uuid.Nil, number)
		if err != nil {
			return err
		}
		return lacking(lacked)
	}
	return nil
}

// refusedWrite returns the refusal of a write for which a right was missing when it was made; other errors as they
// are.
func refusedWrite(err error) error {
	if missing, is := errors.AsType[*docstore.RightError](err); is {
		return lacking(missing.Right)
	}
	return err
}
