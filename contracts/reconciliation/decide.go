package reconciliation

// RunDecision decides about many items of a run.
//
// Which items of a run are decided on, and why.
type RunDecision struct {
	// Which items: those that have all that is said here. It says at least one thing.
	Where RunWhere `json:"where"`
	// The reason, 1 to 2,000 characters.
	Reason string `json:"reason"`
}

// RunWhere selects items of a run.
//
// What items of a run have.
type RunWhere struct {
	// The outcome of the items. One of those that are paired without a difference is not accepted.
	Outcome string `json:"outcome,omitzero"`
	// The number of the policy, in any case where the exchange has issued it.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The month from which the items age, such as 2026-01.
	Month string `json:"month,omitzero"`
	// What was decided about the items: accepted or disputed. Without it, they are those that nobody has decided on.
	Decision string `json:"decision,omitzero"`
}

// RunDecided says how many items were decided on.
//
// How many items were decided on.
type RunDecided struct {
	// How many items this request has decided on.
	Decided int `json:"decided"`
	// Whether further items are as the request says, beyond the 10,000 that one decides on. Send it again for them.
	More bool `json:"more"`
}
