package claims

import (
	"context"
	"fmt"
	"slices"
	"time"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/number"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

func unknownPolicy(policyNumber string) error {
	detail := "No policy has this policyNumber."
	if !number.Valid("POL", policyNumber) {
		detail = "No policy can have this policyNumber: its form or its check character is wrong, so look for a slip of the pen."
	}
	return problem.New(problems.PolicyNotFound, detail).At("/policyNumber", "names no policy")
}

// policyExists looks the policy up and notes it for the checks that follow.
func (e *exchange) policyExists(ctx context.Context, d *rest.Draft[claims.Claim]) error {
	policyNumber := rest.Text(d.Value.PolicyNumber)
	if policyNumber == "" {
		return rest.Required("policyNumber")
	}
	facts, err := e.policy(ctx, policyNumber)
	if err != nil {
		return err
	}
	rest.Note(d, policyFact, facts)
	return nil
}

// inForceAtLoss checks the policy at lossDate, not at the filing date, from the history of the policy.
func inForceAtLoss(_ context.Context, d *rest.Draft[claims.Claim]) error {
	if d.Value.LossDate.IsZero() {
		return rest.Required("lossDate")
	}
	facts := rest.Noted(d, policyFact)
	if facts.InForceAt(d.Value.LossDate.Time) {
		return nil
	}
	detail := "The policy's term begins at " + stamp(facts.InceptionDate.Time)
	if !facts.ExpiryDate.IsZero() {
		detail += " and ends at " + stamp(facts.ExpiryDate.Time)
	}
	if !facts.EndedAt.IsZero() {
		detail += "; the policy was ended at " + stamp(facts.EndedAt.Time)
	}
	return problem.New(problems.NotInForceAtLoss, detail+".").At("/lossDate", "is outside the time in force")
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// perilCovered checks the loss cause against the perils, scope or benefits of the coverage. The corrected spelling of a
// published value is stored as published.
func (e *exchange) perilCovered(_ context.Context, d *rest.Draft[claims.Claim]) error {
	facts := rest.Noted(d, policyFact)
	if facts.CauseSet == "" {
		return nil
	}
	if stored, ok := e.sets.Lookup(facts.CauseSet, rest.Text(d.Value.LossCause)); ok {
		*d.Value.LossCause = stored
	}
	if slices.Contains(facts.Covers, rest.Text(d.Value.LossCause)) {
		return nil
	}
	return problem.New(problems.PerilNotCovered, "").At("/lossCause", "is none of what the policy covers")
}

// waited warns of a claim within the waiting period of its policy; it refuses nothing.
func waited(_ context.Context, d *rest.Draft[claims.Claim]) error {
	facts := rest.Noted(d, policyFact)
	if facts.WaitingPeriod == nil {
		return nil
	}
	var passed time.Duration
	switch facts.Waits {
	case internalapi.LossToNotification:
		passed = d.Value.FNOL.Sub(d.Value.LossDate.Time)
	case internalapi.InceptionToLoss:
		passed = d.Value.LossDate.Sub(facts.InceptionDate.Time)
	}
	const day = 24 * time.Hour
	if passed/day < time.Duration(*facts.WaitingPeriod) {
		d.Warn("waiting-period", "waiting period",
			fmt.Sprintf("The waiting period is %d days, %s; %d had passed.", *facts.WaitingPeriod, facts.Waits, passed/day))
	}
	return nil
}

// lateNotification warns of a claim that was notified outside the reporting window; it refuses nothing.
func (e *exchange) lateNotification(_ context.Context, d *rest.Draft[claims.Claim]) error {
	if late := d.Value.FNOL.Sub(d.Value.LossDate.Time); e.reportingWindow > 0 && late > e.reportingWindow {
		d.Warn("late-notification", "late notification",
			"The loss was notified "+late.String()+" after it happened; the reporting window is "+e.reportingWindow.String()+".")
	}
	return nil
}
