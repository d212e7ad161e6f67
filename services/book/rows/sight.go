package rows

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/contracts/book"
)

// Sight is what a caller sees of the book: all that its organisation owns, and the policies that others share with it;
// or what another one reports to it. Cells are of what an organisation owns; what is shared is added up of its rows
// when it is read.
type Sight struct {
	Owner  string
	Shared []SharedPolicy
	// Reported, if set, is the reference of a contract of the owner, whose counterparty the caller is: of what the
	// owner has, only what is reported under it is seen. Where there is no such contract, the owner is empty.
	Reported string
	among    map[SharedPolicy]bool
}

// has reports whether a policy is shared.
func (s *Sight) has(of SharedPolicy) bool {
	if s.among == nil {
		s.among = map[SharedPolicy]bool{}
		for _, one := range s.Shared {
			s.among[one] = true
		}
	}
	return s.among[of]
}

// condition returns the condition of a statement for what the caller sees of what the owner has. contract is what the
// statement calls the reference of the contract.
func (s *Sight) condition(contract string) (sql string, args []any) {
	if s.Reported == "" {
		return "owner = ?", []any{s.Owner}
	}
	return "owner = ? AND owner <> '' AND " + contract + " = ?", []any{s.Owner, s.Reported}
}

// motor is the line whose insured objects are known by their plates, which are their owner's.
const motor = "motorCoverage"

// SharedPolicy is a policy of another organisation.
type SharedPolicy struct{ Number, Owner string }

// stored is a row of another organisation as it is kept.
type stored struct {
	of             SharedPolicy
	key, row, adds string
}

// eachShared calls a function with the rows of a list that are of shared policies.
func (s *Sight) eachShared(conn *sqlite.Conn, l *List, do func(stored) error) error {
	by := "key"
	value := func(number string) string { return number }
	if l != Policies {
		by, value = "by_policyNumber", folded
	}
	for _, of := range s.Shared {
		if err := query(conn, "SELECT key, row, adds FROM "+l.table()+" WHERE owner = ? AND "+by+" = ?",
			func(row *sqlite.Stmt) error {
				return do(stored{of, row.ColumnText(0), row.ColumnText(1), row.ColumnText(2)})
			}, of.Owner, value(of.Number)); err != nil {
			return err
		}
	}
	return nil
}

// sums returns what a row of another organisation adds. Contracts are their owner's: what one is called, and what
// commission it gives, nobody else sees.
func (s *stored) sums() (a adds, err error) {
	if s.adds == "" {
		return a, nil
	}
	err = json.Unmarshal([]byte(s.adds), &a)
	a.Contract = ""
	for i := range a.Months {
		a.Months[i].Commission = ""
	}
	return a, err
}

// conceal takes off a row of another organisation what is that one's own: its contracts and references, what identifies
// a vehicle, and the parties and policies that are not shared. What is reported keeps its contract, which is the
// counterparty's too, and names no records that it does not see.
func (s *Sight) conceal(row any, owner string) {
	switch row := row.(type) {
	case *book.PolicyRow:
		row.Owner, row.Contract, row.ExternalReference, row.Broker, row.Agent = owner, s.Reported, "", "", ""
		if s.Reported != "" {
			row.PolicyholderID, row.BrokerID, row.AgentID, row.Replaces = "", "", "", ""
		}
		if row.Line == motor {
			row.Object = ""
		}
		for _, number := range []*string{&row.RenewedFrom, &row.RenewedTo} {
			if !s.has(SharedPolicy{*number, owner}) {
				*number = ""
			}
		}
	case *book.ClaimRow:
		row.Owner, row.Contract, row.ExternalReference, row.Broker, row.Agent = owner, s.Reported, "", "", ""
		if s.Reported != "" {
			row.BrokerID, row.AgentID = "", ""
		}
	case *book.MovementRow:
		row.Owner, row.Contract = owner, s.Reported
	}
}

// shows conceals a row of another organisation, and reports whether it is found by what it shows then.
func (q *Query) shows(row any, owner string) bool {
	q.conceal(row, owner)
	return q.Find == "" || strings.Contains(foundBy(row, objectOf(row)), q.Find)
}

// placed is a row with its place.
type placed struct {
	Place
	row any
}

// compare compares two places as the index does: numbers come before texts, and keys decide between equal values.
func (p *Place) compare(with *Place) int {
	switch {
	case p.Number != nil && with.Number != nil:
		return cmp.Or(cmp.Compare(*p.Number, *with.Number), cmp.Compare(p.Key, with.Key))
	case p.Number != nil:
		return -1
	case with.Number != nil:
		return 1
	}
	return cmp.Or(cmp.Compare(p.Text, with.Text), cmp.Compare(p.Key, with.Key))
}

// order compares two places in the order of the query.
func (q *Query) order(a, b *Place) int {
	if q.Descending {
		return b.compare(a)
	}
	return a.compare(b)
}

// placeIn returns the place of a row that has a key.
func (q *Query) placeIn(row any, key string) Place {
	lead := q.Lead()
	if lead.Name == "" {
		return Place{Key: key, Text: key}
	}
	p := Place{Key: key}
	switch v := lead.sortValue(row).(type) {
	case float64:
		p.Number = &v
	case int64:
		p.Number = new(float64(v))
	case string:
		p.Text = v
	}
	return p
}

// sharedRows returns the first of the rows of shared policies that a query selects, one more than a page has.
func (b *Book) sharedRows(conn *sqlite.Conn, l *List, q *Query) (all []placed, err error) {
	first := func() {
		slices.SortFunc(all, func(x, y placed) int { return q.order(&x.Place, &y.Place) })
		all = all[:min(len(all), q.Limit+1)]
	}
	err = q.eachShared(conn, l, func(of stored) error {
		row := l.newRow()
		if err := json.Unmarshal([]byte(of.row), row); err != nil {
			return err
		}
		if !q.shows(row, of.of.Owner) {
			return nil
		}
		at := q.placeIn(row, of.key)
		if q.After != nil && q.order(&at, q.After) <= 0 {
			return nil
		}
		selects, err := b.selects(q, row, of.sums)
		if err != nil || !selects {
			return err
		}
		if all = append(all, placed{at, row}); len(all) > 2*q.Limit+examined {
			first()
		}
		return nil
	})
	first()
	return all, err
}

// merge puts the rows of shared policies into a page of an organisation's own, which ends at its place next.
func (q *Query) merge(own, ofOthers []placed, next *Place) (all []placed, after *Place) {
	for _, one := range ofOthers {
		if next == nil || q.order(&one.Place, next) < 0 {
			own = append(own, one)
		}
	}
	slices.SortFunc(own, func(x, y placed) int { return q.order(&x.Place, &y.Place) })
	if len(own) > q.Limit {
		return own[:q.Limit], &own[q.Limit-1].Place
	}
	return own, next
}
