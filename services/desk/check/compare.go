package check

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/services/desk/source"
)

// mostRows is how many rows with a stated netPremium are compared. Few callers state any.
const mostRows = 20_000

// premiumLine is what is compared of a line of a premium bordereau.
type premiumLine struct {
	line
	row        rowKey
	section    string
	gross, net money.Amount
	// claim is the number of the claim that the receipt names.
	claim string
	// part says that the receipt gives back a part of another one.
	part bool
}

// claimLine is what is compared of a line of a claims bordereau: what was paid for the claim.
type claimLine struct {
	line
	claim string
	paid  money.Amount
}

// rowKey names a row of the premium bordereau.
type rowKey struct{ period, policyNumber, receiptType string }

// statedRow is a row of the premium bordereau, and the sums of its lines by now.
type statedRow struct {
	gross, stated money.Amount
	lines         struct{ gross, net money.Amount }
	// parts is how many of the lines give back a part of a receipt.
	parts int64
	// first is the first of the lines.
	first line
}

func (c *Checker) keepPremium(ctx context.Context, l *desk.BordereauLine, r *premium.Receipt) error {
	kept := premiumLine{line: line{l.LineID, l.PolicyNumber}, section: l.Section, claim: text(r.ClaimNumber),
		row: rowKey{text(r.Period), l.PolicyNumber, l.ReceiptType}}
	_, kept.part = r.RefundNumber.Value()
	kept.part = kept.part && r.Reverses != ""
	var err error
	if kept.gross, err = money.Parse(string(l.Gross)); err != nil {
		return err
	}
	if kept.net, err = money.Parse(string(l.Net)); err != nil {
		return err
	}
	if c.premium = append(c.premium, kept); len(c.premium) == source.Most {
		return c.comparePremium(ctx)
	}
	return nil
}

func (c *Checker) keepClaim(ctx context.Context, l *desk.ClaimLine, paid int64) error {
	if paid == 0 {
		return nil
	}
	c.claims = append(c.claims, claimLine{line{l.LineID, l.PolicyNumber}, l.ClaimNumber, c.of.Money.Gross(paid)})
	if len(c.claims) == source.Most {
		return c.compareClaims(ctx)
	}
	return nil
}

// comparePremium compares the lines that were kept.
func (c *Checker) comparePremium(ctx context.Context) error {
	var ids, returned, paid []string
	for _, l := range c.premium {
		switch {
		case l.section == desk.PaymentSection && l.gross.Sign() > 0:
			if l.claim == "" {
				c.lacks(withoutSettlement, "The receipt "+l.id+" names no claim.")
			} else if !slices.Contains(paid, l.claim) {
				paid = append(paid, l.claim)
			}
		case l.section == desk.PremiumSection:
			if l.row.period != "" {
				ids = append(ids, l.id)
			}
			if of := maphash.String(c.seed, l.policyNumber); l.gross.Sign() < 0 && !c.asked[of] {
				returned, c.asked[of] = append(returned, l.policyNumber), true
			}
		}
	}
	if err := c.addToStated(ctx, ids); err != nil {
		return err
	}
	if err := c.toDate(ctx, returned); err != nil {
		return err
	}
	err := c.settled(ctx, paid)
	c.premium = c.premium[:0]
	return err
}

// addToStated looks up the rows of lines of which somebody has stated the netPremium, and adds the lines to them.
func (c *Checker) addToStated(ctx context.Context, ids []string) error {
	rows, err := c.from.Stated(ctx, ids)
	if err != nil {
		return err
	}
	for _, r := range rows {
		key := rowKey{r.Period, r.PolicyNumber, r.TransactionType}
		switch {
		case c.rows[key] != nil:
			continue
		case len(c.rows) == mostRows:
			c.lacks(netDiffers, fmt.Sprintf("More than %d rows of the premium bordereau state a netPremium.", mostRows))
			continue
		}
		gross, err := c.units(r.GrossWrittenPremium)
		if err != nil {
			return err
		}
		c.rows[key], c.order = &statedRow{gross: gross, stated: c.of.Money.Gross(int64(r.NetPremium))},
			append(c.order, key)
	}
	for _, l := range c.premium {
		row := c.rows[l.row]
		if row == nil {
			continue
		}
		if row.first.id == "" {
			row.first = l.line
		}
		if l.part {
			row.parts++
		}
		if row.lines.gross, err = row.lines.gross.Plus(l.gross); err != nil {
			return err
		}
		if row.lines.net, err = row.lines.net.Plus(l.net); err != nil {
			return err
		}
	}
	return nil
}

