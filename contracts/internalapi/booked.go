package internalapi

import "insurance.example/exchange/contracts/scalar"

// The operations by which the desk says what the book needs of contracts, each about those of the caller's
// organisation.
const (
	BookedContractsPath   = Prefix + "/booked-contracts"    // GET: BookedContracts
	BookedAssignmentsPath = Prefix + "/booked-assignments/" // GET {after}?limit=: BookedAssignments
)

// BookedContracts are contracts as the book needs them.
//
// The contracts, by reference.
type BookedContracts struct {
	// The contracts, 500 at most.
	Contracts []BookedContract `json:"contracts"`
}

// BookedContract is a contract as the book needs it.
//
// A contract: which policies belong to it, and what their amounts are in.
type BookedContract struct {
	// The reference of the contract.
	Reference string `json:"reference"`
	// The lines whose policies belong to it.
	Lines []string `json:"lines"`
	// The instant from which on, and the one before which, the term of such a policy began by its first record.
	From scalar.DateTime `json:"from"`
	// The end of that window.
	Before scalar.DateTime `json:"before"`
	// The instants from which on another contract takes the policies of a line.
	Until map[string]scalar.DateTime `json:"until,omitzero"`
	// The time zone whose days count.
	TimeZone string `json:"timeZone"`
	// The currency of amounts.
	Currency string `json:"currency"`
	// The unit of amounts, major or minor.
	AmountUnit string `json:"amountUnit"`
	// How often is reported: month or quarter.
	Frequency string `json:"frequency"`
	// Where quarters begin: calendar or inception.
	QuarterBegins string `json:"quarterBegins"`
	// The first day of the term.
	Inception scalar.Date `json:"inception"`
	// The commission, as a percentage.
	CommissionPercentage scalar.Digits `json:"commissionPercentage,omitzero"`
	// The year of account.
	YearOfAccount int `json:"yearOfAccount"`
}

// BookedAssignments are policies that were assigned to contracts.
//
// Policies that were assigned to contracts, in the order in which they were first assigned.
type BookedAssignments struct {
	// The policies. There may be fewer than asked for while more are still to come.
	Assignments []BookedAssignment `json:"assignments"`
	// The place after them. Absent where there are no more at present.
	Next string `json:"next,omitzero"`
}

// BookedAssignment is a policy that was assigned to a contract.
//
// A policy and its contract.
type BookedAssignment struct {
	// The number of the policy.
	PolicyNumber string `json:"policyNumber"`
	// The reference of the contract.
	Contract string `json:"contract"`
}
