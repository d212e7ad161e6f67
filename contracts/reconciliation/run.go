package reconciliation

import (
	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
)

// The outcomes of items.
const (
	Matched      = "matched"
	Within       = "withinTolerance"
	Mismatch     = "mismatch"
	MissingHere  = "missingHere"
	MissingThere = "missingThere"
	Duplicate    = "duplicate"
	Ambiguous    = "ambiguous"
	Quarantined  = "quarantined"
)

// Outcomes are the outcomes, in the order in which a run lists its items.
var Outcomes = []string{
	Mismatch, Ambiguous, Quarantined, MissingHere, MissingThere, Duplicate, Within, Matched,
}

// The keys by which a row and a record are paired.
const (
	ByLineID       = "lineId"
	ByPolicyType   = "policyNumber, type and period"
	ByPolicyAmount = "policyNumber and amount"
	ByPolicyDay    = "policyNumber and date"
	ByHand         = "hand"
)

// What somebody decides about an item.
const (
	Accepted  = "accepted"
	Disputed  = "disputed"
	Unmatched = "unmatched"
)

// Statement is a file of somebody else.
//
// A file as it was sent, and what was read of it.
type Statement struct {
	// The id of the statement.
	ID string `json:"id"`
	// The profile that it was read by.
	Profile string `json:"profile"`
	// The version of the profile.
	ProfileVersion int64 `json:"profileVersion"`
	// The SHA-256 of the file, in hexadecimal.
	Digest string `json:"digest"`
	// How many bytes the file has.
	Size int64 `json:"size"`
	// Who sent it.
	SentBy string `json:"sentBy"`
	// The instant at which it was sent.
	SentAt scalar.DateTime `json:"sentAt"`
	// How many rows it has, without those of the header and of totals.
	Rows int `json:"rows"`
	// How many of them have a cell that could not be read.
	Quarantined int `json:"quarantined"`
	// How many of the cells that were read are formulas. They were taken by their stored values. Absent where none is.
	Formulas int `json:"formulas,omitzero"`
	// What was read in a way of its own, or left out. Absent where there is no such thing.
	Notes []FileNote `json:"notes,omitzero"`
	// The totals of the file, compared with the sums of its rows.
	Totals []StatementTotal `json:"totals"`
	// The id of the statement whose place it takes. Absent where it takes none.
	Replaces string `json:"replaces,omitzero"`
	// The id of the statement that takes its place. Absent for the newest.
	ReplacedBy string `json:"replacedBy,omitzero"`
	// How far a comparison of it has come that is being made. Absent where none is, or hardly anything is read yet.
	Comparing *desk.WorkUnderWay `json:"comparing,omitzero"`
}

// StatementTotal compares a total of the file with its rows.
//
// A total of the file, compared with the sum of the rows that were read.
type StatementTotal struct {
	// The cell, such as F12.
	Cell string `json:"cell"`
	// The meaning of its column.
	Means string `json:"means"`
	// The total that the file states. Absent where it could not be read.
	Stated scalar.Decimal `json:"stated,omitzero"`
	// The sum of the rows that were read.
	Sum scalar.Decimal `json:"sum"`
	// Whether both are the same.
	Agrees bool `json:"agrees"`
}

// RunRequest asks for a comparison.
//
// What to compare with what.
type RunRequest struct {
	// The id of the statement.
	Statement string `json:"statement"`
	// The records to compare it with.
	Against RunAgainst `json:"against"`
	// Up to which difference amounts are within tolerance, such as "0.05"; "0" without it.
	Tolerance scalar.Digits `json:"tolerance,omitzero"`
	// How many days dates may differ by, 0 to 366.
	WindowDays int `json:"windowDays,omitzero"`
	// Whether the decisions of the run whose place it takes are kept where row and record are unchanged. Without it a
	// run that somebody has accepted, disputed or paired by hand something of is not replaced.
	Carry bool `json:"carry,omitzero"`
}

// RunAgainst names the records that a statement is compared with.
//
// The records that a statement is compared with: what stands approved for a period, unless versions or receipts is
// given.
type RunAgainst struct {
	// The reference of the contract.
	Contract string `json:"contract"`
	// The kind of bordereau: premium or claims, as the columns of the statement say.
	Kind string `json:"kind"`
	// The period, such as 2026-01, 2026-Q1 or 2026-02-3M.
	Period string `json:"period"`
	// The numbers of versions, in place of what stands approved.
	Versions []int `json:"versions,omitzero"`
	// Whether the receipts count as they are now, whatever is approved.
	Receipts bool `json:"receipts,omitzero"`
}

