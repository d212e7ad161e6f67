package claims

import (
	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/number"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// claim declares the claim; its checks are the rows of POST /claim, behind the lookup of the policy.
func claim(e *exchange) rest.Resource[claims.Claim] {
	claimNumber := func(c *claims.Claim) string { return rest.Text(c.ClaimNumber) }
	return rest.Resource[claims.Claim]{
		Name:    "claim",
		Aliases: map[string]string{"status": "claimStatus", "warnings": ""},
		Filters: []rest.Filter[claims.Claim]{
			rest.Exact("claimNumber", claimNumber),
			rest.Exact("policyNumber", func(c *claims.Claim) string { return rest.Text(c.PolicyNumber) }),
		},
		Unique: []rest.Unique[claims.Claim]{{Index: "claimNumber", Value: claimNumber}},
		Checks: []rest.Check[claims.Claim]{
			{
				Name: "policy does not exist", On: []string{"policyNumber", "lossDate", "lossCause", "fnol"}, Leads: true, Run: e.policyExists,
				Refuses: []problem.Kind{problems.PolicyNotFound}, Requires: []string{"policyNumber"},
			},
			{
				Name: "policy not in force at lossDate", On: []string{"policyNumber", "lossDate"}, Run: inForceAtLoss,
				Refuses: []problem.Kind{problems.NotInForceAtLoss}, Requires: []string{"lossDate"},
			},
			{
				Name: "lossCause not in the coverage's perils", On: []string{"policyNumber", "lossCause"}, Run: e.perilCovered,
				Refuses: []problem.Kind{problems.PerilNotCovered},
			},
			rest.OneIn("claimType not in the claimType enumeration", "claimType", valuesets.ClaimType, e.sets,
				func(c *claims.Claim) *string { return c.ClaimType }, problems.UnknownClaimType),
			{Name: "fnol outside the reporting window", On: []string{"fnol", "lossDate"}, Run: e.lateNotification},
			{Name: "loss within the waiting period", On: []string{"policyNumber", "fnol", "lossDate"}, Run: waited},
		},
		Issue: issue,
		Keep:  keep, KeepRefuses: []problem.Kind{problems.IssuedMember},
		Merge:  true,
		Trial:  "admissibility",
		Status: func(c *claims.Claim) **string { return &c.ClaimStatus },
		Actions: []rest.Action[claims.Claim]{
			settle().WithAnswer(), reopen().WithAnswer(), addDocument().AsSub(),
		},
		Answer: func(c *claims.Claim) map[string]any { return map[string]any{"status": rest.Text(c.ClaimStatus)} },
	}
}

// issue gives a new claim its number and status, and the defaults of a filing.
func issue(d *rest.Draft[claims.Claim]) {
	c, status := d.Value, claims.Open
	if id, ok := c.ID.UUID(); ok {
		issued := number.Of("CLM", id)
		c.ClaimNumber = &issued
	}
	c.ClaimStatus = &status
	c.LastUpdate, c.ReopenDate, c.Payments = "", "", nil
	c.DocumentTypes = untyped(len(c.Documents))
	if c.FNOL.IsZero() {
		c.FNOL = scalar.Instant(d.Now)
	}
	if c.Reserve == nil {
		c.Reserve = new(scalar.Int)
	}
}

// keep holds what the exchange has issued: some members may be sent unchanged only, others are not the caller's.
func keep(d *rest.Draft[claims.Claim]) error {
	is, was := d.Value, d.Stored
	refused := problem.New(problems.IssuedMember, "claimStatus, claimNumber and policyNumber may be sent unchanged only.")
	for _, m := range []struct{ name, is, was string }{
		{"claimStatus", rest.Text(is.ClaimStatus), rest.Text(was.ClaimStatus)},
		{"claimNumber", rest.Text(is.ClaimNumber), rest.Text(was.ClaimNumber)},
		{"policyNumber", rest.Text(is.PolicyNumber), rest.Text(was.PolicyNumber)},
	} {
		if m.is != m.was {
			refused.At("/"+m.name, "must be "+m.was)
		}
	}
	if len(refused.Violations) > 0 {
		return refused
	}
	is.ReopenDate, is.Payments = was.ReopenDate, was.Payments
	is.DocumentTypes = typesOf(is.Documents, was)
	is.LastUpdate = scalar.DateOf(d.Now)
	return nil
}
