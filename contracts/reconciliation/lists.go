package reconciliation

// The states of a run.
const (
	RunOpen     = "open"
	RunSettled  = "settled"
	RunReplaced = "replaced"
)

// StatementList are statements.
//
// Files that were sent, the newest first.
type StatementList struct {
	// The statements of the page.
	Statements []Statement `json:"statements"`
	// The value of the parameter cursor for the next page. Absent on the last one.
	Next string `json:"next,omitzero"`
}

// RunList are comparisons.
//
// Comparisons, the newest first.
type RunList struct {
	// The runs of the page.
	Runs []Run `json:"runs"`
	// The value of the parameter cursor for the next page. Absent on the last one.
	Next string `json:"next,omitzero"`
}
