package bordereau

import (
	"cmp"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
)

// The types of receipts (the value set ReceiptType).
const (
	newPolicy    = "new policy"
	renewal      = "policy renewal"
	adjustment   = "mid term adjustment"
	claimPayment = "claim payment"
	brokerage    = "brokerage payment"
	profitShare  = "profit share payment"
)

// sections are the sections in the order in which they are shown.
var sections = []string{
	desk.PremiumSection, desk.PaymentSection, desk.BrokerageSection, desk.ProfitSection, desk.OtherSection,
}

// kind is what a receipt of a type is called in a bordereau.
type kind struct{ section, risk, transaction string }

// returned is the type of transaction of what is paid back.
const returned = "Return Premium"

var kinds = map[string]kind{
	newPolicy:    {desk.PremiumSection, "New Business", "Original Premium"},
	renewal:      {desk.PremiumSection, "Renewal", "Original Premium"},
	adjustment:   {desk.PremiumSection, "Adjustment", "Additional Premium"},
	claimPayment: {section: desk.PaymentSection},
	brokerage:    {section: desk.BrokerageSection},
	profitShare:  {section: desk.ProfitSection},
}

// kindOf returns what a receipt of a type is called, with an amount of a sign.
func kindOf(receiptType string, sign int) kind {
	of, known := kinds[receiptType]
	if !known {
		return kind{section: desk.OtherSection}
	}
	if sign < 0 && of.section == desk.PremiumSection {
		of.transaction = returned
	}
	return of
}

// isPremium reports whether receipts of a type are premium.
func isPremium(receiptType string) bool { return kinds[receiptType].section == desk.PremiumSection }

// line returns the line of a receipt. Its effective date is the one that the receipt was sent with, else its own. A
// refund has the type of the receipt that it reverses, and its amount reversed. Only premium has commission, brokerage
// and taxes.
func (c *collection) line(of internalapi.ReportedReceipt, p *policy) (desk.BordereauLine, money.Line, error) {
	terms, r := c.of.Money, of.Record
	receiptType, gross := text(r.ReceiptType), terms.Gross(0)
	if r.PaymentAmount != nil {
		gross = terms.Gross(int64(*r.PaymentAmount))
	}
	if r.Reverses != "" {
		gross = gross.Negated()
		receiptType, _ = c.types.Get(string(r.Reverses))
	}
	is := kindOf(receiptType, gross.Sign())
	if is.section != desk.PremiumSection {
		terms.Commission, terms.Brokerage, terms.Taxes = money.Amount{}, money.Amount{}, money.Amount{}
	}
	amounts, err := terms.Line(gross)
	if err != nil {
		return desk.BordereauLine{}, amounts, err
	}
	where := p.holder.Where()
	line := desk.BordereauLine{
		LineID: string(r.ID), Section: is.section, PolicyNumber: text(r.PolicyNumber), ReceiptType: receiptType,
		RiskTransactionType: is.risk, TransactionType: is.transaction,
		EffectiveDate: cmp.Or(of.EffectiveDate, r.ReceiptDate), RecordedAt: r.RecordedAt,
		Late: c.late(r.RecordedAt), Reverses: string(r.Reverses),
		Currency: terms.Currency, Gross: amounts.Gross.Decimal(), Commission: amounts.Commission.Decimal(),
		Brokerage: amounts.Brokerage.Decimal(), Net: amounts.Net.Decimal(), SettlementCurrency: terms.Settlement,
		Rate: terms.Rate.Decimal(), Settled: amounts.Settled.Decimal(), Line: p.line, PolicyID: string(p.record.ID),
		InceptionDate: p.record.InceptionDate, ExpiryDate: p.record.ExpiryDate, PolicyStatus: text(p.record.Status),
		PolicyholderID: string(p.record.PolicyholderID), Insured: p.holder.Insured(), Address: street(where.Building,
			where.StreetName), City: text(where.City), Postcode: text(where.PostalCode), Country: text(where.Country),
	}
	if terms.Taxed {
		line.Taxes = amounts.Taxes.Decimal()
	}
	if limit := p.record.IndemnityLimitPolicy; limit != nil {
		line.SumInsured = terms.Gross(int64(*limit)).Decimal()
	}
	line.RiskPremium, err = terms.Major(p.record.GrossWrittenPremium)
	return line, amounts, err
}

// late returns where a receipt was recorded if that is a period before the one that it is reported in.
func (c *reading) late(recorded scalar.DateTime) *desk.BordereauLate {
	in := c.period.At(recorded.Time(), c.of.Zone)
	if !in.Earlier(c.period) {
		return nil
	}
	return &desk.BordereauLate{RecordedPeriod: in.String()}
}

func street(building, name *string) string {
	switch b, n := text(building), text(name); {
	case b == "":
		return n
	case n == "":
		return b
	default:
		return b + " " + n
	}
}
