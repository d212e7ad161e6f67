package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"insurance.example/exchange/pkg/docstore"
)

// caller is a program that sends requests and notes the responses.
type caller struct {
	name   string
	random *rand.Rand
	// reach returns the process of a service that gets a request.
	reach func(service string, random *rand.Rand) *replica
	// now returns the time of the processes' clock.
	now func() time.Time
	// pass lets that clock move on.
	pass func(context.Context, time.Duration)
	// meanwhile has another caller do something.
	meanwhile func(task)
	// storeOf returns the store of a service.
	storeOf func(service string) docstore.Store
	// persists: it repeats every request until a response comes.
	persists bool
	// troubled is how long faults happen.
	troubled time.Duration
	// policies is the number of policies that receipts are about.
	policies int
	// book is shared by all callers.
	book *book
}

// book holds what the callers tried, and the responses that they got.
type book struct {
	recordings []*recording
	refunds    []*refund
	claims     claimBook
	parties    partyBook
	policies   policyBook
	desk       deskBook
	shared     []*sharedPolicy
	wrong      []string
}

// recording is one receipt that a caller tries to record.
type recording struct {
	// amount is different for each receipt.
	amount int
	key    string
	// ids are those in the responses.
	ids []string
	// settled is true once a response has said whether the record was created.
	settled bool
}

// patience is how often a caller repeats a request.
const patience = 200

// workOnReceipts records receipts, some with a key, and refunds those that all callers have recorded.
func (c *caller) workOnReceipts(ctx context.Context, number int) {
	for i := range 2 + c.random.IntN(3) {
		pause(ctx, time.Duration(c.random.Int64N(int64(c.troubled/4))))
		e := &recording{amount: 1000*(number+1) + i}
		if c.random.IntN(2) == 0 {
			e.key = fmt.Sprintf("key-%d", e.amount)
		}
		c.book.recordings = append(c.book.recordings, e)
		c.receipt(ctx, e)
		switch c.random.IntN(4) {
		case 0:
			if of := c.anyReceipt(); of != nil {
				for range 1 + c.random.IntN(3) {
					c.refund(ctx, of)
				}
			}
		case 1:
			if e.key != "" && e.settled {
				c.receipt(ctx, e)
			}
		}
	}
}

// receipt posts a receipt. With a key, it repeats the request until a response comes.
func (c *caller) receipt(ctx context.Context, e *recording) {
	body := fmt.Sprintf(`{"policyNumber":"P%d","receiptType":"new policy","paymentAmount":%d}`,
		1+e.amount%c.policies, e.amount)
	var header []string
	if e.key != "" {
		header = []string{"Idempotency-Key", e.key}
	}
	times := patience
	if e.key == "" {
		times = 1 // It may have been created. A repetition could create another one.
	}
	got := c.repeat(ctx, times, "premium", fmt.Sprintf("POST receipt %d %s", e.amount, e.key), "/receipt", body,
		header...)
	switch {
	case got.status == http.StatusCreated || got.status == http.StatusOK:
		e.told(c, got)
	case got.status > 0 || times > 1:
		c.complain("POST /receipt of %d, sent up to %d times: %d %s", e.amount, times, got.status, got.body)
	}
}

// repeat posts a body so many times, or until there is a response that is no outage, and returns that; the zero answer
// if there is none.
func (c *caller) repeat(
	ctx context.Context, times int, service, what, path, body string, header ...string,
) answer {
	for sent := 1; ; sent++ {
		got, heard := c.reach(service, c.random).post(ctx, what, path, body, header...)
		switch {
		case heard && got.status != http.StatusServiceUnavailable:
			return got
		case sent == times:
			return answer{}
		}
		pause(ctx, time.Second/4+time.Duration(c.random.Int64N(int64(time.Second))))
	}
}

// told notes the id of the record in a response.
func (e *recording) told(c *caller, got answer) {
	if r, is := c.read(got); !is || r.PaymentAmount != int64(e.amount) {
		c.complain("the response about %d is %s", e.amount, got.body)
	} else {
		e.ids = append(e.ids, r.ID)
		e.settled = true
	}
}

// read returns the receipt in a response, and whether there is one.
func (*caller) read(got answer) (r receipt, is bool) {
	err := json.Unmarshal([]byte(got.body), &r)
	return r, err == nil && r.ID != ""
}

// anyReceipt returns a receipt that the callers know to be created; nil if there is none.
func (c *caller) anyReceipt() *recording {
	var records []*recording
	for _, e := range c.book.recordings {
		if e.settled {
			records = append(records, e)
		}
	}
	if len(records) == 0 {
		return nil
	}
	return records[c.random.IntN(len(records))]
}

// complain notes a response that is wrong.
func (c *caller) complain(format string, values ...any) {
	c.book.wrong = append(c.book.wrong, c.name+": "+fmt.Sprintf(format, values...))
}