// compareStated compares the netPremium of rows with that of their lines. Only a row all of whose receipts are lines
// can be compared. A netPremium is a whole number, so a difference of less than 1 is none; nor is one of less than the
// smallest unit of the currency for each part of a receipt that was given back, since each line is rounded on its own.
func (c *Checker) compareStated() error {
	if len(c.rows) == 0 {
		c.lacks(netDiffers, "No row of the premium bordereau in which a line counts states a netPremium.")
	}
	for _, key := range c.order {
		row := c.rows[key]
		of := fmt.Sprintf("The row of the premium bordereau for %s, the policy %s and the type %s", key.period,
			key.policyNumber, key.receiptType)
		if row.lines.gross.Cmp(row.gross) != 0 {
			c.lacks(netDiffers, of+" has receipts that are no lines of this version.")
			continue
		}
		by, err := row.stated.Minus(row.lines.net)
		if err != nil {
			return err
		}
		if by.Sign() < 0 {
			by = by.Negated()
		}
		most, err := c.of.Money.Gross(1).Plus(c.of.Money.Smallest(row.parts))
		if err != nil {
			return err
		}
		if by.Cmp(most) < 0 {
			continue
		}
		if err := c.found(netDiffers, &row.first, fmt.Sprintf("%s states a netPremium of %s, and its lines come to %s.",
			of, row.stated.Decimal(), row.lines.net.Decimal())); err != nil {
			return err
		}
	}
	return nil
}

// toDate warns of policies of which more premium was paid back than received. Only those of which some was paid back
// are asked for.
func (c *Checker) toDate(ctx context.Context, numbers []string) error {
	sums, err := c.from.ToDate(ctx, c.until, numbers)
	if err != nil {
		return err
	}
	received := map[string]money.Amount{}
	for _, s := range sums {
		amount, err := c.units(s.Gross)
		if err != nil {
			return err
		}
		if c.isPremium(s.TransactionType) {
			if received[s.PolicyNumber], err = received[s.PolicyNumber].Plus(amount); err != nil {
				return err
			}
		}
	}
	for _, number := range numbers {
		amount, known := received[number]
		switch {
		case !known:
			c.lacks(grossBelowZero, "Receipts of the policy "+number+" do not count in the premium bordereau.")
		case amount.Sign() < 0:
			i := slices.IndexFunc(c.premium, func(l premiumLine) bool {
				return l.policyNumber == number && l.section == desk.PremiumSection && l.gross.Sign() < 0
			})
			if err := c.found(grossBelowZero, &c.premium[i].line, fmt.Sprintf(
				"The premium of the policy comes to %s to date: more was paid back than received.",
				amount.Decimal())); err != nil {
				return err
			}
		}
	}
	return nil
}

// settled warns of receipts for claims that come to more than the settlements of these.
func (c *Checker) settled(ctx context.Context, numbers []string) error {
	received, err := c.payments(ctx, numbers)
	if err != nil {
		return err
	}
	past, err := c.from.ClaimsAt(ctx, c.until, numbers)
	if err != nil {
		return err
	}
	for _, l := range c.premium {
		if l.section != desk.PaymentSection || l.gross.Sign() <= 0 || l.claim == "" {
			continue
		}
		of, known := past[l.claim]
		if !known {
			c.lacks(withoutSettlement, "It is not known what the claim "+l.claim+" was at the end of the period.")
			continue
		}
		settled := c.of.Money.Gross(claims.Paid(of.Value.Payments))
		if received[l.claim].Cmp(settled) <= 0 {
			continue
		}
		if err := c.found(withoutSettlement, &l.line, fmt.Sprintf("The receipts for the claim %s come to %s, and its "+
			"settlements to %s.", l.claim, received[l.claim].Decimal(), settled.Decimal())); err != nil {
			return err
		}
	}
	return nil
}

// compareClaims warns of claims whose settlements come to more than the receipts for them.
func (c *Checker) compareClaims(ctx context.Context) error {
	var numbers []string
	for _, l := range c.claims {
		numbers = append(numbers, l.claim)
	}
	received, err := c.payments(ctx, numbers)
	if err != nil {
		return err
	}
	for _, l := range c.claims {
		if l.paid.Cmp(received[l.claim]) <= 0 {
			continue
		}
		if err := c.found(withoutReceipt, &l.line, fmt.Sprintf("The settlements of the claim %s come to %s, and the "+
			"receipts of the type claim payment that name it to %s.", l.claim, l.paid.Decimal(),
			received[l.claim].Decimal())); err != nil {
			return err
		}
	}
	c.claims = c.claims[:0]
	return nil
}

// payments returns what was paid for claims by the end of the period, as receipts say.
func (c *Checker) payments(ctx context.Context, numbers []string) (map[string]money.Amount, error) {
	payments, err := c.from.ClaimPayments(ctx, c.until, numbers)
	if err != nil {
		return nil, err
	}
	by := map[string]money.Amount{}
	for _, p := range payments {
		if by[p.ClaimNumber], err = c.units(p.Paid); err != nil {
			return nil, err
		}
	}
	return by, nil
}

// units returns a number that the exchange has as an amount.
func (c *Checker) units(of scalar.Integer) (money.Amount, error) {
	text, err := c.of.Money.Major(scalar.Decimal(of))
	if err != nil {
		return money.Amount{}, err
	}
	return money.Parse(string(text))
}
