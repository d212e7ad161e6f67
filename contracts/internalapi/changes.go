package internalapi

import (
	"insurance.example/exchange/contracts/scalar"
)

// Changes is the response to a read of the log of changes of a service.
//
// A page of what happened to the records of the service, in the order of its log.
type Changes struct {
	// The entries. There may be fewer than asked for, or none, while more are still to come.
	Changes []Change `json:"changes"`
	// The position after the page. It keeps its meaning.
	Next string `json:"next"`
	// An instant that no later entry has been logged before.
	Watermark scalar.DateTime `json:"watermark"`
}

// Change is an entry of a log of changes.
//
// One version of a record.
type Change struct {
	// The resource of the record, such as motorCoverage.
	Resource string `json:"resource"`
	// The id of the record.
	ID scalar.ID `json:"id"`
	// The version, from 1. The versions of a record ascend without a gap.
	Version int64 `json:"version"`
	// What happened: created, replaced, an action as what was done, such as endorsed, or altered by the service itself.
	// The first version of a record that an action has made of another one has that action, such as renewed.
	Type string `json:"type"`
	// The instant at which it happened.
	Time scalar.DateTime `json:"time"`
	// The instant at which it was logged, by which the logs of several services are merged. It never descends.
	Logged scalar.DateTime `json:"logged"`
	// The policy that the record is about. Absent where it names none.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The state that the version was written in. Absent for a resource without states.
	Status string `json:"status,omitzero"`
	// The instant from which on what the version changed counts. Absent where its event did not say it.
	EffectiveDate scalar.DateTime `json:"effectiveDate,omitzero"`
	// The instant at which cover ends because of the version. Absent where its event did not say it.
	CoverEnds scalar.DateTime `json:"coverEnds,omitzero"`
	// The organisation that owns the record. Absent where organisations do not share the exchange.
	Owner string `json:"owner,omitzero"`
	// Whether every organisation sees the record. Absent where its owner alone does.
	Public bool `json:"public,omitzero"`
	// Whether those see the record as well with whom its policy is shared. Absent for other records.
	Shared bool `json:"shared,omitzero"`
	// The reference of the contract of the desk that the entry is about, whose counterparty sees it as well. Absent for
	// other entries.
	Contract string `json:"contract,omitzero"`
	// The path of what the entry is about, where it is not that of a record of the resource. Absent for records.
	Href string `json:"href,omitzero"`
	// The record as the version was written, where records are asked for. Absent for a version that was not kept, whose
	// next one has what it had, and for what is no record.
	Record scalar.JSON `json:"record,omitzero"`
	// The id of the record that an action has made this one of, such as the policy that it renews. Absent for others.
	MadeOf scalar.ID `json:"madeOf,omitzero"`
	// The position after the entry.
	Position string `json:"position"`
}
