package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
)

// Get returns a record by its id, and whether there is one; an id that is no UUID names nothing. A record that the
// context assumes is there. Errors: docstore.ErrUnavailable; *docstore.AlteredError, since what is read may be
// changed.
func (r *Records[T]) Get(ctx context.Context, id string) (*Record[T], bool, error) {
	if body, is := r.assumed(ctx, id); is {
		record := &Record[T]{Value: empty[T](), Version: 1}
		err := json.Unmarshal(body, record.Value, history.UniqueNames)
		return record, err == nil, err
	}
	doc, found, err := r.document(ctx, id)
	if err != nil || !found {
		return nil, false, err
	}
	record, err := r.unaltered(doc)
	return record, err == nil, err
}

// unaltered returns the record of a document that is as it was written.
func (r *Records[T]) unaltered(doc docstore.Document) (*Record[T], error) {
	if err := r.log.Intact(doc.ID, doc.Digest.Check(doc.Version, doc.Body, doc.State)); err != nil {
		return nil, err
	}
	return r.Decode(doc)
}

// newest is how many documents Newest returns at most.
const newest = 50

// Newest returns the newest documents of the resource's collection that an index holds for a value, 50 and MaxPage at
// most, among those that the caller sees. It is for warnings, and returns none where the store does not respond.
func (r *documents) Newest(ctx context.Context, index, value string, withState bool) []docstore.Document {
	docs, err := r.collection.Find(ctx, request.OrganisationFrom(ctx), docstore.Query{
		Equal: docstore.Keys{index: value}, Limit: newest, Bytes: MaxPage, Descending: true, WithState: withState,
	})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(docs, func(doc docstore.Document) bool { return doc.Body == nil })
}

// One returns the record that an index holds for a value, the oldest where there are several. It returns the errors of
// Get.
func (r *Records[T]) One(ctx context.Context, index, value string) (*Record[T], bool, error) {
	docs, err := r.collection.Find(ctx, request.OrganisationFrom(ctx),
		docstore.Query{Equal: docstore.Keys{index: value}, Limit: 1, WithState: true})
	if err != nil || len(docs) == 0 {
		return nil, false, err
	}
	if is, _ := history.Belongs(docs[0].State, r.prefix); !is {
		return nil, false, nil
	}
	record, err := r.unaltered(docs[0])
	return record, err == nil, err
}

// ResourceOf returns the name of the resource that a stored document is a record of.
func ResourceOf(doc docstore.Document) (string, error) {
	// It stands first, so that nothing else needs to be read; see state.
	rest, is := bytes.CutPrefix(doc.State, []byte(`{"resource":"`))
	name, _, ends := bytes.Cut(rest, []byte(`"`))
	if !is || !ends {
		return "", fmt.Errorf("stored document %s names no resource", doc.ID)
	}
	return string(name), nil
}

// Origin is what is known of the creation of a record.
type Origin struct {
	// Pinned are the index values that were pinned.
	Pinned docstore.Keys `json:"pinned"`
	// Trace is the traceparent of the request; empty if that was not traced.
	Trace string `json:"trace"`
	// Aside is what the service has kept with the record; see Draft.Aside.
	Aside jsontext.Value `json:"aside"`
}

// OriginOf returns what is known of the creation of the record of a document.
func OriginOf(doc docstore.Document) (o Origin, err error) {
	err = json.Unmarshal(doc.State, &o)
	return o, err
}

// Recorded returns the record of a document that is as it was written, and the instant of its creation; the zero time
// if only later events are known. Errors: *docstore.AlteredError.
func (r *Records[T]) Recorded(doc docstore.Document) (T, time.Time, error) {
	record, err := r.unaltered(doc)
	if err != nil {
		var none T
		return none, time.Time{}, err
	}
	return record.Value, record.created(), nil
}

// Changed returns the instant at which a document was last changed, by a caller or by the service itself; the zero
// time if that is not known.
func (r *Records[T]) Changed(doc docstore.Document) (time.Time, error) {
	state, err := history.Decode(doc.State)
	if err != nil {
		return time.Time{}, fmt.Errorf("stored %s %s: %w", r.Name, doc.ID, err)
	}
	last := state.History.Last()
	if last == nil || last.At.Before(state.History.Altered) {
		return state.History.Altered, nil
	}
	return last.At, nil
}

// VersionAt returns the version of a document that was in force at an instant. Errors: problem.NotFound if there was
// none yet or if it was not kept; docstore.ErrUnavailable; *docstore.AlteredError.
func (r *Records[T]) VersionAt(ctx context.Context, doc docstore.Document, at time.Time) (docstore.Document, error) {
	return r.log.VersionAt(ctx, doc, at)
}

