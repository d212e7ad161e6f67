// Package premium is the service for receipts and for the premium bordereau into which they are aggregated.
//
// Its files, in the order in which a receipt meets them:
//
//   - service.go declares the service, with its settings in rules.go.
//   - receipt.go declares the receipt, with its checks; refund.go its only action. known.go asks the other services
//     about the policy or the claim.
//   - row.go says to which row of the bordereau a receipt belongs.
//   - traffic.go connects the relay, the aggregator and the sweep, by which the row learns of the receipt.
//   - aggregate.go computes the row, by the sums of subtotals.go; written.go remembers the rows that were written last.
//   - bordereau.go declares the row as a resource; past.go computes what its sum was at an instant.
//   - examine.go compares the rows with their receipts for `exchange check`.
package premium
