package rows

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/services/book/figures"
)

// examined is how many rows a page looks at before it ends.
const examined = 10_000

// Condition is what a column of a row must be. An absent bound is open.
type Condition struct {
	Column Column
	// OneOf are values of which the column has one, none for any.
	OneOf []string
	// From and To are the least and greatest value, and Begins what a text begins with.
	From, To, Begins string
	// Empty says whether the column is to be empty, or not; nil for either.
	Empty *bool
}

// Query selects rows of a list.
type Query struct {
	Sight
	Conditions []Condition
	// Find is what rows are found by that have it anywhere; empty for all. It is as Compared returns it.
	Find string
	// Sort is the column by which rows are sorted; the zero Column for the order of their keys.
	Sort       Column
	Descending bool
	// After is the place after which the page begins; nil for the first one.
	After *Place
	Limit int
	// Months, if set, selects rows that add something to months between two, and shows what.
	Months *[2]figures.Month
	// Earned is the last month of which what is earned counts.
	Earned figures.Month
	// Now is the present instant.
	Now time.Time
}

// Place is that of a row in a list.
type Place struct {
	Key  string `json:"k"`
	Text string `json:"t,omitzero"`
	// Number is what the row is sorted by where that is a number.
	Number *float64 `json:"n,omitzero"`
}

func (p *Place) value() any {
	if p.Number != nil {
		return *p.Number
	}
	return p.Text
}

// Page are rows of a list.
type Page struct {
	// Rows point to values of the type of the list.
	Rows []any
	// Next is the place of the last row that was looked at; nil at the end of the list.
	Next *Place
	AsOf scalar.DateTime
}

// Page returns a page of a list.
func (b *Book) Page(ctx context.Context, l *List, q Query) (page Page, err error) {
	err = b.read(ctx, func(conn *sqlite.Conn) error {
		if page.AsOf, err = reached(conn); err != nil || page.AsOf.IsZero() {
			return err
		}
		parts := q.parts(l)
		if parts != "" {
			if few, err := l.few(conn, parts); err != nil {
				return err
			} else if !few {
				parts = "" // rows that have them are near in any order
			}
		}
		sql, args := q.statement(l, parts)
		stmt, err := conn.Prepare(sql)
		if err != nil {
			return err
		}
		defer stmt.Reset() //nolint:errcheck // Step has returned its error
		bind(stmt, args)
		own, next, err := b.ownRows(stmt, l, &q)
		if err != nil {
			return err
		}
		ofOthers, err := b.sharedRows(conn, l, &q)
		if err != nil {
			return err
		}
		all, after := q.merge(own, ofOthers, next)
		for _, one := range all {
			page.Rows = append(page.Rows, one.row)
		}
		page.Next = after
		return nil
	})
	return page, err
}

// ownRows returns the rows of the organisation's own that a statement reads, as many as a page has, and the place of
// the last one that was looked at; nil at the end of the list.
func (b *Book) ownRows(stmt *sqlite.Stmt, l *List, q *Query) (own []placed, next *Place, err error) {
	for count := 0; ; count++ {
		if more, err := stmt.Step(); err != nil || !more {
			return own, nil, err
		}
		if len(own) == q.Limit || count == examined {
			return own, next, nil
		}
		if next = placeOf(stmt); !strings.Contains(stmt.ColumnText(4), q.Find) {
			continue
		}
		row := l.newRow()
		if err := json.Unmarshal([]byte(stmt.ColumnText(1)), row); err != nil {
			return nil, nil, err
		}
		if q.Reported != "" && !q.shows(row, q.Owner) {
			continue
		}
		selects, err := b.selects(q, row, func() (a adds, err error) {
			if text := stmt.ColumnText(2); text != "" {
				err = json.Unmarshal([]byte(text), &a)
			}
			return a, err
		})
		if err != nil {
			return nil, nil, err
		}
		if selects {
			own = append(own, placed{*next, row})
		}
	}
}

// placeOf returns the place of the row that a statement is at.
func placeOf(stmt *sqlite.Stmt) *Place {
	p := &Place{Key: stmt.ColumnText(0)}
	switch stmt.ColumnType(3) {
	case sqlite.TypeFloat, sqlite.TypeInteger:
		number := stmt.ColumnFloat(3)
		p.Number = &number
	default:
		p.Text = stmt.ColumnText(3)
	}
	return p
}

func bind(stmt *sqlite.Stmt, args []any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			stmt.BindText(i+1, v)
		case float64:
			stmt.BindFloat(i+1, v)
		case int:
			stmt.BindInt64(i+1, int64(v))
		}
	}
}

// Lead returns the column whose index a query reads: the one that it sorts by, else the first one with a condition that
// has one, else none, for the keys.
func (q *Query) Lead() Column {
	if q.Sort.Name != "" {
		return q.Sort
	}
	for _, c := range q.Conditions {
		if c.Column.Sorts && (c.From != "" || c.To != "" || c.Begins != "" || len(c.OneOf) == 1) {
			return c.Column
		}
	}
	return Column{}
}

