package premium

import (
	"context"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/visible"
)

// originalRow is the bordereau row of the receipt that a refund reverses. It is the zero row if that receipt is in no
// row.
type originalRow = *rest.Fact[*premium.Receipt, row]

// noOriginal loads the originalRow of a receipt that is no refund: the zero row.
func noOriginal(context.Context, *rest.Draft[*premium.Receipt]) (row, error) { return row{}, nil }

// refund writes a receipt that reverses another. The unique index on reverses makes sure that there is only one.
func (e *environment) refund(original originalRow) rest.Action[*premium.Receipt] {
	return rest.Spawn("refund", rest.AnyState, func(_ context.Context, c *rest.Change[*premium.Receipt],
		body *premium.Refund) (*rest.Draft[*premium.Receipt], error) {
		reversed := c.Value
		if reversed.Reverses != "" {
			return nil, problem.New(problem.Transition, "The receipt is itself a refund and cannot be refunded.")
		}
		receiptType := body.ReceiptType
		if rest.Text(receiptType) == "" {
			receiptType = &e.refundReceiptType
		}
		if !visible.In(*receiptType) {
			return nil, rest.Required("receiptType")
		}
		d := &rest.Draft[*premium.Receipt]{Now: c.Now, Value: &premium.Receipt{
			ReceiptType: receiptType, PaymentAmount: reversed.PaymentAmount,
			PremiumPaymentMethod: reversed.PremiumPaymentMethod,
			PolicyNumber:         reversed.PolicyNumber, ClaimNumber: reversed.ClaimNumber, Reverses: reversed.ID,
		}}
		if pinned := c.Record.Pinned(rowIndex); pinned != "" {
			of, err := parseRow(pinned)
			if err != nil {
				return nil, err
			}
			original.Set(d, of)
		}
		return d, nil
	}).Refusing(problem.Transition, problem.Required)
}
