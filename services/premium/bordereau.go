package premium

import (
	"errors"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// errRowMade means that another aggregation has created the row meanwhile.
var errRowMade = errors.New("the bordereau row exists")

// bordereau declares the premium bordereau. Callers may create rows. A row with a period belongs to the aggregation,
// and callers may change only the members that the aggregation does not compute.
func (e *environment) bordereau() rest.Resource[*premium.Bordereau] {
	return rest.Resource[*premium.Bordereau]{
		Name:     "premiumBordereau",
		SharedBy: policyIndex,
		Filters: []rest.Filter[*premium.Bordereau]{
			rest.Exact(policyIndex, func(b *premium.Bordereau) string { return rest.Text(b.PolicyNumber) }),
			rest.Exact("treatyReference", func(b *premium.Bordereau) string { return rest.Text(b.TreatyReference) }),
			rest.Exact("period", func(b *premium.Bordereau) string { return rest.Text(b.Period) }),
		},
		Unique: []rest.Unique[*premium.Bordereau]{{
			Index: rowIndex, Global: true,
			Value: func(b *premium.Bordereau) string {
				if b.Period == nil {
					return ""
				}
				return row{*b.Period, rest.Text(b.PolicyNumber), rest.Text(b.TransactionType)}.index()
			},
			Taken: func(string) error { return errRowMade },
		}},
		Issue: func(d *rest.Draft[*premium.Bordereau]) {
			if !d.Spawned {
				d.Value.Period = nil
			}
		},
		Recall:        e.recall,
		BeforeReplace: keepRow, BeforeReplaceRefuses: []problem.Kind{problems.AggregatedMember},
	}
}

// keepRow refuses a replacement that changes the sum or the key of an aggregated row. Members that are left out keep
// their values.
func keepRow(d *rest.Draft[*premium.Bordereau]) error {
	is, was := d.Value, d.Stored
	if was.Period == nil {
		is.Period = nil
		return nil
	}
	refused := problem.New(problems.AggregatedMember, "An aggregated row takes its sum and its key from its receipts.")
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
		refused.At("/grossWrittenPremium", "is the sum of the receipts and cannot be changed")
	}
	if len(refused.Violations) > 0 {
		return refused
	}
	return nil
}
