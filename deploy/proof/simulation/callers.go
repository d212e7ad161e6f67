package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// caller is a program that sends requests and notes what it was told.
type caller struct {
	name   string
	random *rand.Rand
	// reach returns the process of a service that a request goes to.
	reach func(service string, random *rand.Rand) *replica
	// now returns the present instant, by the clock of the processes.
	now func() time.Time
	// troubled is how long faults happen.
	troubled time.Duration
	// policies is the number of policies that receipts are about.
	policies int
	// book is shared by all callers.
	book *book
}

// book is what the callers tried, and what they were told.
type book struct {
	entries  []*entry
	claims   claimBook
	parties  partyBook
	policies policyBook
	wrong    []string
}

// entry is one record that a caller wants to be made.
type entry struct {
	// amount tells it from all others but its own refund.
	amount int
	key    string
	// refunds is the entry whose receipt this one reverses; nil if it is no refund.
	refunds *entry
	// attempts counts the requests that may have made the record.
	attempts int
	// ids are those that callers were told.
	ids []string
	// settled means that the caller has heard what became of it.
	settled bool
}

// patience is how often a caller repeats a request.
const patience = 200

// workOnReceipts records receipts, some with a key, and refunds those that all callers have recorded.
func (c *caller) workOnReceipts(ctx context.Context, number int) {
	for i := range 2 + c.random.IntN(3) {
		pause(ctx, time.Duration(c.random.Int64N(int64(c.troubled/4))))
		e := &entry{amount: 1000*(number+1) + i}
		if c.random.IntN(2) == 0 {
			e.key = fmt.Sprintf("key-%d", e.amount)
		}
		c.book.entries = append(c.book.entries, e)
		c.receipt(ctx, e)
		switch c.random.IntN(4) {
		case 0:
			if of := c.anyReceipt(); of != nil {
				c.refund(ctx, of)
			}
		case 1:
			if e.key != "" && e.settled {
				c.receipt(ctx, e)
			}
		}
	}
}

// receipt posts a receipt. With a key, it posts it until it hears of it.
func (c *caller) receipt(ctx context.Context, e *entry) {
	body := fmt.Sprintf(`{"policyNumber":"P%d","receiptType":"new policy","paymentAmount":%d}`, 1+e.amount%c.policies, e.amount)
	var header []string
	if e.key != "" {
		header = []string{"Idempotency-Key", e.key}
	}
	for range patience {
		e.attempts++
		got, heard := c.reach("premium", c.random).post(ctx, fmt.Sprintf("POST receipt %d %s", e.amount, e.key), "/receipt", body, header...)
		switch {
		case heard && (got.status == http.StatusCreated || got.status == http.StatusOK):
			e.told(c, got)
			return
		case heard && got.status != http.StatusServiceUnavailable:
			c.complain("POST /receipt of %d: %d %s", e.amount, got.status, got.body)
			return
		case e.key == "":
			return // Whether it was made is not known, and to send it again might make another.
		}
		pause(ctx, time.Second/4+time.Duration(c.random.Int64N(int64(time.Second))))
	}
	c.complain("POST /receipt of %d: not heard of after %d attempts", e.amount, patience)
}

// told notes the record that a response is about.
func (e *entry) told(c *caller, got answer) {
	var record struct {
		ID            string `json:"id"`
		PaymentAmount int    `json:"paymentAmount"`
	}
	if err := json.Unmarshal([]byte(got.body), &record); err != nil || record.ID == "" || record.PaymentAmount != e.amount {
		c.complain("the response about %d is %s", e.amount, got.body)
		return
	}
	e.ids = append(e.ids, record.ID)
	e.settled = true
}

// anyReceipt returns an entry whose receipt is known; nil if there is none.
func (c *caller) anyReceipt() *entry {
	var known []*entry
	for _, e := range c.book.entries {
		if e.settled && e.refunds == nil {
			known = append(known, e)
		}
	}
	if len(known) == 0 {
		return nil
	}
	return known[c.random.IntN(len(known))]
}

// refund refunds a receipt, until it hears that it is refunded, by itself or by another.
func (c *caller) refund(ctx context.Context, of *entry) {
	e := &entry{amount: of.amount, refunds: of}
	c.book.entries = append(c.book.entries, e)
	for range patience {
		e.attempts++
		got, heard := c.reach("premium", c.random).post(ctx, fmt.Sprintf("refund of %d", of.amount), "/receipt/"+of.ids[0]+":refund", `{"receiptType":"other"}`)
		switch {
		case heard && (got.status == http.StatusCreated || got.status == http.StatusOK):
			e.told(c, got)
			return
		case heard && got.status == http.StatusConflict:
			return
		case heard && got.status != http.StatusServiceUnavailable:
			c.complain("refund of %d: %d %s", of.amount, got.status, got.body)
			return
		}
		pause(ctx, time.Second/4+time.Duration(c.random.Int64N(int64(time.Second))))
	}
	c.complain("refund of %d: not heard of after %d attempts", e.amount, patience)
}

// complain notes a response that should not be.
func (c *caller) complain(format string, values ...any) {
	c.book.wrong = append(c.book.wrong, c.name+": "+fmt.Sprintf(format, values...))
}
