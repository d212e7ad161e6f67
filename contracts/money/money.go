// Package money computes the amounts of the lines of a bordereau: decimals, rounded half away from zero to the digits
// of their currency, so that a refund is minus its original.
package money

import (
	"cmp"
	"fmt"

	"github.com/cockroachdb/apd/v3"

	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
)

// precision is how many digits an amount may have: sums of a million amounts of 64 bits in the smallest unit have
// fewer.
const precision = 60

var decimals = apd.Context{
	Precision: precision, MaxExponent: 200, MinExponent: -200, Rounding: apd.RoundHalfUp,
	Traps: apd.DefaultTraps,
}

// Amount is an amount in major units.
type Amount struct{ d apd.Decimal }

// Parse reads a number in digits, such as 12.50.
func Parse(text string) (a Amount, err error) {
	if _, _, err := a.d.SetString(text); err != nil {
		return a, err
	}
	if a.d.Form != apd.Finite {
		return a, fmt.Errorf("%s is no number", text)
	}
	return a, nil
}

// Significant reads a number, perhaps with an exponent, rounded to a number of digits.
func Significant(text string, digits uint32) (a Amount, err error) {
	if a, err = Parse(text); err != nil {
		return a, err
	}
	to := decimals
	to.Precision = digits
	var rounded Amount
	_, err = to.Round(&rounded.d, &a.d)
	return rounded, unsigned(&rounded, err)
}

// Of returns a whole number of units, each of which has a number of digits behind the point.
func Of(units int64, digits int) Amount {
	var a Amount
	a.d.SetFinite(units, -int32(digits)) //nolint:gosec // four digits at most
	return a
}

// Decimal returns the amount as it is written, without an exponent.
func (a Amount) Decimal() scalar.Decimal { return scalar.Decimal(a.d.Text('f')) }

// Sign returns -1, 0 or 1.
func (a Amount) Sign() int { return a.d.Sign() }

// Cmp compares two amounts.
func (a Amount) Cmp(b Amount) int { return a.d.Cmp(&b.d) }

// Negated returns minus the amount; zero stays zero.
func (a Amount) Negated() Amount {
	if !a.d.IsZero() {
		a.d.Negative = !a.d.Negative
	}
	return a
}

// Plus returns the sum of two amounts.
func (a Amount) Plus(b Amount) (Amount, error) {
	var sum Amount
	_, err := decimals.Add(&sum.d, &a.d, &b.d)
	return sum, err
}

// Minus returns a without b.
func (a Amount) Minus(b Amount) (Amount, error) { return a.Plus(b.Negated()) }

// Rounded returns the amount with a number of digits behind the point.
func (a Amount) Rounded(digits int) (Amount, error) {
	var to Amount
	_, err := decimals.Quantize(&to.d, &a.d, -int32(digits)) //nolint:gosec // four digits at most
	return to, unsigned(&to, err)
}

// Part returns a percentage of the amount, rounded.
func (a Amount) Part(percentage Amount, digits int) (Amount, error) {
	var product Amount
	if _, err := decimals.Mul(&product.d, &a.d, &percentage.d); err != nil {
		return product, err
	}
	product.d.Exponent -= 2
	return product.Rounded(digits)
}

// Settled returns the amount in another currency, of which one is worth a rate of its own, rounded. The quotient is
// rounded once, to the digits.
func (a Amount) Settled(rate Amount, digits int) (Amount, error) {
	if rate.Sign() <= 0 {
		return Amount{}, fmt.Errorf("the rate %s is not above 0", rate.Decimal())
	}
	// The whole part of a/rate in units of the last digit, and what is left, decide without a second rounding.
	var scaled, whole, left, twice apd.Decimal
	scaled.Set(&a.d)
	scaled.Exponent += int32(digits) //nolint:gosec // four digits at most
	negative := scaled.Negative
	scaled.Negative = false
	if _, err := decimals.QuoInteger(&whole, &scaled, &rate.d); err != nil {
		return Amount{}, err
	}
	if _, err := decimals.Rem(&left, &scaled, &rate.d); err != nil {
		return Amount{}, err
	}
	if _, err := decimals.Add(&twice, &left, &left); err != nil {
		return Amount{}, err
	}
	if twice.Cmp(&rate.d) >= 0 {
		if _, err := decimals.Add(&whole, &whole, apd.New(1, 0)); err != nil {
			return Amount{}, err
		}
	}
	var to Amount
	to.d.Set(&whole)
	to.d.Negative = negative
	to.d.Exponent -= int32(digits) //nolint:gosec // four digits at most
	return to.Rounded(digits)
}

// unsigned makes -0 to 0, so that each amount has one form.
func unsigned(a *Amount, err error) error {
	if a.d.IsZero() {
		a.d.Negative = false
	}
	return err
}

