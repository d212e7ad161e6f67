package coverage

import (
	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// cyber declares cyberLiabilityCoverage. Its checks are the rows of POST /cyberLiabilityCoverage in the errors table.
func cyber(e *environment, businesses *rest.Records[*objects.Business]) line[*coverage.CyberLiability] {
	return line[*coverage.CyberLiability]{
		name: "cyberLiabilityCoverage",
		search: []search.Field{
			search.ID("businessId").LeadsBy(insuredIndex), search.Number("indemnityLimitPolicy"),
		},
		expand: []search.Expansion{search.Expand("business", "businessId")},
		checks: []rest.Check[*coverage.CyberLiability]{
			rest.RefersTo("business does not exist", "businessId",
				func(c *coverage.CyberLiability) string {
					return string(c.BusinessID)
				}, businesses, problems.BusinessNotFound),
			rest.EachIn("a scope category is not in cyberCoverageCategories", "scope",
				valuesets.CyberCoverageCategory, e.sets,
				func(c *coverage.CyberLiability) []string { return c.Scope }, problems.UnknownCategory),
			rest.AboveZero("indemnityLimitPolicy is not greater than 0", "indemnityLimitPolicy",
				func(c *coverage.CyberLiability) *scalar.Int { return c.IndemnityLimitPolicy }, problems.InvalidLimit),
			termInOrder[*coverage.CyberLiability](datesRequired),
		},
		rules:    []rest.Check[*coverage.CyberLiability]{policyholderExists[*coverage.CyberLiability](e)},
		covers:   func(c *coverage.CyberLiability) []string { return c.Scope },
		causeSet: valuesets.CyberCoverageCategory,
		limit:    func(c *coverage.CyberLiability) *scalar.Int { return c.IndemnityLimitPolicy },
	}
}
