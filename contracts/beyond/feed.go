package beyond

import "insurance.example/exchange/contracts/scalar"

// What events of the desk name in place of a resource of records: the versions of bordereaux, and comparisons with the
// files of others.
const (
	BordereauEvent      = "bordereau"
	ReconciliationEvent = "reconciliation"
)

// EventsOfTheDesk returns what events of the desk name in place of a resource of records.
func EventsOfTheDesk() []string { return []string{BordereauEvent, ReconciliationEvent} }

// FeedPage is a page of the feed.
//
// What happened to the records of the exchange, in order.
type FeedPage struct {
	// The events. There may be none while more are still to come.
	Events []FeedEvent `json:"events"`
	// The cursor after the page. It is always there, and is sent as the parameter after of the next request.
	Next string `json:"next"`
	// No later page has an event that was logged before this instant, except of the services that are behind.
	Watermark scalar.DateTime `json:"watermark,omitzero"`
	// The services that did not respond. The page has no events of theirs; they stand on later pages.
	Behind []string `json:"behind"`
}

// FeedEvent is an event of the feed, a CloudEvent (CloudEvents 1.0).
//
// One version of one record.
type FeedEvent struct {
	// The version of the form of events, 1.0 of cloudevents.io.
	SpecVersion string `json:"specversion"`
	// The id of the record and the version, with a hyphen between them. For events of the desk, it is the id of the
	// list of all versions of a contract, or of all comparisons with it.
	ID string `json:"id"`
	// The path of the record, or of the version or comparison of the desk.
	Source string `json:"source"`
	// What happened: exchange, the resource, and what was done, such as exchange.claim.settled.
	Type string `json:"type"`
	// The number of the policy that the record is about. Absent where it names none.
	Subject string `json:"subject,omitzero"`
	// The instant at which it happened.
	Time scalar.DateTime `json:"time"`
	// The media type of data.
	DataContentType string `json:"datacontenttype"`
	// Which record it is.
	Data FeedEventData `json:"data"`
}

// FeedEventData is what an event of the feed says of its record.
//
// Where the record is. It has nothing of what the record says, which its reader fetches.
type FeedEventData struct {
	// The id of the record.
	ID scalar.ID `json:"id"`
	// The version, from 1. The versions of a record ascend without a gap.
	Version int64 `json:"version"`
	// The number of the policy that the record is about. Absent where it names none.
	PolicyNumber string `json:"policyNumber,omitzero"`
	// The state that the version was written in. Absent for a resource without states.
	Status string `json:"status,omitzero"`
	// The instant from which on what the version changed counts. Absent where its event did not say it.
	EffectiveDate scalar.DateTime `json:"effectiveDate,omitzero"`
	// The instant at which cover ends because of the version. Absent where its event did not say it.
	CoverEnds scalar.DateTime `json:"coverEnds,omitzero"`
	// The path of the record.
	Href string `json:"href"`
}
