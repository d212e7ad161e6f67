package bordereau

import (
	"cmp"
	"context"
	"slices"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/check"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/period"
	"insurance.example/exchange/services/desk/underway"
)

// claimCollection is the lines of a claims bordereau on their way. Each claim is shown as it was at the end of the
// period, and its amounts go on from those of the period before.
type claimCollection struct {
	reading
	// before is what was reported for the period before.
	before *reported
	// additional says that the lines of the period that stand are left out; has are these, and nil elsewhere.
	additional bool
	has        *standingIDs
	// check and carried are nil where nothing is made of the lines.
	check   *check.Checker
	carried *block.Writer[carried]
}

// claims prepares the collection of the claims of a period, as a version of a type would have them.
func (d *Desk) claims(of reading, l *ledger, kind string) *claimCollection {
	p := of.period
	c := &claimCollection{reading: of, before: d.reported(l.standingBefore(p))}
	if kind != desk.Correction && len(l.standing(p)) > 0 {
		c.additional = true
		c.has = d.standing(l, func(of period.Period) bool { return of == p })
	}
	return c
}

func (c *claimCollection) store(v *version, work *underway.Work, report func(desk.BordereauFinding) error) {
	c.check, c.stored, c.work = c.checker(desk.Claims, report), true, work
	c.carried = &block.Writer[carried]{List: c.desk.list(v.Batch, carriedBlocks)}
}

func (c *claimCollection) checks() []desk.BordereauCheck { return c.check.Outcomes() }

func (c *claimCollection) finish(ctx context.Context, v *version, _ *ledger, _ *sums) error {
	v.Carried, v.Read = c.carried.Count, c.read
	if err := c.carried.Flush(ctx); err != nil {
		return err
	}
	return c.check.EndClaims(ctx)
}

func (c *claimCollection) reaches(ctx context.Context) error {
	_, err := c.desk.source.Claims(ctx, ends(c.of, c.period), "")
	return err
}

// ends returns the last instant of a period of a contract.
func ends(k *contract.Kept, p period.Period) time.Time { return p.End(k.Zone).Add(-time.Nanosecond) }

// lines implements maker.
func (c *claimCollection) lines(ctx context.Context, take func(line any, of amounts) error) error {
	for after, more := "", true; more; {
		page, err := c.desk.source.Claims(ctx, ends(c.of, c.period), after)
		if err != nil {
			return err
		}
		if c.anew != nil && c.anew.Read.Rule != "" && page.Last > c.anew.Read.Last {
			// What came later was not read then.
			page.Claims = slices.DeleteFunc(page.Claims, func(claim internalapi.ReportedClaim) bool {
				return string(claim.Record.ID) > c.anew.Read.Last
			})
			page.More = false
		}
		c.work.Read(ctx, len(page.Claims))
		var numbers, ids []string
		for _, claim := range page.Claims {
			ids = append(ids, string(claim.Record.ID))
			if number := text(claim.Record.PolicyNumber); number != "" {
				numbers = append(numbers, number)
			}
		}
		if err := c.know(ctx, numbers); err != nil {
			return err
		}
		added, err := c.desk.supplementsOf(ctx, c.at, ids)
		if err != nil {
			return err
		}
		for _, claim := range page.Claims {
			if err := c.claim(ctx, claim, added[string(claim.Record.ID)], take); err != nil {
				return err
			}
		}
		after, more = page.Last, page.More && page.Last != ""
		c.read.Last = cmp.Or(page.Last, c.read.Last)
	}
	return nil
}

// claim makes the line of a claim. One that is not shown, or belongs to another contract by now, is carried to the next
// version if it was reported.
func (c *claimCollection) claim(
	ctx context.Context, claim internalapi.ReportedClaim, added *desk.ClaimSupplement,
	take func(line any, of amounts) error,
) error {
	id := string(claim.Record.ID)
	before, err := c.before.of(ctx, id)
	if err != nil {
		return err
	}
	p, _ := c.policies.Get(text(claim.Record.PolicyNumber))
	if p == nil {
		return c.carry(ctx, before)
	}
	if c.additional {
		if has, err := c.has.has(ctx, id); has || err != nil {
			return err
		}
	}
	line, amounts, err := c.line(claim, p, added, before)
	if err != nil {
		return err
	}
	if !c.shows(line, amounts) {
		return c.carry(ctx, before)
	}
	if c.check != nil {
		late, ends := c.latePayments(&claim.Record), p.record.EndOfCover()
		if err := c.check.Claim(ctx, line, &claim, amounts.indemnity.Incurred, late, ends); err != nil {
			return err
		}
	}
	return take(*line, amounts)
}

// shows reports whether a claim is a line: every claim, or one that is not closed, or that has moved in the period.
func (c *claimCollection) shows(line *desk.ClaimLine, of claimAmounts) bool {
	closed := line.ClaimStatus == claimClosed || line.ClaimStatus == claimClosedThisMonth
	moved := of.indemnity.Paid.Sign() != 0 || of.indemnity.Change.Sign() != 0 || of.fees.Paid.Sign() != 0 ||
		of.fees.Change.Sign() != 0
	return c.of.ClaimsBasis == desk.AllClaims || !closed || moved
}

// carry keeps what was reported of a claim for the version after. An additional version has nothing to keep: the one
// that it is added to has.
func (c *claimCollection) carry(ctx context.Context, before *carried) error {
	if before == nil || c.carried == nil || c.additional {
		return nil
	}
	still, err := before.still()
	if err != nil {
		return err
	}
	return c.carried.Add(ctx, still)
}
