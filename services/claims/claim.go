package claims

import (
	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/number"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// claim declares the claim. Its checks are the rows of POST /claim in the errors table, after the lookup of the
// policy.
func claim(e *environment) rest.Resource[*claims.Claim] {
	policy := e.policyFact()
	claimNumber := func(c *claims.Claim) string { return rest.Text(c.ClaimNumber) }
	return rest.Resource[*claims.Claim]{
		Name:     "claim",
		SharedBy: "policyNumber", Right: shared.ClaimsRight,
		Aliases: map[string]string{"status": "claimStatus"},
		Filters: []rest.Filter[*claims.Claim]{
			rest.Exact("claimNumber", claimNumber),
			rest.Exact("policyNumber", func(c *claims.Claim) string { return rest.Text(c.PolicyNumber) }),
		},
		Search: []search.Field{
			search.Text("claimNumber").Leads(), search.Text("policyNumber").Leads(),
			search.Instant("lossDate").LeadsByMonth(),
			search.Instant("fnol").LeadsByMonth(), search.Day("lastUpdate").LeadsByMonth(), search.Text("claimStatus"),
			search.Text("claimType"), search.Text("lossCause"), search.Number("reserve"),
		},
		Expand: []search.Expansion{search.Expand("policy", "policyNumber").By("coverage")},
		Unique: []rest.Unique[*claims.Claim]{{Index: "claimNumber", Global: true, Value: claimNumber}},
		Checks: []rest.Check[*claims.Claim]{
			policy.Check("policy does not exist"),
			{
				Name: "policy not in force at lossDate", DependsOn: []string{"policyNumber", "lossDate"},
				Run:     inForceAtLoss(policy),
				Refuses: []problem.Kind{problems.NotInForceAtLoss}, Requires: []string{"lossDate"},
			},
			{
				// What a policy covers is what its endorsements say that counts at lossDate.
				Name:      "lossCause not in the coverage's perils",
				DependsOn: []string{"policyNumber", "lossCause", "lossDate"}, Run: e.perilCovered(policy),
				Refuses: []problem.Kind{problems.PerilNotCovered},
			},
			rest.OneIn("claimType not in the claimType enumeration", "claimType", valuesets.ClaimType, e.sets,
				func(c *claims.Claim) *string { return c.ClaimType }, problems.UnknownClaimType),
			{Name: "fnol outside the reporting window", DependsOn: []string{"fnol", "lossDate"},
				Run: e.lateNotification},
			{Name: "loss within the waiting period", DependsOn: []string{"policyNumber", "fnol", "lossDate"},
				Run: waited(policy)},
		},
		Rules: []rest.Check[*claims.Claim]{
			{Name: "more documents than a claim may have", DependsOn: []string{"documents"}, Run: e.fewDocuments,
				Refuses: []problem.Kind{problem.Invalid}},
		},
		Unusual:       e.unusual,
		Issue:         issue,
		BeforeReplace: e.update,
		Merge:         true,
		DryRun:        "admissibility",
		Status:        func(c *claims.Claim) **string { return &c.ClaimStatus },
		Actions: []rest.Action[*claims.Claim]{
			settle().AddingExtra(), e.reopen().AddingExtra(), e.addDocument().AsSub(), pay(),
		},
		Extra: func(c *claims.Claim) map[string]any { return map[string]any{"status": rest.Text(c.ClaimStatus)} },
	}
}

// issue sets the number and status of a new claim, and the defaults of members that were not sent.
func issue(d *rest.Draft[*claims.Claim]) {
	c, status := d.Value, claims.Open
	if id, ok := c.ID.UUID(); ok {
		issued := number.Of("CLM", id)
		c.ClaimNumber = &issued
	}
	c.ClaimStatus = &status
	c.DocumentTypes = untyped(len(c.Documents))
	if c.FNOL.IsZero() {
		c.FNOL = scalar.Instant(d.Now)
	}
	if c.Reserve == nil {
		c.Reserve = new(scalar.Int)
	}
}

// update sets the members that a replacement changes without a caller sending them: the day of the update and the
// types of the documents. Documents that stay keep their types, because a caller sends the documents without types.
func (e *environment) update(d *rest.Draft[*claims.Claim]) error {
	d.Value.DocumentTypes = typesOf(d.Value.Documents, d.Stored)
	d.Value.LastUpdate = scalar.DateOf(d.Now, e.zone)
	return nil
}

// untyped returns the types of documents that were sent without types: an empty type for each.
func untyped(documents int) []string {
	if documents == 0 {
		return nil
	}
	return make([]string, documents)
}

// typesOf returns the types of the documents that a replacement sends. A document that the claim had keeps its type,
// and one that the claim had several times keeps its types in their order. Other documents have no type.
func typesOf(documents []string, was *claims.Claim) []string {
	causes := map[string][]string{}
	for i, url := range was.Documents {
		if i < len(was.DocumentTypes) {
			causes[url] = append(causes[url], was.DocumentTypes[i])
		}
	}
	types := untyped(len(documents))
	for i, url := range documents {
		if of := causes[url]; len(of) > 0 {
			types[i] = of[0]
			causes[url] = of[1:]
		}
	}
	return types
}
