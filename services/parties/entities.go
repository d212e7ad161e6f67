package parties

import (
	"context"
	"math/big"

	"insurance.example/exchange/contracts/parties"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// insuranceEntity declares the resource for insurers, brokers and agents.
func insuranceEntity() rest.Resource[*parties.InsuranceEntity] {
	return rest.Resource[*parties.InsuranceEntity]{
		Name: "insuranceEntity",
		Filters: []rest.Filter[*parties.InsuranceEntity]{
			rest.Exact("registrationNumber", func(e *parties.InsuranceEntity) string {
				return rest.Text(e.RegistrationNumber)
			}),
			rest.Prefix("name", func(e *parties.InsuranceEntity) string { return rest.Text(e.Name) }),
		},
		Search: []search.Field{
			search.Text("registrationNumber").Leads(), search.Name("name").Leads(), search.Name("tradeName"),
			search.Text("type"), search.Text("address.country"),
		},
	}
}

// commercial declares the resource for corporate parties.
func commercial() rest.Resource[*parties.Commercial] {
	return rest.Resource[*parties.Commercial]{
		Name: "commercial",
		Filters: []rest.Filter[*parties.Commercial]{
			rest.Exact("registrationNumber", func(c *parties.Commercial) string {
				return rest.Text(c.RegistrationNumber)
			}),
			rest.Prefix("name", func(c *parties.Commercial) string { return rest.Text(c.Name) }),
		},
		Search: []search.Field{
			search.Text("registrationNumber").Leads(), search.Name("name").Leads(),
			search.Text("registeredAddress.country"),
		},
	}
}

// beneficiary declares the resource for persons and companies that claims are paid to.
func beneficiary() rest.Resource[*parties.Beneficiary] {
	return rest.Resource[*parties.Beneficiary]{Name: "beneficiary", Unusual: sharing}
}

// sharing warns of a new beneficiary whose share is no part of anything, in per cent or as a fraction.
func sharing(_ context.Context, d *rest.Draft[*parties.Beneficiary]) {
	share, is := new(big.Rat).SetString(string(d.Value.Share))
	if is && d.Record == nil && (share.Sign() < 0 || share.Cmp(big.NewRat(100, 1)) > 0) {
		d.Warn("share-out-of-range", "share out of range", "share is "+string(d.Value.Share)+", outside 0 to 100.")
	}
}
