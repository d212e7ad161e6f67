package bordereau

import (
	"fmt"
	"hash/maphash"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi/reporting"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/money"
)

// The outcomes of a check that is worth a finding.
const (
	failed       = "fail"
	notEvaluable = "not-evaluable"
)

// checker checks the lines of a version.
type checker struct {
	seed maphash.Seed
	// seen are the lines so far, by policy, type, amount and day: eight bytes for each, of a million.
	seen map[uint64]bool
	out  func(desk.BordereauFinding) error
}

func newChecker(out func(desk.BordereauFinding) error) *checker {
	return &checker{seed: maphash.MakeSeed(), seen: map[uint64]bool{}, out: out}
}

// contract checks what is about the contract as a whole. written is the premium that was written under it by now.
func (c *checker) contract(k *contract.Kept, written money.Amount) error {
	for _, warning := range k.Warnings() {
		if err := c.out(about("percent-as-fraction", desk.WarningSeverity, failed, nil, warning)); err != nil {
			return err
		}
	}
	for i, limit := range k.Limits {
		code := fmt.Sprintf("utilisation-%d", i)
		if limit.Currency != k.Currency {
			if err := c.out(about(code, desk.WarningSeverity, notEvaluable, nil, "The limit "+limit.Name+" is in "+
				limit.Currency+", and premium is in "+k.Currency+".")); err != nil {
				return err
			}
			continue
		}
		if err := c.utilisation(code, limit, written); err != nil {
			return err
		}
	}
	return nil
}

// utilisation warns where more than 90 % of a limit are used.
func (c *checker) utilisation(code string, limit desk.ContractLimit, written money.Amount) error {
	amount, err := money.Parse(string(limit.Amount))
	if err != nil {
		return err
	}
	ninety, _ := money.Parse("90")
	warns, err := amount.Part(ninety, 4)
	if err != nil {
		return err
	}
	for _, level := range []struct {
		amount money.Amount
		words  string
	}{{amount, "the whole"}, {warns, "90 %"}} {
		if written.Cmp(level.amount) > 0 {
			return c.out(about(code, desk.WarningSeverity, failed, nil, fmt.Sprintf(
				"Premium of %s is written, more than %s of the limit %s of %s %s.", written.Decimal(), level.words,
				limit.Name, limit.Amount, limit.Currency)))
		}
	}
	return nil
}

// premium checks a line of a premium bordereau.
func (c *checker) premium(l *desk.BordereauLine) error {
	return c.all(&identity{l.LineID, l.PolicyNumber}, []check{
		{l.Insured == "", "missing-insured", desk.ErrorSeverity,
			"The policy names no policyholder with a name. Correct the policy or the party."},
		{!l.InceptionDate.IsZero() && !l.ExpiryDate.IsZero() && !l.InceptionDate.Before(l.ExpiryDate),
			"dates-in-wrong-order", desk.ErrorSeverity, "The policy ends before it begins."},
		{l.ReceiptType == "", "unknown-kind", desk.ErrorSeverity,
			"The receipt names no type, so that it is not known whether it is premium."},
		{l.Section == desk.PremiumSection && l.PolicyStatus == "cancelled" && l.Reverses == "", "premium-on-cancelled",
			desk.WarningSeverity, "The policy is cancelled, and the premium is not paid back."},
		{l.Late != nil, "late-item", desk.WarningSeverity, lateWords("receipt", l.Late)},
		{c.repeats(l), "possible-duplicate", desk.WarningSeverity,
			"Another line has the same policy, type, amount and day. Both may be right."},
	})
}

// check is a check of a line: whether it found something, and what is said of that.
type check struct {
	found          bool
	code, severity string
	words          string
}

// all reports what checks of a line have found.
func (c *checker) all(of *identity, checks []check) error {
	for _, one := range checks {
		if !one.found {
			continue
		}
		if err := c.out(about(one.code, one.severity, failed, of, one.words)); err != nil {
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

// repeats reports whether a line before has the same policy, type, amount and day.
func (c *checker) repeats(l *desk.BordereauLine) bool {
	of := maphash.String(c.seed, l.PolicyNumber+"\n"+l.ReceiptType+"\n"+string(l.Gross)+"\n"+string(l.EffectiveDate))
	was := c.seen[of]
	c.seen[of] = true
	return was
}

// about returns a finding about a line, or about the contract without one.
func about(code, severity, outcome string, l *identity, words string) desk.BordereauFinding {
	f := desk.BordereauFinding{ID: code, Code: code, Severity: severity, Outcome: outcome, Words: words}
	if l != nil {
		f.ID, f.LineID, f.PolicyNumber = code+"."+l.LineID, l.LineID, l.PolicyNumber
	}
	return f
}

// claim checks a line of a claims bordereau.
func (c *checker) claim(l *desk.ClaimLine, of reporting.ReportedClaim, amounts claimAmounts) error {
	r := &of.Record
	closed, paid := text(r.ClaimStatus) == claims.Closed, paidFor(r.Payments)
	above, err := aboveLimit(l, amounts)
	if err != nil {
		return err
	}
	return c.all(&identity{l.LineID, l.PolicyNumber}, []check{
		{l.Insured == "", "missing-insured", desk.ErrorSeverity,
			"The policy names no policyholder with a name. Correct the policy or the party."},
		{!l.InceptionDate.IsZero() && !l.ExpiryDate.IsZero() && !l.InceptionDate.Before(l.ExpiryDate),
			"dates-in-wrong-order", desk.ErrorSeverity, "The policy ends before it begins."},
		{!closed && len(r.Payments) > of.ReservedAfter, "stale-reserve", desk.WarningSeverity,
			"The claim was settled since its reserve was set, and is open again. Set the reserve anew."},
		{closed && r.Reserve != nil && int64(*r.Reserve) > paid, "closed-with-reserve", desk.WarningSeverity,
			"The claim is closed, and its reserve is more than what was paid. Nothing of it counts as outstanding."},
		{above, "incurred-above-limit", desk.WarningSeverity,
			"What is incurred is more than the " + string(l.SumInsured) + " that the policy pays at most."},
		{l.Late != nil, "late-item", desk.WarningSeverity, lateWords("claim", l.Late)},
	})
}

// aboveLimit reports whether more is incurred than the policy pays.
func aboveLimit(l *desk.ClaimLine, of claimAmounts) (bool, error) {
	if l.SumInsured == "" {
		return false, nil
	}
	limit, err := money.Parse(string(l.SumInsured))
	return err == nil && of.indemnity.Incurred.Cmp(limit) > 0, err
}
