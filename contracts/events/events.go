// Package events holds the messages that services send over Kafka.
package events

// BordereauTopic carries BordereauDirty messages, keyed by policy number.
const BordereauTopic = "exchange.bordereau.dirty"

// BordereauDirty names a row of the premium bordereau whose sum may have changed. It has no amount, because the row is
// computed again from its receipts. So a message may come twice, late or out of order.
type BordereauDirty struct {
	Period          string `json:"period"`
	PolicyNumber    string `json:"policyNumber"`
	TransactionType string `json:"transactionType"`
}
