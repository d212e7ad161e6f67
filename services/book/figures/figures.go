// Package figures computes what a policy and its claims add to the figures of the book: for each month, what was
// written, earned, received and paid. It knows nothing of where records come from and where figures are kept.
//
// Its files:
//
//	figures.go  months, sums, and what is known of a policy and a claim
//	premium.go  what a policy adds
//	loss.go     what a claim adds
package figures

import (
	"fmt"
	"time"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/valuesets"
)

// Month is a month of the calendar, as the number of months since that of the year 0.
type Month int

// The months that there are.
const (
	FirstMonth Month = 0
	LastMonth  Month = 9999*12 + 11
)

// MonthOf returns the month that a calendar of a zone shows at an instant.
func MonthOf(t time.Time, zone *time.Location) Month {
	year, month, _ := t.In(zone).Date()
	return Month(year*12 + int(month) - 1)
}

// String returns the month as YYYY-MM.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", int(m)/12, int(m)%12+1) }

// ParseMonth reads a month as YYYY-MM. ok is false if the text is none.
func ParseMonth(text string) (m Month, ok bool) {
	t, err := time.Parse("2006-01", text)
	return MonthOf(t, time.UTC), err == nil
}

// end returns the day after the last one of the month, as a number of days since 1970.
func (m Month) end() int64 {
	return time.Date(int(m)/12, time.Month(int(m)%12+2), 1, 0, 0, 0, 0, time.UTC).Unix() / daySeconds
}

const daySeconds = 24 * 60 * 60

// DayOf returns the day that a calendar of a zone shows at an instant, as a number of days since 1970.
func DayOf(t time.Time, zone *time.Location) int64 {
	year, month, day := t.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / daySeconds
}

// Sums are what is added up. Outstanding is how much more is outstanding than before, and the counts of closed claims
// fall when one is opened again.
type Sums struct {
	Written, Earned, Received, Refunded, Commission, Paid, Outstanding money.Amount
	Notified, Closed, ClosedWithoutPayment                             int64
}

// each applies a function to each amount, together with that of others.
func (s Sums) each(with Sums, do func(a, b money.Amount) (money.Amount, error)) (to Sums, err error) {
	for _, one := range []struct {
		to   *money.Amount
		a, b money.Amount
	}{
		{&to.Written, s.Written, with.Written}, {&to.Earned, s.Earned, with.Earned},
		{&to.Received, s.Received, with.Received}, {&to.Refunded, s.Refunded, with.Refunded},
		{&to.Commission, s.Commission, with.Commission}, {&to.Paid, s.Paid, with.Paid},
		{&to.Outstanding, s.Outstanding, with.Outstanding},
	} {
		if *one.to, err = do(one.a, one.b); err != nil {
			return Sums{}, err
		}
	}
	return to, nil
}

// Plus returns the sums of both.
func (s Sums) Plus(with Sums) (Sums, error) {
	to, err := s.each(with, plus)
	to.Notified, to.Closed = s.Notified+with.Notified, s.Closed+with.Closed
	to.ClosedWithoutPayment = s.ClosedWithoutPayment + with.ClosedWithoutPayment
	return to, err
}

// plus returns the sum of two amounts, most of which are none.
func plus(a, b money.Amount) (money.Amount, error) {
	switch none := (money.Amount{}); none {
	case b:
		return a, nil
	case a:
		return b, nil
	}
	return a.Plus(b)
}

// Negated returns minus the sums.
func (s Sums) Negated() Sums {
	to, _ := s.each(s, func(a, _ money.Amount) (money.Amount, error) { return a.Negated(), nil })
	to.Notified, to.Closed, to.ClosedWithoutPayment = -s.Notified, -s.Closed, -s.ClosedWithoutPayment
	return to
}

// IsZero reports whether all sums are 0.
func (s Sums) IsZero() bool {
	zero := s.Notified == 0 && s.Closed == 0 && s.ClosedWithoutPayment == 0
	_, _ = s.each(s, func(a, _ money.Amount) (money.Amount, error) {
		zero = zero && a.Sign() == 0
		return a, nil
	})
	return zero
}

// Incurred returns what is paid and outstanding together.
func (s Sums) Incurred() (money.Amount, error) { return s.Paid.Plus(s.Outstanding) }

// Months are sums by month.
type Months map[Month]Sums

// add adds sums to a month. The amounts of records have far fewer digits than sums may have.
func (m Months) add(month Month, sums Sums) error {
	to, err := m[month].Plus(sums)
	if m[month] = to; to.IsZero() {
		delete(m, month)
	}
	return err
}

// Total returns the sums of all months.
func (m Months) Total() (total Sums, err error) {
	for _, sums := range m {
		if total, err = total.Plus(sums); err != nil {
			return total, err
		}
	}
	return total, nil
}

// Terms say how the figures of a policy are computed.
type Terms struct {
	money.Terms
	// UnitKnown says that somebody has said what unit amounts are in.
	UnitKnown bool
	// Zone is the one whose days and months count.
	Zone *time.Location
	// Quarterly says that periods are quarters, of which one begins with the month QuarterFrom; else they are months.
	Quarterly   bool
	QuarterFrom Month
}

// Round returns an amount with the digits of the currency, where somebody has said what unit amounts are in.
func (t Terms) Round(a money.Amount) (money.Amount, error) {
	if !t.UnitKnown {
		return a, nil
	}
	return a.Rounded(valuesets.CurrencyDigits(t.Currency))
}

// Amount returns a number of units that a record has as an amount.
func (t Terms) Amount(units int64) money.Amount {
	amount, _ := t.Round(t.Gross(units)) // it has far fewer digits than an amount may have
	return amount
}

// Late returns how many days after the end of the period of an instant something was recorded; 0 for within it.
func (t Terms) Late(of, recorded time.Time) int {
	last := MonthOf(of, t.Zone)
	if t.Quarterly {
		// The months of a quarter after its first one are those that are 1 or 2 after it.
		last += 2 - ((last-t.QuarterFrom)%3+3)%3
	}
	return int(max(0, DayOf(recorded, t.Zone)-last.end()+1))
}

// Written is a gross written premium that counts from an instant on.
type Written struct {
	From  time.Time
	Gross money.Amount
}

// Receipt is a receipt, or a refund of one.
type Receipt struct {
	Refund bool
	// Type is the type of the receipt, or of the one that is refunded.
	Type  string
	Units int64
	// From is the instant from which on counts what it is for, and Recorded that at which it was recorded.
	From, Recorded time.Time
}

// Policy is what figures need to know of a policy.
type Policy struct {
	Inception, Expiry, CoverEnds time.Time
	// Stated says that the line has a grossWrittenPremium, and Written what it was, in the order of the versions of the
	// record.
	Stated   bool
	Written  []Written
	Receipts []Receipt
}

// Reserve is what a version of a claim says.
type Reserve struct {
	Recorded time.Time
	Status   string
	// Outstanding is what is still to be paid, and Paid what was paid, in the units of the record.
	Outstanding, Paid int64
}

// Payment is a payment for a claim.
type Payment struct {
	Units    int64
	Recorded time.Time
}

// Claim is what figures need to know of a claim.
type Claim struct {
	Notified time.Time
	Reserves []Reserve
	Payments []Payment
}
