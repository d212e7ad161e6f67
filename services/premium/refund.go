package premium

import (
	"context"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// rowFact is the bordereau row of the receipt that a refund reverses.
var rowFact = &rest.Fact[row]{Name: "row of the original"}

// refund writes a receipt that reverses another; that it is the only one is the unique index on reverses.
func (e *exchange) refund() rest.Action[premium.Receipt] {
	return rest.Spawn("refund", nil, func(_ context.Context, c *rest.Change[premium.Receipt], body *premium.Refund) (*rest.Draft[premium.Receipt], error) {
		original := c.Value
		if original.Reverses != "" {
			return nil, problem.New(problem.Transition, "The receipt is itself a reversing receipt.")
		}
		receiptType := body.ReceiptType
		if rest.Text(receiptType) == "" {
			receiptType = &e.refundReceiptType
		}
		if *receiptType == "" {
			return nil, rest.Required("receiptType")
		}
		d := &rest.Draft[premium.Receipt]{Now: c.Now, Value: &premium.Receipt{
			ReceiptType: receiptType, PaymentAmount: original.PaymentAmount, PremiumPaymentMethod: original.PremiumPaymentMethod,
			PolicyNumber: original.PolicyNumber, ClaimNumber: original.ClaimNumber, Reverses: original.ID,
		}}
		if pinned := c.Record.Pinned(rowIndex); pinned != "" {
			of, err := parseRow(pinned)
			if err != nil {
				return nil, err
			}
			rest.Note(d, rowFact, of)
		}
		return d, nil
	}).Refusing(problem.Transition, problem.Required)
}