// statement returns the statement that reads the rows in order: from the index of the column that leads, or those that
// have all parts, where these are given. Of what is reported, only rows of the contract are looked at: a page says at
// which one it ends.
func (q *Query) statement(l *List, parts string) (sql string, args []any) {
	lead := q.Lead()
	by, than, order := "key", ">", "ASC"
	if q.Descending {
		than, order = "<", "DESC"
	}
	if lead.Name != "" {
		by = lead.column()
	}
	seen, of := q.condition("json_extract(row, '$.contract')")
	from := " FROM " + l.table() + " x WHERE "
	if parts != "" {
		from = " FROM " + l.index() + " p CROSS JOIN " + l.table() + " x ON x.rowid = p.rowid WHERE p." + l.index() +
			" MATCH ? AND "
		args = append(args, parts)
	}
	sql, args = from+seen, append(args, of...)
	for _, c := range q.Conditions {
		if c.Column.Name != lead.Name {
			continue
		}
		least, most := c.bounds()
		if least != nil {
			sql, args = sql+" AND "+by+" >= ?", append(args, least)
		}
		if most != nil {
			sql, args = sql+" AND "+by+" <= ?", append(args, most)
		}
	}
	switch {
	case q.After == nil:
	case lead.Name == "":
		sql, args = sql+" AND key "+than+" ?", append(args, q.After.Key)
	default:
		sql, args = sql+" AND ("+by+", key) "+than+" (?, ?)", append(args, q.After.value(), q.After.Key)
	}
	if sql += " ORDER BY " + by + " " + order; lead.Name != "" {
		sql += ", key " + order
	}
	if parts == "" {
		return "SELECT key, row, adds, " + by + ", text" + sql, args
	}
	// What is sorted is short.
	return "SELECT key, row, adds, at, text FROM (SELECT x.rowid AS nth, " + by + " AS at" + sql +
		" LIMIT ?) CROSS JOIN " + l.table() + " y ON y.rowid = nth", append(args, examined)
}

// past is a text after all that begin with another one, once it is added to that.
const past = "\U0010ffff"

// bounds returns values of the index of the column between which all that the condition selects are.
func (c *Condition) bounds() (least, most any) {
	bound := func(text string, end string) any {
		if text == "" {
			return nil
		}
		switch c.Column.Kind {
		case Number:
			number, _ := money.Parse(text)
			value, _ := number.Float()
			return value
		case Day:
			// A day begins and ends up to a day away from that of UTC.
			day, _ := time.Parse(time.DateOnly, text)
			if end == "" {
				return day.AddDate(0, 0, -1).Format(time.DateOnly)
			}
			return day.AddDate(0, 0, 2).Format(time.DateOnly)
		}
		return folded(text) + end
	}
	switch {
	case len(c.OneOf) == 1:
		return bound(c.OneOf[0], ""), bound(c.OneOf[0], past)
	case c.Begins != "":
		return bound(c.Begins, ""), bound(c.Begins, past)
	}
	return bound(c.From, ""), bound(c.To, past)
}

// selects reports whether a query selects a row, which adds something, and sets what of the row depends on the query.
func (b *Book) selects(q *Query, row any, of func() (adds, error)) (bool, error) {
	switch row := row.(type) {
	case *book.PolicyRow:
		row.Ended = ended(row, q.Now)
	case *book.ClaimRow:
		row.Age = int(q.Now.Sub(row.FNOL.Time()) / (24 * time.Hour))
	}
	for i := range q.Conditions {
		if !q.Conditions[i].holds(row, b.zone) {
			return false, nil
		}
	}
	if q.Months == nil {
		return true, nil
	}
	added, err := of()
	if err != nil {
		return false, err
	}
	selected, is, err := added.within(*q.Months, q.Earned)
	if err != nil || !is {
		return false, err
	}
	shown, err := Shown(selected)
	switch row := row.(type) {
	case *book.PolicyRow:
		row.Selected = &shown
	case *book.ClaimRow:
		row.Selected = &shown
	}
	return true, err
}

// within returns what a row adds to months between two, and whether it adds anything. What is earned counts up to a
// month.
func (a *adds) within(months [2]figures.Month, earned figures.Month) (sum figures.Sums, is bool, err error) {
	for i := range a.Months {
		if m := &a.Months[i]; m.Month >= months[0] && m.Month <= months[1] {
			sums, err := m.sums()
			if m.Month > earned {
				sums.Earned = money.Amount{}
			}
			if err == nil {
				sum, err = sum.Plus(sums)
			}
			if is = true; err != nil {
				return sum, is, err
			}
		}
	}
	return sum, is, nil
}

// holds reports whether a row has what the condition wants.
func (c *Condition) holds(row any, zone *time.Location) bool {
	text := c.Column.text(row, zone)
	if c.Empty != nil && *c.Empty != (text == "") {
		return false
	}
	if len(c.OneOf) > 0 && !slices.ContainsFunc(c.OneOf, func(v string) bool { return c.compare(text, v) == 0 }) {
		return false
	}
	if c.Begins != "" && !strings.HasPrefix(folded(text), folded(c.Begins)) {
		return false
	}
	bounded := c.From != "" || c.To != ""
	return !bounded || text != "" && (c.From == "" || c.compare(text, c.From) >= 0) &&
		(c.To == "" || c.compare(text, c.To) <= 0)
}

// compare compares two values of the column.
func (c *Condition) compare(a, b string) int {
	if c.Column.Kind == Number {
		x, errX := money.Parse(a)
		y, errY := money.Parse(b)
		if errX == nil && errY == nil {
			return x.Cmp(y)
		}
	}
	return strings.Compare(a, b)
}
