package claims

import (
	"time"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/pkg/rest"
)

// bordereau declares the claims bordereau. Callers create its rows; there is no replace operation.
func bordereau() rest.Resource[*claims.Bordereau] {
	return rest.Resource[*claims.Bordereau]{
		Name:     "claimsBordereau",
		SharedBy: "policyNumber",
		Filters: []rest.Filter[*claims.Bordereau]{
			rest.Exact("policyNumber", func(b *claims.Bordereau) string { return rest.Text(b.PolicyNumber) }),
			rest.Exact("treatyReference", func(b *claims.Bordereau) string { return rest.Text(b.TreatyReference) }),
			rest.Period("fnol", "the loss was first notified", func(b *claims.Bordereau) time.Time { return b.FNOL.Time() }),
		},
		NoReplace: true,
	}
}
