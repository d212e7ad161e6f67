package rest

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
)

// recordExamination examines the records of one collection, page by page.
type recordExamination struct {
	Examination
	collection string
	in         docstore.Inspected
	// references are those of the page that have not been resolved yet, by their targets.
	references map[string][]reference
	// unsent are records about which a message has not been acted on, the oldest first, and newest is the newest
	// record.
	unsent []uuid.UUID
	newest uuid.UUID
}

// reference is a value of a member that names a record.
type reference struct {
	id            uuid.UUID // of the document that has it
	member, value string
}

func (x *recordExamination) report(id uuid.UUID, invariant, found, expected string) error {
	return x.Report(docstore.Finding{
		Collection: x.collection, ID: id.String(), Invariant: invariant, Found: docstore.Short(found), Expected: docstore.Short(expected),
	})
}

// examine looks for faults in a record and its former versions.
func (r *Records[T]) examine(ctx context.Context, x *recordExamination, doc docstore.Stored) error {
	record, err := r.decodeAt(doc.Document, time.Time{}) // as it was written, before time moved it
	if err != nil {
		return nil //nolint:nilerr // that it cannot be read was found out with its keys
	}
	if id := identity(&record.Value).RecordID(); id != doc.ID.String() {
		if err := x.report(doc.ID, "the id of the record is that of its document", id, doc.ID.String()); err != nil {
			return err
		}
	}
	if r.Status != nil {
		if err := r.examineStatus(x, doc, record); err != nil {
			return err
		}
	}
	if x.newest = doc.ID; doc.Unsent && len(x.unsent) < mostUnsent {
		x.unsent = append(x.unsent, doc.ID)
	}
	r.collect(x, doc.ID, &record.Value)
	return r.examineHistory(ctx, x, doc.Document, record.state)
}

// mostUnsent bounds how many records with a mark are remembered, and so reported. They are the oldest.
const mostUnsent = 1000

// reportUnsent reports the records whose messages should have been acted on by now.
func (x *recordExamination) reportUnsent() error {
	now := x.Now
	if now.IsZero() {
		now = createdAt(x.newest)
	}
	for _, id := range x.unsent {
		if created := createdAt(id); now.Sub(created) > x.Patience {
			if err := x.report(id, "a message about a record is acted on", "not yet at "+now.UTC().Format(time.RFC3339),
				"within "+x.Patience.String()+" of "+created.UTC().Format(time.RFC3339)); err != nil {
				return err
			}
		}
	}
	x.Count("records with a mark", len(x.unsent))
	return nil
}

// createdAt returns the instant that an id of a record holds.
func createdAt(id uuid.UUID) time.Time { return time.Unix(id.Time().UnixTime()) }

// examineStatus compares the state of a record with the value set of the states and with its history.
func (r *Records[T]) examineStatus(x *recordExamination, doc docstore.Stored, record *Record[T]) error {
	status := Text(*r.Status(&record.Value))
	states, _ := r.states(&faults{}, r.server.Sets)
	if !slices.Contains(states, status) {
		return x.report(doc.ID, "the state is in its value set", strconv.Quote(status), "one of "+strings.Join(states, ", "))
	}
	last := record.state.History.transition()
	// What time has moved on is stored with the next change.
	if last != nil && status != last.To && (last.Until.IsZero() || status != last.Then) {
		return x.report(doc.ID, "the state is the one of the last transition", strconv.Quote(status), strconv.Quote(last.To))
	}
	return nil
}

// formersExamined is the number of former versions that are read at once.
const formersExamined = 32

// examineHistory reads the former versions of a record, and looks for versions that cannot be read and for events
// that are missing: the events of all versions are numbered from 1 without a gap.
func (r *Records[T]) examineHistory(ctx context.Context, x *recordExamination, doc docstore.Document, present state) error {
	var last int64
	next := func(version int64, h *head) error {
		for _, event := range h.Events {
			// Where the service itself alters a record, its next version has the same event.
			if event.Number > last+1 {
				if err := x.report(doc.ID, "every event is in the record or in a former version",
					fmt.Sprintf("event %d in version %d", event.Number, version), fmt.Sprintf("event %d", last+1)); err != nil {
					return err
				}
			}
			last = max(last, event.Number)
		}
		return nil
	}
	for after := int64(0); doc.Version > 1; {
		formers, err := x.in.Formers(ctx, doc.ID, after, formersExamined)
		if err != nil {
			return err
		}
		for _, former := range formers {
			if after = former.Version; after >= doc.Version {
				break
			}
			if err := r.examineFormer(x, doc.ID, former, next); err != nil {
				return err
			}
		}
		if len(formers) == 0 || after >= doc.Version {
			break
		}
	}
	return next(doc.Version, &present.History)
}

func (r *Records[T]) examineFormer(x *recordExamination, id uuid.UUID, former docstore.Former, next func(int64, *head) error) error {
	version := "version " + strconv.FormatInt(former.Version, 10)
	then, err := decodeState(former.State)
	var v T
	if err == nil {
		err = json.Unmarshal(former.Body, &v)
	}
	if is, _ := belongs(former.State, r.prefix); err == nil && !is {
		err = fmt.Errorf("it is no %s", r.Name)
	}
	if err != nil {
		return x.report(id, "a former version can be read", version+": "+err.Error(), "a "+r.Name)
	}
	if of := identity(&v).RecordID(); of != id.String() {
		if err := x.report(id, "a former version has the id of its record", version+" has "+of, id.String()); err != nil {
			return err
		}
	}
	if key := then.History.key(); former.Key != key {
		if err := x.report(id, "a former version is found by its Idempotency-Key", version+" by "+strconv.Quote(former.Key), strconv.Quote(key)); err != nil {
			return err
		}
	}
	return next(former.Version, &then.History)
}

// targets returns what the members of the resource refer to.
func (r *Records[T]) targets() []string {
	var all []string
	for _, m := range r.members {
		all = append(all, m.refers...)
	}
	return all
}

// collect notes what a record refers to.
func (r *Records[T]) collect(x *recordExamination, id uuid.UUID, v *T) {
	record := reflect.ValueOf(v).Elem()
	for _, m := range r.members {
		if len(m.refers) == 0 || !m.has(record) {
			continue
		}
		targets := strings.Join(m.refers, ",")
		if x.references == nil {
			x.references = map[string][]reference{}
		}
		add := func(value string) {
			x.references[targets] = append(x.references[targets], reference{id, m.name, value})
		}
		switch field := reflect.Indirect(record.FieldByIndex(m.index)); field.Kind() {
		case reflect.Slice:
			for i := range field.Len() {
				add(field.Index(i).String())
			}
		default:
			add(field.String())
		}
	}
}

// resolve looks up what the records of a page refer to.
func (x *recordExamination) resolve(ctx context.Context) error {
	for _, targets := range slices.Sorted(maps.Keys(x.references)) {
		missing := map[string]bool{}
		for _, ref := range x.references[targets] {
			missing[ref.value] = true
		}
		for target := range strings.SplitSeq(targets, ",") {
			values, err := x.Missing(ctx, target, slices.Sorted(maps.Keys(missing)))
			if err != nil {
				return err
			}
			clear(missing)
			for _, value := range values {
				missing[value] = true
			}
		}
		for _, ref := range x.references[targets] {
			if missing[ref.value] {
				if err := x.report(ref.id, ref.member+" names a record that is there", strconv.Quote(ref.value), targets); err != nil {
					return err
				}
			}
		}
		x.Count("references", len(x.references[targets]))
	}
	clear(x.references)
	return nil
}
