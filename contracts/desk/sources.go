package desk

import (
	"insurance.example/exchange/contracts/scalar"
)

// LineSource is what a line of a version was made of.
//
// What a line was made of. Every figure of the line follows from it.
type LineSource struct {
	// The id of the line.
	LineID string `json:"lineId"`
	// The instant as of which the policy, its holder and the supplement are shown: that of the preparation.
	At scalar.DateTime `json:"at"`
	// The contract, as it was set when the version was prepared.
	Contract ContractVersion `json:"contract"`
	// The receipt that a line of premium is made of.
	Receipt *SourceRecord `json:"receipt,omitzero"`
	// The receipt that this one reverses.
	Reversed *SourceRecord `json:"reversed,omitzero"`
	// The claim that a line of claims is made of.
	Claim *SourceClaim `json:"claim,omitzero"`
	// The policy.
	Policy *SourceRecord `json:"policy,omitzero"`
	// The policyholder.
	Policyholder *SourceRecord `json:"policyholder,omitzero"`
}

// SourceRecord is a version of a record.
//
// A record, as it was. It is absent where it was not kept what the record was.
type SourceRecord struct {
	// Where the record is read as it was.
	Href string `json:"href"`
	// The resource of the record.
	Resource string `json:"resource"`
	// The id of the record.
	ID scalar.ID `json:"id"`
	// The number of its version then.
	Version int64 `json:"version"`
	// The record as it was.
	Record scalar.JSON `json:"record"`
}

// SourceClaim is a claim at the end of a period.
//
// A claim, as it was at the end of the period, and what the amounts of its line go on from.
type SourceClaim struct {
	// Where the claim is read as it was.
	Href string `json:"href"`
	// The last instant of the period, as of which the claim is shown.
	At scalar.DateTime `json:"at"`
	// The claim as it was, with all of its payments by then.
	Record scalar.JSON `json:"record"`
	// How many of these payments had been made when its reserve was last changed. The reserve is for what is paid after
	// them.
	ReservedAfter int `json:"reservedAfter"`
	// The supplement, as it was set by the preparation.
	Supplement *ClaimSupplementVersion `json:"supplement,omitzero"`
	// What was reported of the claim before. Absent where it was not.
	Before *SourceBefore `json:"before,omitzero"`
}

// SourceBefore is what was reported of a claim before.
//
// What was reported of a claim for the period before, or carried by it.
type SourceBefore struct {
	// The version that has it.
	Href         string `json:"href"`
	ClaimAmounts `json:",inline"`
}
