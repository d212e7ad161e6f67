package rows

import (
	"context"

	"github.com/go-json-experiment/json"
	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/services/book/figures"
)

// adds are what a row adds to cells.
type adds struct {
	head
	Months []monthSums `json:"m,omitempty"`
	// Open is what is still to be received or paid, where that is above 0, and Since the day since when, as the number
	// of days since 1970.
	Open  scalar.Decimal `json:"op,omitzero"`
	Since int64          `json:"si,omitzero"`
}

// head is what all that a row adds has in common.
type head struct {
	Owner    string `json:"o,omitzero"`
	Contract string `json:"k,omitzero"`
	Line     string `json:"l"`
	Year     int    `json:"y"`
	Currency string `json:"cu,omitzero"`
	Country  string `json:"co,omitzero"`
	Cause    string `json:"ca,omitzero"`
}

// monthSums are the sums of a month. An amount that is 0 is absent.
type monthSums struct {
	Month       figures.Month  `json:"t,omitzero"`
	Written     scalar.Decimal `json:"w,omitzero"`
	Earned      scalar.Decimal `json:"e,omitzero"`
	Received    scalar.Decimal `json:"r,omitzero"`
	Refunded    scalar.Decimal `json:"f,omitzero"`
	Commission  scalar.Decimal `json:"c,omitzero"`
	Paid        scalar.Decimal `json:"p,omitzero"`
	Outstanding scalar.Decimal `json:"s,omitzero"`
	Notified    int64          `json:"n,omitzero"`
	Closed      int64          `json:"d,omitzero"`
	Unpaid      int64          `json:"u,omitzero"`
}

func decimal(a money.Amount) scalar.Decimal {
	if a.Sign() == 0 {
		return ""
	}
	return a.Decimal()
}

func sumsOf(month figures.Month, s figures.Sums) monthSums {
	return monthSums{month, decimal(s.Written), decimal(s.Earned), decimal(s.Received), decimal(s.Refunded),
		decimal(s.Commission), decimal(s.Paid), decimal(s.Outstanding), s.Notified, s.Closed, s.ClosedWithoutPayment}
}

