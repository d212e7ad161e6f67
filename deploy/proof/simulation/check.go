package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/rest"
)

// receipt is a stored receipt.
type receipt struct {
	ID            string `json:"id"`
	PaymentAmount int64  `json:"paymentAmount"`
	Reverses      string `json:"reverses"`
	// The number is 0 for a refund of a whole receipt that named no amount.
	RefundNumber   int64 `json:"refundNumber"`
	RefundedAmount int64 `json:"refundedAmount"`
	row            string
}

// quiet reports whether no receipt carries a mark.
func (x *exchange) quiet() bool { return !x.store.Marked("receipt") }

// check returns the guarantees that are broken.
func (x *exchange) check() (wrong []string) {
	complain := func(format string, values ...any) { wrong = append(wrong, fmt.Sprintf(format, values...)) }
	if len(x.book.shared) > 0 {
		return nil // the last caller has read everything
	}
	var receipts []receipt
	for _, doc := range x.store.Documents("receipt") {
		var r receipt
		origin, err := rest.OriginOf(doc)
		if err != nil || json.Unmarshal(doc.Body, &r) != nil {
			complain("receipt %s cannot be read", doc.ID)
		}
		if doc.Unsent {
			complain("receipt of %d keeps its mark", r.PaymentAmount)
		}
		r.row = origin.Pinned["row"]
		receipts = append(receipts, r)
	}
	switch x.book.desk.kind {
	case desk.Premium:
		x.checkReceipts(complain)
	case desk.Claims:
		x.checkReported(complain)
	default:
		x.checkBook(receipts, complain)
	}
	x.checkRows(receipts, complain)
	if x.book.desk.kind == "" {
		x.checkClaims(complain)
	}
	x.checkParties(complain)
	x.checkPolicies(complain)
	return wrong
}

// checkBook compares the stored receipts with those in the book.
func (x *exchange) checkBook(receipts []receipt, complain func(string, ...any)) {
	x.checkRefunds(receipts, complain)
	for _, e := range x.book.recordings {
		var numbers []string
		for _, r := range receipts {
			if r.PaymentAmount == int64(e.amount) && r.Reverses == "" {
				numbers = append(numbers, r.ID)
			}
		}
		for _, id := range e.ids {
			if !slices.Contains(numbers, id) {
				complain("the receipt %s of %d was acknowledged and is lost", id, e.amount)
			}
		}
		if len(numbers) > 1 {
			complain("%d receipts of %d were made by one request (key %q)", len(numbers), e.amount, e.key)
		}
	}
	for _, r := range receipts {
		if r.Reverses == "" && !slices.ContainsFunc(x.book.recordings, func(e *recording) bool {
			return int64(e.amount) == r.PaymentAmount
		}) {
			complain("nobody asked for the receipt of %d", r.PaymentAmount)
		}
	}
}

// checkRows compares the rows of the bordereau with their receipts.
func (x *exchange) checkRows(receipts []receipt, complain func(string, ...any)) {
	sums := make(map[string]*big.Int)
	for _, r := range receipts {
		if sums[r.row] == nil {
			sums[r.row] = new(big.Int)
		}
		amount := big.NewInt(r.PaymentAmount)
		if r.Reverses != "" {
			amount.Neg(amount)
		}
		sums[r.row].Add(sums[r.row], amount)
	}
	for _, doc := range x.store.Documents("premiumBordereau") {
		var b struct {
			Period, PolicyNumber, TransactionType string
			GrossWrittenPremium                   json.Number
		}
		if err := json.Unmarshal(doc.Body, &b); err != nil {
			complain("row %s cannot be read: %v", doc.ID, err)
			continue
		}
		row := b.Period + "|" + b.PolicyNumber + "|" + b.TransactionType
		if sum := sums[row]; sum == nil || sum.String() != b.GrossWrittenPremium.String() {
			complain("row %s is %s (or double), and its receipts add up to %v", row, b.GrossWrittenPremium, sum)
		}
		delete(sums, row)
	}
	for _, row := range slices.Sorted(maps.Keys(sums)) {
		complain("row %s is missing; its receipts add up to %v", row, sums[row])
	}
}
