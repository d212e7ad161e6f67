package book

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/sheet/table"
	"insurance.example/exchange/services/book/figures"
	"insurance.example/exchange/services/book/rows"
)

// What the names of the parameters of a column end with, by what it must be.
const (
	fromEnd   = "From"
	toEnd     = "To"
	beginsEnd = "Begins"
	emptyEnd  = "Empty"
)

// The parameters that are no column's.
const (
	sortName   = "sort"
	cursorName = "cursor"
	limitName  = "limit"
	fromName   = "from"
	toName     = "to"
	// columnsName is that of the parameter with the columns to return.
	columnsName = "columns"
)

// descending, before the name of a column, has rows sorted by it in descending order.
const descending = "-"

// The bounds of the parameters of a column.
const (
	mostValues = 20
	mostText   = 200
)

// numbers are what columns of numbers are compared with.
var numbers = regexp.MustCompile(`^-?[0-9]{1,40}(\.[0-9]{1,20})?$`)

// list returns the operation that reads a list. months says that rows can be selected by what they add to months.
func (l *library) list(of *rows.List, id, summary string, response reflect.Type, months bool) rest.Extension {
	var sorts []string
	parameters := []rest.Parameter{}
	for _, c := range of.Columns {
		if c.Sorts {
			sorts = append(sorts, c.Name, descending+c.Name)
		}
		parameters = append(parameters, conditionParameters(c)...)
	}
	parameters = append(parameters, rest.Parameter{Name: sortName, Values: sorts,
		Means: "The column by which rows are sorted, with a hyphen before it in descending order; without it, that " +
			"of the first condition that can lead, else the number or id"},
		rest.Parameter{Name: cursorName,
			Means: "The member next of the page before, with the same conditions and order"},
		rest.Parameter{Name: columnsName, Means: "The members of rows to return, with commas between them; all " +
			"without it. JSON has " + of.Members(false)[0] + " in any case, and a file the columns in this order"})
	parameters = append(append(parameters, whoseParameter), findParameters(of)...)
	if months {
		parameters = append(parameters,
			rest.Parameter{Name: fromName, Means: "Only rows that add something to months from this one on, such as " +
				"2026-01; `selected` says what"},
			rest.Parameter{Name: toName, Means: "Only rows that add something to months up to this one"})
	}
	return rest.Extension{
		Path: rest.ExtensionPrefix + "/book/" + of.Name, Method: http.MethodGet, Optional: true, ID: id,
		Summary: summary,
		Details: "Repeat a parameter to ask for one of several values, 20 at most. Days are those of the exchange's " +
			"zone. A page looks at 10,000 rows at most: where few of them are selected, it has fewer than asked " +
			"for, and `next`. Until the book has read everything for the first time, the response is 503. " + ofFiles,
		Also:       table.Media(),
		Parameters: []string{limitName}, Query: parameters, Response: response, Refuses: refusesReported,
		Serve: func(c *gin.Context, _ any) (any, error) { return l.serveList(c, of) },
	}
}

// late returns the operation that lists what was recorded late: movements, from those that were so by a day.
func (l *library) late() rest.Extension {
	late := l.list(rows.Movements, "listLateReceipts",
		"Receipts, refunds and payments that were recorded after the period they belong to, the latest first",
		reflect.TypeFor[book.MovementRows](), false)
	late.Path = rest.ExtensionPrefix + "/book/late"
	serve := late.Serve
	late.Serve = func(c *gin.Context, body any) (any, error) {
		asked := c.Request
		defer func() { c.Request = asked }()
		values, err := query.Parse(asked.URL.RawQuery)
		if err != nil {
			return nil, err
		}
		for name, usual := range map[string]string{lateColumn + fromEnd: "1", sortName: descending + lateColumn} {
			if !values.Has(name) {
				values.Set(name, usual)
			}
		}
		c.Request = asked.Clone(asked.Context())
		c.Request.URL.RawQuery = values.Encode()
		return serve(c, body)
	}
	return late
}

// lateColumn is the column of movements that says how late they were.
const lateColumn = "late"

