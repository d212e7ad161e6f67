package claims

import (
	"context"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest"
)

// bordereau declares the claims bordereau. Callers create its rows; there is no replace operation.
func (e *environment) bordereau() rest.Resource[*claims.Bordereau] {
	return rest.Resource[*claims.Bordereau]{
		Name:     "claimsBordereau",
		SharedBy: "policyNumber",
		Filters: []rest.Filter[*claims.Bordereau]{
			rest.Exact("policyNumber", func(b *claims.Bordereau) string { return rest.Text(b.PolicyNumber) }),
			rest.Exact("treatyReference", func(b *claims.Bordereau) string { return rest.Text(b.TreatyReference) }),
			rest.Exact("fnol", func(b *claims.Bordereau) string { return b.FNOL.String() }).
				ByPeriod("the loss was first notified"),
		},
		Pin:       e.pin,
		NoReplace: true,
	}
}

// pin keeps the month of a new row where it is another in the exchange's zone than in UTC. So a row stays in its period
// when the setting of the zone is changed.
func (e *environment) pin(_ context.Context, d *rest.Draft[*claims.Bordereau]) (docstore.Keys, error) {
	const form = "2006-01"
	at := d.Value.FNOL
	month := at.Time().In(e.zone).Format(form)
	if at.IsZero() || month == at.Time().Format(form) {
		return nil, nil
	}
	return docstore.Keys{"fnol": month}, nil
}
