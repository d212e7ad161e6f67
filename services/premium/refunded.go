package premium

import (
	"context"
	"strconv"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/request"
)

const (
	// refundIndex is the name of the index by which a refund is found among those of its receipt.
	refundIndex = "reverses"
	// mostRefunds is how many refunds a receipt may have.
	mostRefunds = 1000
)

// refundOf returns the value in refundIndex of a refund with a number among those of a receipt; "" for no refund. That
// of the first is what a refund had when there was only one, so that a release of that time refuses a second.
func refundOf(reversed scalar.ID, number scalar.Int) string {
	if reversed == "" || number == 1 {
		return string(reversed)
	}
	return string(reversed) + "/" + strconv.FormatInt(int64(number), 10)
}

// numberOf returns the number of a refund among those of its receipt. One without a number is the only one.
func numberOf(refund *premium.Receipt) scalar.Int {
	if number, is := refund.RefundNumber.Value(); is {
		return number
	}
	return 1
}

// refundedBy returns what the refunds of a receipt come to with one of them. One without the sum is the whole receipt.
func refundedBy(refund *premium.Receipt) scalar.Int {
	if sum, is := refund.RefundedAmount.Value(); is {
		return sum
	}
	return amountOf(refund)
}

// amountOf returns the amount of a receipt.
func amountOf(r *premium.Receipt) scalar.Int {
	if r.PaymentAmount == nil {
		return 0
	}
	return *r.PaymentAmount
}

// lastRefund returns the last refund of a receipt, nil if there is none, whoever has made it. The numbers have no gaps,
// so it is found by doubling and then halving: one reading for a receipt without refunds, and about twenty for the most
// that one may have.
func (e *environment) lastRefund(ctx context.Context, reversed *premium.Receipt) (*premium.Receipt, error) {
	ctx = request.ForExchange(ctx)
	var last *premium.Receipt
	has, lacks := scalar.Int(0), scalar.Int(mostRefunds+1)
	for next := scalar.Int(1); has+1 < lacks; {
		receipt, exists, err := e.receipts.One(ctx, refundIndex, refundOf(reversed.ID, next))
		if err != nil {
			return nil, err
		}
		if !exists {
			lacks = next
		} else if last, has = receipt.Value, next; refundedBy(last) >= amountOf(reversed) {
			break // nothing is left for another one
		}
		if next = 2 * has; next >= lacks {
			next = has + (lacks-has)/2
		}
	}
	return last, nil
}

// left returns what is left of a receipt that is no refund.
func (e *environment) left(ctx context.Context, of *premium.Receipt) (scalar.Int, error) {
	last, err := e.lastRefund(ctx, of)
	if err != nil || last == nil {
		return amountOf(of), err
	}
	return amountOf(of) - refundedBy(last), nil
}