// conditionParameters returns the parameters of a column.
func conditionParameters(c rows.Column) []rest.Parameter {
	is := rest.Parameter{Name: c.Name, Most: mostValues, Means: "The value of " + c.Name}
	from := rest.Parameter{Name: c.Name + fromEnd, Means: "The least value of " + c.Name}
	to := rest.Parameter{Name: c.Name + toEnd, Means: "The greatest value of " + c.Name}
	empty := rest.Parameter{Name: c.Name + emptyEnd, Values: []string{"true", "false"},
		Means: "Whether " + c.Name + " is empty"}
	switch c.Kind {
	case rows.Flag:
		is.Values, is.Most = []string{"true", "false"}, 0
		return []rest.Parameter{is}
	case rows.Day:
		is.Format, from.Format, to.Format = "date", "date", "date"
		return []rest.Parameter{is, from, to, empty}
	case rows.Number:
		return []rest.Parameter{is, from, to, empty}
	}
	return []rest.Parameter{is,
		{Name: c.Name + beginsEnd, Means: "What " + c.Name + " begins with, in any case"}, empty}
}

func (l *library) serveList(c *gin.Context, of *rows.List) (any, error) {
	q, err := l.readList(c.Request, of)
	if err != nil {
		return nil, err
	}
	members, err := membersAsked(c.Request, of, q.Months != nil)
	if err != nil {
		return nil, err
	}
	if format := table.Asked(c); format.Name != "" {
		return l.export(c, format, of, q, members)
	}
	page, err := l.page(c.Request.Context(), of, q)
	if err != nil {
		return nil, err
	}
	next := ""
	if page.Next != nil {
		if next, err = closed(page.Next, c.Request.URL.Query()); err != nil {
			return nil, err
		}
	}
	if members != nil {
		return pickedOf(of, page, next, members)
	}
	switch of {
	case rows.Policies:
		return book.PolicyRows{Rows: rowsOf[book.PolicyRow](page), Next: next, AsOf: page.AsOf}, nil
	case rows.Claims:
		return book.ClaimRows{Rows: rowsOf[book.ClaimRow](page), Next: next, AsOf: page.AsOf}, nil
	}
	return book.MovementRows{Rows: rowsOf[book.MovementRow](page), Next: next, AsOf: page.AsOf}, nil
}

// page returns a page of a list. Errors: problem.Unavailable, also until the book has read everything.
func (l *library) page(ctx context.Context, of *rows.List, q listQuery) (rows.Page, error) {
	b, err := l.book()
	if err != nil {
		return rows.Page{}, err
	}
	if q.Sight, err = l.sight(ctx, q.whose); err != nil {
		return rows.Page{}, err
	}
	page, err := b.Page(ctx, of, q.Query)
	if err == nil && page.AsOf.IsZero() {
		err = errUnread
	}
	if err != nil {
		return page, problem.Outage(err)
	}
	return page, nil
}

// errUnread says why the book shows nothing yet.
var errUnread = fmt.Errorf("the book has not read everything yet")

func rowsOf[T any](page rows.Page) []T {
	all := make([]T, len(page.Rows))
	for i, row := range page.Rows {
		all[i] = *row.(*T)
	}
	return all
}

// listQuery is what a list is asked for.
type listQuery struct {
	rows.Query
	whose
}

// readList reads the parameters of a list.
func (l *library) readList(r *http.Request, of *rows.List) (q listQuery, err error) {
	q = listQuery{Query: rows.Query{Limit: rest.DefaultLimit, Now: l.now(), Earned: l.lastFull()}}
	values, err := query.Parse(r.URL.RawQuery)
	if err != nil {
		return q, err
	}
	conditions := map[string]*rows.Condition{}
	err = query.EachOf(values, func(name string, values []string) (wrong string) {
		if wrong, is := condition(of, conditions, name, values); is {
			return wrong
		}
		return l.parameter(of, &q, name, values[0])
	})
	if err != nil {
		return q, err
	}
	for _, c := range of.Columns {
		if is := conditions[c.Name]; is != nil {
			q.Conditions = append(q.Conditions, *is)
			q.narrow(is)
		}
	}
	if text := values.Get(cursorName); values.Has(cursorName) {
		if q.After, err = opened(text, values); err != nil {
			return q, problem.New(problem.BadParameter, "The cursor is of another list, or is none.").
				InParameter(cursorName, "take next of a page with the same conditions and order")
		}
	}
	return q, nil
}

