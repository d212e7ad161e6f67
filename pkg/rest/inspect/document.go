package inspect

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
)

// document examines a document: its keys, and then its record with its former versions.
func (w *walk) document(ctx context.Context, doc docstore.Document) error {
	if doc.Version < 1 {
		if err := w.report(doc.ID, "versions begin at 1", strconv.FormatInt(doc.Version, 10), "1 or more"); err != nil {
			return err
		}
	}
	record, err := w.Decode(doc)
	if err != nil {
		return w.report(doc.ID, "a record can be read", err.Error(), "a record")
	}
	if err := w.foundBy(ctx, doc, record.Keys); err != nil {
		return err
	}
	if record.ID != doc.ID.String() {
		if err := w.report(doc.ID, "the id of the record is that of its document", record.ID,
			doc.ID.String()); err != nil {
			return err
		}
	}
	if err := w.status(doc, &record); err != nil {
		return err
	}
	if w.newest = doc.ID; doc.Unsent && len(w.unsent) < mostUnsent {
		w.unsent = append(w.unsent, doc.ID)
	}
	w.collect(doc.ID, record.References)
	return w.versions(ctx, doc, &record.State)
}

// foundBy looks for a document in the name of its owner, by each unique key that its record has, and by all together.
func (w *walk) foundBy(ctx context.Context, doc docstore.Document, keys docstore.Keys) error {
	for _, index := range w.Indexes {
		if value, has := keys[index.Name]; has && index.Unique {
			if found, err := w.foundAt(ctx, doc, docstore.Keys{index.Name: value}); err != nil || !found {
				return err
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	w.Count("keys", len(keys))
	_, err := w.foundAt(ctx, doc, keys)
	return err
}

// foundAt reports whether a document is found by some keys.
func (w *walk) foundAt(ctx context.Context, doc docstore.Document, keys docstore.Keys) (bool, error) {
	who, err := organisation.Owner(doc.Owner)
	if err != nil {
		return false, err
	}
	docs, err := w.in.Find(ctx, who, docstore.Query{Equal: keys, After: docstore.IDBefore(doc.ID), Limit: 1})
	if err != nil || len(docs) == 1 && docs[0].ID == doc.ID {
		return true, err
	}
	// While others write, the record may have got other keys since it was read.
	now, err := w.in.Get(ctx, everything, doc.ID)
	if err != nil || now.Version != doc.Version {
		return true, err
	}
	return false, w.report(doc.ID, "a record is found by its keys", "it is not", "by "+strings.Join(
		slices.Sorted(maps.Keys(keys)), ", "))
}

// status compares the state of a record with the value set of the states and with its history.
func (w *walk) status(doc docstore.Document, record *Record) error {
	if record.States == nil {
		return nil
	}
	if !slices.Contains(record.States, record.Status) {
		return w.report(doc.ID, "the state is in its value set", strconv.Quote(record.Status),
			"one of "+strings.Join(record.States, ", "))
	}
	last := record.State.History.LastTransition()
	// What time has moved on is stored with the next change.
	if last != nil && record.Status != last.To && (last.Until.IsZero() || record.Status != last.Then) {
		return w.report(doc.ID, "the state is the one of the last transition", strconv.Quote(record.Status),
			strconv.Quote(last.To))
	}
	return nil
}
