package reconciliation

import "insurance.example/exchange/contracts/scalar"

// PairRequest names two items that belong together.
//
// Two items of a run that somebody pairs, or parts again.
type PairRequest struct {
	// The numbers of two items: one of a row that is missingHere or ambiguous, and one of a record that is
	// missingThere.
	Items []int `json:"items"`
	// The reason, 1 to 2,000 characters.
	Reason string `json:"reason"`
}

// RunPairing says who has paired a row and a record by hand.
//
// Who has paired a row and a record by hand, and why.
type RunPairing struct {
	// The number of the item that the record was. It is not listed while the pair stands. Absent where the pair was
	// made in a run whose place this one has taken.
	With int `json:"with,omitzero"`
	// Who has paired them.
	By string `json:"by"`
	// The instant at which they were paired.
	At scalar.DateTime `json:"at"`
	// Why they were paired.
	Reason string `json:"reason"`
}
