package claims

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/near"
	"insurance.example/exchange/pkg/number"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

func unknownPolicy(policyNumber string) error {
	detail := "No policy has this policyNumber."
	if !number.Valid("POL", policyNumber) {
		detail = "No policy can have this policyNumber: its form or its check character is wrong. Check it for a " +
			"typing error."
	}
	return problem.New(problems.PolicyNotFound, detail).At("/policyNumber", "names no policy")
}

// policyFact is the policy of a claim as it counts at lossDate, as the coverage service describes it.
type policyFact = *rest.Fact[*claims.Claim, internalapi.Policy]

func (e *environment) policyFact() policyFact {
	return &rest.Fact[*claims.Claim, internalapi.Policy]{
		Name: "policy", Requires: []string{"policyNumber"},
		Refuses: []problem.Kind{problems.PolicyNotFound, problem.AmbiguousReference},
		Load: func(ctx context.Context, d *rest.Draft[*claims.Claim]) (internalapi.Policy, error) {
			if err := d.Resolve(ctx, "policyNumber"); err != nil {
				return internalapi.Policy{}, err
			}
			return e.policy(ctx, rest.Text(d.Value.PolicyNumber), d.Value.LossDate)
		},
	}
}

// inForceAtLoss returns the check that the policy was in force at lossDate, according to the history of the policy.
// The date on which the claim is filed does not matter.
func inForceAtLoss(policy policyFact) func(context.Context, *rest.Draft[*claims.Claim]) error {
	return func(ctx context.Context, d *rest.Draft[*claims.Claim]) error {
		facts, err := policy.Of(ctx, d)
		if err != nil || facts.InForceAt(d.Value.LossDate) {
			return err
		}
		detail := "The policy's term begins at " + facts.InceptionDate.String()
		if !facts.ExpiryDate.IsZero() {
			detail += " and ends at " + facts.ExpiryDate.String()
		}
		if !facts.EndedAt.IsZero() {
			detail += "; the policy was ended at " + facts.EndedAt.String()
		}
		return problem.New(problems.NotInForceAtLoss, detail+".").At("/lossDate", "is outside the time in force")
	}
}

// perilCovered returns the check that the policy covers the loss cause by its perils, scope or benefits. A corrected
// spelling of a published value is stored as the published value.
func (e *environment) perilCovered(policy policyFact) func(context.Context, *rest.Draft[*claims.Claim]) error {
	return func(ctx context.Context, d *rest.Draft[*claims.Claim]) error {
		facts, err := policy.Of(ctx, d)
		if err != nil || facts.CauseSet == "" {
			return err
		}
		if stored, ok := e.sets.Lookup(facts.CauseSet, rest.Text(d.Value.LossCause)); ok {
			*d.Value.LossCause = stored
		}
		if slices.Contains(facts.Covers, rest.Text(d.Value.LossCause)) {
			return nil
		}
		reason := "is not covered by the policy, which names nothing that it covers"
		if len(facts.Covers) > 0 {
			reason = "is not covered by the policy; " + near.Values(rest.Text(d.Value.LossCause), facts.Covers)
		}
		return problem.New(problems.PerilNotCovered, "").At("/lossCause", reason)
	}
}

// waited returns the check that warns of a claim within the waiting period of its policy. It refuses nothing.
func waited(policy policyFact) func(context.Context, *rest.Draft[*claims.Claim]) error {
	return func(ctx context.Context, d *rest.Draft[*claims.Claim]) error {
		facts, err := policy.Of(ctx, d)
		if err != nil || facts.WaitingPeriod == nil {
			return err
		}
		var passed int64
		switch facts.Waits {
		case internalapi.LossToNotification:
			passed = wholeDays(d.Value.LossDate, d.Value.FNOL)
		case internalapi.InceptionToLoss:
			passed = wholeDays(facts.InceptionDate, d.Value.LossDate)
		}
		if passed < int64(*facts.WaitingPeriod) {
			d.Warn("waiting-period", "waiting period",
				fmt.Sprintf("The waiting period is %d days, %s; %d had passed.", *facts.WaitingPeriod,
					facts.Waits, passed))
		}
		return nil
	}
}

// wholeDays returns how many times 24 hours have passed between two instants. It does not use a time.Duration,
// because that cannot hold more than 292 years.
func wholeDays(from, to scalar.DateTime) int64 {
	seconds := to.Time().Unix() - from.Time().Unix()
	if to.Time().Nanosecond() < from.Time().Nanosecond() {
		seconds--
	}
	return seconds / (24 * 60 * 60)
}

// lateNotification warns of a claim that was notified after the reporting window. It refuses nothing.
func (e *environment) lateNotification(_ context.Context, d *rest.Draft[*claims.Claim]) error {
	fnol, loss := d.Value.FNOL, d.Value.LossDate
	if e.reportingWindow > 0 && fnol.Time().Sub(loss.Time()) > e.reportingWindow {
		d.Warn("late-notification", "late notification",
			"The loss of "+loss.String()+" was notified at "+fnol.String()+"; the reporting window is "+
				e.reportingWindow.String()+".")
	}
	return nil
}

// fewDocuments refuses more documents than a claim may have. Each change of a claim writes all of them, so their
// number bounds what it costs. A claim that has more, because the setting was greater, keeps them.
func (e *environment) fewDocuments(_ context.Context, d *rest.Draft[*claims.Claim]) error {
	most := e.mostDocuments
	if d.Stored != nil {
		most = max(most, len(d.Stored.Documents))
	}
	if len(d.Value.Documents) > most {
		return e.tooManyDocuments("/documents")
	}
	return nil
}

func (e *environment) tooManyDocuments(pointer string) error {
	return problem.New(problem.Invalid, "").At(pointer,
		"makes too many documents: a claim has at most "+strconv.Itoa(e.mostDocuments))
}