// Run is a comparison.
//
// A statement compared with records.
type Run struct {
	// The id of the run.
	ID         string `json:"id"`
	RunRequest `json:",inline"`
	// Who asked for it.
	MadeBy string `json:"madeBy"`
	// The instant at which it was made.
	MadeAt scalar.DateTime `json:"madeAt"`
	// The state: replaced once another run has taken its place; before, open while an item is neither paired without a
	// difference nor accepted, else settled.
	State string `json:"state"`
	// How many items it has.
	Items int `json:"items"`
	// How many items each outcome has.
	Outcomes map[string]int `json:"outcomes"`
	// How many records, and rows of the statement, another run has paired that does not belong to this one.
	Elsewhere int `json:"elsewhere"`
	// The runs that have paired them, with their statements.
	ElsewhereIn []RunTaken `json:"elsewhereIn,omitzero"`
	// The ids of the runs whose place it takes: those of the same statement, or one that this replaces, against the
	// same.
	Replaces []string `json:"replaces,omitzero"`
	// The id of the run that has taken its place. Absent for one that stands.
	ReplacedBy string `json:"replacedBy,omitzero"`
	// How many decisions of these runs it has kept.
	Carried int `json:"carried,omitzero"`
	// How many items were decided on, by decision.
	Decisions map[string]int `json:"decisions"`
	// How old the items are that are neither paired without a difference nor accepted.
	Ageing []RunAge `json:"ageing"`
}

// RunTaken names a run that has paired what is not of another one.
//
// A run of the contract, and how many records and rows it has paired.
type RunTaken struct {
	// The id of the run.
	Run string `json:"run"`
	// The id of the statement that was compared.
	Statement string `json:"statement"`
	// How many records, and rows, there are.
	Items int `json:"items"`
}

// RunAge counts items of one month.
//
// Items of one month.
type RunAge struct {
	// The month of their dates, such as 2026-01.
	Month string `json:"month"`
	// How many months ago that is.
	Months int `json:"months"`
	// How many items there are.
	Items int `json:"items"`
}

// RunItem is what came of a row, a record, or a pair of both.
//
// What came of a row, of a record, or of a pair of both.
type RunItem struct {
	// The number of the item within its run, from 1.
	Number int `json:"number"`
	// The outcome: matched, withinTolerance, mismatch, missingHere, missingThere, duplicate, ambiguous or quarantined.
	Outcome string `json:"outcome"`
	// The number of the row in the file, from 1. Absent where the file has none.
	Row int `json:"row,omitzero"`
	// The id of the record: of the receipt or of the claim. Absent where there is none.
	LineID string `json:"lineId,omitzero"`
	// The key by which the row and the record were paired: lineId, claimNumber, "policyNumber, type and period",
	// "policyNumber and amount", "policyNumber and date", or hand where somebody has paired them.
	Key string `json:"key,omitzero"`
	// The number of the policy, as the record or else the row has it.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The day from which the item ages: that of the record or else of the row, or else the one on which the file came.
	Since scalar.Date `json:"since"`
	// How many days ago that is.
	Days int `json:"days"`
	// The cells that differ or could not be read, with the reason. Of a row or a record that is alone, what it has.
	Cells []RunCell `json:"cells,omitzero"`
	// The records that it could be, up to 20. None of them is paired with it.
	Candidates []string `json:"candidates,omitzero"`
	// Whether it is the candidates together that come to the amount of the row. They are a proposal.
	Together bool `json:"together,omitzero"`
	// The numbers of the rows that together come to the amount of the record. They are a proposal: none is paired.
	Rows []int `json:"rows,omitzero"`
	// The run and item in which the pair was made, if that is not this one.
	PairedIn *RunPlace `json:"pairedIn,omitzero"`
	// Who has paired the row and the record, if somebody has by hand.
	Paired *RunPairing `json:"paired,omitzero"`
	// What was decided about it: accepted, disputed or unmatched.
	Decision string `json:"decision,omitzero"`
	// Who decided it.
	DecidedBy string `json:"decidedBy,omitzero"`
	// The instant at which it was decided.
	DecidedAt scalar.DateTime `json:"decidedAt,omitzero"`
	// Why it was decided.
	Reason string `json:"reason,omitzero"`
}

// RunCell is a cell that differs, or could not be read.
//
// A cell that differs or could not be read, or what one side has alone.
type RunCell struct {
	// The cell, such as F12; empty where the file has none.
	Cell string `json:"cell"`
	// The meaning of its column; empty if it has none.
	Means string `json:"means"`
	// What the file has; empty where it has nothing.
	Theirs string `json:"theirs"`
	// What the record has.
	Ours string `json:"ours,omitzero"`
	// Why it could not be read.
	Reason string `json:"reason,omitzero"`
}

// RunPlace names an item.
//
// An item of a run.
type RunPlace struct {
	// The id of the run.
	Run string `json:"run"`
	// The number of the item.
	Item int `json:"item"`
	// The id of the statement that was compared there. Absent for runs of earlier releases.
	Statement string `json:"statement,omitzero"`
}

// RunItems is a page of items.
//
// Items of a run, by outcome and then by row.
type RunItems struct {
	// The items of the page.
	Items []RunItem `json:"items"`
	// The value of the parameter skip for the next page. Absent on the last one.
	Next int `json:"next,omitzero"`
}

// DecisionReason says why something is decided.
//
// Why it is decided.
type DecisionReason struct {
	// The reason, 1 to 2,000 characters.
	Reason string `json:"reason"`
}
