package bordereau

import (
	"cmp"
	"errors"
	"slices"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
)

// claimAmounts are the amounts of a line of a claims bordereau, or the sums of many.
type claimAmounts struct {
	currency, settlement                           string
	indemnity, fees, settledIndemnity, settledFees money.Figures
}

// plus returns the sum of both, or what is left of a without b where times is -1.
func (a claimAmounts) plus(b claimAmounts, times int) (to claimAmounts, err error) {
	to.currency, to.settlement = b.currency, b.settlement
	for _, one := range []struct {
		to   *money.Figures
		a, b money.Figures
	}{
		{&to.indemnity, a.indemnity, b.indemnity}, {&to.fees, a.fees, b.fees},
		{&to.settledIndemnity, a.settledIndemnity, b.settledIndemnity},
		{&to.settledFees, a.settledFees, b.settledFees},
	} {
		add := one.a.Plus
		if times < 0 {
			add = one.a.Minus
		}
		if *one.to, err = add(one.b); err != nil {
			return to, err
		}
	}
	return to, nil
}

// rounded returns the amounts with the digits of their currencies.
func (a claimAmounts) rounded() (claimAmounts, error) {
	for _, one := range []struct {
		of       *money.Figures
		currency string
	}{
		{&a.indemnity, a.currency}, {&a.fees, a.currency}, {&a.settledIndemnity, a.settlement},
		{&a.settledFees, a.settlement},
	} {
		var err error
		if *one.of, err = one.of.Rounded(one.currency); err != nil {
			return a, err
		}
	}
	return a, nil
}

// shown returns the amounts as their readers see them. Fees of which nothing is known are absent.
func (a claimAmounts) shown(fees bool) (desk.ClaimAmounts, error) {
	r, err := a.rounded()
	if err != nil {
		return desk.ClaimAmounts{}, err
	}
	incurred, err := r.settledIndemnity.Incurred.Plus(r.settledFees.Incurred)
	of := desk.ClaimAmounts{
		Currency: r.currency, SettlementCurrency: r.settlement, Indemnity: figuresOf(r.indemnity),
		SettledIndemnity: figuresOf(r.settledIndemnity), SettledIncurred: incurred.Decimal(),
	}
	if fees {
		of.Fees, of.SettledFees = figuresOf(r.fees), figuresOf(r.settledFees)
	}
	return of, err
}

func figuresOf(f money.Figures) desk.ClaimFigures {
	return desk.ClaimFigures{
		Paid: f.Paid.Decimal(), PreviouslyPaid: f.Previously.Decimal(), Outstanding: f.Outstanding.Decimal(),
		Incurred: f.Incurred.Decimal(), ChangeOfIncurred: f.Change.Decimal(),
	}
}

// readAmounts reads amounts as they are shown.
func readAmounts(of desk.ClaimAmounts) (a claimAmounts, err error) {
	a.currency, a.settlement = of.Currency, of.SettlementCurrency
	for _, one := range []struct {
		to   *money.Figures
		from desk.ClaimFigures
	}{
		{&a.indemnity, of.Indemnity}, {&a.fees, of.Fees}, {&a.settledIndemnity, of.SettledIndemnity},
		{&a.settledFees, of.SettledFees},
	} {
		if *one.to, err = readFigures(one.from); err != nil {
			return a, err
		}
	}
	return a, nil
}

func readFigures(of desk.ClaimFigures) (f money.Figures, err error) {
	if of == (desk.ClaimFigures{}) {
		return f, nil
	}
	for _, one := range []struct {
		to   *money.Amount
		from scalar.Decimal
	}{
		{&f.Paid, of.Paid}, {&f.Previously, of.PreviouslyPaid}, {&f.Outstanding, of.Outstanding},
		{&f.Incurred, of.Incurred}, {&f.Change, of.ChangeOfIncurred},
	} {
		if *one.to, err = money.Parse(string(one.from)); err != nil {
			return f, err
		}
	}
	return f, nil
}

// claimTotals are sums of the lines of a claims bordereau, by currency and settlement currency.
type claimTotals map[[2]string]*claimTotal

type claimTotal struct {
	lines int
	sums  claimAmounts
}

func (a claimAmounts) addTo(s *sums, times int) error { return s.claims.add(a, 1, times) }

func (t claimTotals) add(of claimAmounts, lines, times int) (err error) {
	k := [2]string{of.currency, of.settlement}
	if t[k] == nil {
		t[k] = &claimTotal{}
	}
	t[k].lines += times * lines
	t[k].sums, err = t[k].sums.plus(of, times)
	return err
}

func (t claimTotals) addShown(all []desk.ClaimTotal, times int) error {
	for _, one := range all {
		of, err := readAmounts(one.ClaimAmounts)
		if err == nil {
			err = t.add(of, one.Lines, times)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t claimTotals) shown() (all []desk.ClaimTotal, err error) {
	for _, of := range t {
		amounts, wrong := of.sums.shown(true)
		all, err = append(all, desk.ClaimTotal{ClaimAmounts: amounts, Lines: of.lines}), errors.Join(err, wrong)
	}
	slices.SortFunc(all, func(a, b desk.ClaimTotal) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.SettlementCurrency, b.SettlementCurrency))
	})
	return all, err
}

func (t claimTotals) count() (lines int) {
	for _, of := range t {
		lines += of.lines
	}
	return lines
}
