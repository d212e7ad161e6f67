package money

import "insurance.example/exchange/contracts/valuesets"

// Figures are the amounts of a claim: what was paid in a period and before it, what is still to be paid, all of these
// together, and how much more that is than in the period before.
type Figures struct{ Paid, Previously, Outstanding, Incurred, Change Amount }

// Claim returns the figures of a claim with what was paid until the end of a period, what is outstanding, and the
// figures of the period before; the zero Figures where it was not reported.
func Claim(paid, outstanding Amount, before Figures) (f Figures, err error) {
	if f.Previously, err = before.Previously.Plus(before.Paid); err != nil {
		return f, err
	}
	if f.Paid, err = paid.Minus(f.Previously); err != nil {
		return f, err
	}
	f.Outstanding = outstanding
	return f.summed(before)
}

// Settled returns figures in the settlement currency, with those of the period before in it. What was paid before is as
// it was reported, and never converted again.
func (t Terms) Settled(of, before Figures) (f Figures, err error) {
	digits := valuesets.CurrencyDigits(t.Settlement)
	if f.Previously, err = before.Previously.Plus(before.Paid); err != nil {
		return f, err
	}
	if f.Paid, err = of.Paid.Settled(t.Rate, digits); err != nil {
		return f, err
	}
	if f.Outstanding, err = of.Outstanding.Settled(t.Rate, digits); err != nil {
		return f, err
	}
	return f.summed(before)
}

// summed returns the figures with what is incurred, and with its change.
func (f Figures) summed(before Figures) (Figures, error) {
	paid, err := f.Paid.Plus(f.Previously)
	if err != nil {
		return f, err
	}
	if f.Incurred, err = paid.Plus(f.Outstanding); err != nil {
		return f, err
	}
	f.Change, err = f.Incurred.Minus(before.Incurred)
	return f, err
}

// each applies a function to each figure, together with that of others.
func (f Figures) each(with Figures, do func(a, b Amount) (Amount, error)) (to Figures, err error) {
	for _, one := range []struct {
		to   *Amount
		a, b Amount
	}{
		{&to.Paid, f.Paid, with.Paid}, {&to.Previously, f.Previously, with.Previously},
		{&to.Outstanding, f.Outstanding, with.Outstanding}, {&to.Incurred, f.Incurred, with.Incurred},
		{&to.Change, f.Change, with.Change},
	} {
		if *one.to, err = do(one.a, one.b); err != nil {
			return Figures{}, err
		}
	}
	return to, nil
}

// Plus returns the sum of two figures of the same currency.
func (f Figures) Plus(with Figures) (Figures, error) { return f.each(with, Amount.Plus) }

// Minus returns f without others.
func (f Figures) Minus(without Figures) (Figures, error) { return f.each(without, Amount.Minus) }

// Rounded returns the figures with the digits of a currency.
func (f Figures) Rounded(currency string) (Figures, error) {
	return f.each(f, func(a, _ Amount) (Amount, error) { return a.Rounded(valuesets.CurrencyDigits(currency)) })
}

// IsZero reports whether nothing was paid and nothing is outstanding.
func (f Figures) IsZero() bool {
	return f.Paid.Sign() == 0 && f.Previously.Sign() == 0 && f.Outstanding.Sign() == 0 && f.Change.Sign() == 0
}
