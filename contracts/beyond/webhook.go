package beyond

import "insurance.example/exchange/contracts/scalar"

// Webhook is what a caller says of a webhook.
//
// Where the events of the feed are sent, and which.
type Webhook struct {
	// The URL that events are sent to: https, up to 2,000 characters, without user and fragment.
	URL string `json:"url"`
	// The types of events to send, such as exchange.claim.settled, or exchange.claim.* for all of a resource. None
	// stands for all; up to 32.
	Types []string `json:"types,omitzero"`
	// Where to begin: now, or a cursor of the feed. A new webhook begins now without it; one that is replaced goes on
	// from where it is.
	From string `json:"from,omitzero"`
	// The secret of the signatures (Standard Webhooks): whsec_ and 24 to 64 bytes in base64. Without it a new webhook
	// gets one, and one that is replaced keeps its own. In place of another secret, both sign for 24 hours.
	Secret string `json:"secret,omitzero"`
}

// WebhookShown is a webhook as its readers see it.
//
// Where the events of the feed are sent, and how far that is.
type WebhookShown struct {
	// The name.
	Name string `json:"name"`
	// The URL that events are sent to.
	URL string `json:"url"`
	// The types of events that are sent; none stands for all.
	Types []string `json:"types"`
	// Whether events are sent at present: active or paused.
	State string `json:"state"`
	// Why it is paused. Absent where it is active. Nothing is passed over: it goes on from the event that is next.
	Why string `json:"why,omitzero"`
	// How often the next event was sent without success.
	Attempts int `json:"attempts"`
	// The instant before which that event is not sent again. Absent unless an attempt has failed, and while the webhook
	// is paused.
	NextAttempt scalar.DateTime `json:"nextAttempt,omitzero"`
	// The secret that was made for the webhook. It is there only in the response to the request that made it.
	Secret string `json:"secret,omitzero"`
}

// Webhooks are all webhooks.
//
// The webhooks of the exchange.
type Webhooks struct {
	// The webhooks, 32 at most.
	Webhooks []WebhookShown `json:"webhooks"`
}

// WebhookReplay says from where a webhook sends events again.
//
// A place in the feed.
type WebhookReplay struct {
	// A cursor of the feed; now for the end of the feed, by which what was not delivered is passed over.
	After string `json:"after"`
}

// WebhookDelivery is an attempt to deliver an event.
//
// An event as it was sent, and what came back.
type WebhookDelivery struct {
	// The id of the event, which is also the header webhook-id.
	ID string `json:"id"`
	// The type of the event.
	Type string `json:"type"`
	// The instant of the attempt.
	At scalar.DateTime `json:"at"`
	// The status of the response; 0 if there was none.
	Status int `json:"status"`
	// The beginning of the response, up to 1 KB.
	Response string `json:"response,omitzero"`
	// Why there was no response. Absent if there was one.
	Fault string `json:"fault,omitzero"`
}

// WebhookDeliveries are the last attempts of a webhook.
//
// The last attempts, newest first.
type WebhookDeliveries struct {
	// The attempts, 20 at most.
	Deliveries []WebhookDelivery `json:"deliveries"`
}
