package bordereau

import (
	"time"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
)

// The states of a claim as a bordereau reports them. The standard says month, whatever the period is.
const (
	claimOpen            = "Open"
	claimReopened        = "Re-opened"
	claimClosedThisMonth = "Closed this month"
	claimClosed          = "Closed"
)

// line returns the line of a claim. before is what was reported of it; nil if it was not.
func (c *claimCollection) line(
	claim internalapi.ReportedClaim, p *policy, added *desk.ClaimSupplement, before *carried,
) (*desk.ClaimLine, claimAmounts, error) {
	terms, r := c.of.Money, claim.Record
	amounts, err := c.amounts(claim, added, before)
	if err != nil {
		return nil, amounts, err
	}
	fees := amounts.fees != (money.Figures{}) || added != nil && (added.FeesPaid != "" || added.FeeReserve != "")
	shown, err := amounts.shown(fees)
	if err != nil {
		return nil, amounts, err
	}
	line := &desk.ClaimLine{
		LineID: string(r.ID), PolicyNumber: text(r.PolicyNumber), ClaimNumber: text(r.ClaimNumber),
		ClaimStatus: c.status(&r), RecordedAt: claim.RecordedAt, ClaimAmounts: shown, Rate: terms.Rate.Decimal(),
		FNOL: r.FNOL, LossDate: r.LossDate, ReopenedOn: r.ReopenDate, ClaimType: text(r.ClaimType),
		LossCause: text(r.LossCause), Description: text(r.Description), Location: text(r.Location), Supplement: added,
		Line: p.line, InceptionDate: p.record.InceptionDate, ExpiryDate: p.record.ExpiryDate,
		Insured: p.holder.Insured(), Country: text(p.holder.Where().Country),
	}
	if text(r.ClaimStatus) == claims.Closed {
		line.ClosedOn = scalar.DateOf(closedAt(&r), c.of.Zone)
	}
	if before == nil {
		line.Late = c.late(claim.RecordedAt)
	}
	for _, amount := range []struct {
		to *scalar.Decimal
		of *scalar.Int
	}{{&line.Reserve, reserveOf(&r)}, {&line.Deductible, r.ExcessAmount}, {&line.SumInsured,
		p.record.IndemnityLimitPolicy}} {
		if amount.of != nil {
			*amount.to = terms.Gross(int64(*amount.of)).Decimal()
		}
	}
	return line, amounts, nil
}

// amounts returns the amounts of a claim: those of the loss, and those of the fees, which only its supplement has.
func (c *claimCollection) amounts(
	claim internalapi.ReportedClaim, added *desk.ClaimSupplement, before *carried,
) (of claimAmounts, err error) {
	terms := c.of.Money
	var was claimAmounts
	if before != nil {
		if was, err = readAmounts(before.ClaimAmounts); err != nil {
			return of, err
		}
	}
	of.currency, of.settlement = terms.Currency, terms.Settlement
	paid := terms.Gross(claims.Paid(claim.Record.Payments))
	outstanding := terms.Gross(claim.Record.Outstanding(claim.ReservedAfter))
	if of.indemnity, err = money.Claim(paid, outstanding, was.indemnity); err != nil {
		return of, err
	}
	if of.settledIndemnity, err = terms.Settled(of.indemnity, was.settledIndemnity); err != nil {
		return of, err
	}
	feesPaid, err := was.fees.Previously.Plus(was.fees.Paid)
	if err != nil {
		return of, err
	}
	feeReserve := money.Amount{}
	if added != nil && added.FeesPaid != "" {
		if feesPaid, err = money.Parse(string(added.FeesPaid)); err != nil {
			return of, err
		}
	}
	if added != nil && added.FeeReserve != "" {
		if feeReserve, err = money.Parse(string(added.FeeReserve)); err != nil {
			return of, err
		}
	}
	if of.fees, err = money.Claim(feesPaid, feeReserve, was.fees); err != nil {
		return of, err
	}
	of.settledFees, err = terms.Settled(of.fees, was.settledFees)
	return of, err
}

// latePayments returns the payments that are reported now, since they were recorded in the period, and were made before
// it. Those that were recorded before it were reported then.
func (c *claimCollection) latePayments(r *claims.Claim) (late []claims.Payment) {
	start := c.period.Start(c.of.Zone)
	for _, p := range r.Payments {
		if !p.RecordedAt.Time().Before(start) && p.PaidAt.Time().Before(start) {
			late = append(late, p)
		}
	}
	return late
}

func reserveOf(r *claims.Claim) *scalar.Int {
	if r.Reserve == nil {
		return new(scalar.Int)
	}
	return r.Reserve
}

// status returns the state of a claim as a bordereau reports it.
func (c *claimCollection) status(r *claims.Claim) string {
	switch text(r.ClaimStatus) {
	case claims.Closed:
		if closedAt(r).Before(c.period.Start(c.of.Zone)) {
			return claimClosed
		}
		return claimClosedThisMonth
	case claims.Reopened:
		return claimReopened
	}
	return claimOpen
}

// closedAt returns the instant at which a claim was closed: that of its last settlement, which is of 0 where nothing
// was paid.
func closedAt(r *claims.Claim) time.Time {
	if len(r.Payments) == 0 {
		return time.Time{}
	}
	return r.Payments[len(r.Payments)-1].PaidAt.Time()
}