// InEffect returns the version of a document that counts at an instant; see Change.CountsFrom. A version that was not
// kept counts as the next one. Errors: docstore.ErrUnavailable; *docstore.AlteredError.
func (r *Records[T]) InEffect(ctx context.Context, doc docstore.Document, at time.Time) (docstore.Document, error) {
	return r.log.InEffect(ctx, doc, at)
}

// Texts returns a function that returns for each of some ids what the record has as the text of a member, and whether
// there is a record with it. It reads nothing else of the records, which may be thousands, and for the member "" none
// of them. The resource has its collection for itself, in which every document is one of its records. Errors:
// docstore.ErrUnavailable.
func (r *documents) Texts(
	ctx context.Context, ids []string, member string,
) (func(id string) (text string, exists bool), error) {
	keys := make([]uuid.UUID, 0, len(ids))
	for _, id := range ids {
		if key, ok := parseID(id); ok {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	all := make(map[uuid.UUID]string)
	for piece := range slices.Chunk(slices.Compact(keys), docstore.MaxTexts) {
		texts, err := r.collection.Texts(ctx, request.OrganisationFrom(ctx), piece, member)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, texts)
	}
	return func(id string) (string, bool) {
		if body, is := r.assumed(ctx, id); is {
			text, err := jsonmember.Text(body, member)
			return text, err == nil
		}
		key, ok := parseID(id)
		if !ok {
			return "", false
		}
		text, exists := all[key]
		return text, exists
	}, nil
}

// existing returns the stored document of one of the resource's records. Errors: the problem of an unknown id,
// docstore.ErrUnavailable.
func (r *documents) existing(ctx context.Context, id string) (docstore.Document, error) {
	doc, found, err := r.document(ctx, id)
	if err == nil && !found {
		err = r.unknown(id)
	}
	return doc, err
}

// document returns the stored document of one of the resource's records.
func (r *documents) document(ctx context.Context, id string) (docstore.Document, bool, error) {
	key, ok := parseID(id)
	if !ok {
		return docstore.Document{}, false, nil
	}
	doc, err := r.collection.Get(ctx, request.OrganisationFrom(ctx), key)
	if errors.Is(err, docstore.ErrNotFound) {
		return docstore.Document{}, false, nil
	}
	if err != nil {
		return docstore.Document{}, false, err
	}
	is, _ := history.Belongs(doc.State, r.prefix)
	return doc, is, nil
}

// parseID reads a UUID in the one form that the exchange writes, in either case.
func parseID(s string) (uuid.UUID, bool) {
	if len(s) != 36 {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(s)
	return id, err == nil
}

// Decode returns the record of a document, in the state that time has moved it to by now.
func (r *Records[T]) Decode(doc docstore.Document) (*Record[T], error) {
	return r.decodeAt(doc, r.server.Now())
}

// decodeAt returns the record of a document, in the state that time has moved it to by an instant.
func (r *Records[T]) decodeAt(doc docstore.Document, at time.Time) (*Record[T], error) {
	record := &Record[T]{
		Value: empty[T](), Version: doc.Version, unsent: doc.Unsent, owner: doc.Owner, digest: doc.Digest,
		size: len(doc.Body) + len(doc.State),
	}
	var err error
	if record.state, err = r.decodeInto(record.Value, doc); err != nil {
		return nil, err
	}
	r.findOrigin(&record.state)
	r.recallReference(record)
	record.advance(r.Status, at)
	if r.incomplete(doc.Body) {
		if err := r.Complete.Run(record.Value, record.created(), record.state.Pinned); err != nil {
			return nil, fmt.Errorf("stored %s %s: %w", r.resource, doc.ID, err)
		}
		record.moved = true
	}
	return record, nil
}

// created returns the instant of the creation of a record; the zero time if only later events are known.
func (r *Record[T]) created() time.Time {
	if events := r.state.History.Events; len(events) > 0 && events[0].Number == 1 {
		return events[0].At
	}
	return time.Time{}
}

// incomplete reports whether a record lacks a member that every record has by now, as a record of an earlier release
// does. It searches the text of the body only, so a member of the same name in an object within the record hides the
// lack.
func (r *documents) incomplete(body []byte) bool {
	return r.complete != nil && !bytes.Contains(body, r.complete)
}

// decodeInto reads the body of a document into the value of a record, and returns the state that is stored with it.
func (r *documents) decodeInto(value any, doc docstore.Document) (history.State, error) {
	if err := json.Unmarshal(doc.Body, value, history.UniqueNames); err != nil {
		return history.State{}, fmt.Errorf("stored %s %s: body: %w", r.resource, doc.ID, err)
	}
	s, err := history.Decode(doc.State)
	if err != nil {
		err = fmt.Errorf("stored %s %s: state: %w", r.resource, doc.ID, err)
	}
	return s, err
}

// holder returns the first document that an index holds for a value in Unicode NFC, and whether there is one.
func (r *documents) holder(ctx context.Context, index, value string) (docstore.Document, bool, error) {
	docs, err := r.collection.Find(ctx, request.OrganisationFrom(ctx),
		docstore.Query{Equal: docstore.Keys{index: norm.NFC.String(value)}, Limit: 1, WithState: true})
	if err != nil || len(docs) == 0 {
		return docstore.Document{}, false, err
	}
	return docs[0], true, nil
}

// encodeDocument returns the document of a record, with the keys it is found by.
func (r *Records[T]) encodeDocument(id uuid.UUID, record *Record[T]) (docstore.Document, error) {
	body, err := writable(record.Value)
	if err != nil {
		return docstore.Document{}, fmt.Errorf("writing %s: %w", r.Name, err)
	}
	return r.documentOf(id, record, body)
}

// ownRoom is how many bytes a record may have beyond Config.LargestRecord for what the exchange adds to it, such as
// the payments of a claim.
const ownRoom = 256 << 10

// documentOf returns the document of a record that has been written as JSON, with the keys it is found by. It refuses
// one that is larger than Config.LargestRecord. What the exchange itself adds has ownRoom beyond that, so that a
// record that callers have filled can still be moved to another state.
func (r *Records[T]) documentOf(id uuid.UUID, record *Record[T], body []byte) (docstore.Document, error) {
	most := r.server.LargestRecord
	if record.own {
		most += ownRoom
	}
	if len(body) > most {
		return docstore.Document{}, tooLarge(most, nil)
	}
	state, err := record.state.Encode()
	if err != nil {
		return docstore.Document{}, fmt.Errorf("writing %s: state: %w", r.Name, err)
	}
	return docstore.Document{
		ID: id, Version: record.Version, Body: body, State: state, Owner: record.owner,
		Keys: r.keys(record.Value, &record.state), Unsent: record.unsent,
	}, nil
}

// writable writes a record as JSON. A value that could not be read back has no JSON; it is the problem of the request
// that led to it, since what was stored has been read.
func writable(v any) ([]byte, error) {
	body, err := json.Marshal(v, history.UniqueNames)
	var wrong *json.SemanticError
	if errors.As(err, &wrong) && wrong.Err != nil {
		err = problem.New(problem.Invalid, "The record that this request makes could not be read back.").
			At(string(wrong.JSONPointer), wrong.Err.Error()).Because(err)
	}
	return body, err
}

// shown returns the record as its readers see it now, and its entity tag.
func (r *documents) shown(doc docstore.Document) (body []byte, tag string, err error) {
	return r.shownAt(doc, r.server.Now())
}

// shownAt returns the record as its readers saw it at an instant at which the document was there, and its entity tag.
func (r *documents) shownAt(doc docstore.Document, at time.Time) (body []byte, tag string, err error) {
	body, moved, err := r.bodyAt(doc, at)
	if err != nil {
		return nil, "", err
	}
	tag = strconv.FormatInt(doc.Version, 10)
	if moved {
		// The same version reads otherwise now, and so it has another tag.
		tag += "-moved"
	}
	return body, `"` + tag + `"`, nil
}

// bodyAt returns the record as its readers saw it at an instant at which the document was there, and whether it is
// another than the stored one: time has moved it by then, or it was completed.
func (r *documents) bodyAt(doc docstore.Document, at time.Time) (body []byte, moved bool, err error) {
	if _, timed := history.Belongs(doc.State, r.prefix); timed || r.incomplete(doc.Body) {
		body, moved, err := r.movedBy(doc, at)
		if err != nil || moved {
			return body, moved, err
		}
	}
	return doc.Body, false, nil
}

// bodyRecalled is documents.recalled.
func (r *Records[T]) bodyRecalled(
	ctx context.Context, doc docstore.Document, at time.Time,
) (body []byte, set bool, err error) {
	record, err := r.decodeAt(doc, at)
	if err != nil {
		return nil, false, err
	}
	if set, err = r.Recall(ctx, record.Value, at); err != nil || !set {
		return nil, false, err
	}
	body, err = writable(record.Value)
	return body, true, err
}

// begun is documents.begins.
func (r *Records[T]) begun(doc docstore.Document) (time.Time, error) {
	record, err := r.Decode(doc)
	if err != nil {
		return time.Time{}, err
	}
	return r.Begins(record.Value), nil
}

// bodyMovedBy is documents.movedBy.
func (r *Records[T]) bodyMovedBy(doc docstore.Document, at time.Time) (body []byte, moved bool, err error) {
	record, err := r.decodeAt(doc, at)
	if err != nil || !record.moved {
		return nil, false, err
	}
	body, err = json.Marshal(record.Value)
	return body, true, err
}