// sums returns the sums.
func (m *monthSums) sums() (s figures.Sums, err error) {
	s.Notified, s.Closed, s.ClosedWithoutPayment = m.Notified, m.Closed, m.Unpaid
	for _, one := range []struct {
		to   *money.Amount
		from scalar.Decimal
	}{
		{&s.Written, m.Written}, {&s.Earned, m.Earned}, {&s.Received, m.Received}, {&s.Refunded, m.Refunded},
		{&s.Commission, m.Commission}, {&s.Paid, m.Paid}, {&s.Outstanding, m.Outstanding},
	} {
		if one.from == "" {
			continue
		}
		if *one.to, err = money.Parse(string(one.from)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// delta is by how much cells change, and what is open.
type delta struct {
	cells map[cellKey]figures.Sums
	open  map[openKey]openSum
}

// cellKey names a cell.
type cellKey struct {
	head
	month figures.Month
}

// add adds what a row of a list adds, or takes away what it has added.
func (d *delta) add(list string, a *adds, gone bool) error {
	for i := range a.Months {
		sums, err := a.Months[i].sums()
		if gone {
			sums = sums.Negated()
		}
		if err != nil {
			return err
		}
		key := cellKey{a.head, a.Months[i].Month}
		if d.cells[key], err = d.cells[key].Plus(sums); err != nil {
			return err
		}
	}
	return d.addOpen(list, a, gone)
}

// merge adds another delta.
func (d *delta) merge(with delta) (err error) {
	for key, sums := range with.cells {
		if d.cells[key], err = d.cells[key].Plus(sums); err != nil {
			return err
		}
	}
	for key, sum := range with.open {
		if d.open[key], err = d.open[key].plus(sum); err != nil {
			return err
		}
	}
	return nil
}

// change changes the cells.
func (b *Book) change(by map[cellKey]figures.Sums) error {
	for key, sums := range by {
		if sums.IsZero() {
			continue
		}
		at := []any{key.Owner, key.Contract, key.Line, key.Year, key.Currency, key.Country, key.Cause, int64(key.month)}
		was, err := fact[monthSums](b.writer, "SELECT sums FROM cell WHERE (owner, contract, line, year, currency, "+
			"country, cause, month) = (?, ?, ?, ?, ?, ?, ?, ?)", at...)
		if err != nil {
			return err
		}
		if was != nil {
			before, err := was.sums()
			if err == nil {
				sums, err = sums.Plus(before)
			}
			if err != nil {
				return err
			}
		}
		if sums.IsZero() {
			err = b.exec("DELETE FROM cell WHERE (owner, contract, line, year, currency, country, cause, month) = "+
				"(?, ?, ?, ?, ?, ?, ?, ?)", at...)
		} else {
			var is string
			if is, err = written(sumsOf(0, sums)); err == nil {
				err = b.exec("INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET sums = "+
					"excluded.sums", append(at, is)...)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Cell is a cell of the book.
type Cell struct {
	Contract, Line, Currency, Country, Cause string
	Year                                     int
	Month                                    figures.Month
	Sums                                     figures.Sums
}

// Cells calls a function with the cells that a caller sees whose months are between two, and with what rows of the
// policies add that others share with it, and returns up to which instant everything was read.
func (b *Book) Cells(
	ctx context.Context, of Sight, from, to figures.Month, do func(Cell) error,
) (at scalar.DateTime, err error) {
	err = b.read(ctx, func(conn *sqlite.Conn) error {
		if at, err = reached(conn); err != nil {
			return err
		}
		if err := of.sharedCells(conn, from, to, do); err != nil {
			return err
		}
		seen, args := of.condition("contract")
		return query(conn, "SELECT contract, line, year, currency, country, cause, month, sums FROM cell WHERE "+
			seen+" AND month BETWEEN ? AND ?", func(s *sqlite.Stmt) error {
			var m monthSums
			if err := json.Unmarshal([]byte(s.ColumnText(7)), &m); err != nil {
				return err
			}
			sums, err := m.sums()
			if err != nil {
				return err
			}
			return do(Cell{s.ColumnText(0), s.ColumnText(1), s.ColumnText(3), s.ColumnText(4), s.ColumnText(5),
				s.ColumnInt(2), figures.Month(s.ColumnInt64(6)), sums})
		}, append(args, int64(from), int64(to))...)
	})
	return at, err
}

// sharedCells calls a function with what the rows of shared policies add to months between two.
func (s *Sight) sharedCells(conn *sqlite.Conn, from, to figures.Month, do func(Cell) error) error {
	for _, l := range []*List{Policies, Claims} {
		if err := s.eachShared(conn, l, func(of stored) error {
			a, err := of.sums()
			for i := range a.Months {
				if m := &a.Months[i]; err == nil && m.Month >= from && m.Month <= to {
					var sums figures.Sums
					if sums, err = m.sums(); err == nil {
						err = do(Cell{a.Contract, a.Line, a.Currency, a.Country, a.Cause, a.Year, m.Month, sums})
					}
				}
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// Shown returns sums as callers see them.
func Shown(s figures.Sums) (book.Figures, error) {
	incurred, err := s.Incurred()
	return book.Figures{Written: s.Written.Decimal(), Earned: s.Earned.Decimal(), Received: s.Received.Decimal(),
		Refunded: s.Refunded.Decimal(), Commission: s.Commission.Decimal(), Notified: s.Notified, Closed: s.Closed,
		ClosedWithoutPayment: s.ClosedWithoutPayment, Paid: s.Paid.Decimal(), Outstanding: s.Outstanding.Decimal(),
		Incurred: incurred.Decimal()}, err
}

// Ratio returns one amount as a percentage of another, with two digits; empty where that is not above 0.
func Ratio(of, base money.Amount) (scalar.Decimal, error) {
	if base.Sign() <= 0 {
		return "", nil
	}
	hundred, err := of.Part(money.Of(10_000, 0), 10)
	if err != nil {
		return "", err
	}
	ratio, err := hundred.Settled(base, 2)
	return ratio.Decimal(), err
}