// Terms are how amounts are computed under a contract.
type Terms struct {
	// Currency and Settlement are the original currency and the one that is settled in.
	Currency, Settlement string
	// Rate is how many of Currency are one of Settlement.
	Rate Amount
	// Commission, Brokerage and Taxes are percentages; Taxes may be below 0. Taxed says that taxes are stated.
	Commission, Brokerage, Taxes Amount
	Taxed                        bool
	// Minor says that amounts are counted in the smallest unit of Currency.
	Minor bool
}

// Gross returns a number that a record has as an amount in the original currency.
func (t Terms) Gross(units int64) Amount {
	if t.Minor {
		return t.Smallest(units)
	}
	return Of(units, 0)
}

// Smallest returns a number of the smallest unit of the original currency.
func (t Terms) Smallest(units int64) Amount { return Of(units, valuesets.CurrencyDigits(t.Currency)) }

// Line are the amounts of a line.
type Line struct{ Gross, Commission, Brokerage, Taxes, Net, Settled Amount }

// Line returns the amounts of a line with a gross premium: what is taken off and added, and what is settled.
func (t Terms) Line(gross Amount) (l Line, err error) {
	digits := valuesets.CurrencyDigits(t.Currency)
	if l.Gross, err = gross.Rounded(digits); err != nil {
		return l, err
	}
	if l.Commission, err = gross.Part(t.Commission, digits); err != nil {
		return l, err
	}
	if l.Brokerage, err = gross.Part(t.Brokerage, digits); err != nil {
		return l, err
	}
	if l.Taxes, err = gross.Part(t.Taxes, digits); err != nil {
		return l, err
	}
	if l.Net, err = l.Gross.Minus(l.Commission); err != nil {
		return l, err
	}
	if l.Net, err = l.Net.Plus(l.Taxes); err != nil {
		return l, err
	}
	l.Settled, err = l.Net.Settled(t.Rate, valuesets.CurrencyDigits(t.Settlement))
	return l, err
}

// each applies a function to each amount of a line, together with that of another one.
func (l Line) each(with Line, do func(a, b Amount) (Amount, error)) (to Line, err error) {
	for _, one := range []struct {
		to   *Amount
		a, b Amount
	}{
		{&to.Gross, l.Gross, with.Gross}, {&to.Commission, l.Commission, with.Commission},
		{&to.Brokerage, l.Brokerage, with.Brokerage}, {&to.Taxes, l.Taxes, with.Taxes},
		{&to.Net, l.Net, with.Net}, {&to.Settled, l.Settled, with.Settled},
	} {
		if *one.to, err = do(one.a, one.b); err != nil {
			return Line{}, err
		}
	}
	return to, nil
}

// Plus returns the sum of two lines of the same currencies.
func (l Line) Plus(with Line) (Line, error) { return l.each(with, Amount.Plus) }

// Negated returns minus the amounts.
func (l Line) Negated() Line {
	return Line{l.Gross.Negated(), l.Commission.Negated(), l.Brokerage.Negated(), l.Taxes.Negated(), l.Net.Negated(),
		l.Settled.Negated()}
}

// Rounded returns the amounts with the digits of the currencies of terms.
func (l Line) Rounded(t Terms) (Line, error) {
	to, err := l.each(l, func(a, _ Amount) (Amount, error) { return a.Rounded(valuesets.CurrencyDigits(t.Currency)) })
	if err == nil {
		to.Settled, err = l.Settled.Rounded(valuesets.CurrencyDigits(t.Settlement))
	}
	return to, err
}

// ReadLine returns a line from its amounts as they are written. Taxes are empty where none are stated.
func ReadLine(gross, commission, brokerage, taxes, net, settled scalar.Decimal) (l Line, err error) {
	for _, one := range []struct {
		to   *Amount
		from scalar.Decimal
	}{
		{&l.Gross, gross}, {&l.Commission, commission}, {&l.Brokerage, brokerage}, {&l.Taxes, cmp.Or(taxes, "0")},
		{&l.Net, net}, {&l.Settled, settled},
	} {
		if *one.to, err = Parse(string(one.from)); err != nil {
			return Line{}, err
		}
	}
	return l, nil
}

// Major returns a number that a record has, with any digits, as an amount in major units; absent for an absent one.
func (t Terms) Major(number scalar.Decimal) (scalar.Decimal, error) {
	if number == "" {
		return "", nil
	}
	a, err := Parse(string(number))
	if err == nil && t.Minor {
		a.d.Exponent -= int32(valuesets.CurrencyDigits(t.Currency)) //nolint:gosec // four digits at most
	}
	return a.Decimal(), err
}

// Float returns the amount as far as a float has its digits, for an order and never for a sum.
func (a Amount) Float() (float64, error) { return a.d.Float64() }
