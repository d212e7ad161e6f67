package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/creation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/reference"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/source"
)

const (
	// checkedBlocks are the blocks of an import with what would become of its rows.
	checkedBlocks = "checked"
	// together is how many rows are tried in one request to a service.
	together = 25
)

// Check goes on to check the rows of an import. It makes no record. Errors: problem.NotFound, those of the services and
// of the store.
func (i *Intake) Check(ctx context.Context, id string) (intake.Import, error) {
	return i.checkSince(ctx, id, i.Wall())
}

// checkSince goes on to check rows for a request that began at an instant.
func (i *Intake) checkSince(ctx context.Context, id string, began time.Time) (intake.Import, error) {
	for {
		s, _, err := i.get(ctx, id)
		if err != nil || s.Head.State != intake.Checking || i.isOver(began) {
			return s.Head, err
		}
		if err := i.Folder.Reopened(ctx, s.Profile.Format, s.Batch, s.Pieces, func(file folder.File) error {
			return i.checkFile(ctx, s, file, began)
		}); err != nil {
			return s.Head, err
		}
	}
}

// digest returns what differs if one of some values does.
func digest(of ...any) string {
	sum := sha256.New()
	for _, one := range of {
		fmt.Fprintf(sum, "%q ", fmt.Sprint(one))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// sumsWith returns the digest of outcomes with those of further rows.
func sumsWith(sums string, rows []intake.ImportRow) (string, error) {
	text, err := json.Marshal(rows, json.Deterministic(true))
	return digest(sums, string(text)), err
}

// tryAll tries the rows of a part, as many together as a service takes.
func (i *Intake) tryAll(ctx context.Context, s *stored, rows []row) (all []intake.ImportRow, err error) {
	for some := range slices.Chunk(rows, together) {
		became, err := i.try(ctx, s, some)
		if tooLarge(err) != nil {
			became, err = i.tryEach(ctx, s, some)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, became...)
	}
	return all, nil
}

// tryEach tries rows one by one. A row that is too large by itself is refused.
func (i *Intake) tryEach(ctx context.Context, s *stored, rows []row) (all []intake.ImportRow, err error) {
	for _, of := range rows {
		became, err := i.try(ctx, s, []row{of})
		if p := tooLarge(err); p != nil {
			became, err = []intake.ImportRow{{
				Row: of.Row, Outcome: intake.Refused, Cells: of.Sent, Wrong: []intake.ImportWrong{{Reason: p.Detail}},
			}}, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, became...)
	}
	return all, nil
}

// tooLarge returns the problem of what a service does not take together; nil for other errors.
func tooLarge(err error) *problem.Error {
	if p := (*problem.Error)(nil); errors.As(err, &p) && p.Kind == problem.TooLarge {
		return p
	}
	return nil
}

// trial is a trial of rows.
type trial struct {
	*stored
	rows   []row
	became []intake.ImportRow
	all    []*creation.Creation
	// places are the rows, and the bodies in them, of what is tried.
	places map[*creation.Creation]place
}

type place struct{ row, body int }

// try tries rows together.
func (i *Intake) try(ctx context.Context, s *stored, rows []row) ([]intake.ImportRow, error) {
	t, byName := &trial{stored: s, rows: rows, places: map[*creation.Creation]place{}}, map[string]*creation.Creation{}
	for at, of := range rows {
		is := intake.ImportRow{Row: of.Row, Outcome: intake.Ready, Wrong: of.Wrong, Cells: of.Sent}
		some, wrong, err := s.creations(of, byName)
		if err != nil {
			return nil, err
		}
		if is.Wrong = append(is.Wrong, wrong...); len(is.Wrong) > 0 {
			is.Outcome = intake.Refused
			some = nil
		}
		for n, one := range some {
			t.places[one] = place{at, n}
		}
		t.all, t.became = append(t.all, some...), append(t.became, is)
	}
	err := i.maker().Try(ctx, t.all, byName, t.refuse)
	for of, at := range t.places {
		// An import before has made the row. What it has made of a row in part is made whole.
		if to := &t.became[at.row]; of.Made && t.last(at) && to.Outcome == intake.Ready {
			to.Outcome = intake.There
			to.Records = append(to.Records, recordOf(rows[at.row].Bodies[at.body].Name, of))
		}
	}
	if err == nil {
		err = i.number(ctx, t.became)
	}
	return t.became, err
}

// number adds to the records of rows that are there the numbers that the exchange has issued to them. A service that
// refuses a record as being there says its id alone.
func (i *Intake) number(ctx context.Context, rows []intake.ImportRow) error {
	ids := map[string][]string{} // by services
	without := func(do func(service string, of *intake.ImportRecord)) {
		for at := range rows {
			for n := range rows[at].Records {
				of := &rows[at].Records[n]
				if of.PolicyNumber == "" && of.ClaimNumber == "" && len(i.numbersOf(of.Resource)) > 0 {
					do(i.Owners[of.Resource], of)
				}
			}
		}
	}
	without(func(service string, of *intake.ImportRecord) { ids[service] = append(ids[service], string(of.ID)) })
	for service, some := range ids {
		numbers, err := source.NumbersOf(ctx, i.Peer(service), some)
		if err != nil {
			return err
		}
		without(func(_ string, of *intake.ImportRecord) {
			is := numbers[string(of.ID)]
			of.PolicyNumber, of.ClaimNumber = is.PolicyNumber, is.ClaimNumber
		})
	}
	return nil
}

// last reports whether a record is the last one of its row.
func (t *trial) last(at place) bool { return at.body == len(t.rows[at.row].Bodies)-1 }

// refuse notes that a record would be refused. One that is there leaves its row out, if it is the last one; the others
// of the row refer to any other one.
func (t *trial) refuse(of *creation.Creation, failures []creation.Failure) {
	at := t.places[of]
	to, name := &t.became[at.row], t.rows[at.row].Bodies[at.body].Name
	existing := slices.IndexFunc(failures, func(f creation.Failure) bool { return f.ExistingID != "" })
	if existing < 0 {
		to.Outcome = intake.Refused
		for _, f := range failures {
			to.Wrong = append(to.Wrong, t.wrongOf(to.Row, name, f.Title, f.Detail, f.Errors)...)
		}
		return
	}
	is := map[string]string{reference.ID: failures[existing].ExistingID}
	// What another row makes has no id yet.
	other := slices.IndexFunc(t.all, func(c *creation.Creation) bool {
		return c != of && !c.Made && c.Values[reference.ID] == is[reference.ID]
	})
	if !t.last(at) {
		of.Wrong, of.Made, of.Values = false, true, is
	} else if to.Outcome == intake.Ready {
		to.Outcome = intake.There
	}
	if other >= 0 {
		to.Wrong = append(to.Wrong, intake.ImportWrong{
			Record: name,
			Reason: fmt.Sprintf("is the record of row %d as well", t.rows[t.places[t.all[other]].row].Row),
		})
		return
	}
	to.Records = append(to.Records, recordOf(name, &creation.Creation{Resource: of.Resource, Values: is}))
}

// recordOf returns a record of a row that is there.
func recordOf(name string, of *creation.Creation) intake.ImportRecord {
	return intake.ImportRecord{
		Name: name, Resource: of.Resource, ID: scalar.ID(of.Values[reference.ID]),
		PolicyNumber: of.Values[reference.PolicyNumber], ClaimNumber: of.Values[reference.ClaimNumber],
	}
}

// wrongOf returns what a service refuses of a record of a row.
func (s *stored) wrongOf(row int, name, title, detail string, errs []problem.Violation) (all []intake.ImportWrong) {
	for _, v := range errs {
		all = append(all, s.wrongAt(row, name, v.Pointer, v.Reason))
	}
	if len(all) == 0 {
		if detail == "" {
			detail = title
		}
		all = append(all, s.wrongAt(row, name, "", detail))
	}
	return all
}
