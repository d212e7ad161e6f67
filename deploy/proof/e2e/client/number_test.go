package client_test

import "testing"

// TestNumbersForIDs reads, replaces and acts on records by the numbers that people know them by.
func TestNumbersForIDs(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.run(t, "seed", "--size", "7").want(t, 0)
	claim := s.records(t, "claim")[0]
	policy, number := claim.Text("policyNumber"), claim.Text("claimNumber")
	s.run(t, "get", "motorCoverage", policy).want(t, 0, `"policyNumber":"`+policy, `"status"`)
	s.run(t, "get", "claim", policy).want(t, 0, number)
	s.run(t, "put", "claim", number, "--body", `{"liabilityShare":25}`).want(t, 0, `25`, number)
	s.run(t, "action", "claim", number, "reopen").want(t, 0, "reopened")
	s.run(t, "action", "motorCoverage", policy, "cancel").want(t, 0, "cancelled")
	s.run(t, "get", "receipt", policy).want(t, 0, `"paymentAmount"`)
	s.run(t, "get", "claim", "CLM-NOBODY").want(t, 1, "404")
	s.run(t, "get", "vehicle", policy).want(t, 1, "404")
	s.run(t, "create", "receipt", "--body", `{"receiptType":"other","paymentAmount":5,"policyNumber":"`+policy+
		`","premiumPaymentMethod":"cash"}`).want(t, 0)
	s.run(t, "get", "receipt", policy).want(t, 2, "several records of receipt", "ids")
}
