package book

import (
	"cmp"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/book"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/services/book/figures"
	"insurance.example/exchange/services/book/rows"
)

// ofName is the parameter that says what an ageing is of, and these are its values.
const (
	ofName    = "of"
	ofPremium = "premium"
	ofClaims  = "claims"
)

// ages are the least ages of an ageing, in days.
var ages = []int{0, 30, 60, 90, 180}

var reflectTriangle, reflectAging = reflect.TypeFor[book.Triangle](), reflect.TypeFor[book.Aging]()

func (l *library) aging() rest.Extension {
	return rest.Extension{
		Path: rest.ExtensionPrefix + "/book/aging", Method: http.MethodGet, Optional: true, ID: "readAging",
		Summary: "What is still to be received or to be paid, by its age",
		Details: "Premium is as old as the policy, by the day of inception, and what is outstanding as the claim, " +
			"by the day " +
			"of notification. Ages begin at 0, 30, 60, 90 and 180 days.",
		Query: []rest.Parameter{
			{Name: ofName, Values: []string{ofPremium, ofClaims}, Means: "What is shown; premium without it"},
			{Name: byLine, Means: "Only this line"},
			{Name: byContract, Means: "Only this contract"},
			{Name: currencyName, Means: "Only amounts of this currency"},
			whoseParameter, ownerParameter,
		},
		Response: reflectAging, Refuses: refusesReported, Serve: l.serveAging,
	}
}

// agingQuery is what an ageing is asked for.
type agingQuery struct {
	whose
	of   string
	only map[string]string
}

// ageKey is a currency and an age, as its place among ages; -1 for what has not begun.
type ageKey struct {
	currency string
	age      int
}

func (l *library) serveAging(c *gin.Context, _ any) (any, error) {
	q := agingQuery{of: ofPremium, only: map[string]string{}}
	values, err := query.Parse(c.Request.URL.RawQuery)
	if err == nil {
		err = query.Each(values, q.read)
	}
	if err != nil {
		return nil, err
	}
	today := figures.DayOf(l.now(), l.zone)
	counts, sums := map[ageKey]int64{}, map[ageKey]money.Amount{}
	b, err := l.book()
	if err != nil {
		return nil, err
	}
	sight, err := l.sight(c.Request.Context(), q.whose)
	if err != nil {
		return nil, err
	}
	at, err := b.OpenAmounts(c.Request.Context(), sight, q.list(),
		func(o rows.OpenAmount) (err error) {
			cell := rows.Cell{Contract: o.Contract, Line: o.Line, Currency: o.Currency}
			for by, value := range q.only {
				if valueOf(&cell, by) != value {
					return nil
				}
			}
			key := ageKey{o.Currency, len(ages) - 1}
			for key.age >= 0 && today-o.Day < int64(ages[key.age]) {
				key.age--
			}
			counts[key] += o.Count
			sums[key], err = sums[key].Plus(o.Amount)
			return err
		})
	if err != nil {
		return nil, problem.Outage(err)
	}
	if at.IsZero() {
		return nil, problem.Outage(errUnread)
	}
	response := book.Aging{Of: q.of, Ages: []book.Age{}, AsOf: at}
	for key, sum := range sums {
		age := q.age(key, l.now().In(l.zone))
		age.Count, age.Open = counts[key], sum.Decimal()
		response.Ages = append(response.Ages, age)
	}
	slices.SortFunc(response.Ages, func(a, b book.Age) int {
		return cmp.Or(strings.Compare(a.Currency, b.Currency), least(&a)-least(&b))
	})
	return response, nil
}

// least returns the least age, below 0 for what has not begun.
func least(a *book.Age) int {
	if a.FromDays == nil {
		return -1
	}
	return *a.FromDays
}

func (q *agingQuery) read(name, value string) (wrong string) {
	if wrong, is := q.parameter(name, value); is {
		return wrong
	}
	if name != ofName {
		q.only[name] = value
		return ""
	}
	if q.of = value; value != ofPremium && value != ofClaims {
		return "must be " + ofPremium + " or " + ofClaims
	}
	return ""
}

func (q *agingQuery) list() *rows.List {
	if q.of == ofClaims {
		return rows.Claims
	}
	return rows.Policies
}

// age returns an age with the path of its list: the rows that have something open, by the day since when.
func (q *agingQuery) age(key ageKey, now time.Time) book.Age {
	age, opens := book.Age{Currency: key.currency}, url.Values{}
	open(opens, currencyName, key.currency)
	q.open(opens)
	for by, value := range q.only {
		open(opens, by, value)
	}
	amount, since := "open", "inceptionDate"
	if q.of == ofClaims {
		amount, since = "outstanding", "fnol"
	}
	opens.Set(amount+fromEnd, string(money.Of(1, valuesets.CurrencyDigits(key.currency)).Decimal()))
	day := func(days int) string { return now.AddDate(0, 0, -days).Format(time.DateOnly) }
	if key.age >= 0 {
		age.FromDays = &ages[key.age]
		opens.Set(since+toEnd, day(ages[key.age]))
	}
	if next := key.age + 1; next < len(ages) {
		age.ToDays = new(ages[next] - 1)
		opens.Set(since+fromEnd, day(ages[next]-1))
	}
	age.Rows = rest.ExtensionPrefix + "/book/" + q.list().Name + "?" + opens.Encode()
	return age
}
