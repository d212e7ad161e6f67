package figures

import "insurance.example/exchange/contracts/claims"

// Loss returns the figures of a claim by months. A payment counts when it was recorded, and so does what is
// outstanding.
func (t Terms) Loss(c Claim) (Months, error) {
	months := Months{}
	if err := months.add(MonthOf(c.Notified, t.Zone), Sums{Notified: 1}); err != nil {
		return nil, err
	}
	for _, p := range c.Payments {
		if err := months.add(MonthOf(p.Recorded, t.Zone), Sums{Paid: t.Amount(p.Units)}); err != nil {
			return nil, err
		}
	}
	var before Sums
	for _, r := range c.Reserves {
		is := Sums{Outstanding: t.Amount(r.Outstanding)}
		if r.Status == claims.Closed {
			if is.Closed = 1; r.Paid == 0 {
				is.ClosedWithoutPayment = 1
			}
		}
		change, err := is.Plus(before.Negated())
		if err != nil {
			return nil, err
		}
		if err := months.add(MonthOf(r.Recorded, t.Zone), change); err != nil {
			return nil, err
		}
		before = is
	}
	return months, nil
}
