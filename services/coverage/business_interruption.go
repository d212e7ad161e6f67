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

// businessInterruption declares businessInterruptionCoverage. Its checks are the rows of POST
// /businessInterruptionCoverage in the errors table. Its body has no policyholder.
func businessInterruption(
	e *environment, properties *rest.Records[*objects.Property],
) line[*coverage.BusinessInterruption] {
	return line[*coverage.BusinessInterruption]{
		name:    "businessInterruptionCoverage",
		aliases: map[string]string{"propertyId": "propertyRef"},
		search: []search.Field{
			search.ID("propertyRef").LeadsBy(insuredIndex), search.Number("grossAnnualProfit"),
			search.Number("icwLimit"), search.Number("contingencyLossLimit"),
		},
		expand: []search.Expansion{search.Expand("property", "propertyRef")},
		checks: []rest.Check[*coverage.BusinessInterruption]{
			rest.RefersTo("underlying property does not exist", "propertyRef",
				func(b *coverage.BusinessInterruption) string {
					return string(b.PropertyRef)
				}, properties, problems.UnderlyingNotFound),
			rest.OneIn("type not in the typeBusinessInterruption enumeration", "type",
				valuesets.TypeBusinessInterruption, e.sets,
				func(b *coverage.BusinessInterruption) *string { return b.Type }, problems.UnknownBIType),
			rest.AboveZero("IndemnityPeriod not greater than 0", "IndemnityPeriod",
				func(b *coverage.BusinessInterruption) *scalar.Int {
					return b.IndemnityPeriod
				}, problems.InvalidPeriod),
			rest.EachIn("a peril not in the propertyPeril enumeration", "perils", valuesets.PropertyPeril, e.sets,
				func(b *coverage.BusinessInterruption) []string { return b.Perils }, problems.UnknownPeril),
		},
		rules: []rest.Check[*coverage.BusinessInterruption]{
			namedPolicyholderExists[*coverage.BusinessInterruption](e),
			termInOrder[*coverage.BusinessInterruption](datesOptional),
		},
		openTerm: true,
		covers:   func(b *coverage.BusinessInterruption) []string { return b.Perils },
		causeSet: valuesets.PropertyPeril,
	}
}
