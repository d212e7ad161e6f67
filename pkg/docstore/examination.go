package docstore

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Examination is a look for faults. It reads page by page, so that it needs little memory however much is stored.
type Examination struct {
	// Report is told of each finding. The examination ends if it returns an error.
	Report func(Finding) error
	// Count is told how many things of a sort were examined, such as "records".
	Count func(sort string, n int)
}

// pageLength is how many documents or former versions are read at once.
const pageLength = 200

// Collection examines what a store promises about a collection: its indexes are there and keep unique values unique,
// every document has the keys and the amount that its body and state say (Spec.Keys, Spec.Amount), and every former
// version is one of a document. visit is called with each page of documents. Errors: ErrUnavailable; those of visit
// and Report.
func (x Examination) Collection(ctx context.Context, in Inspected, spec Spec, visit func([]Stored) error) error {
	if err := in.Faults(ctx, x.Report); err != nil {
		return err
	}
	q := Query{Limit: pageLength}
	for {
		page, err := in.Find(ctx, q)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return x.formers(ctx, in, spec)
		}
		for _, doc := range page {
			if err := x.document(spec, doc); err != nil {
				return err
			}
		}
		x.Count("records", len(page))
		if err := visit(page); err != nil {
			return err
		}
		q.After = page[len(page)-1].ID
	}
}

// document compares the keys of a document with those that it should have.
func (x Examination) document(spec Spec, doc Stored) error {
	finding := Finding{Collection: spec.Name, ID: doc.ID.String()}
	if doc.Version < 1 {
		finding.Invariant, finding.Found, finding.Expected = "versions begin at 1", strconv.FormatInt(doc.Version, 10), "1 or more"
		if err := x.Report(finding); err != nil {
			return err
		}
	}
	should, err := spec.Keys(doc.Document)
	if err != nil {
		finding.Invariant, finding.Found, finding.Expected = "a record can be read", err.Error(), "a record"
		return x.Report(finding)
	}
	names := maps.Clone(should)
	maps.Copy(names, doc.Keys)
	for _, index := range slices.Sorted(maps.Keys(names)) {
		is, has := doc.Keys[index]
		want, wanted := should[index]
		if is == want && has == wanted || slices.Contains(doc.Awaiting, index) {
			continue
		}
		finding.Invariant = "the key " + index + " is that of the record"
		finding.Found, finding.Expected = quotedKey(is, has), quotedKey(want, wanted)
		if err := x.Report(finding); err != nil {
			return err
		}
	}
	x.Count("keys", len(names))
	return x.amount(spec, doc, finding)
}

// amount compares the amount of a document with the one that it should have.
func (x Examination) amount(spec Spec, doc Stored, finding Finding) error {
	if !spec.Sums() || slices.ContainsFunc(spec.Indexes, func(i Index) bool { return i.Amounts && slices.Contains(doc.Awaiting, i.Name) }) {
		return nil
	}
	should, err := spec.Amount(doc.Document)
	if err == nil && doc.Amount == should {
		return nil
	}
	finding.Invariant = "the amount is that of the record"
	finding.Found, finding.Expected = strconv.FormatInt(doc.Amount, 10), strconv.FormatInt(should, 10)
	if err != nil {
		finding.Expected = err.Error()
	}
	return x.Report(finding)
}

func quotedKey(value string, has bool) string {
	if !has {
		return "none"
	}
	return strconv.Quote(Short(value))
}

// Short returns a text as a finding shows it: a long one is cut.
func Short(text string) string {
	const most = 120
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// formers looks for former versions without a document, and for those that are not older than their document.
func (x Examination) formers(ctx context.Context, in Inspected, spec Spec) error {
	var after Ref
	for {
		page, err := in.Kept(ctx, after, pageLength)
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
		holders, err := in.Holders(ctx, IDIndex, ids)
		if err != nil {
			return err
		}
		for _, ref := range page {
			finding := Finding{Collection: spec.Name, ID: ref.ID.String(), Expected: "a document with a later version"}
			holder, there := holders[finding.ID]
			switch {
			case !there:
				finding.Invariant, finding.Found = "a former version belongs to a document", "version "+strconv.FormatInt(ref.Version, 10)+" of no document"
			// A store may write a former version before its successor, and a crash comes in between.
			case ref.Version > holder.Version || ref.Version < 1:
				finding.Invariant = "a former version is older than its document"
				finding.Found = "version " + strconv.FormatInt(ref.Version, 10) + " of a document at version " + strconv.FormatInt(holder.Version, 10)
			default:
				continue
			}
			if err := x.Report(finding); err != nil {
				return err
			}
		}
		x.Count("former versions", len(page))
		after = page[len(page)-1]
	}
}
