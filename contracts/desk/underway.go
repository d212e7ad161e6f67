package desk

import "insurance.example/exchange/contracts/scalar"

// WorkUnderWay is how far work has come.
//
// How far work under way has come. It is shown once the work has come to some thousand records, and until it ends.
type WorkUnderWay struct {
	// Who asked for the work.
	AskedBy string `json:"askedBy"`
	// The instant at which it began.
	Since scalar.DateTime `json:"since"`
	// How many records were read by now: receipts or claims of a preparation, rows and lines of a comparison.
	Read int `json:"read"`
	// How many records are to be read. Absent where they were not counted before.
	Of int `json:"of,omitzero"`
	// How many lines or items were made by now.
	Made int `json:"made"`
}
