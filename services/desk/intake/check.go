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
	return i.checkSince(ctx, id, i.Now())
}

// checkSince goes on to check rows for a request that began at an instant.
func (i *Intake) checkSince(ctx context.Context, id string, began time.Time) (intake.Import, error) {
	return i.advance(ctx, id, began, intake.Checking, checkedBlocks,
		func(head *intake.Import) *int { return &head.Checked },
		func(ctx context.Context, _ *stored, rows []row) (map[string]int, []intake.ImportRow, error) {
			became, err := i.tryAll(ctx, id, rows)
			return nil, became, err
		},
		func(s *stored) {
			if s.Head.Checked < s.Head.Rows {
				return
			}
			s.Head.State = intake.Checked
			s.Head.Digest = digest(s.Head.FileDigest, s.Head.Resource, s.Head.Profile, s.Head.ProfileVersion, s.Sums)
		})
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
func (i *Intake) tryAll(ctx context.Context, id string, rows []row) (all []intake.ImportRow, err error) {
	for some := range slices.Chunk(rows, together) {
		became, err := i.try(ctx, id, some)
		if p := (*problem.Error)(nil); errors.As(err, &p) && p.Kind == problem.TooLarge {
			became, err = i.tryEach(ctx, id, some)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, became...)
	}
	return all, nil
}

// tryEach tries rows one by one. A row that is too large by itself is refused.
func (i *Intake) tryEach(ctx context.Context, id string, rows []row) (all []intake.ImportRow, err error) {
	for _, of := range rows {
		became, err := i.try(ctx, id, []row{of})
		if p := (*problem.Error)(nil); errors.As(err, &p) && p.Kind == problem.TooLarge {
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

// try tries rows together.
func (i *Intake) try(ctx context.Context, id string, rows []row) ([]intake.ImportRow, error) {
	s, _, err := i.get(ctx, id)
	if err != nil {
		return nil, err
	}
	became, named := make([]intake.ImportRow, len(rows)), map[string]*creation.Creation{}
	var all []*creation.Creation
	places := map[*creation.Creation]struct{ row, body int }{}
	for at, of := range rows {
		became[at] = intake.ImportRow{Row: of.Row, Outcome: intake.Ready, Wrong: of.Wrong, Cells: of.Sent}
		some, wrong, err := s.creations(of, named)
		if err != nil {
			return nil, err
		}
		if became[at].Wrong = append(became[at].Wrong, wrong...); len(became[at].Wrong) > 0 {
			became[at].Outcome = intake.Refused
			continue
		}
		for n, one := range some {
			places[one] = struct{ row, body int }{at, n}
		}
		all = append(all, some...)
	}
	err = i.maker().Try(ctx, all, named, func(of *creation.Creation, failed []creation.Failure) {
		at := places[of]
		to, bodies := &became[at.row], rows[at.row].Bodies
		name, last := bodies[at.body].Name, at.body == len(bodies)-1
		existing := slices.IndexFunc(failed, func(f creation.Failure) bool { return f.ExistingID != "" })
		switch {
		case existing < 0:
			to.Outcome = intake.Refused
			for _, f := range failed {
				to.Wrong = append(to.Wrong, s.wrongOf(to.Row, name, f.Title, f.Detail, f.Errors)...)
			}
			return
		case last && to.Outcome == intake.Ready:
			to.Outcome = intake.There
		case !last: // what is there is used
			of.Wrong, of.Made, of.Values = false, true, map[string]string{reference.ID: failed[existing].ExistingID}
		}
		// What another row makes has no id yet.
		other := slices.IndexFunc(all, func(c *creation.Creation) bool {
			return c != of && c.Values[reference.ID] == failed[existing].ExistingID && !c.Made
		})
		if other >= 0 {
			reason := fmt.Sprintf("is the record of row %d as well", rows[places[all[other]].row].Row)
			to.Wrong = append(to.Wrong, intake.ImportWrong{Record: name, Reason: reason})
			return
		}
		to.Records = append(to.Records, recordOf(name, &creation.Creation{
			Resource: of.Resource, Values: map[string]string{reference.ID: failed[existing].ExistingID},
		}))
	})
	for of, at := range places {
		// An import before has made the row. What it has made of a row in part is made whole.
		if to := &became[at.row]; of.Made && at.body == len(rows[at.row].Bodies)-1 && to.Outcome == intake.Ready {
			to.Outcome = intake.There
			to.Records = append(to.Records, recordOf(rows[at.row].Bodies[at.body].Name, of))
		}
	}
	return became, err
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
