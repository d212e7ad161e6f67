package rows

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/services/book/figures"
)

// settle computes the rows of a policy. Of one that is not there yet, what names it waits.
func (s *settling) settle(number string) error {
	p, err := fact[policyFact](s.conn, "SELECT fact FROM policy WHERE number = ?", number)
	if err != nil || p == nil {
		return err
	}
	a, err := s.account(p)
	if err != nil {
		return err
	}
	losses, err := s.claims(a)
	if err != nil {
		return err
	}
	return s.policy(a, losses)
}

// losses are the figures of the claims of a policy.
type losses struct {
	figures.Sums
	claims, open int64
}

// claims computes the rows of the claims of a policy, and those of their payments.
func (s *settling) claims(a *account) (all losses, err error) {
	of, err := facts[claimFact](s.conn, "SELECT fact FROM claim WHERE policy = ?", a.of.Number)
	if err != nil {
		return all, err
	}
	for _, c := range of {
		known := figures.Claim{Notified: c.Notified}
		for _, r := range c.Reserves {
			known.Reserves = append(known.Reserves, figures.Reserve{Recorded: r.Recorded, Status: r.Status,
				Outstanding: r.Outstanding, Paid: r.Paid})
		}
		for _, p := range c.Payments {
			known.Payments = append(known.Payments, figures.Payment{Units: p.Units, Recorded: p.Recorded})
		}
		months, err := a.Loss(known)
		if err != nil {
			return all, err
		}
		total, err := months.Total()
		if err == nil {
			all.Sums, err = all.Plus(total)
		}
		if err != nil {
			return all, err
		}
		if all.claims++; c.Status != claims.Closed {
			all.open++
		}
		incurred, err := total.Incurred()
		if err != nil {
			return all, err
		}
		row := &book.ClaimRow{ClaimNumber: c.Number, ID: c.ID, PolicyNumber: a.of.Number, Line: a.of.Line,
			Insured: a.insured, Contract: a.head.Contract, BrokerID: a.of.Broker, Broker: a.broker,
			AgentID: a.of.Agent, Agent: a.agent, Year: a.head.Year, Country: a.head.Country,
			Currency: a.Currency, Cause: c.Cause, LossDate: instant(c.Loss), FNOL: instant(c.Notified),
			Status:       c.Status,
			LastMovement: instant(c.Moved), LastEvent: c.Event, ExternalReference: c.Reference,
			Reserve: a.Amount(c.Reserve).Decimal(), Paid: total.Paid.Decimal(),
			Outstanding: total.Outstanding.Decimal(),
			Incurred:    incurred.Decimal(), Payments: int64(len(c.Payments))}
		added := adds{head: a.head}
		added.Cause = c.Cause
		s.opens(&added, total.Outstanding, c.Notified)
		if err := s.put(Claims, a, c.Number, row, added, months); err != nil {
			return all, err
		}
		for i, p := range c.Payments {
			row := &book.MovementRow{ID: fmt.Sprintf("%s-%d", c.ID, i+1), Kind: book.Payment, PolicyNumber: a.of.Number,
				ClaimNumber: c.Number, Type: p.Method, Amount: a.Amount(p.Units).Decimal(),
				Date: scalar.DateOf(p.Paid, a.Zone), RecordedAt: instant(p.Recorded)}
			if err := s.move(a, row); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// policy computes the row of a policy, and those of its receipts.
func (s *settling) policy(a *account, loss losses) error {
	receipts, last, err := s.receipts(a)
	if err != nil {
		return err
	}
	known := figures.Policy{Inception: a.of.Inception, Expiry: a.of.Expiry, CoverEnds: a.of.CoverEnds,
		Stated: len(a.of.Written) > 0, Receipts: receipts}
	for _, w := range a.of.Written {
		gross, err := a.Major(cmp.Or(w.Gross, "0"))
		if err != nil {
			return err
		}
		amount, err := money.Parse(string(gross))
		if err == nil {
			amount, err = a.Round(amount)
		}
		if err != nil {
			return err
		}
		known.Written = append(known.Written, figures.Written{From: w.From, Gross: amount})
	}
	premium, err := a.Premium(known)
	if err != nil {
		return err
	}
	total, err := premium.Months.Total()
	if err != nil {
		return err
	}
	row := &book.PolicyRow{PolicyNumber: a.of.Number, ID: a.of.ID, Line: a.of.Line, Status: a.of.Status,
		InceptionDate: instant(a.of.Inception), ExpiryDate: instant(a.of.Expiry), CoverEnds: instant(a.of.CoverEnds),
		Insured: a.insured, Object: a.object, Country: a.head.Country, PolicyholderID: scalar.ID(a.of.Holder),
		Contract: a.head.Contract, Year: a.head.Year, Currency: a.Currency, ExternalReference: a.of.Reference,
		Replaces: a.of.Replaces, RenewedFrom: a.renewedFrom, RenewedTo: a.renewedTo,
		BrokerID: a.of.Broker, Broker: a.broker, AgentID: a.of.Agent, Agent: a.agent,
		LastReceipt: last, Written: total.Written.Decimal(), Received: total.Received.Decimal(),
		Refunded: total.Refunded.Decimal(),
		Claims:   loss.claims, OpenClaims: loss.open, Paid: loss.Paid.Decimal(),
		Outstanding: loss.Outstanding.Decimal()}
	open, err := amounts(row, a, known.Stated, total, loss.Sums)
	if err != nil {
		return err
	}
	if premium.AtInception {
		row.Marks = append(row.Marks, book.EarnedAtInception)
	}
	added := adds{head: a.head}
	s.opens(&added, open, a.of.Inception)
	return s.put(Policies, a, a.of.Number, row, added, premium.Months)
}

// opens notes what is open since an instant.
func (s *settling) opens(added *adds, amount money.Amount, since time.Time) {
	if amount.Sign() > 0 {
		added.Open, added.Since = amount.Decimal(), figures.DayOf(since, s.zone)
	}
}

// amounts sets what follows from other amounts of a policy, where somebody says what unit they are in, and returns what
// is open.
func amounts(row *book.PolicyRow, a *account, stated bool, total, loss figures.Sums) (open money.Amount, err error) {
	incurred, err := loss.Incurred()
	row.Incurred = incurred.Decimal()
	if err != nil || !a.UnitKnown {
		row.Marks = append(row.Marks, book.UnitUnknown)
		return open, err
	}
	if row.LossRatio, err = Ratio(incurred, total.Written); err != nil || !stated {
		return open, err
	}
	if open, err = total.Written.Minus(total.Received); err == nil {
		open, err = open.Plus(total.Refunded)
	}
	row.Open = open.Decimal()
	return open, err
}

// receipts returns the receipts of a policy with the day of the last one that is premium, and computes their rows.
func (s *settling) receipts(a *account) (all []figures.Receipt, last scalar.Date, err error) {
	of, err := facts[receiptFact](s.conn, "SELECT fact FROM receipt WHERE policy = ?", a.of.Number)
	if err != nil {
		return nil, last, err
	}
	// SQLite would plan the statement anew for each policy if it had to sort them.
	slices.SortFunc(of, func(x, y *receiptFact) int { return cmp.Compare(x.ID, y.ID) })
	types := map[scalar.ID]string{}
	for _, r := range of {
		types[r.ID] = r.Type
	}
	for _, r := range of {
		amount := a.Amount(r.Units)
		row := &book.MovementRow{ID: string(r.ID), Kind: book.Receipt, PolicyNumber: a.of.Number, ClaimNumber: r.Claim,
			Type: r.Type, Amount: amount.Decimal(), Date: r.Date, RecordedAt: instant(r.Recorded)}
		receipt := figures.Receipt{Type: r.Type, Units: r.Units, From: dayIn(r.From, a.Zone), Recorded: r.Recorded}
		if r.Reverses != "" {
			// A refund may be of another type than what it refunds.
			receipt.Refund, receipt.Type = true, cmp.Or(types[r.Reverses], r.Type)
			row.Kind, row.Amount = book.Refund, amount.Negated().Decimal()
		}
		if figures.IsPremium(receipt.Type) && !receipt.Refund && r.Date > last {
			last = r.Date
		}
		if receipt.From.IsZero() {
			receipt.From = r.Recorded
		}
		all = append(all, receipt)
		if err := s.move(a, row); err != nil {
			return nil, last, err
		}
	}
	return all, last, nil
}

// move keeps the row of a movement, which adds nothing itself: what it comes to is among what its policy or claim adds.
func (s *settling) move(a *account, row *book.MovementRow) error {
	if day := dayIn(row.Date, a.Zone); !day.IsZero() {
		row.Late = a.Late(day, row.RecordedAt.Time())
	}
	row.Line, row.Insured, row.Contract, row.Year, row.Currency = a.of.Line, a.insured, a.head.Contract, a.head.Year,
		a.Currency
	return s.put(Movements, a, row.ID, row, adds{}, nil)
}

// put keeps a row in place of the one that it had, and notes by how much cells change.
func (s *settling) put(in *List, a *account, key string, row any, added adds, months figures.Months) error {
	for month, sums := range months {
		added.Months = append(added.Months, sumsOf(month, sums))
	}
	slices.SortFunc(added.Months, func(x, y monthSums) int { return cmp.Compare(x.Month, y.Month) })
	is := ""
	if len(added.Months) > 0 || added.Open != "" {
		var err error
		if is, err = written(added); err != nil {
			return err
		}
	}
	text, err := written(row)
	if err != nil {
		return err
	}
	by := foundBy(row, a.object)
	was, same, sameText := "", false, !in.Finds
	if err := query(s.conn, "SELECT adds, row, text FROM "+in.table()+" WHERE (owner, key) = (?, ?)",
		func(row *sqlite.Stmt) error {
			was = row.ColumnText(0)
			sameText = sameText || row.ColumnText(2) == by
			same = was == is && sameText && row.ColumnText(1) == text
			return nil
		}, a.of.Owner, key); err != nil || same {
		return err
	}
	if was != is {
		var before adds
		if was != "" {
			if err := json.Unmarshal([]byte(was), &before); err != nil {
				return err
			}
		}
		if err := s.by.add(in.Name, &before, true); err != nil {
			return err
		}
		if err := s.by.add(in.Name, &added, false); err != nil {
			return err
		}
	}
	values := []any{a.of.Owner, key}
	for _, c := range in.sorts {
		values = append(values, c.sortValue(row))
	}
	s.rows = append(s.rows, computedRow{in, append(values, by, text, is), !sameText})
	return nil
}

func instant(t time.Time) scalar.DateTime {
	if t.IsZero() {
		return scalar.DateTime{}
	}
	return scalar.Instant(t)
}

// ended reports whether cover is over at an instant.
func ended(row *book.PolicyRow, now time.Time) bool {
	return !row.ExpiryDate.IsZero() && !now.Before(row.ExpiryDate.Time()) ||
		!row.CoverEnds.IsZero() && !now.Before(row.CoverEnds.Time())
}
