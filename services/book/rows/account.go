package rows

import (
	"cmp"

	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/services/book/figures"
)

// account is what rows of a policy have in common.
type account struct {
	of   *policyFact
	head head
	figures.Terms
	insured, object, broker, agent string
	// renewedFrom and renewedTo are the numbers of the policies that it renews, and that renews it.
	renewedFrom, renewedTo string
}

// account returns what the rows of a policy have in common.
func (s *settling) account(p *policyFact) (*account, error) {
	t := s.terms[p.Owner]
	if t == nil {
		var err error
		if t, err = termsOf(s.conn, p.Owner); err != nil {
			return nil, err
		}
		s.terms[p.Owner] = t
	}
	var assigned string
	if err := query(s.conn, "SELECT contract FROM assignment WHERE policy = ?", func(row *sqlite.Stmt) error {
		assigned = row.ColumnText(0)
		return nil
	}, p.Number); err != nil {
		return nil, err
	}
	a := &account{of: p, Terms: s.usual(), head: head{Owner: p.Owner, Line: p.Line}}
	if c := t.of(p, assigned); c != nil {
		a.Terms, a.head.Contract, a.head.Year = c.Terms, c.Reference, c.year
	}
	a.head.Currency, a.head.Year = a.Currency, cmp.Or(a.head.Year, p.Inception.In(a.Zone).Year())
	for _, lookup := range []struct {
		sql  string
		of   string
		into []*string
	}{
		{"SELECT name, country FROM party WHERE id = ?", p.Holder, []*string{&a.insured, &a.head.Country}},
		{"SELECT words FROM object WHERE id = ?", p.Object, []*string{&a.object}},
		{"SELECT name FROM party WHERE id = ?", string(p.Broker), []*string{&a.broker}},
		{"SELECT name FROM party WHERE id = ?", string(p.Agent), []*string{&a.agent}},
		{"SELECT number FROM policy WHERE id = ?", string(p.Renews), []*string{&a.renewedFrom}},
	} {
		if lookup.of == "" {
			continue
		}
		if err := query(s.conn, lookup.sql, func(row *sqlite.Stmt) error {
			for i, to := range lookup.into {
				*to = row.ColumnText(i)
			}
			return nil
		}, lookup.of); err != nil {
			return nil, err
		}
	}
	// SQLite would plan the statement anew for each policy if it had to sort.
	last := ""
	return a, query(s.conn, "SELECT number, id FROM policy WHERE renews = ? AND renews <> ''", func(
		row *sqlite.Stmt,
	) error {
		if id := row.ColumnText(1); id > last {
			last, a.renewedTo = id, row.ColumnText(0)
		}
		return nil
	}, string(p.ID))
}