// parameter reads a parameter that is no column's. The server has refused those that are unknown or sent twice.
func (l *library) parameter(of *rows.List, q *listQuery, name, value string) (wrong string) {
	switch name {
	case limitName:
		return query.Whole(value, 1, rest.MaxLimit, &q.Limit)
	case cursorName, columnsName:
		return ""
	case whoseName:
		return q.take(value)
	case findName:
		return q.find(value)
	case sortName:
		by, down := strings.CutPrefix(value, descending)
		at := slices.IndexFunc(of.Columns, func(c rows.Column) bool { return c.Name == by && c.Sorts })
		if at < 0 {
			return "must be one of " + strings.Join(sortsOf(of), ", ") + ", with a hyphen before it in descending order"
		}
		q.Sort, q.Descending = of.Columns[at], down
		return ""
	default:
		month, ok := figures.ParseMonth(value)
		if !ok {
			return "must be a month such as 2026-11"
		}
		if q.Months == nil {
			q.Months = &[2]figures.Month{figures.FirstMonth, figures.LastMonth}
		}
		if name == fromName {
			q.Months[0] = month
		} else {
			q.Months[1] = month
		}
		return ""
	}
}

func sortsOf(of *rows.List) (names []string) {
	for _, c := range of.Columns {
		if c.Sorts {
			names = append(names, c.Name)
		}
	}
	return names
}

// condition reads a parameter of a column. is reports whether it is one.
func condition(of *rows.List, all map[string]*rows.Condition, name string, values []string) (wrong string, is bool) {
	for _, c := range of.Columns {
		end, begins := strings.CutPrefix(name, c.Name)
		if !begins || !takes(c, end) {
			continue
		}
		to := all[c.Name]
		if to == nil {
			to = &rows.Condition{Column: c}
			all[c.Name] = to
		}
		for _, value := range values {
			if wrong := unfit(c, end, value); wrong != "" {
				return wrong, true
			}
		}
		switch end {
		case "":
			to.OneOf = values
		case fromEnd:
			to.From = values[0]
		case toEnd:
			to.To = values[0]
		case beginsEnd:
			to.Begins = values[0]
		case emptyEnd:
			to.Empty = new(values[0] == "true")
		}
		return "", true
	}
	return "", false
}

// takes reports whether a column has a parameter whose name ends so.
func takes(c rows.Column, end string) bool {
	return slices.ContainsFunc(conditionParameters(c), func(p rest.Parameter) bool { return p.Name == c.Name+end })
}

// unfit returns what is wrong with a value of a parameter of a column, empty if nothing is.
func unfit(c rows.Column, end, value string) string {
	switch {
	case end == emptyEnd || c.Kind == rows.Flag:
		if value != "true" && value != "false" {
			return "must be true or false"
		}
	case value == "" || len(value) > mostText:
		return fmt.Sprintf("must have 1 to %d bytes", mostText)
	case c.Kind == rows.Day:
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return "must be a day such as 2026-11-30"
		}
	case c.Kind == rows.Number:
		if !numbers.MatchString(value) {
			return "must be a number such as 1000.50"
		}
	}
	return ""
}

// A cursor says where a page begins, and which query it is of. It holds nothing that its caller has not seen.

type cursor struct {
	Place *rows.Place `json:"p"`
	Of    string      `json:"o"`
}

// bound returns what a cursor is bound to: the conditions and the order of a query.
func bound(values url.Values) string {
	of := url.Values{}
	for name, given := range values {
		if name != cursorName && name != limitName && name != columnsName {
			of[name] = given
		}
	}
	sum := sha256.Sum256([]byte(of.Encode()))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

func closed(at *rows.Place, values url.Values) (string, error) {
	text, err := json.Marshal(cursor{at, bound(values)})
	return base64.RawURLEncoding.EncodeToString(text), err
}

func opened(text string, values url.Values) (*rows.Place, error) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	var c cursor
	if err := json.Unmarshal(plain, &c); err != nil {
		return nil, err
	}
	if c.Place == nil || c.Of != bound(values) {
		return nil, fmt.Errorf("the cursor is of another query")
	}
	return c.Place, nil
}
