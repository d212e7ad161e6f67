// Package intake holds what the desk exchanges with its callers about files whose rows become records.
//
// Files whose rows become records.
package intake

import (
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
)

// The states of an import.
const (
	Checking  = "checking"
	Checked   = "checked"
	Applying  = "applying"
	Applied   = "applied"
	Cancelled = "cancelled"
)

// The outcomes of rows.
const (
	// Ready is that of a row that passed the check, and Refused of one that did not, or whose first record was refused.
	Ready   = "ready"
	Refused = "refused"
	// There says that the record of a row is there already.
	There = "there"
	// Made says that all records of a row were made, and Partial that some were made and a later one was refused.
	Made    = "made"
	Partial = "partial"
)

// ReasonColumn is the column that says why a row was refused, in a file of such rows. No file is read with it.
const ReasonColumn = "rejectedBecause"

// Outcomes are the outcomes, the first of them those that ask for something.
var Outcomes = []string{Partial, Refused, There, Ready, Made}

// Import is a file whose rows become records.
//
// A file whose rows become records, and how far it has come.
type Import struct {
	// The id of the import.
	ID string `json:"id"`
	// The resource whose members name the columns. Absent where a profile says what they mean.
	Resource string `json:"resource,omitzero"`
	// The profile that the file is read by. Absent where a resource says what the columns mean.
	Profile string `json:"profile,omitzero"`
	// The version of the profile; 0 for one that is shipped.
	ProfileVersion int64 `json:"profileVersion"`
	// The name of the batch: the same file in another batch is another import.
	Batch string `json:"batch,omitzero"`
	// The SHA-256 of the file, in hexadecimal.
	FileDigest string `json:"fileDigest"`
	// How many bytes the file has.
	Size int64 `json:"size"`
	// Who sent it.
	SentBy string `json:"sentBy"`
	// The instant at which it was sent.
	SentAt scalar.DateTime `json:"sentAt"`
	// The state: checking (some rows are not checked yet: :check goes on), checked (nothing is made yet), applying
	// (some rows are not made yet: :apply goes on), applied or cancelled.
	State string `json:"state"`
	// The digest of the file, the profile and the check, which :apply names. Absent until all rows are checked.
	Digest string `json:"digest,omitzero"`
	// How many rows the file has, without those of the header and of totals.
	Rows int `json:"rows"`
	// How many rows were checked.
	Checked int `json:"checked"`
	// How many rows were then made, or left because they cannot be.
	Done int `json:"done"`
	// How many rows there are of each outcome, as far as it is known: ready (all records can be made), refused, there
	// (the last record of the row is there already), made, or partial (some records were made and a later one was
	// refused).
	Outcomes map[string]int `json:"outcomes"`
	// How many of the cells that were read are formulas. They were taken by their stored values. Absent where none is.
	Formulas int `json:"formulas,omitzero"`
	// What was read in a way of its own, or left out. Absent where there is no such thing.
	Notes []reconciliation.FileNote `json:"notes,omitzero"`
	// The columns as they were understood, in their order in the file.
	Columns []ImportColumn `json:"columns"`
	// Who has the records made, in whose name they are. Absent before that.
	AppliedBy string `json:"appliedBy,omitzero"`
	// The instant since which they are made. Absent before that.
	AppliedAt scalar.DateTime `json:"appliedAt,omitzero"`
}

// ImportColumn is a column as it was understood.
//
// A column of a file, as it was understood.
type ImportColumn struct {
	// The letters of the column, such as C.
	Column string `json:"column"`
	// Its name in the header. Absent in a file without one.
	Name string `json:"name,omitzero"`
	// The member that it gives, with the name of its record, such as holder.lastName; where a resource names the
	// columns, the record has its name.
	Means string `json:"means"`
	// What its cells are: text, number, flag, list, date, date-time or any.
	Form string `json:"form"`
	// Up to three cells with what was read of them.
	Examples []ImportExample `json:"examples"`
}

// ImportExample is a cell with what was read of it.
//
// A cell, and what was read of it.
type ImportExample struct {
	// The cell, such as C2.
	Cell string `json:"cell"`
	// What the file has.
	Sent string `json:"sent"`
	// What was read: the value as JSON.
	Read scalar.JSON `json:"read"`
}

// ImportList is a page of imports.
//
// Imports, the newest first.
type ImportList struct {
	// The imports of the page.
	Imports []Import `json:"imports"`
	// The value of the parameter cursor for the next page. Absent on the last one.
	Next string `json:"next,omitzero"`
}

// ImportRow is a row of an import that was checked, with what became of it.
//
// A row of a file that was checked, with what became of it.
type ImportRow struct {
	// The number of the row in the file.
	Row int `json:"row"`
	// The outcome: ready, refused, there, made or partial.
	Outcome string `json:"outcome"`
	// What is wrong with it: the cells that cannot be read, and what the exchange refuses.
	Wrong []ImportWrong `json:"wrong,omitempty"`
	// The records of the row that are there: made by this import, or before it.
	Records []ImportRecord `json:"records,omitempty"`
	// What is unusual about the records, as their creation says. Absent if nothing is.
	Warnings []scalar.JSON `json:"warnings,omitempty"`
	// The cells as they were sent, in their order.
	Cells []string `json:"cells"`
}

// ImportWrong is one thing that is wrong with a row.
//
// One thing that is wrong with a row.
type ImportWrong struct {
	// The cell, such as C2. Absent where no cell gives the member.
	Cell string `json:"cell,omitzero"`
	// The name of the record of the row, as the profile has it. Absent for a cell that cannot be read.
	Record string `json:"record,omitzero"`
	// The place in the record, as a JSON pointer. Absent where the whole record is refused.
	Pointer string `json:"pointer,omitzero"`
	// What is wrong.
	Reason string `json:"reason"`
}

// ImportRecord is a record of a row that is there.
//
// A record of a row.
type ImportRecord struct {
	// The name of the record, as the profile has it.
	Name string `json:"name"`
	// The resource of the record.
	Resource string `json:"resource"`
	// The id of the record.
	ID scalar.ID `json:"id"`
	// The number of the policy that was made, or that the record names.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The number of the claim that was made, or that the record names.
	ClaimNumber string `json:"claimNumber,omitzero"`
}

// ImportRows is a page of rows.
//
// Rows of an import, in their order.
type ImportRows struct {
	// The rows of the page.
	Rows []ImportRow `json:"rows"`
	// The value of the parameter after for the next page, which may be empty. Absent on the last one.
	Next int `json:"next,omitzero"`
}

// ImportApply is the body of :apply.
//
// Which check the records are made by.
type ImportApply struct {
	// The digest of the import, as it was read.
	Digest string `json:"digest,omitzero"`
}

// ImportTemplate is a profile that is shipped, with a workbook to fill in.
//
// A form of files that the exchange knows, with a workbook to fill in.
type ImportTemplate struct {
	// The name, which is also that of the profile.
	Name string `json:"name"`
	// The records that each row makes.
	Records []reconciliation.FileRecord `json:"records"`
	// Where the workbook is.
	Workbook string `json:"workbook"`
}

// ImportTemplates are the profiles that are shipped.
//
// The forms of files that the exchange knows.
type ImportTemplates struct {
	// The templates.
	Templates []ImportTemplate `json:"templates"`
}
