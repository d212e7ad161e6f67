package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest/history"
)

// versions reads the former versions of a record, and looks for versions that cannot be read or are not as they were
// written, and for events that are missing: the events of all versions are numbered from 1 without a gap.
func (w *walk) versions(ctx context.Context, doc docstore.Document, present *history.State) error {
	var last int64
	next := func(version int64, h *history.Head) error {
		for _, event := range h.Events {
			// Where the service itself alters a record, its next version has the same event.
			if event.Number > last+1 {
				if err := w.report(doc.ID, "every event is in the record or in a former version",
					fmt.Sprintf("event %d in version %d", event.Number, version), fmt.Sprintf("event %d",
						last+1)); err != nil {
					return err
				}
			}
			last = max(last, event.Number)
			// Only under a policy does another organisation write.
			if by := event.Organisation; w.SharedBy == "" && doc.Owner != "" && by != "" && by != doc.Owner {
				if err := w.report(doc.ID, "a record has the owner that wrote it", doc.Owner,
					fmt.Sprintf("%s, of event %d", by, event.Number)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	written := chainOf(&w.Examination, w.Name, doc.ID, doc.Digest)
	if err := eachFormer(ctx, w.in, doc, func(former docstore.Former) error {
		if err := written.former(former); err != nil {
			return err
		}
		then, err := w.former(doc.ID, former, present.Resource)
		if err != nil || then == nil {
			return err
		}
		return next(former.Version, then)
	}); err != nil {
		return err
	}
	if err := written.present(doc); err != nil {
		return err
	}
	w.Count("versions with a digest", written.with)
	if written.without > 0 {
		w.Count("versions without a digest, of an earlier release", written.without)
	}
	return next(doc.Version, &present.History)
}

// former examines a former version of a record, and returns its head; nil if it cannot be read.
func (w *walk) former(id uuid.UUID, former docstore.Former, resource string) (*history.Head, error) {
	version := "version " + strconv.FormatInt(former.Version, 10)
	then, err := w.Decode(docstore.Document{ID: id, Version: former.Version, Body: former.Body, State: former.State})
	if err == nil && then.State.Resource != resource {
		err = fmt.Errorf("it is no %s", resource)
	}
	if err != nil {
		return nil, w.report(id, "a former version can be read", version+": "+err.Error(), "a "+resource)
	}
	if then.ID != id.String() {
		if err := w.report(id, "a former version has the id of its record", version+" has "+then.ID,
			id.String()); err != nil {
			return nil, err
		}
	}
	head := &then.State.History
	if key := head.Key(); former.Key != key {
		return head, w.report(id, "a former version is found by its Idempotency-Key",
			version+" by "+strconv.Quote(former.Key), strconv.Quote(key))
	}
	return head, nil
}

// mostUnsent bounds how many records with a mark are remembered, and so reported. They are the oldest.
const mostUnsent = 1000

// reportUnsent reports the records whose messages should have been acted on by now.
func (w *walk) reportUnsent() error {
	now := w.Now
	if now.IsZero() {
		now = docstore.CreatedAt(w.newest)
	}
	for _, id := range w.unsent {
		if created := docstore.CreatedAt(id); now.Sub(created) > w.Patience {
			if err := w.report(id, "a message about a record is acted on", "not yet at "+now.UTC().Format(time.RFC3339),
				"within "+w.Patience.String()+" of "+created.UTC().Format(time.RFC3339)); err != nil {
				return err
			}
		}
	}
	w.Count("records with a mark", len(w.unsent))
	return nil
}

// pending is a reference that has not been looked up yet.
type pending struct {
	id uuid.UUID // of the document that has it
	Reference
}

// collect notes what a record refers to.
func (w *walk) collect(id uuid.UUID, all []Reference) {
	if w.pending == nil {
		w.pending = map[string][]pending{}
	}
	for _, ref := range all {
		w.pending[ref.Targets] = append(w.pending[ref.Targets], pending{id, ref})
	}
}

// resolve looks up what the records of a page refer to.
func (w *walk) resolve(ctx context.Context) error {
	for _, targets := range slices.Sorted(maps.Keys(w.pending)) {
		missing := map[string]bool{}
		for _, ref := range w.pending[targets] {
			missing[ref.Value] = true
		}
		for target := range strings.SplitSeq(targets, ",") {
			values, err := w.Missing(ctx, target, slices.Sorted(maps.Keys(missing)))
			if err != nil {
				return err
			}
			clear(missing)
			for _, value := range values {
				missing[value] = true
			}
		}
		for _, ref := range w.pending[targets] {
			if missing[ref.Value] {
				if err := w.report(ref.id, ref.Member+" names a record that is there", strconv.Quote(ref.Value),
					targets); err != nil {
					return err
				}
			}
		}
		w.Count("references", len(w.pending[targets]))
	}
	clear(w.pending)
	return nil
}
