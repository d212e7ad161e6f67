package rest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/problem"
)

// asOf serves GET /x/asof/{resource}/{id}?at=INSTANT: the record as it was read at that instant.
func (r *documents) asOf(c *gin.Context, id string) error {
	at, err := instant(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	doc, err := r.existing(ctx, id)
	if err != nil {
		return err
	}
	was, err := r.versionAt(ctx, doc, at)
	if err != nil {
		return err
	}
	body, tag, err := r.shownAt(was, at)
	if err != nil {
		return err
	}
	if err := load.Take(ctx, len(body)); err != nil { // for the response
		return err
	}
	c.Writer.Header().Set("ETag", tag)
	send(c, http.StatusOK, body)
	return nil
}

// versionAt returns the version of a document that was in force at an instant: from its event on until that of the
// next. Errors: the problem of an instant before the creation, after now, or of which nothing was kept.
func (r *documents) versionAt(ctx context.Context, doc docstore.Document, at time.Time) (docstore.Document, error) {
	present, err := r.headOf(doc.Version, doc.State)
	if err != nil {
		return doc, err
	}
	if !at.Before(present.began()) {
		if at.After(r.server.Now()) && at.After(present.began()) {
			return doc, problem.New(problem.BadParameter, "The instant is still to come.").InParameter("at", "must not lie in the future")
		}
		return doc, r.kept(doc.ID.String(), at, present)
	}
	was, then := int64(0), (*head)(nil)
	// The instants of the versions are in order, so half of them are left out with each look. Nothing else is kept of
	// a version.
	present.forgetChanges()
	held := load.Held(ctx)
	for from, until := int64(1), doc.Version; from < until; {
		middle := from + (until-from)/2
		load.Return(ctx, held)
		formers, err := r.formers.Formers(ctx, doc.ID, middle-1, 1)
		if err != nil {
			return doc, err
		}
		if err := takeFormers(ctx, formers); err != nil {
			return doc, err
		}
		if len(formers) == 0 || formers[0].Version >= until {
			until = middle
			continue
		}
		of, err := r.headOf(formers[0].Version, formers[0].State)
		if err != nil {
			return doc, err
		}
		of.forgetChanges()
		if at.Before(of.began()) {
			until = middle
			// Nothing before the oldest version shows what the record was, but its events say since when there was one.
			if then == nil {
				present = of
			}
		} else {
			was, then, from = formers[0].Version, of, formers[0].Version+1
		}
	}
	load.Return(ctx, held)
	if then == nil {
		return doc, r.notYet(doc.ID.String(), at, present)
	}
	if err := r.kept(doc.ID.String(), at, then); err != nil {
		return doc, err
	}
	whole, err := r.formers.Former(ctx, doc.ID, was)
	return docstore.Document{ID: doc.ID, Version: whole.Version, Body: whole.Body, State: whole.State}, err
}

// headOf returns the head in the state of a version.
func (r *documents) headOf(version int64, encoded []byte) (*head, error) {
	state, err := decodeState(encoded)
	if err != nil {
		return nil, fmt.Errorf("stored %s: state of version %d: %w", r.resource, version, err)
	}
	return &state.History, nil
}

// forgetChanges leaves out of a head what is large in it.
func (h *head) forgetChanges() {
	for i := range h.Events {
		h.Events[i].Change = nil
	}
}

// began returns the instant of the last event; the zero time where none is known.
func (h *head) began() time.Time {
	if last := h.last(); last != nil {
		return last.At
	}
	return time.Time{}
}

// kept refuses an instant at which a version was in force but not yet as it was kept, because the service itself
// altered it later.
func (r *documents) kept(id string, at time.Time, of *head) error {
	if at.Before(of.Altered) {
		return r.lost(id, at, of.Altered)
	}
	return nil
}

// notYet refuses an instant before the oldest version that was kept.
func (r *documents) notYet(id string, at time.Time, oldest *head) error {
	if len(oldest.Events) > 0 && !at.Before(oldest.Events[0].At) {
		return r.lost(id, at, oldest.began())
	}
	return problem.New(problem.NotFound, "There was no "+r.resource+" "+id+" yet at "+at.Format(time.RFC3339Nano)+".")
}

func (r *documents) lost(id string, at, since time.Time) error {
	return problem.New(problem.NotFound, "What the "+r.resource+" "+id+" was at "+at.Format(time.RFC3339Nano)+
		" was not kept; ask for "+since.Format(time.RFC3339Nano)+" or later, or read its history.")
}

// instant reads the one parameter of an as-of read.
func instant(raw string) (time.Time, error) {
	var at time.Time
	values, err := parameters(raw)
	if err != nil {
		return at, err
	}
	if _, sent := values["at"]; !sent {
		values["at"] = []string{""}
	}
	err = eachParameter(values, func(name, value string) (wrong string) {
		if name != "at" {
			return "is not known here; known is at"
		}
		if err := at.UnmarshalText([]byte(value)); err != nil {
			return "is required, an instant such as 2026-03-01T12:00:00Z; a + is written %2B"
		}
		return ""
	})
	return at, err
}
