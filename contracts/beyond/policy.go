package beyond

import "insurance.example/exchange/contracts/scalar"

// PolicyView is the response of GET /x/policy/{policyNumber}.
//
// A policy with what belongs to it. A part whose service does not respond is left out and named in unavailable.
type PolicyView struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The coverage record.
	Coverage *ViewedRecord `json:"coverage,omitzero"`
	// The instant from which on what was written last counts. Absent where no endorsement has said it.
	EffectiveDate scalar.DateTime `json:"effectiveDate,omitzero"`
	// The instant at which cover ends. Absent where no cancellation or lapse has said it: then it is when the policy
	// was cancelled or lapsed.
	CoverEnds scalar.DateTime `json:"coverEnds,omitzero"`
	// The number of the policy that this one replaces. Absent where it replaces none.
	Replaces string `json:"replaces,omitzero"`
	// The numbers of the policies that replace this one, 50 at most. Absent where none does.
	ReplacedBy []string `json:"replacedBy,omitempty"`
	// The party that holds the policy. Absent for a policy without one.
	Policyholder *ViewedRecord `json:"policyholder,omitzero"`
	// What the policy insures or covers, in the order in which it names them.
	Insured *ViewedPart `json:"insured,omitzero"`
	// The policies that this one renews: the one that it renews, the one that this renews, and so on.
	RenewalsBefore *ViewedPart `json:"renewalsBefore,omitzero"`
	// The policies that renew this one: its renewals, then theirs.
	RenewalsAfter *ViewedPart `json:"renewalsAfter,omitzero"`
	// The claims against the policy with their payments, oldest first.
	Claims *ViewedPart `json:"claims,omitzero"`
	// The rows of the claims bordereau about the policy, oldest first.
	ClaimRows *ViewedPart `json:"claimRows,omitzero"`
	// The receipts and refunds that name the policy, oldest first. Those that name only a claim are behind the link of
	// the claim.
	Receipts *ViewedPart `json:"receipts,omitzero"`
	// The rows of the premium bordereau about the policy, oldest first.
	Rows *ViewedPart `json:"rows,omitzero"`
	// The names of the parts that are left out because their service does not respond.
	Unavailable []string `json:"unavailable,omitempty"`
}

// ViewedPart is some records of a policy.
//
// The records of a part, 50 at most.
type ViewedPart struct {
	// The records.
	Records []ViewedRecord `json:"records"`
	// Where the rest of the part is. Absent if there is none.
	Rest string `json:"rest,omitzero"`
}

// ViewedRecord is a record in a view.
//
// A record and where it is.
type ViewedRecord struct {
	// Where the record is.
	Link string `json:"link"`
	// The resource of the record.
	Resource string `json:"resource"`
	// Where the receipts of a claim are. Absent for other records.
	Receipts string `json:"receipts,omitzero"`
	// What is left of a receipt, of which refunds may have given back a part. Absent for refunds and other records.
	Left *scalar.Int `json:"left,omitzero" amount:""`
	// The record.
	Record scalar.JSON `json:"record"`
}
