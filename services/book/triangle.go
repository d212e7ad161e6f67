package book

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/services/book/figures"
	"insurance.example/exchange/services/book/rows"
)

// The parameters of a triangle, and their values.
const (
	measureName     = "measure"
	developmentName = "development"
	cumulativeName  = "cumulative"

	incurred = "incurred"
	paid     = "paid"
)

// developments are the lengths of the steps of a triangle, in months.
var developments = map[string]figures.Month{"month": 1, "quarter": 3, "year": 12}

func (l *library) triangle() rest.Extension {
	return rest.Extension{
		Path: rest.ExtensionPrefix + "/book/triangle", Method: http.MethodGet, Optional: true, ID: "readLossTriangle",
		Summary: "The loss triangle: what claims come to by year of account and development",
		Details: "Development counts from the beginning of the year of account. Each figure has the path of the " +
			"claims that " +
			"it is the sum of.",
		Query: []rest.Parameter{
			{Name: measureName, Values: []string{incurred, paid}, Means: "What is shown; incurred without it"},
			{Name: byName, Values: []string{byYear}, Means: "What the rows are: years of account"},
			{Name: developmentName, Values: []string{"month", "quarter", "year"},
				Means: "The length of a step; quarter without it"},
			{Name: cumulativeName, Values: []string{"true", "false"},
				Means: "Whether a figure includes the steps before; true without it"},
			{Name: byLine, Means: "Only this line"},
			{Name: byContract, Means: "Only this contract"},
			{Name: currencyName, Means: "Only amounts of this currency"},
			whoseParameter, ownerParameter,
		},
		Response: reflectTriangle, Refuses: refusesReported, Serve: l.serveTriangle,
	}
}

// triangleQuery is what a triangle is asked for.
type triangleQuery struct {
	whose
	measure, development string
	cumulative           bool
	only                 map[string]string
}

// triangleRow is a row of a triangle.
type triangleRow struct {
	year     int
	currency string
}

func (l *library) serveTriangle(c *gin.Context, _ any) (any, error) {
	q, err := readTriangle(c.Request)
	if err != nil {
		return nil, err
	}
	steps := map[triangleRow]map[int]money.Amount{}
	b, err := l.book()
	if err != nil {
		return nil, err
	}
	sight, err := l.sight(c.Request.Context(), q.whose)
	if err != nil {
		return nil, err
	}
	at, err := b.Cells(c.Request.Context(), sight,
		figures.FirstMonth, figures.LastMonth, func(cell rows.Cell) (err error) {
			amount, err := q.amount(&cell)
			if err != nil || amount.Sign() == 0 {
				return err
			}
			row := triangleRow{cell.Year, cell.Currency}
			if steps[row] == nil {
				steps[row] = map[int]money.Amount{}
			}
			step := q.step(cell.Year, cell.Month)
			steps[row][step], err = steps[row][step].Plus(amount)
			return err
		})
	if err != nil {
		return nil, problem.Outage(err)
	}
	if at.IsZero() {
		return nil, problem.Outage(errUnread)
	}
	response := book.Triangle{Measure: q.measure, Development: q.development, Cumulative: q.cumulative,
		Rows: []book.TriangleRow{}, AsOf: at}
	for row, of := range steps {
		shown, err := q.row(row, of, q.step(row.year, l.lastFull()+1))
		if err != nil {
			return nil, err
		}
		response.Rows = append(response.Rows, shown)
	}
	slices.SortFunc(response.Rows, func(a, b book.TriangleRow) int {
		return cmp.Or(cmp.Compare(a.Year, b.Year), strings.Compare(a.Currency, b.Currency))
	})
	return response, nil
}

func readTriangle(r *http.Request) (q triangleQuery, err error) {
	q = triangleQuery{measure: incurred, development: "quarter", cumulative: true, only: map[string]string{}}
	values, err := query.Parse(r.URL.RawQuery)
	if err != nil {
		return q, err
	}
	return q, query.Each(values, func(name, value string) (wrong string) {
		if wrong, is := q.parameter(name, value); is {
			return wrong
		}
		switch name {
		case measureName:
			if q.measure = value; value != incurred && value != paid {
				return "must be " + incurred + " or " + paid
			}
		case byName:
			if value != byYear {
				return "must be " + byYear
			}
		case developmentName:
			if q.development = value; developments[value] == 0 {
				return "must be month, quarter or year"
			}
		case cumulativeName:
			if q.cumulative = value == "true"; !q.cumulative && value != "false" {
				return "must be true or false"
			}
		default:
			q.only[name] = value
		}
		return ""
	})
}

// amount returns what a cell adds to the triangle.
func (q *triangleQuery) amount(cell *rows.Cell) (money.Amount, error) {
	for by, value := range q.only {
		if valueOf(cell, by) != value {
			return money.Amount{}, nil
		}
	}
	if q.measure == paid {
		return cell.Sums.Paid, nil
	}
	return cell.Sums.Incurred()
}

// step returns the step of the development of a year that a month is in, from 1.
func (q *triangleQuery) step(year int, month figures.Month) int {
	return 1 + int(max(0, month-january(year))/developments[q.development])
}

func january(year int) figures.Month { return figures.Month(year * 12) }

// row returns a row with its steps up to the last one.
func (q *triangleQuery) row(of triangleRow, amounts map[int]money.Amount, last int) (row book.TriangleRow, err error) {
	row = book.TriangleRow{Year: of.year, Currency: of.currency, Steps: []book.TriangleStep{}}
	opens := url.Values{byYear: {strconv.Itoa(of.year)}}
	open(opens, currencyName, of.currency)
	q.open(opens)
	for by, value := range q.only {
		open(opens, by, value)
	}
	var sum money.Amount
	for step := 1; step <= last; step++ {
		if sum, err = sum.Plus(amounts[step]); err != nil {
			return row, err
		}
		amount, length := sum, developments[q.development]
		from, to := figures.FirstMonth, january(of.year)+figures.Month(step)*length-1
		if !q.cumulative {
			amount = amounts[step]
			if step > 1 {
				from = to - length + 1
			}
		}
		opens.Set(fromName, from.String())
		opens.Set(toName, to.String())
		row.Steps = append(row.Steps, book.TriangleStep{Step: step, Amount: amount.Decimal(),
			Claims: rest.ExtensionPrefix + "/book/" + rows.Claims.Name + "?" + opens.Encode()})
	}
	return row, nil
}
