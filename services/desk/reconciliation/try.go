package reconciliation

import (
	"context"
	"errors"
	"io"
	"slices"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/match"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

// mostTried is how many rows of a file are shown before it is sent for good.
const mostTried = 20

// errEnough ends the reading of a file of which enough was read.
var errEnough = errors.New("enough rows were read")

// Try reads the first rows of a file by a profile, and keeps nothing. Errors: problem.NotFound for the profile,
// problem.Invalid for a file that cannot be read, those of the body and of the store.
func (r *Reconciler) Try(ctx context.Context, name string, body io.Reader) (reconciliation.FileTrial, error) {
	trial := reconciliation.FileTrial{Rows: []reconciliation.FileTrialRow{}}
	err := r.spooled(ctx, name, body, func(p reconciliation.FileProfile, file folder.File) error {
		trial.Profile, trial.ProfileVersion = p.Name, p.Version
		table, err := profile.Entries(&p.FileProfileTerms, file, file.Size, func(e match.Entry) error {
			if len(trial.Rows) == mostTried {
				trial.More = true
				return errEnough
			}
			trial.Rows = append(trial.Rows, reconciliation.FileTrialRow{
				Row: e.Row, Cells: cellsOf(&p.FileProfileTerms, e), Wrong: e.Wrong,
			})
			return ctx.Err()
		})
		trial.Formulas, trial.Notes = table.Formulas, table.Notes
		if errors.Is(err, errEnough) {
			err = nil
		}
		return folder.Unreadable(err)
	})
	return trial, err
}

// cellsOf returns what was read of a row, in the order of the profile's columns.
func cellsOf(p *reconciliation.FileProfileTerms, e match.Entry) []reconciliation.FileTrialCell {
	cells := []reconciliation.FileTrialCell{}
	for _, of := range p.Columns {
		means := of.Means
		if means == reconciliation.Amount {
			means = p.AmountBasis
		}
		value := ""
		switch means {
		case reconciliation.LineID:
			value = e.LineID
		case reconciliation.PolicyNumber:
			value = e.PolicyNumber
		case reconciliation.ClaimNumberColumn:
			value = e.ClaimNumber
		case reconciliation.Type:
			value = e.Type
		case reconciliation.Date:
			value = string(e.Date)
		case reconciliation.Currency:
			value = e.Currency
		default:
			value = e.Amounts.At(slices.Index(match.Names, means))
		}
		// What several columns mean is one amount, their sum.
		is := func(cell reconciliation.FileTrialCell) bool { return cell.Means == means }
		if value != "" && !slices.ContainsFunc(cells, is) {
			cells = append(cells, reconciliation.FileTrialCell{Means: means, Value: value})
		}
	}
	return cells
}
