// Package check checks the lines of a version of a bordereau before somebody approves it. Each check has an outcome,
// and what it has found becomes a finding.
package check

import (
	"hash/maphash"
	"slices"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/source"
)

// premiumChecks are the checks of a premium bordereau in the order in which their outcomes are shown, and claimChecks
// those of a claims bordereau. There is a utilisation for each limit of the contract.
var (
	premiumChecks = []desk.BordereauCheck{
		{Code: missingInsured, Severity: desk.SeverityError}, {Code: wrongDates, Severity: desk.SeverityError},
		{Code: unknownKind, Severity: desk.SeverityError}, {Code: premiumOnCancelled, Severity: desk.SeverityWarning},
		{Code: lateItem, Severity: desk.SeverityWarning}, {Code: dateOutside, Severity: desk.SeverityWarning},
		{Code: possibleDuplicate, Severity: desk.SeverityWarning},
		{Code: grossBelowZero, Severity: desk.SeverityWarning},
		{Code: netDiffers, Severity: desk.SeverityWarning},
		{Code: withoutSettlement, Severity: desk.SeverityWarning},
		{Code: percentAsFraction, Severity: desk.SeverityWarning},
	}
	claimChecks = []desk.BordereauCheck{
		{Code: missingInsured, Severity: desk.SeverityError}, {Code: wrongDates, Severity: desk.SeverityError},
		{Code: staleReserve, Severity: desk.SeverityWarning}, {Code: closedWithReserve, Severity: desk.SeverityWarning},
		{Code: aboveLimit, Severity: desk.SeverityWarning}, {Code: lateItem, Severity: desk.SeverityWarning},
		{Code: withoutReceipt, Severity: desk.SeverityWarning}, {Code: lossOutside, Severity: desk.SeverityWarning},
	}
)

// The codes of the checks.
const (
	missingInsured     = "missing-insured"
	wrongDates         = "dates-in-wrong-order"
	unknownKind        = "unknown-kind"
	premiumOnCancelled = "premium-on-cancelled"
	lateItem           = "late-item"
	possibleDuplicate  = "possible-duplicate"
	grossBelowZero     = "gross-below-zero"
	netDiffers         = "net-premium-differs"
	withoutSettlement  = "receipt-without-settlement"
	percentAsFraction  = "percent-as-fraction"
	utilisation        = "utilisation"
	staleReserve       = "stale-reserve"
	closedWithReserve  = "closed-with-reserve"
	aboveLimit         = "incurred-above-limit"
	withoutReceipt     = "settlement-without-receipt"
	lossOutside        = "loss-outside-cover"
	dateOutside        = "date-outside-term"
)

// Checker checks the lines of a version.
type Checker struct {
	of        *contract.Kept
	begins    time.Time
	until     time.Time
	from      *source.Source
	isPremium func(receiptType string) bool
	out       func(desk.BordereauFinding) error
	// results are the checks with what they came to by now.
	results []desk.BordereauCheck

	seed maphash.Seed
	// seen are the lines so far, by policy, type, amount and day: eight bytes for each, of a million.
	seen map[uint64]bool
	// premium and claims are the lines that are still to be compared with what others say.
	premium []premiumLine
	claims  []claimLine
	// asked are the policies whose premium to date was asked for.
	asked map[uint64]bool
	// rows are the rows of the premium bordereau of which somebody has stated the netPremium, and order their keys in
	// the order in which they were found.
	rows  map[rowKey]*statedRow
	order []rowKey
}

// New returns what checks a version of a kind under a contract, of a period from its first instant until its last one.
// What it is compared with is read from other services, as it was at the end of the period. isPremium reports whether
// receipts of a type are premium, and out takes what is found.
func New(
	kind string, of *contract.Kept, begins, until time.Time, from *source.Source,
	isPremium func(receiptType string) bool,
	out func(desk.BordereauFinding) error,
) *Checker {
	checks := premiumChecks
	if kind == desk.Claims {
		checks = claimChecks
	}
	return &Checker{of: of, begins: begins, until: until, from: from, isPremium: isPremium, out: out,
		results: slices.Clone(checks), seed: maphash.MakeSeed(), seen: map[uint64]bool{},
		asked: map[uint64]bool{}, rows: map[rowKey]*statedRow{}}
}

// Outcomes returns what each check came to.
func (c *Checker) Outcomes() []desk.BordereauCheck {
	for i := range c.results {
		switch r := &c.results[i]; {
		case r.Found > 0:
			r.Outcome = desk.CheckFailed
		case r.NotEvaluated > 0:
			r.Outcome = desk.CheckNotEvaluable
		default:
			r.Outcome = desk.CheckPassed
		}
	}
	return c.results
}

// result returns what a check came to by now, and begins with it where it is none of its kind.
func (c *Checker) result(code string) *desk.BordereauCheck {
	for i := range c.results {
		if c.results[i].Code == code {
			return &c.results[i]
		}
	}
	c.results = append(c.results, desk.BordereauCheck{Code: code, Severity: desk.SeverityWarning})
	return &c.results[len(c.results)-1]
}

// line is the line that a check is about.
type line struct{ id, policyNumber string }

// found takes what a check has found of a line, or of the contract without one.
func (c *Checker) found(code string, of *line, words string) error {
	if of == nil {
		return c.report(desk.BordereauFinding{ID: code, Code: code, Words: words})
	}
	return c.report(desk.BordereauFinding{
		ID: code + "." + of.id, Code: code, LineID: of.id, PolicyNumber: of.policyNumber, Words: words,
	})
}

// report takes what a check has found, and adds its severity.
func (c *Checker) report(f desk.BordereauFinding) error {
	r := c.result(f.Code)
	r.Found++
	f.Severity, f.Outcome = r.Severity, desk.CheckFailed
	return c.out(f)
}

// lacks notes that a check could not be made of something.
func (c *Checker) lacks(code, why string) {
	r := c.result(code)
	if r.NotEvaluated++; r.Why == "" {
		r.Why = why
	}
}
