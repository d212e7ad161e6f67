package book

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
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

// What a summary can be added up by, two at most.
const (
	byLine     = "line"
	byYear     = "year"
	byContract = "contract"
	byMonth    = "month"
	byCause    = "cause"
	byCountry  = "country"
)

var dimensions = []string{byLine, byYear, byContract, byMonth, byCause, byCountry}

// mostCells is how many cells a summary has at most.
const mostCells = 10_000

// The parameters of a summary that are no column's.
const (
	byName       = "by"
	currencyName = "currency"
)

var summaryParameters = []rest.Parameter{
	{Name: byName, Means: "What to add up by: one or two of line, year, contract, month, cause and country, with a " +
		"comma between them; line without it"},
	{Name: currencyName, Means: "Only amounts of this currency"},
	{Name: byLine, Means: "Only this line"},
	{Name: byYear, Means: "Only this year of account"},
	{Name: byContract, Means: "Only this contract"},
	{Name: byCause, Means: "Only this cause of losses"},
	{Name: byCountry, Means: "Only this country"},
	whoseParameter, ownerParameter,
	{Name: fromName, Means: "The first month, such as 2026-01"},
	{Name: toName, Means: "The last month; without it, what is written and earned up to the end of every term"},
}

// summaryQuery is what a summary is asked for.
type summaryQuery struct {
	whose
	by       []string
	only     map[string]string
	from, to figures.Month
	months   bool
}

func (l *library) serveSummary(c *gin.Context, _ any) (any, error) {
	q, err := readSummary(c.Request)
	if err != nil {
		return nil, err
	}
	sums := map[group]figures.Sums{}
	last := l.lastFull()
	b, err := l.book()
	if err != nil {
		return nil, err
	}
	sight, err := l.sight(c.Request.Context(), q.whose)
	if err != nil {
		return nil, err
	}
	at, err := b.Cells(c.Request.Context(), sight, q.from, q.to,
		func(cell rows.Cell) (err error) {
			if !q.selects(&cell) {
				return nil
			}
			if cell.Month > last {
				cell.Sums.Earned = money.Amount{}
			}
			of := q.group(&cell)
			if sums[of], err = sums[of].Plus(cell.Sums); err == nil && len(sums) > mostCells {
				err = tooMany()
			}
			return err
		})
	if _, wide := errors.AsType[*problem.Error](err); err != nil && !wide {
		err = problem.Outage(err)
	}
	if err != nil {
		return nil, err
	}
	if at.IsZero() {
		return nil, problem.Outage(errUnread)
	}
	response := book.Summary{Cells: []book.SummaryCell{}, AsOf: at}
	for _, of := range slices.SortedFunc(maps.Keys(sums), group.compare) {
		if sums[of].IsZero() {
			continue
		}
		cell, err := q.cell(of, sums[of], l)
		if err != nil {
			return nil, err
		}
		response.Cells = append(response.Cells, cell)
	}
	return response, nil
}

func tooMany() error {
	return problem.New(problem.BadParameter, fmt.Sprintf("The summary has more than %d cells.", mostCells)).
		InParameter(byName, "add up by fewer, or name a line, a year, a contract or months")
}

// readSummary reads the parameters of a summary, of which the server has refused those that are unknown.
func readSummary(r *http.Request) (q summaryQuery, err error) {
	q = summaryQuery{by: []string{byLine}, only: map[string]string{}, from: figures.FirstMonth, to: figures.LastMonth}
	values, err := query.Parse(r.URL.RawQuery)
	if err != nil {
		return q, err
	}
	return q, query.Each(values, func(name, value string) (wrong string) {
		if wrong, is := q.parameter(name, value); is {
			return wrong
		}
		switch {
		case name == byName:
			return q.takeBy(value)
		case name == fromName || name == toName:
			month, ok := figures.ParseMonth(value)
			if !ok {
				return "must be a month such as 2026-11"
			}
			if q.months = true; name == fromName {
				q.from = month
			} else {
				q.to = month
			}
			return ""
		case len(value) > mostText:
			return fmt.Sprintf("must have up to %d bytes", mostText)
		}
		q.only[name] = value
		return ""
	})
}

