package book

import "insurance.example/exchange/contracts/scalar"

// Rebuild is how far a book is that is made anew beside the one that is served.
//
// A book that is made anew from the logs, beside the one that is served.
type Rebuild struct {
	// Since when it is being made.
	Since scalar.DateTime `json:"since"`
	// How many entries of the logs were read, since the last start.
	Read int64 `json:"read"`
	// The instant up to which all logs were read. Absent in the beginning.
	ReadUpTo scalar.DateTime `json:"readUpTo,omitzero"`
	// When it took the place of the former book. Absent before that.
	Finished scalar.DateTime `json:"finished,omitzero"`
}
