package reconciliation

import "insurance.example/exchange/contracts/scalar"

// What has become of a row.
const (
	RowAdded   = "added"
	RowRemoved = "removed"
	RowChanged = "changed"
)

// StatementChanges is a page of the differences between a statement and the one that it replaces.
//
// What differs between a file and the one whose place it has taken, in the order of its rows and then of those of the
// other.
type StatementChanges struct {
	// The id of the statement whose place it has taken.
	Replaces string `json:"replaces"`
	// How many rows are the same in both.
	Same int `json:"same"`
	// How many rows differ.
	Count int `json:"count"`
	// The rows of the page.
	Changes []StatementChange `json:"changes"`
	// The value of the parameter skip for the next page. Absent on the last one.
	Next int `json:"next,omitzero"`
}

// StatementChange is a row that differs.
//
// A row that one of both files has alone, or that differs in the cells that were read.
type StatementChange struct {
	// The kind: added, removed or changed. A row is changed if both files have exactly one with its lineId, else its
	// claimNumber, else its policy, type and date, else its policy and type.
	Kind string `json:"kind"`
	// The number of the row in the file. Absent for one that was removed.
	Row int `json:"row,omitzero"`
	// The number of the row in the file that was replaced. Absent for one that was added.
	FormerRow int `json:"formerRow,omitzero"`
	// The id of the line that the row names.
	LineID string `json:"lineId,omitzero"`
	// The number of the policy.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The number of the claim.
	ClaimNumber string `json:"claimNumber,omitzero"`
	// The type, as the exchange names it.
	Type string `json:"type,omitzero"`
	// The date.
	Date scalar.Date `json:"date,omitzero"`
	// The cells that differ; of a row that one file has alone, its amounts.
	Cells []ChangedCell `json:"cells"`
}

// ChangedCell is a cell that differs.
//
// A cell that differs.
type ChangedCell struct {
	// The meaning of its column.
	Means string `json:"means"`
	// What the file has that was replaced. Absent where it has nothing.
	Was string `json:"was,omitzero"`
	// What the file has. Absent where it has nothing.
	Is string `json:"is,omitzero"`
}
