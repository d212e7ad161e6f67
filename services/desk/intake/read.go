package intake

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

const (
	// rowBlocks are the blocks of an import with the rows that were read, and keyBlocks those with what each of them
	// makes, as a digest; empty for one that makes nothing.
	rowBlocks = "rows"
	keyBlocks = "keys"
	// mostExamples is how many cells of a column are shown with what was read of them.
	mostExamples = 3
)

// errEnough ends the reading of a file of which enough was read in a request.
var errEnough = errors.New("enough was read")

// reading is the reading of a file from the first row that is not checked yet.
type reading struct {
	*Intake
	s     *stored
	began time.Time
	// from is how many rows are before the part.
	from int
	rows []row
	keys []string
	// same counts the rows before by what they make.
	same     map[rowKey]int
	examples map[string][]intake.ImportExample
}

// rowKey is a part of the digest of what a row makes. It is long enough for no two rows to share one, and short enough
// to be kept of all rows of a file.
type rowKey [16]byte

// keyed returns the key of a row with a digest in hexadecimal; an empty digest has the key zero.
func keyed(digest string) (key rowKey) {
	_, _ = hex.Decode(key[:], []byte(digest)[:min(len(digest), 2*len(key))]) // it is hexadecimal
	return key
}

// checkFile checks the rows of a file that are not checked yet, until the time of a request that began at an instant is
// over. Errors: those of the services and of the store.
func (i *Intake) checkFile(ctx context.Context, s *stored, file folder.File, began time.Time) error {
	r := &reading{Intake: i, s: s, began: began, from: s.Head.Checked, same: map[rowKey]int{}}
	if err := folder.EachOf(ctx, i.Folder, s.Batch, keyBlocks, partLength, r.from, func(key string) error {
		r.same[keyed(key)]++
		return nil
	}); err != nil {
		return err
	}
	r.begin()
	as := i.members(s)
	as.Skip = r.from
	_, err := profile.Rows(&s.Profile, as, file, file.Size, func(of profile.Row) error { return r.add(ctx, of) })
	if err == nil && len(r.rows) > 0 {
		err = r.end(ctx)
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return folder.Unreadable(err)
}

// begin begins a part.
func (r *reading) begin() {
	r.rows, r.keys, r.examples = nil, nil, map[string][]intake.ImportExample{}
}

// add adds a row, and checks the rows of its part once the part is whole.
func (r *reading) add(ctx context.Context, of profile.Row) error {
	for _, value := range of.Values {
		if all := r.examples[value.Means]; len(all) < mostExamples {
			r.examples[value.Means] = append(all, intake.ImportExample{
				Cell: value.Cell, Sent: value.Sent, Read: scalar.JSON(value.Read),
			})
		}
	}
	next, err := r.compose(r.s.Profile.Records, of)
	if err != nil {
		return err
	}
	key := ""
	if len(next.Wrong) == 0 {
		parts := []any{r.s.Head.Batch}
		for _, b := range next.Bodies {
			parts = append(parts, b.Resource, string(b.JSON))
		}
		key = digest(parts...)
		r.same[keyed(key)]++
		next.Key = fmt.Sprintf("import-%s-%d", key, r.same[keyed(key)])
	}
	r.rows, r.keys = append(r.rows, next), append(r.keys, key)
	if len(r.rows) < partLength {
		return nil
	}
	return r.end(ctx)
}

// end keeps the rows of a part, checks them and notes what would become of them. Errors: errEnough, those of the
// services and of the store.
func (r *reading) end(ctx context.Context) error {
	number := r.from / partLength
	for _, put := range []func() error{
		func() error {
			return block.Put(ctx, r.Folder.ItemsOf(r.s.Batch, rowBlocks, partLength), number, r.rows)
		},
		func() error {
			return block.Put(ctx, r.Folder.ItemsOf(r.s.Batch, keyBlocks, partLength), number, r.keys)
		},
	} {
		if err := put(); err != nil && !docstore.Overtaken(err) { // a request before has kept the same
			return err
		}
	}
	became, err := r.tryAll(ctx, r.s, r.rows)
	if err == nil {
		became, err = r.keep(ctx, r.s.Batch, checkedBlocks, number, became)
	}
	if err != nil {
		return err
	}
	sums, err := sumsWith(r.s.Sums, became)
	if err != nil {
		return err
	}
	if r.s, err = r.note(ctx, r.s.Head.ID, r.from, func(head *intake.Import) *int { return &head.Checked }, nil, became,
		func(now *stored) { r.checked(now, sums) }); err != nil {
		return err
	}
	r.from += len(became)
	r.begin()
	if r.s.Head.Checked != r.from || r.s.Head.State != intake.Checking || r.isOver(r.began) {
		return errEnough
	}
	return nil
}

// checked notes in an import that the rows of a part are checked, with the digest of the outcomes until there.
func (r *reading) checked(now *stored, sums string) {
	now.Sums = sums
	for at := range now.Head.Columns {
		column := &now.Head.Columns[at]
		more := r.examples[column.Means]
		column.Examples = append(column.Examples, more[:min(len(more), mostExamples-len(column.Examples))]...)
	}
	if now.Head.Checked == now.Head.Rows && now.Head.State == intake.Checking {
		now.Head.State = intake.Checked
		now.Head.Digest = digest(now.Head.FileDigest, now.Terms, sums)
	}
}
