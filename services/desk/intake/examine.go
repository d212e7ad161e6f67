package intake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/folder"
)

// The invariants of what is stored.
const (
	readable   = "an import can be read"
	ownCounts  = "an import has come as far as its counts and its state say"
	wholeRows  = "an import has all rows that it has read, checked and made"
	ownOutcome = "the outcomes of the rows of an import are those that it counts, and have its digest"
	ownFile    = "the file of an import is the one that was sent"
)

// examination is a look for faults in one import.
type examination struct {
	inspect.Examination
	in *folder.Folder
	id uuid.UUID
	*stored
}

// Examine looks for faults in the imports of a folder: counts and states that contradict one another, rows that are
// missing, outcomes and files that are others. Errors: docstore.ErrUnavailable; those of Report.
func Examine(ctx context.Context, x inspect.Examination, in *folder.Folder) error {
	return in.Examine(ctx, list, func(doc docstore.Document) error {
		e := &examination{x, in, doc.ID, new(stored)}
		_, err := folder.Decode(doc, e.stored)
		if err != nil {
			return e.report(readable, err.Error(), "an import")
		}
		ctx, err := request.ForOwner(ctx, doc.Owner)
		if err != nil {
			return e.report(readable, err.Error(), "an import of an organisation")
		}
		x.Count("imports", 1)
		return e.each(ctx)
	})
}

func (e *examination) report(invariant, is, expected string) error {
	return e.Report(docstore.Finding{Collection: folder.Heads, ID: e.id.String(), Invariant: invariant,
		Found: docstore.Short(is), Expected: docstore.Short(expected)})
}

// each examines an import.
func (e *examination) each(ctx context.Context) error {
	of := &e.Head
	ends := map[string]bool{
		intake.Checking: of.Checked < of.Rows && of.Done == 0, intake.Checked: of.Checked == of.Rows && of.Done == 0,
		intake.Applying: of.Checked == of.Rows && of.Done < of.Rows, intake.Applied: of.Done == of.Rows,
		intake.Cancelled: true,
	}
	if !ends[of.State] || of.Done > of.Checked || of.Checked > of.Rows || of.Done < 0 {
		is := fmt.Sprintf("%s, with %d rows, %d checked and %d done", of.State, of.Rows, of.Checked, of.Done)
		return e.report(ownCounts, is, "counts of that state")
	}
	outcomes, sums := map[string]int{}, ""
	for _, list := range []struct {
		blocks string
		count  int
		do     func(at int, rows []intake.ImportRow) error
	}{
		{rowBlocks, of.Checked, nil}, {keyBlocks, of.Checked, nil},
		{checkedBlocks, of.Checked, func(at int, rows []intake.ImportRow) (err error) {
			if at >= of.Done {
				count(outcomes, rows)
			}
			sums, err = sumsWith(sums, rows)
			return err
		}},
		{madeBlocks, of.Done, func(_ int, rows []intake.ImportRow) error {
			count(outcomes, rows)
			return nil
		}},
	} {
		if whole, err := e.blocks(ctx, list.blocks, list.count, list.do); !whole || err != nil {
			return err
		}
	}
	e.Count("rows of imports", of.Checked)
	is, want := fmt.Sprintf("%v with %s", outcomes, sums), fmt.Sprintf("%v with %s", of.Outcomes, e.Sums)
	if is != want {
		return e.report(ownOutcome, is, want)
	}
	if is := digest(of.FileDigest, e.Terms, sums); of.Digest != "" && is != of.Digest {
		return e.report(ownOutcome, is, of.Digest)
	}
	sum := sha256.New()
	err := e.in.WriteFile(ctx, e.Batch, e.Pieces, sum)
	if is := hex.EncodeToString(sum.Sum(nil)); !ofStore(err) && (err != nil || is != of.FileDigest) {
		return e.report(ownFile, cmp.Or(errorText(err), is), of.FileDigest)
	}
	return err
}

// count counts rows by their outcomes.
func count(outcomes map[string]int, rows []intake.ImportRow) {
	for _, row := range rows {
		outcomes[row.Outcome]++
	}
}

// blocks reads the blocks of a list with a number of rows, and reports whether they are there and whole. A function is
// called with the rows of each, and how many are before them.
func (e *examination) blocks(
	ctx context.Context, name string, count int, do func(int, []intake.ImportRow) error,
) (whole bool, err error) {
	of := e.in.ItemsOf(e.Batch, name, partLength)
	for at := 0; at < count; at += partLength {
		has, wants := 0, min(partLength, count-at)
		if do == nil {
			var items []jsontext.Value
			items, err = block.Read[jsontext.Value](ctx, of, at/partLength)
			has = len(items)
		} else {
			var rows []intake.ImportRow
			rows, err = block.Read[intake.ImportRow](ctx, of, at/partLength)
			if has = len(rows); err == nil && has == wants {
				err = do(at, rows)
			}
		}
		switch {
		case ofStore(err):
			return false, err
		case err != nil || has != wants:
			text := fmt.Sprintf("block %d of %s with %d rows", at/partLength, name, has)
			return false, e.report(wholeRows, cmp.Or(errorText(err), text), fmt.Sprintf("%d rows", wants))
		}
	}
	return true, nil
}

// ofStore reports whether an error says that the store does not respond, or that the examination is ended.
func ofStore(err error) bool {
	return errors.Is(err, docstore.ErrUnavailable) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
