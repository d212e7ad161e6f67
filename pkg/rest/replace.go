package rest

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
)

// maxTries bounds how often a change is decided anew because somebody else changed the record first.
const maxTries = 64

// replace serves PUT /{resource}/{id}.
func (r *Records[T]) replace(c *gin.Context, id string) error {
	ctx := c.Request.Context()
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if _, err := r.decode(body); err != nil {
		return err
	}
	return r.change(c, id, nil, func(doc docstore.Document, record *Record[T]) (*docstore.Document, error) {
		d, err := r.replacement(ctx, body, doc, record)
		if err != nil || d == nil {
			return nil, err
		}
		entry := Entry{Event: "replaced", At: d.Now, By: r.server.Caller(ctx)}
		record.Value = *d.Value
		return r.successor(doc, record, entry, nil)
	}, nil)
}

// replacement answers the record as it is to be; nil if an immutable record is to stay what it is.
func (r *Records[T]) replacement(ctx context.Context, body []byte, doc docstore.Document, record *Record[T]) (*Draft[T], error) {
	if r.Merge {
		renamed, _, p := rename(body, r.Aliases)
		if p != nil {
			return nil, p
		}
		merged, err := lay(doc.Body, renamed)
		if err != nil {
			return nil, err
		}
		body = merged
	}
	v, err := r.decode(body)
	if err != nil {
		return nil, err
	}
	if sent := identity(v).RecordID(); sent != "" && sent != doc.ID.String() {
		return nil, problem.New(problem.Invalid, "The id of the body is not that of the path.").At("/id", "must be "+doc.ID.String()+" or absent")
	}
	identity(v).SetRecordID(doc.ID.String())
	d := &Draft[T]{Value: v, Stored: &record.Value, Now: r.server.Now()}
	if r.Keep != nil {
		if err := r.Keep(d); err != nil {
			return nil, err
		}
	}
	if r.Immutable != nil {
		written, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if !sameValue(written, doc.Body) {
			return nil, r.Immutable()
		}
		return nil, nil
	}
	return d, r.check(ctx, d, nil)
}

// successor answers the document of the next version of a record. An entry without a change of its own tells the
// members that changed.
func (r *Records[T]) successor(doc docstore.Document, record *Record[T], entry Entry, key *usedKey) (*docstore.Document, error) {
	if entry.Change == nil {
		after, err := json.Marshal(&record.Value)
		if err != nil {
			return nil, err
		}
		if entry.Change, err = changed(doc.Body, after); err != nil {
			return nil, err
		}
	}
	record.state.History = append(record.state.History, entry)
	if key != nil {
		record.state.Used = append(record.state.Used, *key)
	}
	next, err := r.encodeDocument(doc.ID, record)
	return &next, err
}

// change reads a record, decides what becomes of it, and replaces it if it is still the one that was read; if not, it
// begins again. A key that was used on the record before changes nothing. decide answers the document to write, or nil
// to leave the record. beside answers what stands beside the record in the answer.
func (r *Records[T]) change(c *gin.Context, id string, key *usedKey,
	decide func(docstore.Document, *Record[T]) (*docstore.Document, error), beside func(*T) map[string]any,
) error {
	ctx := c.Request.Context()
	for range maxTries {
		doc, found, err := r.document(ctx, id)
		if err != nil {
			return err
		}
		if !found {
			return r.unknown(id)
		}
		record, err := r.decodeDocument(doc, r.server.Now())
		if err != nil {
			return err
		}
		if again, err := r.repeated(record, key); err != nil {
			return err
		} else if again {
			return r.replay(c, doc, beside != nil)
		}
		if err := r.precondition(c, doc); err != nil {
			return err
		}
		next, err := decide(doc, record)
		if err != nil {
			return err
		}
		if next == nil {
			return r.answer(c, http.StatusOK, doc, nil)
		}
		err = r.collection.Replace(ctx, *next)
		if errors.Is(err, docstore.ErrStale) {
			continue
		}
		if err != nil {
			return r.refusedReplace(ctx, err, &record.Value, doc)
		}
		next.Version++
		if beside != nil {
			return r.answer(c, http.StatusOK, *next, beside(&record.Value))
		}
		return r.answer(c, http.StatusOK, *next, nil)
	}
	return problem.Outage(errors.New(r.Name + " " + id + " changed at every try"))
}

// refusedReplace tells who holds the value that an index refused to a changed record.
func (r *Records[T]) refusedReplace(ctx context.Context, err error, v *T, doc docstore.Document) error {
	index, duplicate := docstore.Duplicate(err)
	if !duplicate {
		return err
	}
	for _, u := range r.Unique {
		if u.Index != index || u.Taken == nil {
			continue
		}
		holders, findErr := r.collection.Find(ctx, docstore.Query{Equal: docstore.Keys{index: u.Value(v)}, Limit: 1})
		if findErr != nil {
			return findErr
		}
		if len(holders) > 0 && holders[0].ID != doc.ID {
			return u.Taken(holders[0].ID.String())
		}
	}
	return err
}
