package console

import (
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// asked is an office whose day is the tenth of March, with what the questions of a day are about.
type asked struct {
	office
	broker                           trial.Record
	ends, unbrokered, later, outside trial.Record // policies
	large, still, paid               trial.Record // claims
	late                             trial.Record // a receipt
	policies, claims                 []trial.Record
}

// marchTenth is the day of the questions.
const marchTenth = "2027-03-10T09:00:00Z"

func ask(t *testing.T) *asked {
	t.Helper()
	d := &asked{office: reported(t, "Asked")}
	c := d.clerk
	c.Put(t, "/x/contract/MOTOR-2026", terms.With("limits", []trial.Record{
		{"name": "Premium", "amount": "5000", "currency": "EUR"}})).Want(t, http.StatusOK)
	d.still = loss(t, c, d.policy)
	d.advance(t, marchTenth)
	d.broker = c.Create(t, "insuranceEntity", trial.Record{"name": "Kestrel Brokers"})
	like := c.Read(t, "/motorCoverage/"+d.policy.Text("id"))
	term := func(inception, expiry string, more trial.Record) trial.Record {
		body := trial.Record{"inceptionDate": inception + "T00:00:00Z", "expiryDate": expiry + "T00:00:00Z"}
		for _, member := range []string{"policyholderId", "vehicleId", "driverId", "perils", "indemnityLimitPolicy"} {
			body[member] = like[member]
		}
		for member, value := range more {
			body[member] = value
		}
		return c.Create(t, "motorCoverage", body)
	}
	brought := trial.Record{"brokerId": d.broker.Text("id"), "premium": 2000}
	d.ends = term("2026-04-15", "2027-04-15", brought)
	d.unbrokered = term("2026-04-20", "2027-04-20", trial.Record{"premium": 1500})
	d.later = term("2026-10-01", "2027-10-01", brought)
	d.outside = term("2025-05-01", "2027-04-01", trial.Record{"premium": 10})
	claim := func(of trial.Record, cause string, reserve int) trial.Record {
		return c.Create(t, "claim", trial.Record{"policyNumber": of.Text("policyNumber"),
			"lossDate": "2026-11-20T08:00:00Z", "claimType": "own property damage", "lossCause": cause,
			"reserve": reserve})
	}
	d.large, d.paid = claim(d.ends, "fire", 8000), claim(d.later, "hail", 700)
	c.Post(t, "/x/claim/"+d.paid.Text("id")+":pay", trial.Record{"paymentAmount": 300, "paymentMethod": "cash",
		"paidAt": "2027-03-09T00:00:00Z"}).Want(t, http.StatusOK)
	receipt := func(of trial.Record, amount int, more trial.Record) trial.Record {
		body := trial.Record{"policyNumber": of.Text("policyNumber"), "receiptType": "new policy",
			"paymentAmount": amount, "premiumPaymentMethod": "cash"}
		for member, value := range more {
			body[member] = value
		}
		return c.Create(t, "receipt", body)
	}
	receipt(d.unbrokered, 1500, nil)
	receipt(d.outside, 10, nil)
	d.late = receipt(d.later, 2000, trial.Record{"receiptDate": "2027-02-12"})
	d.sign(t, november, d.prepare(t, c, november))
	d.profile(t)
	run := d.sends(t, d.statement("POL-OTHER"))
	for _, item := range d.read(t, "/x/reconciliation/run/"+run.Text("id")+"/items?outcome=mismatch", "items") {
		c.Post(t, fmt.Sprintf("/x/reconciliation/run/%s/items/%v:dispute", run.Text("id"), item["number"]),
			trial.Record{"reason": "not what we agreed"}).Want(t, http.StatusOK)
	}
	d.policies = []trial.Record{d.policy, d.ends, d.unbrokered, d.later, d.outside}
	d.claims = []trial.Record{d.large, d.still, d.paid}
	wait.For(t, "the book has all of it", func() bool {
		return len(d.read(t, "/x/book/movements", "rows")) == 7 && len(d.read(t, "/x/book/claims", "rows")) == 3
	})
	return d
}

// sum adds up a member of the rows that a request finds.
func (d *asked) sum(t *testing.T, path, rows, member string) *big.Rat {
	t.Helper()
	sum := new(big.Rat)
	for _, row := range d.read(t, path, rows) {
		sum.Add(sum, rational(text(at(row, member))))
	}
	return sum
}

// numbersOf returns the members of records with some name, in order.
func numbersOf(member string, of ...trial.Record) []string {
	all := []string{}
	for _, one := range of {
		all = append(all, one.Text(member))
	}
	slices.Sort(all)
	return all
}

// question is one of the questions of a day: which request responds to it, and how somebody who is at the first screen
// gets to the response. rows are the numbers that both have; else figure is the amount.
type question struct {
	asks, path   string
	list, member string
	clicks       []string
	types        string // into the search, before the clicks
	part         string
	rows         []string
	figure       string
	shows        []string
}

// TestQuestionsOfTheDay asks what people ask most days: each has a request, and a path of at most three clicks from the
// first screen, which come to what the records that were made say.
func TestQuestionsOfTheDay(t *testing.T) {
	t.Parallel()
	d := ask(t)
	const policies, claims = "[data-screen=policies]", "[data-screen=claims]"
	book, desk, files := "[data-screen=book]", "[data-screen=desk]", "[data-screen=files]"
	view := func(name string) string { return "[data-view=" + name + "]" }
	tabOf := func(name string) string { return "[data-tab=" + name + "]" }
	rowOf := func(part, column string) string {
		return "[data-part=" + part + "] tbody td[data-label='" + column + "']"
	}
	const figures = "figures/"
	number := d.policy.Text("policyNumber")
	months := "expiryDateFrom=2027-04-01&expiryDateTo=2027-04-30&ended=false"
	underContract := []trial.Record{d.policy, d.ends, d.unbrokered, d.later}
	decided := d.read(t, november, "versions")[0]
	for _, q := range []question{
		{asks: "policies of a broker that lapse next month", list: "rows", member: "policyNumber",
			path:   "/x/book/policies?broker=Kestrel%20Brokers&" + months,
			clicks: []string{policies, view("endsNext"), rowOf("rows", "Broker") + " a"}, part: "rows",
			rows: numbersOf("policyNumber", d.ends)},
		{asks: "outstanding of each contract", list: "cells", member: figures + "outstanding",
			path: "/x/book/summary?by=contract", clicks: []string{book, tabOf("contracts")}, part: "contracts",
			figure: "12400", shows: []string{"MOTOR-2026", "EUR 12,400.00"}},
		{asks: "contracts above 90 % of a limit", list: "cells", member: figures + "written",
			path: "/x/book/summary?by=contract", clicks: []string{book, tabOf("contracts")}, part: "limits",
			figure: "6744", shows: []string{"MOTOR-2026", "EUR 5,000.00", "134.7%"}},
		{asks: "loss ratio by line and year", list: "cells", member: figures + "incurred",
			path: "/x/book/summary?by=line,year", clicks: []string{book}, part: "lines", figure: "12700",
			shows: []string{"Motor", "2026", "188.6%"}},
		{asks: "policies with premium unpaid", list: "rows", member: "policyNumber",
			path: "/x/book/policies?openFrom=0.01", clicks: []string{policies, view("unpaid")}, part: "rows",
			rows: numbersOf("policyNumber", d.policy, d.ends)},
		{asks: "receipts of the month before that were recorded late", list: "rows", member: "policyNumber",
			path:   "/x/book/late?dateFrom=2027-02-01&dateTo=2027-02-28",
			clicks: []string{book, "a[href='#/book/late']", view("lateLast")}, part: "rows",
			rows: numbersOf("policyNumber", d.later)},
		{asks: "premium by line this year of account", list: "cells", member: figures + "written",
			path: "/x/book/summary?by=line,year&year=2026", clicks: []string{book}, part: "lines", figure: "6734",
			shows: []string{"EUR 6,734.00"}},
		{asks: "what a person approved this month", list: "versions", member: "decidedBy", path: november,
			clicks: []string{desk, "a[href='#/decisions']", "[data-part=decisions] a[href*='by=anna']"},
			part:   "decisions", shows: []string{"anna", "approved", "2026-11", decided.Text("decidedBy")}},
		{asks: "open claims above 5,000", list: "rows", member: "claimNumber",
			path:   "/x/book/claims?status=open&status=reopened&outstandingFrom=5000",
			clicks: []string{claims, view("large")}, part: "rows", rows: numbersOf("claimNumber", d.large)},
		{asks: "claims without movement for 90 days", list: "rows", member: "claimNumber",
			path:   "/x/book/claims?status=open&status=reopened&lastMovementTo=2026-12-10",
			clicks: []string{claims, view("still")}, part: "rows", rows: numbersOf("claimNumber", d.still)},
		{asks: "all claims of a broker", list: "rows", member: "claimNumber",
			path:   "/x/book/claims?broker=Kestrel%20Brokers",
			clicks: []string{claims, view("brokered"), rowOf("rows", "Broker") + " a"}, part: "rows",
			rows: numbersOf("claimNumber", d.large, d.paid)},
		{asks: "policies of a contract", list: "rows", member: "policyNumber",
			path: "/x/book/policies?contract=MOTOR-2026",
			clicks: []string{book, tabOf("contracts"),
				"[data-part=contracts] tbody tr:has([href='#/desk/MOTOR-2026']) td[data-label=Written] a"},
			part: "rows", rows: numbersOf("policyNumber", underContract...)},
		{asks: "claims by cause", list: "cells", member: figures + "notified", path: "/x/book/summary?by=cause",
			clicks: []string{book, tabOf("causes")}, part: "causes", figure: "3", shows: []string{"hail", "fire"}},
		{asks: "renewals that nobody has offered yet", list: "rows", member: "policyNumber",
			path:   "/x/book/policies?ended=false&expiryDateTo=2027-05-09&renewedToEmpty=true",
			clicks: []string{policies, view("notRenewed")}, part: "rows",
			rows: numbersOf("policyNumber", d.ends, d.unbrokered, d.outside)},
		{asks: "what is disputed with a broker over all files", list: "items", member: "policyNumber",
			path: "/x/reconciliation/run/" + d.read(t, "/x/reconciliation/run", "runs")[0].Text("id") +
				"/items?decision=disputed",
			clicks: []string{files, "a[href='#/disputed']", "[data-part=disputed] a[href*='profile=BROKER']"},
			part:   "disputed", rows: []string{number}, shows: []string{"not what we agreed", "950", "900"}},
		{asks: "what was paid on a claim, and when", list: "payments", member: "paymentAmount",
			path: "/claim/" + d.paid.Text("id"), types: d.paid.Text("claimNumber"), part: "payments", figure: "300",
			shows: []string{"Mar 9, 2027", "EUR 300.00"}},
		{asks: "who changed a policy, and when", list: "history", member: "by",
			path: "/x/history/motorCoverage/" + d.policy.Text("id"), types: number, clicks: []string{tabOf("timeline")},
			part: "timeline", shows: []string{"Created", "by clerk"}},
		{asks: "what is overdue", list: "periods", member: "period", path: "/x/bordereau?state=overdue&limit=200",
			part: "overdue", shows: []string{"MOTOR-2026", "days late"}},
		{asks: "why a month differs from the month before", list: "versions", member: "lines", path: november,
			clicks: []string{desk, "[data-part=board] a[href='#/desk/MOTOR-2026/premium/2026-11']"}, part: "why",
			shows: []string{"Why 2026-11 is different from 2026-10", "EUR 900.00"}},
		{asks: "which receipts make a figure", list: "lines", member: "policyNumber", path: november + "/lines",
			clicks: []string{desk, "[data-part=board] a[href='#/desk/MOTOR-2026/premium/2026-11']",
				"[data-part=live] td.right a"}, part: "lines", rows: []string{number, number}},
		{asks: "which policies no contract reports", list: "policies", member: "policyNumber",
			path: "/x/bordereau/unassigned", clicks: []string{desk, "a[href='#/unassigned']"}, part: "unassigned",
			rows: numbersOf("policyNumber", d.outside)},
		{asks: "who approved a version, and why", list: "versions", member: "decidedBy", path: november,
			clicks: []string{desk, "a[href='#/decisions']"}, part: "decisions", shows: []string{"anna", "EUR"}},
		{asks: "policies that end within 30 days", list: "rows", member: "policyNumber",
			path:   "/x/book/policies?ended=false&expiryDateFrom=2027-03-10&expiryDateTo=2027-04-09",
			clicks: []string{"[data-figure=ending]"}, part: "ending", rows: numbersOf("policyNumber", d.outside)},
		{asks: "claims of a person", list: "rows", member: "claimNumber",
			path:  "/x/book/claims?insured=" + url.QueryEscape("Grace Asked"),
			types: number, clicks: []string{tabOf("claims")}, part: "claims", rows: numbersOf("claimNumber", d.still)},
	} {
		t.Run(strings.ReplaceAll(q.asks, " ", "_"), func(t *testing.T) { d.responds(t, q) })
	}
}

// responds asks a question, of the interface and of the console.
func (d *asked) responds(t *testing.T, q question) {
	if len(q.clicks) > 3 {
		t.Fatalf("%d clicks", len(q.clicks))
	}
	found := d.read(t, q.path, q.list)
	if len(found) == 0 {
		t.Fatalf("%s finds nothing", q.path)
	}
	if q.figure != "" {
		if sum := d.sum(t, q.path, q.list, q.member); sum.Cmp(rational(q.figure)) != 0 {
			t.Errorf("%s comes to %s, not %s", q.path, sum.FloatString(2), q.figure)
		}
	}
	p := open(t, d.Exchange, "/today", trial.Developer)
	p.sees("h1", "Today")
	if q.types != "" {
		p.press("/")
		p.becomes("document.activeElement.matches('search input')")
		p.keys(q.types + "\r")
	}
	for _, selector := range q.clicks {
		p.sees(selector)
		p.click(selector)
	}
	p.sees("[data-part="+q.part+"]", q.shows...)
	if q.rows == nil {
		return
	}
	if q.asks != "claims of a person" {
		if got := numbersOf(q.member, found...); !slices.Equal(got, q.rows) {
			t.Errorf("%s finds %q, not %q", q.path, got, q.rows)
		}
	}
	var got []string
	links := "[...document.querySelectorAll('[data-part=" + q.part + "] tbody tr')]" +
		".map((row) => [...row.querySelectorAll('a')].map((a) => a.innerText)" +
		".find((text) => /^(POL|CLM)-/.test(text))).sort()"
	wait.Until(t, func() error {
		p.eval(links, &got)
		if !slices.Equal(got, q.rows) {
			return fmt.Errorf("the console shows %q, not %q", got, q.rows)
		}
		return nil
	})
}
