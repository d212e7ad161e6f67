package bordereau

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/services/desk/check"
	"insurance.example/exchange/services/desk/period"
	"insurance.example/exchange/services/desk/underway"
)

// behind is how much later than a period a whole page of receipts must be recorded for the reading to end: the clocks
// of replicas may differ by that.
const behind = time.Hour

// collection is the lines of a premium bordereau on their way.
type collection struct {
	reading
	// base is the version after which reading goes on; nil to read from the first receipt.
	base *version
	// has are the ids of the lines that stand, if all receipts are read because others belong to the contract now than
	// when base was prepared; else it is nil.
	has *standingIDs
	// check checks the lines of a version; nil where nothing is made of them, so that receipts need not be aggregated
	// yet.
	check *check.Checker

	types *simplelru.LRU[string, string]
}

// collect prepares the collection of the lines of a period, as a version of a type would have them.
func (d *Desk) collect(of reading, l *ledger, kind string) *collection {
	p := of.period
	c := &collection{reading: of}
	c.types, _ = simplelru.NewLRU[string, string](mostKnown, nil)
	stands := l.standing(p)
	if kind == desk.Correction || len(stands) == 0 {
		stands = l.standingBefore(p)
	}
	if len(stands) > 0 {
		c.base = stands[len(stands)-1]
	}
	if c.base == nil {
		return c
	}
	c.read.Next, c.read.Last = c.base.Read.Next, c.base.Read.Next
	more := c.base.knowsNoClaims() && (c.anew == nil || !c.anew.knowsNoClaims())
	if c.base.Read.Rule != c.read.Rule || c.base.Read.Assigned != c.read.Assigned || more {
		c.read.Next, c.read.Last = "", ""
		c.has = d.standing(l, func(of period.Period) bool {
			return of.Earlier(p) || of == p && kind != desk.Correction
		})
	}
	return c
}

// lines implements maker.
func (c *collection) lines(ctx context.Context, take func(line any, of amounts) error) error {
	return c.receipts(ctx, func(r internalapi.ReportedReceipt, of *policy) error {
		line, amounts, err := c.line(r, of)
		if err == nil && c.check != nil {
			err = c.check.Premium(ctx, &line, &r.Record)
		}
		if err != nil {
			return err
		}
		return take(line, premiumAmounts{line.Section, c.of.Money, amounts})
	})
}

func (c *collection) store(_ *version, work *underway.Work, report func(desk.BordereauFinding) error) {
	c.check, c.stored, c.work = c.checker(desk.Premium, report), true, work
}

func (c *collection) checks() []desk.BordereauCheck { return c.check.Outcomes() }

// finish implements maker.
func (c *collection) finish(ctx context.Context, v *version, l *ledger, of *sums) error {
	v.Read = c.read
	written, err := l.written(c, v, of.premium)
	if err != nil {
		return err
	}
	return c.check.EndPremium(ctx, written)
}

func (c *collection) reaches(ctx context.Context) error {
	_, err := c.desk.source.Receipts(ctx, "")
	return err
}

// receipts calls a function with each receipt that belongs to the period, in the order of their ids, and with its
// policy. Errors: problem.Unavailable, also while receipts of the period have still to be aggregated; those of take.
func (c *collection) receipts(ctx context.Context, take func(internalapi.ReportedReceipt, *policy) error) error {
	start, kept, end := c.read.Next, false, c.period.End(c.of.Zone)
	for after, more := start, true; more; {
		page, err := c.desk.source.Receipts(ctx, after)
		if err != nil {
			return err
		}
		c.underPolicies(page.Receipts)
		if err := c.knowReceipts(ctx, page.Receipts); err != nil {
			return err
		}
		if c.anew != nil {
			// What came later was not read then.
			page.Receipts, page.More = until(page.Receipts, c.anew.Read.Last, page.More)
		}
		c.work.Read(ctx, len(page.Receipts))
		past := len(page.Receipts) > 0
		for _, r := range page.Receipts {
			id, recorded := string(r.Record.ID), r.Record.RecordedAt.Time()
			past = past && !recorded.Before(end.Add(behind))
			if !recorded.Before(end) {
				if !kept {
					c.read.Next, kept = after, true
				}
				after, c.read.Last = id, id
				continue
			}
			of, belongs := c.policies.Get(text(r.Record.PolicyNumber))
			takes := false
			if belongs && of != nil {
				if takes, err = c.takes(ctx, id, recorded); err != nil {
					return err
				}
			}
			if takes {
				if r.Awaited && c.check != nil {
					return awaits(c.period, id, c.at)
				}
				if err := take(r, of); err != nil {
					return err
				}
			}
			after, c.read.Last = id, id
		}
		more = page.More && !past
	}
	if !kept {
		c.read.Next = c.read.Last
	}
	return nil
}

// underPolicies gives each receipt of a page that names a claim alone the number of the claim's policy.
func (c *collection) underPolicies(page []internalapi.ReportedReceipt) {
	if c.anew != nil && c.anew.knowsNoClaims() {
		return
	}
	for i := range page {
		if r := &page[i]; r.Record.PolicyNumber == nil && r.PolicyNumber != "" {
			r.Record.PolicyNumber = &r.PolicyNumber
		}
	}
}

// knowsNoClaims reports whether a version is from a release before 1.3.0, which left out the receipts that name a claim
// alone.
func (v *version) knowsNoClaims() bool { return v.Read.Taken == nil }

// until returns the receipts up to one with an id, and whether there are more of these.
func until(page []internalapi.ReportedReceipt, last string, more bool) ([]internalapi.ReportedReceipt, bool) {
	for i, r := range page {
		if strings.Compare(string(r.Record.ID), last) > 0 {
			return page[:i], false
		}
	}
	return page, more
}

// takes reports whether a receipt that was recorded before the end of the period has no line yet.
func (c *collection) takes(ctx context.Context, id string, recorded time.Time) (bool, error) {
	switch {
	case c.has != nil:
		has, err := c.has.has(ctx, id)
		return !has, err
	case c.base == nil || strings.Compare(id, c.base.Read.Last) > 0:
		return true, nil
	}
	// It was read for the version before, and has its line unless it was recorded after the end of that period.
	before, _ := period.Parse(c.base.Head.Period)
	return !recorded.Before(before.End(c.of.Zone)), nil
}

// knowReceipts looks up what is not known yet: the policies of receipts, and the types of those that they reverse.
func (c *collection) knowReceipts(ctx context.Context, page []internalapi.ReportedReceipt) error {
	var numbers []string
	for _, r := range page {
		if id := string(r.Record.ID); !c.types.Contains(id) {
			c.types.Add(id, text(r.Record.ReceiptType))
		}
		if number := text(r.Record.PolicyNumber); number != "" {
			numbers = append(numbers, number)
		}
	}
	if err := c.know(ctx, numbers); err != nil {
		return err
	}
	var reversed []string
	for _, r := range page {
		of, _ := c.policies.Peek(text(r.Record.PolicyNumber))
		if id := string(r.Record.Reverses); of != nil && id != "" && !c.types.Contains(id) {
			reversed = append(reversed, id)
		}
	}
	types, err := c.desk.source.ReceiptTypes(ctx, reversed)
	for id, is := range types {
		c.types.Add(id, is)
	}
	return err
}
