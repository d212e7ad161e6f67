package bordereau

import (
	"cmp"
	"errors"
	"slices"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/money"
)

// sums are the sums of lines: those of a premium bordereau, or those of a claims bordereau.
type sums struct {
	premium totals
	claims  claimTotals
}

func newSums() *sums { return &sums{premium: totals{}, claims: claimTotals{}} }

// amounts are the amounts of a line.
type amounts interface {
	// addTo adds them to sums, or takes them off where times is -1.
	addTo(s *sums, times int) error
}

func (s *sums) add(of amounts, times int) error { return of.addTo(s, times) }

// addShown adds the totals of a version, or takes them off where times is -1.
func (s *sums) addShown(head desk.BordereauVersion, times int) error {
	return errors.Join(s.premium.addShown(head.Totals, times), s.claims.addShown(head.Claims, times))
}

// shown returns the totals as their readers see them: one kind of them is empty.
func (s *sums) shown() (premium []desk.BordereauTotal, claims []desk.ClaimTotal, err error) {
	if premium, err = s.premium.shown(); err == nil {
		claims, err = s.claims.shown()
	}
	return premium, claims, err
}

// count returns how many lines there are.
func (s *sums) count() int { return s.premium.count() + s.claims.count() }

// premiumAmounts are the amounts of a line of a premium bordereau.
type premiumAmounts struct {
	section string
	terms   money.Terms
	line    money.Line
}

func (a premiumAmounts) addTo(s *sums, times int) error {
	return s.premium.add(a.section, a.terms, a.line, times)
}

// key is what is added up together: never amounts of different currencies.
type key struct{ section, currency, settlement string }

// totals are sums of lines.
type totals map[key]*total

type total struct {
	lines int
	sums  money.Line
	// taxed says that taxes are stated of some of the lines.
	taxed bool
}

// add adds a line, or takes it off where times is -1.
func (t totals) add(section string, terms money.Terms, l money.Line, times int) error {
	k := key{section, terms.Currency, terms.Settlement}
	if t[k] == nil {
		t[k] = &total{}
	}
	t[k].lines, t[k].taxed = t[k].lines+times, t[k].taxed || terms.Taxed
	if times < 0 {
		l = l.Negated()
	}
	sums, err := t[k].sums.Plus(l)
	t[k].sums = sums
	return err
}

// addShown adds the totals of a version, or takes them off where times is -1.
func (t totals) addShown(all []desk.BordereauTotal, times int) error {
	for _, one := range all {
		l, err := money.ReadLine(one.Gross, one.Commission, one.Brokerage, one.Taxes, one.Net, one.Settled)
		if err != nil {
			return err
		}
		terms := money.Terms{Currency: one.Currency, Settlement: one.SettlementCurrency, Taxed: one.Taxes != ""}
		if err := t.add(one.Section, terms, l, times); err != nil {
			return err
		}
		t[key{one.Section, one.Currency, one.SettlementCurrency}].lines += times * (one.Lines - 1)
	}
	return nil
}

// shown returns the totals as their readers see them, by section and currency.
func (t totals) shown() ([]desk.BordereauTotal, error) {
	all := []desk.BordereauTotal{}
	for k, of := range t {
		sums, err := of.sums.Rounded(money.Terms{Currency: k.currency, Settlement: k.settlement})
		if err != nil {
			return nil, err
		}
		one := desk.BordereauTotal{Section: k.section, Currency: k.currency,
			SettlementCurrency: k.settlement, Lines: of.lines, Gross: sums.Gross.Decimal(),
			Commission: sums.Commission.Decimal(), Brokerage: sums.Brokerage.Decimal(), Net: sums.Net.Decimal(),
			Settled: sums.Settled.Decimal()}
		if of.taxed {
			one.Taxes = sums.Taxes.Decimal()
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b desk.BordereauTotal) int {
		return cmp.Or(slices.Index(sections, a.Section)-slices.Index(sections, b.Section),
			cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.SettlementCurrency, b.SettlementCurrency))
	})
	return all, nil
}

// count returns how many lines there are.
func (t totals) count() (lines int) {
	for _, of := range t {
		lines += of.lines
	}
	return lines
}
