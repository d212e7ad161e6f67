package figures

import (
	"math/big"
	"slices"
	"time"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/valuesets"
)

// noPremium are the types of receipts that are no premium.
var noPremium = []string{"claim payment", "brokerage payment", "profit share payment"}

// IsPremium reports whether receipts of a type are premium.
func IsPremium(receiptType string) bool { return !slices.Contains(noPremium, receiptType) }

// mostYears is how many years a policy may run for its premium to be earned by days.
const mostYears = 20

// Premium are the figures of a policy.
type Premium struct {
	Months Months
	// AtInception says that the policy has no end, or one too far away, so that it is earned at once.
	AtInception bool
}

// increment is premium that is written from an instant on.
type increment struct {
	from   time.Time
	amount money.Amount
}

// Premium returns the premium of a policy by months.
func (t Terms) Premium(p Policy) (result Premium, err error) {
	result.Months = Months{}
	digits := valuesets.CurrencyDigits(t.Currency)
	var written []increment
	for _, r := range p.Receipts {
		if !IsPremium(r.Type) {
			continue
		}
		amount, signed := t.Amount(r.Units), t.Amount(r.Units)
		sums := Sums{Received: amount}
		if r.Refund {
			sums, signed = Sums{Refunded: amount}, amount.Negated()
		}
		if sums.Commission, err = signed.Part(t.Commission, digits); err != nil {
			return result, err
		}
		if err := result.Months.add(MonthOf(r.Recorded, t.Zone), sums); err != nil {
			return result, err
		}
		if !p.Stated {
			written = append(written, increment{r.From, signed})
		}
	}
	if p.Stated {
		if written, err = increments(p.Written); err != nil {
			return result, err
		}
	}
	for _, w := range written {
		if err := result.Months.add(MonthOf(w.from, t.Zone), Sums{Written: w.amount}); err != nil {
			return result, err
		}
	}
	end := p.end()
	result.AtInception = end.IsZero() || end.After(p.Inception.AddDate(mostYears, 0, 0))
	if result.AtInception {
		end = time.Time{}
	}
	return result, t.earn(written, p.Inception, end, digits, result.Months)
}

// end returns the instant at which cover ends; zero for none.
func (p Policy) end() time.Time {
	if !p.CoverEnds.IsZero() && (p.Expiry.IsZero() || p.CoverEnds.Before(p.Expiry)) {
		return p.CoverEnds
	}
	return p.Expiry
}

// increments returns how the premium that is written changes.
func increments(written []Written) (all []increment, err error) {
	var before money.Amount
	for _, w := range written {
		change, err := w.Gross.Minus(before)
		if err != nil {
			return nil, err
		}
		if before = w.Gross; change.Sign() != 0 {
			all = append(all, increment{w.From, change})
		}
	}
	return all, nil
}

// earn adds what is earned of increments in each month: each by the days of cover from its instant on, all of them
// rounded once at the end of each month. What is written once cover has ended is earned at once, and so is all of a
// cover without an end.
func (t Terms) earn(written []increment, from, end time.Time, digits int, to Months) error {
	var shares []share
	var months []Month
	for _, w := range written {
		if w.from.Before(from) {
			w.from = from
		}
		s := share{amount: rational(w.amount), from: DayOf(w.from, t.Zone)}
		last := MonthOf(w.from, t.Zone)
		if end.After(w.from) {
			s.days, last = DayOf(end, t.Zone)-s.from, MonthOf(end, t.Zone)
		}
		for month := MonthOf(w.from, t.Zone); month <= last; month++ {
			months = append(months, month)
		}
		shares = append(shares, s)
	}
	slices.Sort(months)
	var before money.Amount
	for _, month := range slices.Compact(months) {
		sum := shares[0].until(month.end())
		for _, s := range shares[1:] {
			sum = new(big.Rat).Add(sum, s.until(month.end()))
		}
		earned, err := rounded(sum, digits)
		if err != nil {
			return err
		}
		change, err := earned.Minus(before)
		if err != nil {
			return err
		}
		before = earned
		if err := to.add(month, Sums{Earned: change}); err != nil {
			return err
		}
	}
	return nil
}

// share is an increment that is earned over a number of days; 0 for at once.
type share struct {
	amount     *big.Rat
	from, days int64
}

// until returns what is earned before a day.
func (s share) until(day int64) *big.Rat {
	switch passed := day - s.from; {
	case passed <= 0:
		return new(big.Rat)
	case passed >= s.days:
		return s.amount
	default:
		return new(big.Rat).Mul(s.amount, big.NewRat(passed, s.days))
	}
}

func rational(a money.Amount) *big.Rat {
	r, _ := new(big.Rat).SetString(string(a.Decimal()))
	return r
}

// rounded returns a number with some digits behind the point, half away from zero.
func rounded(r *big.Rat, digits int) (money.Amount, error) { return money.Parse(r.FloatString(digits)) }
