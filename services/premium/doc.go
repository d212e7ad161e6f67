// Package premium is the service for receipts and for the premium bordereau into which they are aggregated.
//
// Its files, in the order in which a receipt meets them:
//
//	service.go    the service, with its resources
//	rules.go      its settings
//	receipt.go    the receipt, with its checks
//	refund.go     its only action, which gives it back or a part of it
//	refunded.go   what was given back of a receipt
//	unusual.go    warns of what is unusual about a receipt
//	known.go      asks the other services about the policy or the claim
//	row.go        to which row of the bordereau a receipt belongs
//	traffic.go    how the row learns of the receipt: within the process, or by Kafka
//	aggregate.go  computes the row
//	bordereau.go  the row as a resource
//	past.go       what the sum of a row was at an instant
//	whole.go      the receipts and rows of a policy, and what is left of each, for /x/policy
//	receipts.go   all receipts, page by page, for the desk
//	compared.go   what the desk compares its lines with: what callers state, what was received, what claims were paid
//	examine.go    compares rows with their receipts, and refunds with theirs, for `exchange check`
package premium
