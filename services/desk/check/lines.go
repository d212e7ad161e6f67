package check

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"time"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/visible"
)

// EndPremium compares what is left behind the last line of a premium bordereau, and checks what is about the contract
// as a whole. written is the premium that was written under it by now.
func (c *Checker) EndPremium(ctx context.Context, written money.Amount) error {
	if err := c.comparePremium(ctx); err != nil {
		return err
	}
	if err := c.compareStated(); err != nil {
		return err
	}
	return c.contract(written)
}

// EndClaims compares what is left behind the last line of a claims bordereau.
func (c *Checker) EndClaims(ctx context.Context) error { return c.compareClaims(ctx) }

func (c *Checker) contract(written money.Amount) error {
	for _, warning := range c.of.Warnings() {
		if warning.Code != percentAsFraction {
			continue // the contract says it, and no figure is wrong
		}
		if err := c.report(desk.BordereauFinding{
			ID: percentAsFraction + "." + warning.Member, Code: percentAsFraction, Words: warning.Words,
		}); err != nil {
			return err
		}
	}
	if len(c.of.Limits) == 0 {
		c.lacks(utilisation, "The contract declares no limits.")
	}
	for i, limit := range c.of.Limits {
		code := utilisation + "-" + strconv.Itoa(i)
		c.result(code)
		if limit.Currency != c.of.Currency {
			c.lacks(code, "The limit "+limit.Name+" is in "+limit.Currency+", and premium is in "+c.of.Currency+".")
			continue
		}
		if err := c.utilisation(code, limit, written); err != nil {
			return err
		}
	}
	return nil
}

// utilisation warns where more than 90 % of a limit are used.
func (c *Checker) utilisation(code string, limit desk.ContractLimit, written money.Amount) error {
	amount, err := money.Parse(string(limit.Amount))
	if err != nil {
		return err
	}
	ninety, one := money.Of(90, 0), money.Of(1, 0)
	warns, err := amount.Part(ninety, 4)
	if err != nil {
		return err
	}
	if written.Cmp(warns) <= 0 {
		return nil
	}
	hundredth, err := amount.Part(one, 4+2)
	if err != nil {
		return err
	}
	share, err := written.Settled(hundredth, 2)
	if err != nil {
		return err
	}
	const words = "Premium of %[1]s %[2]s is written: %[3]s %% of the limit %[4]s of %[1]s %[5]s."
	return c.found(code, nil,
		fmt.Sprintf(words, limit.Currency, written.Decimal(), share.Decimal(), limit.Name, limit.Amount))
}

// Premium checks a line of a premium bordereau, and keeps it to be compared. r is its receipt.
func (c *Checker) Premium(ctx context.Context, l *desk.BordereauLine, r *premium.Receipt) error {
	if err := c.all(&line{l.LineID, l.PolicyNumber}, []one{
		{!visible.In(l.Insured), missingInsured, noInsured},
		{!l.InceptionDate.IsZero() && !l.ExpiryDate.IsZero() && !l.InceptionDate.Before(l.ExpiryDate), wrongDates,
			endsBefore},
		{l.ReceiptType == "", unknownKind, "The receipt names no type, so that it is not known whether it is premium."},
		{l.Section == desk.PremiumSection && l.PolicyStatus == "cancelled" && l.Reverses == "", premiumOnCancelled,
			"The policy is cancelled, and the premium is not paid back."},
		{l.Late != nil, lateItem, lateWords("receipt", l.Late)},
		{c.outside(l, r), dateOutside, "The receipt is dated " + string(r.ReceiptDate) +
			", neither in the period nor in the term of the policy."},
		{c.repeats(l), possibleDuplicate, "Another line has the same policy, type, amount and day. Both may be right."},
	}); err != nil {
		return err
	}
	return c.keepPremium(ctx, l, r)
}

// Claim checks a line of a claims bordereau, and keeps it to be compared. of is the claim, incurred what it comes to,
// and paidBefore are the payments that are reported now and were made before the period. coverEnds is when cover of
// its policy ends by a cancellation or lapse, the zero value for none.
func (c *Checker) Claim(
	ctx context.Context, l *desk.ClaimLine, of *internalapi.ReportedClaim, incurred money.Amount,
	paidBefore []claims.Payment, coverEnds scalar.DateTime,
) error {
	r := &of.Record
	closed, paid := text(r.ClaimStatus) == claims.Closed, claims.Paid(r.Payments)
	above, err := c.aboveLimit(l, incurred)
	if err != nil {
		return err
	}
	if err := c.all(&line{l.LineID, l.PolicyNumber}, []one{
		{!visible.In(l.Insured), missingInsured, noInsured},
		{!l.InceptionDate.IsZero() && !l.ExpiryDate.IsZero() && !l.InceptionDate.Before(l.ExpiryDate), wrongDates,
			endsBefore},
		{!closed && settledSince(r.Payments, of.ReservedAfter), staleReserve,
			"The claim was settled since its reserve was set, and is open again. Set the reserve anew."},
		{closed && r.Reserve != nil && int64(*r.Reserve) > paid, closedWithReserve,
			"The claim is closed, and its reserve is more than what was paid. Nothing of it counts as outstanding."},
		{above, aboveLimit,
			"What is incurred is more than the " + string(l.SumInsured) + " that the policy pays at most."},
		{l.Late != nil || len(paidBefore) > 0, lateItem, strings.TrimSpace(
			lateWords("claim", l.Late) + c.paidWords(paidBefore))},
		{uncovered(l, coverEnds), lossOutside, "The claim " + l.ClaimNumber + " is for a loss of " +
			l.LossDate.String() + ", and " + coverWords(l, coverEnds) + "."},
	}); err != nil {
		return err
	}
	return c.keepClaim(ctx, l, paid)
}

