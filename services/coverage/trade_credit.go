package coverage

import (
	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// tradeCredit declares tradeCreditCoverage. Its checks are the rows of POST /tradeCreditCoverage in the errors table.
// An endorsement of type addition or deletion raises or lowers a limit.
func tradeCredit(e *environment, debtors *rest.Records[*objects.Debtor]) line[*coverage.TradeCredit] {
	return line[*coverage.TradeCredit]{
		name: "tradeCreditCoverage",
		search: []search.Field{
			search.ID("debtorId").LeadsBy(insuredIndex), search.Text("tradeCreditType"), search.Number("creditLimit"),
		},
		expand: []search.Expansion{search.Expand("debtor", "debtorId")},
		checks: []rest.Check[*coverage.TradeCredit]{
			rest.RefersTo("debtor does not exist", "debtorId",
				func(t *coverage.TradeCredit) string { return string(t.DebtorID) }, debtors, problems.DebtorNotFound),
			rest.OneIn("tradeCreditType not in the tradeCreditTpe enumeration", "tradeCreditType",
				valuesets.TradeCreditType, e.sets,
				func(t *coverage.TradeCredit) *string { return t.TradeCreditType }, problems.UnknownCreditType),
			rest.AboveZero("credit limit not greater than 0", "creditLimit",
				func(t *coverage.TradeCredit) *scalar.Int { return t.CreditLimit }, problems.InvalidCreditLimit),
			rest.EachIn("a peril not in the tradeCreditPeril enumeration", "perils", valuesets.TradeCreditPeril, e.sets,
				func(t *coverage.TradeCredit) []string { return t.Perils }, problems.UnknownPeril),
		},
		rules: []rest.Check[*coverage.TradeCredit]{
			policyholderExists[*coverage.TradeCredit](e), termInOrder[*coverage.TradeCredit](datesOptional),
		},
		openTerm: true,
		covers:   func(t *coverage.TradeCredit) []string { return t.Perils },
		causeSet: valuesets.TradeCreditPeril,
		waiting:  func(t *coverage.TradeCredit) *scalar.Int { return t.WaitingPeriod },
		waits:    internalapi.LossToNotification,
	}
}
