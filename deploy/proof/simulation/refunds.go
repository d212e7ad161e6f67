package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// refund is one refund that a caller tries to make.
type refund struct {
	of *recording
	// amount is what is to be given back; 0 for all that is left. Callers may try the same.
	amount int
	// ids are those in the responses.
	ids []string
}

// refund refunds a part of a receipt, or all that is left of it. It repeats the latter until it is done, or nothing is
// left. A part is asked for once: it may have been given back, and a repetition could do it twice. A key would be told
// from others by the id of the receipt, which is another one in each run of a seed.
func (c *caller) refund(ctx context.Context, of *recording) {
	e, body, times := &refund{of: of}, `{"receiptType":"other"}`, patience
	if c.random.IntN(4) > 0 {
		e.amount, times = 1+c.random.IntN(of.amount), 1
		body = fmt.Sprintf(`{"receiptType":"other","paymentAmount":%d}`, e.amount)
	}
	c.book.refunds = append(c.book.refunds, e)
	got := c.repeat(ctx, times, "premium", fmt.Sprintf("refund of %d of %d", e.amount, of.amount),
		"/receipt/"+of.ids[0]+":refund", body)
	switch got.status {
	case http.StatusCreated, http.StatusOK:
		if r, is := c.read(got); !is || r.Reverses != of.ids[0] || e.amount != 0 && r.PaymentAmount != int64(e.amount) {
			c.complain("the response about the refund of %d of %d is %s", e.amount, of.amount, got.body)
		} else {
			e.ids = append(e.ids, r.ID)
		}
	case http.StatusConflict:
		var p struct{ Left *int }
		err := json.Unmarshal([]byte(got.body), &p)
		if err != nil || p.Left != nil && (*p.Left < 1 || *p.Left >= e.amount) {
			c.complain("the refund of %d of %d is refused with %s", e.amount, of.amount, got.body)
		}
	default:
		if got.status > 0 || times > 1 {
			c.complain("refund of %d of %d, sent up to %d times: %d %s", e.amount, of.amount, times, got.status,
				got.body)
		}
	}
}

// checkRefunds compares the stored refunds of each receipt with the receipt, with one another, and with those that the
// callers tried.
func (x *exchange) checkRefunds(receipts []receipt, complain func(string, ...any)) {
	originals, refunds := map[string]receipt{}, map[string][]receipt{}
	for _, r := range receipts {
		if r.Reverses == "" {
			originals[r.ID] = r
		} else {
			refunds[r.Reverses] = append(refunds[r.Reverses], r)
		}
	}
	for _, e := range x.book.refunds {
		for _, id := range e.ids {
			if !slices.ContainsFunc(refunds[e.of.ids[0]], func(r receipt) bool { return r.ID == id }) {
				complain("the refund %s of %d was acknowledged and is lost", id, e.of.amount)
			}
		}
	}
	for _, original := range receipts {
		all, is := refunds[original.ID]
		if !is {
			continue
		}
		tried := slices.DeleteFunc(slices.Clone(x.book.refunds), func(e *refund) bool {
			return e.of.ids[0] != original.ID
		})
		if len(all) > len(tried) {
			complain("receipt %s has %d refunds, and %d were tried", original.ID, len(all), len(tried))
		}
		slices.SortFunc(all, func(a, b receipt) int { return cmp.Compare(a.RefundNumber, b.RefundNumber) })
		sum := int64(0)
		for i, r := range all {
			sum += r.PaymentAmount
			numbered := r.RefundNumber == int64(i+1) && r.RefundedAmount == sum
			alone := r.RefundNumber == 0 && len(all) == 1 && sum == original.PaymentAmount
			if !numbered && !alone {
				complain("refund %d of receipt %s of %d is %+v", i+1, original.ID, original.PaymentAmount, r)
			}
			if !slices.ContainsFunc(tried, func(e *refund) bool {
				return int64(e.amount) == r.PaymentAmount || e.amount == 0 && sum == original.PaymentAmount
			}) {
				complain("nobody asked for the refund %+v", r)
			}
		}
		if sum > original.PaymentAmount {
			complain("of receipt %s of %d, %d is refunded", original.ID, original.PaymentAmount, sum)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(refunds)) {
		if _, is := originals[of]; !is {
			complain("the receipt %s is refunded and is not there", of)
		}
	}
}