const (
	noInsured  = "The policy names no policyholder with a name. Correct the policy or the party."
	endsBefore = "The policy ends before it begins."
)

// one is a check of a line: whether it found something, and what is said of that.
type one struct {
	found       bool
	code, words string
}

// all takes what checks of a line have found.
func (c *Checker) all(of *line, checks []one) error {
	for _, check := range checks {
		if !check.found {
			continue
		}
		if err := c.found(check.code, of, check.words); err != nil {
			return err
		}
	}
	return nil
}

func lateWords(what string, late *desk.BordereauLate) string {
	if late == nil {
		return ""
	}
	return "The " + what + " was recorded in " + late.RecordedPeriod + " and is reported now."
}

// paidWords says which payments are reported later than they were made.
func (c *Checker) paidWords(late []claims.Payment) (words string) {
	for _, p := range late {
		words += fmt.Sprintf(" The payment of %s of %s was recorded on %s and is reported now.",
			c.of.Money.Gross(int64(p.PaymentAmount)).Decimal(), scalar.DateOf(p.PaidAt.Time(), c.of.Zone),
			scalar.DateOf(p.RecordedAt.Time(), c.of.Zone))
	}
	return words
}

// outside reports whether a receipt is dated neither in the period nor in the term of its policy.
func (c *Checker) outside(l *desk.BordereauLine, r *premium.Receipt) bool {
	day := func(t time.Time) scalar.Date { return scalar.DateOf(t, c.of.Zone) }
	if r.ReceiptDate >= day(c.begins) && r.ReceiptDate <= day(c.until) {
		return false
	}
	return !l.InceptionDate.IsZero() && r.ReceiptDate < day(l.InceptionDate.Time()) ||
		!l.ExpiryDate.IsZero() && r.ReceiptDate > day(l.ExpiryDate.Time())
}

// uncovered reports whether the loss of a claim lies outside the cover of its policy: the dates of the policy, or the
// end of its cover, were changed after the claim was made.
func uncovered(l *desk.ClaimLine, coverEnds scalar.DateTime) bool {
	return !l.InceptionDate.IsZero() && l.LossDate.Before(l.InceptionDate) ||
		!l.ExpiryDate.IsZero() && !l.LossDate.Before(l.ExpiryDate) ||
		!coverEnds.IsZero() && !l.LossDate.Before(coverEnds)
}

// coverWords says what the cover of the policy of a claim is.
func coverWords(l *desk.ClaimLine, coverEnds scalar.DateTime) string {
	if !coverEnds.IsZero() {
		return "cover of the policy " + l.PolicyNumber + " ends at " + coverEnds.String() +
			": it was ended from there on after the claim was made"
	}
	return "the term of the policy " + l.PolicyNumber + " is from " + l.InceptionDate.String() + " to " +
		l.ExpiryDate.String()
}

// repeats reports whether a line before has the same policy, type, amount and day. A refund repeats nothing: it names
// what it gives back, and the exchange numbers the refunds of a receipt, so that equal ones were meant.
func (c *Checker) repeats(l *desk.BordereauLine) bool {
	if l.Reverses != "" {
		return false
	}
	of := maphash.String(c.seed, l.PolicyNumber+"\n"+l.ReceiptType+"\n"+string(l.Gross)+"\n"+string(l.EffectiveDate))
	was := c.seen[of]
	c.seen[of] = true
	return was
}

// aboveLimit reports whether more is incurred than the policy pays.
func (c *Checker) aboveLimit(l *desk.ClaimLine, incurred money.Amount) (bool, error) {
	if l.SumInsured == "" {
		c.lacks(aboveLimit, "The policy "+l.PolicyNumber+" does not say what it pays at most.")
		return false, nil
	}
	limit, err := money.Parse(string(l.SumInsured))
	return err == nil && incurred.Cmp(limit) > 0, err
}

// settledSince reports whether a claim was settled after some of its payments. An interim payment is no settlement.
func settledSince(payments []claims.Payment, after int) bool {
	return slices.ContainsFunc(payments[min(after, len(payments)):], func(p claims.Payment) bool {
		return p.RecordedAt.IsZero()
	})
}

func text(of *string) string {
	if of == nil {
		return ""
	}
	return *of
}
