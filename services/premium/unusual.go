package premium

import (
	"context"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/rest"
)

// unusual warns of what is unusual about a new receipt, and not about a refund: its date, and that there is one like
// it.
func (e *environment) unusual(ctx context.Context, d *rest.Draft[*premium.Receipt]) {
	if d.Spawned || d.Record != nil {
		return
	}
	r := d.Value
	if r.ReceiptDate > scalar.DateOf(d.Now, e.zone) {
		d.Warn("receipt-date", "date of the receipt", "receiptDate, "+string(r.ReceiptDate)+", is still to come.")
	}
	if r.PolicyNumber == nil {
		return
	}
	if of, known := e.freshTerm(ctx, *r.PolicyNumber); known {
		const year = 1
		before := !of.begins.IsZero() && r.ReceiptDate < scalar.DateOf(of.begins.AddDate(-year, 0, 0), e.zone)
		after := !of.ends.IsZero() && r.ReceiptDate > scalar.DateOf(of.ends.AddDate(year, 0, 0), e.zone)
		if before || after {
			d.Warn("receipt-date", "date of the receipt", "receiptDate, "+string(r.ReceiptDate)+
				", lies more than a year outside the term of the policy.")
		}
	}
	e.recordedBefore(ctx, d)
}

// recordedBefore warns of a receipt of the same policy with the same type, amount and date.
func (e *environment) recordedBefore(ctx context.Context, d *rest.Draft[*premium.Receipt]) {
	r := d.Value
	for _, doc := range e.receipts.Newest(ctx, "policyNumber", *r.PolicyNumber, false) {
		var other premium.Receipt
		if json.Unmarshal(doc.Body, &other) != nil {
			continue
		}
		if other.Reverses == "" && other.ReceiptDate == r.ReceiptDate && other.PaymentAmount != nil &&
			*other.PaymentAmount == *r.PaymentAmount && rest.Text(other.ReceiptType) == rest.Text(r.ReceiptType) {
			d.Warn("possible-duplicate", "possible duplicate", "Receipt "+string(other.ID)+
				" of the policy has the same type, amount and date.")
			return
		}
	}
}
