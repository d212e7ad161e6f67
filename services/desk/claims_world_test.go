package desk_test

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

// claim is a claim of the world, with all that happened to it.
type claim struct {
	id, policy string
	// issued is its number; empty for one that is made of its id.
	issued   string
	happened []event
}

// event is something that happened to a claim: its reserve was set, or it was paid and closed, or opened again, or an
// interim payment was made at an instant.
type event struct {
	at            time.Time
	reserve, paid int64
	reopened      bool
	paidAt        string
}

// file files a claim against a policy, now, and returns it.
func (w *world) file(policy string, reserve int64) *claim {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made++
	c := &claim{id: fmt.Sprintf("01930000-0000-7000-8000-%012d", w.made), policy: policy}
	c.happened = []event{{at: w.clock.Now().UTC(), reserve: reserve}}
	w.claims = append(w.claims, c)
	return c
}

// reserve, settle and reopen do what the operations of a claim do, now.
func (w *world) reserve(c *claim, reserve int64) { w.happen(c, event{reserve: reserve}) }
func (w *world) settle(c *claim, paid int64)     { w.happen(c, event{reserve: -1, paid: paid}) }
func (w *world) reopen(c *claim)                 { w.happen(c, event{reserve: -1, reopened: true}) }

// interim records a payment that was made at an instant, now.
func (w *world) interim(c *claim, paid int64, at string) {
	w.happen(c, event{reserve: -1, paid: paid, paidAt: at})
}

func (w *world) happen(c *claim, e event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.at = w.clock.Now().UTC()
	c.happened = append(c.happened, e)
}

// facts are what a claim was at an instant.
type facts struct {
	status               string
	reserve              int64
	payments             []map[string]any
	paid, paidSince      int64
	reservedAfter        int
	reopenedOn, closedOn string
	recordedAt           time.Time
}

// at returns what the claim was at an instant, and whether it was there.
func (c *claim) at(instant time.Time) (f facts, was bool) {
	for i, e := range c.happened {
		if e.at.After(instant) {
			break
		}
		was = true
		switch {
		case i == 0:
			f.status, f.reserve, f.recordedAt = "open", e.reserve, e.at
		case e.reopened:
			f.status, f.reopenedOn = "reopened", e.at.Format(time.DateOnly)
		case e.reserve >= 0:
			if e.reserve != f.reserve {
				f.reserve, f.paidSince, f.reservedAfter = e.reserve, 0, len(f.payments)
			}
		case e.paidAt != "":
			f.paid, f.paidSince = f.paid+e.paid, f.paidSince+e.paid
			f.payments = append(f.payments, map[string]any{"paymentAmount": e.paid, "paymentMethod": "cheque",
				"paidAt": e.paidAt, "recordedAt": e.at.Format(time.RFC3339)})
		default:
			f.status, f.closedOn = "closed", e.at.Format(time.DateOnly)
			f.paid, f.paidSince = f.paid+e.paid, f.paidSince+e.paid
			f.payments = append(f.payments, map[string]any{"paymentAmount": e.paid, "paymentMethod": "cheque",
				"paidAt": e.at.Format(time.RFC3339)})
		}
	}
	return f, was
}

// number is the number of the claim.
func (c *claim) number() string { return cmp.Or(c.issued, "CLM-"+c.id[30:]) }

// record returns the claim as its readers saw it at an instant, and whether it was there.
func (c *claim) record(at time.Time) (record map[string]any, was bool) {
	f, was := c.at(at)
	record = map[string]any{"id": c.id, "claimNumber": c.number(), "policyNumber": c.policy, "claimStatus": f.status,
		"reserve": f.reserve, "payments": f.payments, "lossCause": "=fire", "lossDate": "2026-06-01T00:00:00Z"}
	if f.reopenedOn != "" {
		record["reopenDate"] = f.reopenedOn
	}
	return record, was
}

// outstanding is what is still to be paid, in the words of the page about the desk.
func (f facts) outstanding() int64 {
	if f.status == "closed" {
		return 0
	}
	return max(0, f.reserve-f.paidSince)
}

func (w *world) claimsAt(after string, query url.Values) any {
	most, _ := strconv.Atoi(query.Get("limit"))
	at, err := time.Parse(time.RFC3339Nano, query.Get("at"))
	if err != nil {
		w.t.Error(err)
	}
	found, last := []map[string]any{}, ""
	page := func(more bool) any { return map[string]any{"claims": found, "last": last, "more": more} }
	for _, c := range w.claims {
		if after != "oldest" && c.id <= after {
			continue
		}
		if len(found) == most {
			return page(true)
		}
		last = c.id
		f, was := c.at(at)
		if !was {
			continue
		}
		record, _ := c.record(at)
		found = append(found, map[string]any{"record": record, "recordedAt": f.recordedAt.Format(time.RFC3339),
			"reservedAfter": f.reservedAfter})
	}
	return page(false)
}

func (w *world) claimsOf(policy string) (of []map[string]string) {
	of = []map[string]string{}
	for _, c := range w.claims {
		if c.policy == policy {
			of = append(of, map[string]string{"id": c.id})
		}
	}
	return of
}