func (q *summaryQuery) takeBy(value string) (wrong string) {
	q.by = strings.Split(value, ",")
	for i, by := range q.by {
		if !slices.Contains(dimensions, by) || slices.Contains(q.by[:i], by) || i > 1 {
			return "must be one or two of " + strings.Join(dimensions, ", ") + ", with a comma between them"
		}
	}
	return ""
}

// group is what the cells have in common that are added up.
type group struct{ first, second, currency string }

func (g group) compare(with group) int {
	return cmp.Or(strings.Compare(g.first, with.first), strings.Compare(g.second, with.second),
		strings.Compare(g.currency, with.currency))
}

func valueOf(cell *rows.Cell, by string) string {
	switch by {
	case byLine:
		return cell.Line
	case byYear:
		return strconv.Itoa(cell.Year)
	case byContract:
		return cell.Contract
	case byMonth:
		return cell.Month.String()
	case byCause:
		return cell.Cause
	case byCountry:
		return cell.Country
	}
	return cell.Currency
}

func (q *summaryQuery) selects(cell *rows.Cell) bool {
	for by, value := range q.only {
		if valueOf(cell, by) != value {
			return false
		}
	}
	return true
}

func (q *summaryQuery) group(cell *rows.Cell) group {
	g := group{first: valueOf(cell, q.by[0]), currency: cell.Currency}
	if len(q.by) > 1 {
		g.second = valueOf(cell, q.by[1])
	}
	return g
}

// cell returns a cell as callers see it.
func (q *summaryQuery) cell(of group, sums figures.Sums, l *library) (cell book.SummaryCell, err error) {
	if cell.Figures, err = rows.Shown(sums); err != nil {
		return cell, err
	}
	cell.Currency = of.currency
	opens := url.Values{currencyName: {of.currency}}
	if of.currency == "" {
		opens = url.Values{currencyName + emptyEnd: {"true"}}
	}
	from, to := q.from, q.to
	q.open(opens)
	for by, value := range q.only {
		open(opens, by, value)
	}
	for i, by := range q.by {
		value := of.first
		if i > 0 {
			value = of.second
		}
		switch by {
		case byLine:
			cell.Line = value
		case byYear:
			if cell.Year, err = strconv.Atoi(value); err != nil {
				return cell, err
			}
		case byContract:
			cell.Contract = &value
		case byCause:
			cell.Cause = &value
		case byCountry:
			cell.Country = &value
		case byMonth:
			cell.Month = value
			from, _ = figures.ParseMonth(value)
			to = from
			continue
		}
		open(opens, by, value)
	}
	opens.Set(fromName, from.String())
	opens.Set(toName, to.String())
	cell.Claims = rest.ExtensionPrefix + "/book/" + rows.Claims.Name + "?" + opens.Encode()
	if !opens.Has(byCause) {
		opens.Del(byCause + emptyEnd) // premium has no cause
		cell.Policies = rest.ExtensionPrefix + "/book/" + rows.Policies.Name + "?" + opens.Encode()
	}
	if of.currency == "" && l.amounts.Unit == "" {
		return cell, nil
	}
	return cell, ratios(&cell, sums)
}

// open has a list show the rows whose column has a value.
func open(opens url.Values, by, value string) {
	if value == "" {
		opens.Set(by+emptyEnd, "true")
		return
	}
	opens.Set(by, value)
}

// ratios sets the loss ratios of a cell.
func ratios(cell *book.SummaryCell, sums figures.Sums) error {
	incurred, err := sums.Incurred()
	if err != nil {
		return err
	}
	if cell.LossRatioWritten, err = rows.Ratio(incurred, sums.Written); err != nil {
		return err
	}
	cell.LossRatioEarned, err = rows.Ratio(incurred, sums.Earned)
	return err
}
