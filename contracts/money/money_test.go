package money_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/valuesets"
)

func amount(t *testing.T, text string) money.Amount {
	a, err := money.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func terms(t *testing.T, currency, settlement, rate, commission string) money.Terms {
	return money.Terms{Currency: currency, Settlement: settlement, Rate: amount(t, rate),
		Commission: amount(t, commission), Brokerage: amount(t, "2.5")}
}

// taxed are terms with taxes.
func taxed(t *testing.T, taxes string) money.Terms {
	of := terms(t, "EUR", "GBP", "1.22", "15")
	of.Taxes = amount(t, taxes)
	return of
}

// TestExamples computes lines that are given by hand.
func TestExamples(t *testing.T) {
	for name, of := range map[string]struct {
		terms        money.Terms
		gross        int64
		net, settled string
	}{
		"EUR 100.00 net at 1.22 is GBP 81.97": {terms(t, "EUR", "GBP", "1.22", "0"), 100, "100.00", "81.97"},
		"a refund is minus its original":      {terms(t, "EUR", "GBP", "1.22", "0"), -100, "-100.00", "-81.97"},
		"half of a cent is rounded up":        {terms(t, "EUR", "EUR", "1", "0.5"), 1, "0.99", "0.99"}, // 0.005
		"half of a cent below zero too":       {terms(t, "EUR", "EUR", "1", "0.5"), -1, "-0.99", "-0.99"},
		"yen have no digits":                  {terms(t, "JPY", "EUR", "163.3", "12.5"), 1001, "876", "5.36"},
		"dinars have three":                   {terms(t, "KWD", "GBP", "0.39", "10"), 1, "0.900", "2.31"},
		"into dinars":                         {terms(t, "GBP", "KWD", "2.5641", "0"), 1, "1.00", "0.390"},
		"nothing is zero without a sign":      {terms(t, "EUR", "GBP", "1.22", "15"), 0, "0.00", "0.00"},
		"taxes are added":                     {taxed(t, "12"), 250, "242.50", "198.77"},
		"taxes below zero are taken off":      {taxed(t, "-12"), 250, "182.50", "149.59"},
		"taxes of a refund are paid back":     {taxed(t, "12"), -250, "-242.50", "-198.77"},
		"half of a cent of taxes":             {taxed(t, "0.5"), 1, "0.86", "0.70"},  // 1 - 0.15 + 0.005
		"half of a cent of taxes off":         {taxed(t, "-0.5"), 1, "0.84", "0.69"}, // 1 - 0.15 - 0.005
	} {
		l, err := of.terms.Line(of.terms.Gross(of.gross))
		if err != nil || string(l.Net.Decimal()) != of.net || string(l.Settled.Decimal()) != of.settled {
			t.Errorf("%s: net %s, settled %s, %v", name, l.Net.Decimal(), l.Settled.Decimal(), err)
		}
	}
	minor := terms(t, "EUR", "EUR", "1", "0")
	minor.Minor = true
	if got := minor.Gross(12345).Decimal(); got != "123.45" {
		t.Error(got)
	}
}

// rounded is the model: a fraction, half away from zero, in units of the last digit.
func rounded(of *big.Rat, digits int) *big.Rat {
	unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
	in := new(big.Rat).Quo(of, unit)
	half := big.NewRat(1, 2)
	if in.Sign() < 0 {
		half.Neg(half)
	}
	in.Add(in, half)
	whole := new(big.Int).Quo(in.Num(), in.Denom()) // towards zero
	return new(big.Rat).Mul(new(big.Rat).SetInt(whole), unit)
}

// TestTheModelAgrees compares 10,000 random lines with fractions.
func TestTheModelAgrees(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	currencies := []string{"EUR", "GBP", "JPY", "KWD", "CLF", "USD", "TND"}
	decimal := func(most int64) string {
		return big.NewRat(1+random.Int64N(most), 10_000).FloatString(4)
	}
	for range 10_000 {
		c, s := currencies[random.IntN(len(currencies))], currencies[random.IntN(len(currencies))]
		tt := terms(t, c, s, decimal(5_000_000), decimal(1_000_000))
		tt.Minor = random.IntN(2) == 0
		if tt.Taxes = amount(t, decimal(1_000_000)); random.IntN(2) == 0 {
			tt.Taxes = tt.Taxes.Negated()
		}
		units := random.Int64N(2_000_000) - 1_000_000
		if random.IntN(10) == 0 {
			units = random.Int64() // as large as a receipt may be
		}
		l, err := tt.Line(tt.Gross(units))
		if err != nil {
			t.Fatal(err)
		}
		rat := func(of money.Amount) *big.Rat {
			r, ok := new(big.Rat).SetString(string(of.Decimal()))
			if !ok {
				t.Fatal(of.Decimal())
			}
			return r
		}
		digits := valuesets.CurrencyDigits(c)
		gross := new(big.Rat).SetInt64(units)
		if tt.Minor {
			gross.Quo(gross, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
		}
		part := func(of money.Amount) *big.Rat {
			return rounded(new(big.Rat).Quo(new(big.Rat).Mul(gross, rat(of)), big.NewRat(100, 1)), digits)
		}
		net := new(big.Rat).Sub(gross, part(tt.Commission))
		net.Add(net, part(tt.Taxes))
		settled := rounded(new(big.Rat).Quo(net, rat(tt.Rate)), valuesets.CurrencyDigits(s))
		for name, of := range map[string][2]*big.Rat{
			"gross": {rat(l.Gross), gross}, "commission": {rat(l.Commission), part(tt.Commission)},
			"brokerage": {rat(l.Brokerage), part(tt.Brokerage)}, "net": {rat(l.Net), net},
			"taxes": {rat(l.Taxes), part(tt.Taxes)}, "settled": {rat(l.Settled), settled},
		} {
			if of[0].Cmp(of[1]) != 0 {
				t.Fatalf("%s of %d %s at %s into %s: %s, the model has %s", name, units, c, tt.Rate.Decimal(), s,
					of[0].FloatString(6), of[1].FloatString(6))
			}
		}
		if units == math.MinInt64 {
			continue
		}
		// A refund is minus its original.
		refund, err := tt.Line(tt.Gross(-units))
		if err != nil {
			t.Fatal(err)
		}
		both, err := l.Plus(refund)
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range []money.Amount{
			both.Gross, both.Commission, both.Brokerage, both.Taxes, both.Net, both.Settled,
		} {
			if left.Sign() != 0 {
				t.Fatalf("%d %s and its refund leave %s", units, c, left.Decimal())
			}
		}
	}
}
