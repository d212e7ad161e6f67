package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/query"
)

// VersionAt returns the version of a document that was in force at an instant: from its event until the next one. It
// fails if the instant is before the creation or after now, or if the version was not kept, or is not as it was written
// (*docstore.AlteredError).
func (l *Log) VersionAt(ctx context.Context, doc docstore.Document, at time.Time) (docstore.Document, error) {
	present, err := l.headOf(doc.ID, doc.Version, doc.State, doc.Digest)
	if err != nil {
		return doc, err
	}
	if !at.Before(present.began()) {
		if at.After(l.Now()) && at.After(present.began()) {
			return doc, problem.New(problem.BadParameter, "The instant is still to come.").
				InParameter("at", "must not lie in the future")
		}
		if err := l.kept(doc.ID.String(), at, present); err != nil {
			return doc, err
		}
		return doc, l.Intact(doc.ID, doc.Digest.Check(doc.Version, doc.Body, doc.State))
	}
	was, oldest, err := l.lastOf(ctx, doc, func(of *Head) bool { return !at.Before(of.began()) })
	if err != nil {
		return doc, err
	}
	if was.head == nil {
		// Nothing before the oldest version shows what the record was, but its events say since when there was one.
		return doc, l.notYet(doc.ID.String(), at, cmp.Or(oldest.head, present))
	}
	if err := l.kept(doc.ID.String(), at, was.head); err != nil {
		return doc, err
	}
	return l.former(ctx, doc, was.version)
}

// InEffect returns the version of a document that counts at an instant, by Head.Effect. A version that was not kept
// counts as the next one. Errors: docstore.ErrUnavailable, *docstore.AlteredError.
func (l *Log) InEffect(ctx context.Context, doc docstore.Document, at time.Time) (docstore.Document, error) {
	present, err := l.headOf(doc.ID, doc.Version, doc.State, doc.Digest)
	if err != nil || present.Counts(at) {
		return doc, err
	}
	was, oldest, err := l.lastOf(ctx, doc, func(of *Head) bool { return of.Counts(at) })
	if err != nil {
		return doc, err
	}
	if was.head == nil {
		was = oldest
	}
	if was.head == nil {
		return doc, nil
	}
	return l.former(ctx, doc, was.version)
}

// version is a former version of a document, whose number is 0 and whose head is nil for none.
type version struct {
	version int64
	head    *Head
}

// lastOf returns the last former version of a document of which holds is true, given that it is true of no version
// after one of which it is not, and the oldest of those that it has looked at and of which it is not true.
func (l *Log) lastOf(
	ctx context.Context, doc docstore.Document, holds func(*Head) bool,
) (last, oldest version, err error) {
	// Half of the versions are left out with each look. Nothing of their events is kept that is large.
	for from, until := int64(1), doc.Version; from < until; {
		middle := from + (until-from)/2
		formers, err := l.Formers.Formers(ctx, request.OrganisationFrom(ctx), doc.ID, middle-1, 1)
		if err != nil {
			return last, oldest, err
		}
		if len(formers) == 0 || formers[0].Version >= until {
			until = middle
			continue
		}
		of, err := l.headOf(doc.ID, formers[0].Version, formers[0].State, formers[0].Digest)
		if err != nil {
			return last, oldest, err
		}
		of.forgetChanges()
		if holds(of) {
			last, from = version{formers[0].Version, of}, formers[0].Version+1
		} else {
			oldest, until = version{formers[0].Version, of}, middle
		}
	}
	return last, oldest, nil
}

// former returns a former version of a document, which is as it was written.
func (l *Log) former(ctx context.Context, doc docstore.Document, version int64) (docstore.Document, error) {
	was, err := l.Formers.Former(ctx, request.OrganisationFrom(ctx), doc.ID, version)
	if err == nil {
		err = l.Intact(doc.ID, was.Digest.Check(was.Version, was.Body, was.State))
	}
	return docstore.Document{
		ID: doc.ID, Version: was.Version, Body: was.Body, State: was.State, Owner: doc.Owner, Digest: was.Digest,
	}, err
}

// headOf returns the head in the state of a version.
func (l *Log) headOf(id uuid.UUID, version int64, encoded []byte, digest docstore.Digest) (*Head, error) {
	if err := l.Intact(id, digest.CheckState(version, encoded)); err != nil {
		return nil, err
	}
	state, err := Decode(encoded)
	if err != nil {
		return nil, fmt.Errorf("stored %s %s: state of version %d: %w", l.Resource, id, version, err)
	}
	return &state.History, nil
}

// Intact returns an error that names the record, if what a digest was compared with is not as it was written.
func (l *Log) Intact(id uuid.UUID, altered error) error {
	if altered == nil {
		return nil
	}
	return fmt.Errorf("stored %s %s: %w", l.Resource, id, altered)
}

// forgetChanges leaves out of a head what is large in it.
func (h *Head) forgetChanges() {
	for i := range h.Events {
		h.Events[i].Change = nil
	}
}

// began returns the instant of the last event; the zero time where none is known.
func (h *Head) began() time.Time {
	if last := h.Last(); last != nil {
		return last.At
	}
	return time.Time{}
}

// kept refuses an instant at which a version was in force but not yet as it was kept, because the service itself
// altered it later and does not know what it was.
func (l *Log) kept(id string, at time.Time, of *Head) error {
	if at.Before(of.Altered) && !l.Recalls {
		return l.lost(id, at, of.Altered)
	}
	return nil
}

// notYet refuses an instant before the oldest version that was kept.
func (l *Log) notYet(id string, at time.Time, oldest *Head) error {
	if len(oldest.Events) > 0 && !at.Before(oldest.Events[0].At) {
		return l.lost(id, at, oldest.began())
	}
	return problem.New(problem.NotFound, "There was no "+l.Resource+" "+id+" yet at "+at.Format(time.RFC3339Nano)+".")
}

func (l *Log) lost(id string, at, since time.Time) error {
	return problem.New(problem.NotFound, "What the "+l.Resource+" "+id+" was at "+at.Format(time.RFC3339Nano)+
		" was not kept; ask for "+since.Format(time.RFC3339Nano)+" or later, or read its history.")
}

// Instant reads the one parameter of an as-of read.
func Instant(raw string) (time.Time, error) {
	asked, err := Instants(raw, "at")
	return asked["at"], err
}

// Instants reads parameters that are instants, by their names. One of them is required: where none is sent, the first.
func Instants(raw string, names ...string) (map[string]time.Time, error) {
	values, err := query.Parse(raw)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, func(name string) bool { _, sent := values[name]; return sent }) {
		values[names[0]] = []string{""}
	}
	instants := map[string]time.Time{}
	err = query.Each(values, func(name, value string) (wrong string) {
		if !slices.Contains(names, name) {
			return "is not known here; known is " + strings.Join(names, ", ")
		}
		var at time.Time
		if err := at.UnmarshalText([]byte(value)); err != nil {
			return "is required, an instant such as 2026-03-01T12:00:00Z; a + is written %2B"
		}
		instants[name] = at
		return ""
	})
	return instants, err
}
