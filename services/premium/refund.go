package premium

import (
	"context"
	"fmt"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/visible"
)

// originalRow is the bordereau row of the receipt that a refund reverses. It is the zero row if that receipt is in no
// row.
type originalRow = *rest.Fact[*premium.Receipt, row]

// noOriginal loads the originalRow of a receipt that is no refund: the zero row.
func noOriginal(context.Context, *rest.Draft[*premium.Receipt]) (row, error) { return row{}, nil }

// refund writes a receipt that reverses another or a part of it. It takes the number after that of the last refund,
// and the unique index makes sure that there is only one with it: whoever finds it taken decides anew on what is left
// then. So one write is the whole of a refund, and there is nothing to complete after a crash.
func (e *environment) refund(original originalRow) rest.Action[*premium.Receipt] {
	return rest.Spawn("refund", rest.AnyState, func(ctx context.Context, c *rest.Change[*premium.Receipt],
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
		of, err := e.next(ctx, reversed, body.PaymentAmount)
		if err != nil {
			return nil, err
		}
		of.ReceiptType = receiptType
		d := &rest.Draft[*premium.Receipt]{Now: c.Now, Value: of}
		if pinned := c.Record.Pinned(rowIndex); pinned != "" {
			of, err := parseRow(pinned)
			if err != nil {
				return nil, err
			}
			original.Set(d, of)
		}
		return d, nil
	}, rest.Check[*premium.Refund]{
		Name: "paymentAmount is below 1", DependsOn: []string{"paymentAmount"},
		Refuses: []problem.Kind{problems.InvalidPaymentAmount},
		Run: func(_ context.Context, d *rest.Draft[*premium.Refund]) error {
			if amount := d.Value.PaymentAmount; amount != nil && *amount < 1 {
				return problem.New(problems.InvalidPaymentAmount, "").At("/paymentAmount", "must be greater than 0")
			}
			return nil
		},
	}).Refusing(problem.Transition, problem.Required, problems.AlreadyReversed, problems.RefundAboveRest)
}

// next returns the next refund of a receipt: of an amount, or of all that is left where none is named. A refund that
// is the whole receipt and was not asked for by its amount is what it was before there were others.
func (e *environment) next(
	ctx context.Context, reversed *premium.Receipt, amount *scalar.Int,
) (*premium.Receipt, error) {
	if amount != nil && *amount > amountOf(reversed) {
		return nil, problem.New(problems.InvalidPaymentAmount, "A refund is no more than its receipt.").
			At("/paymentAmount", fmt.Sprintf("must be at most %d", amountOf(reversed)))
	}
	last, err := e.lastRefund(ctx, reversed)
	if err != nil {
		return nil, err
	}
	left, number := amountOf(reversed), scalar.Int(1)
	if last != nil {
		left, number = left-refundedBy(last), numberOf(last)+1
	}
	switch {
	case left <= 0 && last != nil:
		return nil, problem.New(problems.AlreadyReversed, "").With("existingId", last.ID)
	case amount != nil && *amount > left:
		return nil, problem.New(problems.RefundAboveRest, fmt.Sprintf("Of the receipt, %d is left.", left)).
			With("left", left).At("/paymentAmount", fmt.Sprintf("must be at most %d", left))
	case number > mostRefunds:
		return nil, problem.New(problem.Transition, fmt.Sprintf("A receipt has %d refunds at most.", mostRefunds))
	}
	of := &premium.Receipt{
		PaymentAmount: reversed.PaymentAmount, PremiumPaymentMethod: reversed.PremiumPaymentMethod,
		PolicyNumber: reversed.PolicyNumber, ClaimNumber: reversed.ClaimNumber, Reverses: reversed.ID,
	}
	if amount == nil && last == nil {
		return of, nil
	}
	if amount == nil {
		amount = &left
	}
	of.PaymentAmount = amount
	of.RefundNumber, of.RefundedAmount = scalar.Issued(number), scalar.Issued(amountOf(reversed)-left+*amount)
	return of, nil
}
