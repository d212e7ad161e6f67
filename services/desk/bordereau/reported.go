package bordereau

import (
	"context"
	"slices"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/money"
)

// carried is what was reported of a claim.
type carried struct {
	LineID string `json:"lineId"`
	desk.ClaimAmounts
}

// still returns what was reported of a claim as it is where nothing has moved since.
func (c *carried) still() (carried, error) {
	of, err := readAmounts(c.ClaimAmounts)
	if err != nil {
		return carried{}, err
	}
	for _, f := range []*money.Figures{&of.indemnity, &of.fees, &of.settledIndemnity, &of.settledFees} {
		if f.Previously, err = f.Previously.Plus(f.Paid); err != nil {
			return carried{}, err
		}
		f.Paid, f.Change = money.Amount{}, money.Amount{}
	}
	amounts, err := of.shown(c.Fees != desk.ClaimFigures{})
	return carried{c.LineID, amounts}, err
}

// reported reads what the standing versions of a period have reported of claims: their lines, and what they carry from
// earlier periods. It reads forwards in the order of the ids of claims, so that it must be asked in this order.
type reported struct {
	// from are in the order in which they count: the last version first, and lines before what is carried.
	from []*cursor[carried]
	at   []*carried
}

func (d *Desk) reported(stands []*version) *reported {
	r := &reported{}
	for _, v := range slices.Backward(stands) {
		r.from = append(r.from, &cursor[carried]{desk: d, batch: v.Batch, what: lineBlocks, total: v.Head.Lines})
	}
	for _, v := range slices.Backward(stands) {
		r.from = append(r.from, &cursor[carried]{desk: d, batch: v.Batch, what: carriedBlocks, total: v.Carried})
	}
	r.at = make([]*carried, len(r.from))
	return r
}

// of returns what was reported of a claim; nil if it was not. Its id is greater than that of the call before.
func (r *reported) of(ctx context.Context, id string) (found *carried, err error) {
	for i, from := range r.from {
		for r.at[i] == nil || r.at[i].LineID < id {
			if r.at[i], err = from.next(ctx); err != nil {
				return nil, err
			}
			if r.at[i] == nil {
				break
			}
		}
		if found == nil && r.at[i] != nil && r.at[i].LineID == id {
			found = r.at[i]
		}
	}
	return found, nil
}
