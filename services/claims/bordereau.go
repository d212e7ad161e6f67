package claims

import (
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
			rest.Exact("fnol", func(b *claims.Bordereau) string { return b.FNOL.String() }).
				ByPeriod("the loss was first notified"),
		},
		NoReplace: true,
	}
}
