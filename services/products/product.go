package products

import (
	"context"
	"strconv"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/products"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// policyWording declares the resource for the texts of the terms under which products are sold.
func policyWording() rest.Resource[*products.PolicyWording] {
	return rest.Resource[*products.PolicyWording]{Name: "policyWording", Public: true}
}

// product declares the product. Its checks are the rows of POST /product in the errors table.
func product(sets rest.Sets, wordings *rest.Records[*products.PolicyWording]) rest.Resource[*products.Product] {
	return rest.Resource[*products.Product]{
		Name:    "product",
		Public:  true,
		Aliases: map[string]string{"wordingId": "wording"},
		Filters: []rest.Filter[*products.Product]{
			rest.Whole("lineOfBusiness", func(p *products.Product) string {
				if p.LineOfBusiness == nil {
					return ""
				}
				return strconv.FormatInt(int64(*p.LineOfBusiness), 10)
			}),
			rest.Exact("productModel", func(p *products.Product) string { return rest.Text(p.ProductModel) }),
			rest.Exact("currency", func(p *products.Product) string { return rest.Text(p.Currency) }),
		},
		Checks: []rest.Check[*products.Product]{
			{
				Name: "lineOfBusiness not in productCatalog codes", DependsOn: []string{"lineOfBusiness"},
				Run:     inCatalog(sets),
				Refuses: []problem.Kind{problems.UnknownCatalogCode}, Requires: []string{"lineOfBusiness"},
			},
			rest.RefersTo("wordingId does not resolve", "wording",
				func(p *products.Product) string { return string(p.Wording) }, wordings, problems.WordingNotFound),
			rest.OneIn("currency not in the currency enumeration", "currency", valuesets.Currency, sets,
				func(p *products.Product) *string { return p.Currency }, problems.UnsupportedCurrency),
		},
		ListsIdempotency: true,
	}
}

// inCatalog returns the check that a line of business is a code of the catalogue, whose codes begin at 1.
func inCatalog(sets rest.Sets) func(context.Context, *rest.Draft[*products.Product]) error {
	codes := len(sets.Values(valuesets.ProductCatalog))
	return func(_ context.Context, d *rest.Draft[*products.Product]) error {
		if code := *d.Value.LineOfBusiness; code < 1 || int(code) > codes {
			return problem.New(problems.UnknownCatalogCode, "").
				At("/lineOfBusiness", "must be a code from 1 to "+strconv.Itoa(codes)+
					"; GET /productCatalog lists them")
		}
		return nil
	}
}
