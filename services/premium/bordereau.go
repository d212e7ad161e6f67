package premium

import (
	"errors"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// errRowMade is the error of a row that somebody else has made meanwhile.
var errRowMade = errors.New("the bordereau row exists")

// bordereau declares the premium bordereau. Callers may write rows of their own; a row with a period is the
// aggregation's, and callers may change only what it does not own.
func (e *exchange) bordereau() rest.Resource[premium.Bordereau] {
	return rest.Resource[premium.Bordereau]{
		Name: "premiumBordereau",
		Filters: []rest.Filter[premium.Bordereau]{
			rest.Exact("treatyReference", func(b *premium.Bordereau) string { return rest.Text(b.TreatyReference) }),
		},
		Unique: []rest.Unique[premium.Bordereau]{{
			Index: rowIndex,
			Value: func(b *premium.Bordereau) string {
				if b.Period == nil {
					return ""
				}
				return row{*b.Period, rest.Text(b.PolicyNumber), rest.Text(b.TransactionType)}.index()
			},
			Taken: func(string) error { return errRowMade },
		}},
		Issue: func(d *rest.Draft[premium.Bordereau]) {
			if !d.Spawned {
				d.Value.Period = nil
			}
		},
		BeforeReplace: keepRow, BeforeReplaceRefuses: []problem.Kind{problems.AggregatedMember},
	}
}

// keepRow holds the sum and the key of an aggregated row.
func keepRow(d *rest.Draft[premium.Bordereau]) error {
	is, was := d.Value, d.Stored
	if was.Period == nil {
		is.Period = nil
		return nil
	}
	refused := problem.New(problems.AggregatedMember, "The sum and the key of a row are those of its receipts.")
	for _, m := range []struct {
		name    string
		is, was **string
	}{
		{"period", &is.Period, &was.Period},
		{"policyNumber", &is.PolicyNumber, &was.PolicyNumber},
		{"transactionType", &is.TransactionType, &was.TransactionType},
	} {
		if *m.is == nil {
			*m.is = *m.was
		}
		if rest.Text(*m.is) != rest.Text(*m.was) {
			refused.At("/"+m.name, "must be "+rest.Text(*m.was))
		}
	}
	if is.GrossWrittenPremium == "" {
		is.GrossWrittenPremium = was.GrossWrittenPremium
	}
	if is.GrossWrittenPremium != was.GrossWrittenPremium {
		refused.At("/grossWrittenPremium", "is the sum of the receipts")
	}
	if len(refused.Violations) > 0 {
		return refused
	}
	return nil
}
