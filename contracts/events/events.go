// Package events holds what travels on Kafka.
package events

// BordereauTopic carries BordereauDirty messages, keyed by policy number.
const BordereauTopic = "exchange.bordereau.dirty"

// BordereauDirty names a row of the premium bordereau whose sum may have changed. It carries no amount: the row is
// computed anew from its receipts, so that a message may come twice, late or out of order.
type BordereauDirty struct {
	Period          string `json:"period"`
	PolicyNumber    string `json:"policyNumber"`
	TransactionType string `json:"transactionType"`
}
