package rows

import (
	"context"

	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
)

// openKey names what is open since a day.
type openKey struct {
	list, owner, contract, line, currency string
	day                                   int64
}

// openSum is how much that is, and how many rows.
type openSum struct {
	amount money.Amount
	count  int64
}

// addOpen adds what a row has open, or takes it away.
func (d *delta) addOpen(list string, a *adds, gone bool) error {
	if a.Open == "" {
		return nil
	}
	amount, err := money.Parse(string(a.Open))
	if err != nil {
		return err
	}
	count := int64(1)
	if gone {
		amount, count = amount.Negated(), -1
	}
	key := openKey{list, a.Owner, a.Contract, a.Line, a.Currency, a.Since}
	d.open[key], err = d.open[key].plus(openSum{amount, count})
	return err
}

func (s openSum) plus(with openSum) (sum openSum, err error) {
	sum.amount, err = s.amount.Plus(with.amount)
	sum.count = s.count + with.count
	return sum, err
}

// changeOpen changes what is open.
func (b *Book) changeOpen(by map[openKey]openSum) error {
	for key, sum := range by {
		if sum.count == 0 && sum.amount.Sign() == 0 {
			continue
		}
		at := []any{key.list, key.owner, key.contract, key.line, key.currency, key.day}
		was := openSum{}
		var errOfAmount error
		err := query(b.writer, "SELECT amount, count FROM open WHERE (list, owner, contract, line, currency, day) = "+
			"(?, ?, ?, ?, ?, ?)", func(s *sqlite.Stmt) error {
			was.count = s.ColumnInt64(1)
			was.amount, errOfAmount = money.Parse(s.ColumnText(0))
			return errOfAmount
		}, at...)
		if err == nil {
			was.amount, err = was.amount.Plus(sum.amount)
		}
		if err != nil {
			return err
		}
		if was.count += sum.count; was.count == 0 {
			err = b.exec("DELETE FROM open WHERE (list, owner, contract, line, currency, day) = (?, ?, ?, ?, ?, "+
				"?)", at...)
		} else {
			err = b.exec("INSERT INTO open VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET amount = "+
				"excluded.amount, count = excluded.count", append(at, string(was.amount.Decimal()), was.count)...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// OpenAmount is what rows of a list have open since a day.
type OpenAmount struct {
	Contract, Line, Currency string
	// Day is the day, as the number of days since 1970.
	Day    int64
	Amount money.Amount
	Count  int64
}

// OpenAmounts calls a function with what the rows of a list have open, by the day since when, and with what those of
// the policies have that others share with the organisation, and returns up to which instant everything was read.
func (b *Book) OpenAmounts(
	ctx context.Context, of Sight, l *List, do func(OpenAmount) error,
) (at scalar.DateTime, err error) {
	err = b.read(ctx, func(conn *sqlite.Conn) error {
		if at, err = reached(conn); err != nil {
			return err
		}
		if err := of.eachShared(conn, l, func(one stored) error {
			a, err := one.sums()
			if err != nil || a.Open == "" {
				return err
			}
			amount, err := money.Parse(string(a.Open))
			if err != nil {
				return err
			}
			return do(OpenAmount{a.Contract, a.Line, a.Currency, a.Since, amount, 1})
		}); err != nil {
			return err
		}
		seen, args := of.condition("contract")
		return query(conn, "SELECT contract, line, currency, day, amount, count FROM open WHERE "+seen+" AND list = ?",
			func(s *sqlite.Stmt) error {
				amount, err := money.Parse(s.ColumnText(4))
				if err != nil {
					return err
				}
				return do(OpenAmount{s.ColumnText(0), s.ColumnText(1), s.ColumnText(2), s.ColumnInt64(3), amount,
					s.ColumnInt64(5)})
			}, append(args, l.Name)...)
	})
	return at, err
}
