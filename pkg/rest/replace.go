package rest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/history"
)

// replace serves PUT /{resource}/{id}.
func (r *Records[T]) replace(c *gin.Context, id string) error {
	body, err := readBody(c)
	if err != nil {
		return err
	}
	return r.names.asSent(r.replaceBy(c, id, body), body)
}

func (r *Records[T]) replaceBy(c *gin.Context, id string, body []byte) error {
	ctx := c.Request.Context()
	// Decode before reading the store: a malformed body must not cost a read.
	decoded, err := r.decode(body)
	if err != nil {
		return err
	}
	warnings, err := r.names.judge(c, body)
	if err != nil {
		return err
	}
	var unusual []Warning
	first := &decoded // a try changes it, and another one decodes the body again
	done, err := r.change(ctx, id, nil, nil, r.precondition(c),
		func(doc docstore.Document, record *Record[T]) (*succession, error) {
			sent := first
			first = nil
			d, err := r.replacement(ctx, body, sent, doc, record)
			if err != nil || d == nil {
				return nil, err
			}
			d.warnings = nil // of checks, which warn of a creation
			r.note(ctx, d)
			unusual = d.warnings
			entry := history.Entry{Event: "replaced", At: d.Now, By: request.CallerFrom(ctx).Subject,
				Organisation: request.OrganisationFrom(ctx).Name()}
			record.Value = d.Value
			return r.succeed(doc, record, entry, nil, d.differs)
		})
	if err != nil {
		return err
	}
	return r.respond(c, http.StatusOK, done.doc, withWarnings(nil, slices.Concat(warnings, unusual)))
}

// replacement returns the record as it is to be, after all checks; nil where an immutable record stays what it is.
// decoded is the record of the body, if it was decoded before; it is changed.
func (r *Records[T]) replacement(
	ctx context.Context, body []byte, decoded *T, doc docstore.Document, record *Record[T],
) (*Draft[T], error) {
	base := doc.Body
	if record.moved {
		var err error
		if base, err = writable(record.Value); err != nil {
			return nil, err
		}
	}
	if r.Merge {
		renamed, _, p := jsonobject.Rename(body, r.Aliases, r.Flatten)
		if p != nil {
			return nil, p
		}
		merged, err := jsonobject.Overlay(base, renamed)
		if err != nil {
			return nil, err
		}
		body = merged
	}
	if decoded == nil || r.Merge {
		read, err := r.decode(body)
		if err != nil {
			return nil, err
		}
		decoded = &read
	}
	v := *decoded
	if sent := identity(v).RecordID(); sent != "" && sent != doc.ID.String() {
		return nil, problem.New(problem.Invalid, "The id of the body is not that of the path.").
			At("/id", "must be "+doc.ID.String()+" or absent")
	}
	identity(v).SetRecordID(doc.ID.String())
	d := &Draft[T]{Value: v, Stored: record.Value, Record: record, Now: r.server.Now()}
	refused := r.members.restore(reflect.ValueOf(v).Elem(), reflect.ValueOf(record.Value).Elem())
	r.keepReference(v, record.Value)
	if r.BeforeReplace != nil && (refused == nil || r.Immutable != nil) {
		if err := r.BeforeReplace(d); err != nil {
			return nil, err
		}
	}
	if r.Immutable != nil {
		written, err := writable(v)
		if err != nil {
			return nil, err
		}
		if !jsonobject.Equal(written, base) {
			return nil, r.Immutable()
		}
		return nil, nil
	}
	if refused != nil {
		return nil, refused
	}
	var err error
	if d.differs, err = differ(doc.Body, v); err != nil {
		return nil, err
	}
	names, err := d.differs.names()
	if err != nil {
		return nil, err
	}
	return d, r.check(ctx, d, names)
}

// difference is what a record would be written as, next to what is stored.
type difference struct {
	written []byte
	// change holds the members that differ, as in Entry.Change.
	change jsontext.Value
}

// differ returns how a record differs from what is stored.
func differ(body []byte, record any) (d difference, err error) {
	if d.written, err = writable(record); err == nil {
		d.change, err = jsonobject.Difference(body, d.written)
	}
	return d, err
}

// names returns the names of the members that differ. It is never nil.
func (d difference) names() ([]string, error) {
	all, err := jsonobject.Members(d.change)
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Name
	}
	return names, err
}

// succeed returns the next version of a record, to which an event has led, and what is kept of the version before. An
// event without a Change gets the members that changed; known may have them.
func (r *Records[T]) succeed(
	doc docstore.Document, record *Record[T], event history.Entry, key *history.UsedKey, known difference,
) (*succession, error) {
	was := record.state.History
	record.state.History = was.Next(doc.Version, event, key)
	r.pinReference(record, record.owner)
	after, err := writable(record.Value)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", r.Name, err)
	}
	if event.Change == nil {
		if !bytes.Equal(after, known.written) { // a check may have completed the record
			if known.change, err = jsonobject.Difference(doc.Body, after); err != nil {
				return nil, err
			}
		}
		record.state.History.Last().Change = known.change
	}
	next, err := r.documentOf(doc.ID, record, after)
	if err != nil {
		return nil, err
	}
	return &succession{
		next, &docstore.Former{Version: doc.Version, Body: doc.Body, State: doc.State, Key: was.Key()},
	}, nil
}
