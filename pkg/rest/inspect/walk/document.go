package walk

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest/inspect"
)

// document examines a document: its keys, and then its record with its former versions.
func (w *walk) document(ctx context.Context, doc docstore.Stored) error {
	if doc.Version < 1 {
		if err := w.report(doc.ID, "versions begin at 1", strconv.FormatInt(doc.Version, 10), "1 or more"); err != nil {
			return err
		}
	}
	record, err := w.Decode(doc.Document)
	if err != nil {
		return w.report(doc.ID, "a record can be read", err.Error(), "a record")
	}
	if err := w.keys(doc, record.Keys); err != nil {
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
	return w.versions(ctx, doc.Document, &record.State)
}

// keys compares the keys of a document with those that it should have.
func (w *walk) keys(doc docstore.Stored, should docstore.Keys) error {
	should = w.Led(doc.Owner, should)
	names := maps.Clone(should)
	maps.Copy(names, doc.Keys)
	for _, index := range slices.Sorted(maps.Keys(names)) {
		is, has := doc.Keys[index]
		want, wanted := should[index]
		if is == want && has == wanted || slices.Contains(doc.Awaiting, index) {
			continue
		}
		if err := w.report(doc.ID, "the key "+index+" is that of the record", quotedKey(is, has),
			quotedKey(want, wanted)); err != nil {
			return err
		}
	}
	w.Count("keys", len(names))
	return nil
}

func quotedKey(value string, has bool) string {
	if !has {
		return "none"
	}
	return strconv.Quote(docstore.Short(value))
}

// status compares the state of a record with the value set of the states and with its history.
func (w *walk) status(doc docstore.Stored, record *inspect.Record) error {
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

// keptAtOnce is how many former versions are listed at once.
const keptAtOnce = 200

// orphans looks for former versions without a document, and for those that are not older than their document.
func (w *walk) orphans(ctx context.Context) error {
	var after docstore.Ref
	for {
		page, err := w.in.Kept(ctx, after, keptAtOnce)
		if err != nil || len(page) == 0 {
			return err
		}
		// The documents are read after their former versions, so that a change meanwhile makes no version seem too new.
		var ids []string
		for _, ref := range page {
			if id := ref.ID.String(); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		holders, err := w.in.Holders(ctx, docstore.IDIndex, ids)
		if err != nil {
			return err
		}
		for _, ref := range page {
			holder, there := holders[ref.ID.String()]
			var invariant, found string
			switch {
			case !there:
				invariant, found = "a former version belongs to a document", fmt.Sprintf("version %d of no document",
					ref.Version)
			// A store may write a former version before its successor, and a crash comes in between.
			case ref.Version > holder.Version || ref.Version < 1:
				invariant = "a former version is older than its document"
				found = fmt.Sprintf("version %d of a document at version %d", ref.Version, holder.Version)
			default:
				continue
			}
			if err := w.report(ref.ID, invariant, found, "a document with a later version"); err != nil {
				return err
			}
		}
		w.Count("former versions", len(page))
		after = page[len(page)-1]
	}
}
