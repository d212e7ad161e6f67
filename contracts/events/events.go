// Package events holds the messages that services send over Kafka. Channels lists them; make generate writes from it an
// AsyncAPI document for each service that sends some.
package events

import "reflect"

// BordereauTopic carries BordereauDirty messages, keyed by policy number.
const BordereauTopic = "exchange.bordereau.dirty"

// BordereauDirty is the message to premium. It has no amount: premium computes the row again from its receipts.
//
// The header traceparent (W3C trace context) names the trace of the receipt, if that is traced.
//
// Names a row of the premium bordereau whose sum may have changed. A message may come twice, late or out of order.
type BordereauDirty struct {
	// The period of the row, such as 2026-11 or 2026-Q4.
	Period string `json:"period"`
	// The policy number of the row.
	PolicyNumber string `json:"policyNumber"`
	// The transaction type of the row.
	TransactionType string `json:"transactionType"`
}

// Contract is what one service sends over Kafka.
type Contract struct {
	// Service is the name of the service that sends the messages.
	Service string
	// Version is the contract's, as in semantic versioning. A change that breaks a process which sends or
	// receives the messages needs a new major version: make verify compares the contract with that of the last
	// release.
	Version string
	// About describes the contract in a sentence.
	About    string
	Channels []Channel
}

// Channel is a topic and its messages.
type Channel struct {
	// Name names the channel, and Topic is the topic of Kafka.
	Name, Topic string
	// Key is the member of the message that is the key of the record in Kafka.
	Key string
	// Message is the type of the messages, which are JSON.
	Message reflect.Type
}

// Contracts returns the contracts of the services that send messages.
func Contracts() []Contract {
	return []Contract{{
		Service: "premium", Version: "1.0.0",
		About: "What the processes of the premium service tell each other over Kafka.",
		Channels: []Channel{{Name: "bordereauDirty", Topic: BordereauTopic, Key: "policyNumber",
			Message: reflect.TypeFor[BordereauDirty]()}},
	}}
}
