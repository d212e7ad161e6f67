package beyond

import "insurance.example/exchange/contracts/scalar"

// AccessList is the body of PUT /x/access/{policyNumber}.
//
// With whom a policy is shared.
type AccessList struct {
	// The organisations with which the policy is shared, at most 16. An empty list ends the sharing.
	Participants []Participant `json:"participants"`
}

// Participant is an organisation in an access list.
//
// An organisation with which a policy is shared, and its rights.
type Participant struct {
	// The name of the organisation, as the claim of its tokens has it.
	Organisation string `json:"organisation"`
	// What it may do. With read, which each participant has, it sees the policy with its claims, receipts and rows of
	// bordereaux. With claims it also creates and changes claims, and with premium receipts and refunds.
	Rights []string `json:"rights"`
}

// Access is the access list of a policy.
//
// With whom a policy is shared. A participant sees its own entry alone.
type Access struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The organisations with which the policy is shared.
	Participants []Participant `json:"participants"`
	// How often the list was changed. Absent for a participant.
	Version *scalar.Int `json:"version,omitzero"`
	// Whether a change has stopped half way. Until it is sent again, participants may have less than it gives them.
	Unfinished bool `json:"unfinished,omitzero"`
	// Who changed the list last. Absent for a participant, and where nobody has.
	SetBy string `json:"setBy,omitzero"`
	// When it was changed last. Absent for a participant, and where nobody has.
	SetAt scalar.DateTime `json:"setAt,omitzero"`
}

// RefusedShares are what somebody refuses of what others share.
//
// An organisation whose shares the organisation of the caller refuses.
type RefusedShares struct {
	// The name of the organisation.
	Organisation string `json:"organisation"`
	// Who refused it.
	SetBy string `json:"setBy"`
	// When it was refused.
	SetAt scalar.DateTime `json:"setAt"`
}
