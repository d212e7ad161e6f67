package console

import (
	"context"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/fetch"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// figure returns what a figure of the first screen says.
func (p *tab) figure(name string) (says string) {
	p.Helper()
	p.eval("[...document.querySelectorAll('[data-figure="+name+"] strong')].map((e) => "+
		"e.querySelector('[data-amount]')?.dataset.amount ?? e.innerText).join(' ')", &says)
	return says
}

// everyPage reads all pages of a list whose pages name the next one, with the parameter that takes it.
func (d office) everyPage(t *testing.T, path, member, parameter string) (all []trial.Record) {
	t.Helper()
	for next := ""; ; {
		page := d.clerk.Read(t, path+next)
		all = append(all, within(page, member)...)
		after, _ := page["next"].(string)
		if after == "" {
			return all
		}
		next = "&" + parameter + "=" + url.QueryEscape(after)
	}
}

// workList are the figures that the periods of all contracts come to, whatever their states: how many are late, for how
// many a version waits, and what is found in these and not waived.
func (d office) workList(t *testing.T) (late, waits, findings int) {
	t.Helper()
	for _, one := range d.everyPage(t, "/x/bordereau?limit=5", "periods", "after") {
		if days := text(one["daysLate"]); days != "–" && days != "0" {
			late++
		}
		for _, v := range within(one, "versions") {
			if v["state"] != "pending" {
				continue
			}
			waits++
			path := fmt.Sprintf("/x/bordereau/%s/%s/%s/versions/%v/findings", one["contract"], one["kind"],
				one["period"], v["number"])
			for _, found := range d.read(t, path, "findings") {
				if found["waivedBy"] == nil {
					findings++
				}
			}
		}
	}
	return late, waits, findings
}

// TestTodayOpensWithFigures compares the five figures of the first screen with what the lists of the interface come to,
// counted and added up one by one. Each figure is a filter of what is below, and what is outstanding opens its claims.
func TestTodayOpensWithFigures(t *testing.T) {
	t.Parallel()
	d := reported(t, "Figured")
	d.nameless(t)
	if err := seed(d.Exchange); err != nil {
		t.Fatal(err)
	}
	lost := loss(t, d.clerk, d.policy)
	d.clerk.Post(t, "/x/claim/"+lost.Text("id")+":pay",
		trial.Record{"paymentAmount": 1500, "paymentMethod": "cash"}).Want(t, http.StatusOK)
	d.prepare(t, d.clerk, november)
	const found = november + "/versions/1/findings"
	d.clerk.Post(t, found+"/"+d.read(t, found, "findings")[0].Text("id")+":waive", trial.Record{"reason": "known"}).
		Want(t, http.StatusOK)
	d.clerk.Post(t, "/x/bordereau/MOTOR-2026/claims/2026-10:prepare", trial.Record{"type": "nil"}).
		Want(t, http.StatusCreated)
	late, waits, findings := d.workList(t)
	soon, until := 0, "2027-01-04T09:00:00Z"
	for _, one := range d.clerk.Get(t, "/x/search/coverage?limit=200&fields=status,expiryDate").Records(t) {
		ends := one.Text("expiryDate")
		if slices.Contains([]string{"in force", "extended"}, one.Text("status")) && ends >= today && ends <= until {
			soon++
		}
	}
	if late == 0 || waits == 0 || findings == 0 || soon == 0 {
		t.Fatalf("%d are late, %d wait, %d findings, %d end", late, waits, findings, soon)
	}
	outstanding := d.outstanding(t, lost)
	p := open(t, d.Exchange, "/today", trial.Developer)
	for name, want := range map[string]int{"overdue": late, "prepared": waits, "findings": findings, "ending": soon} {
		p.sees("[data-figure=" + name + "][data-count]")
		if got := p.figure(name); got != fmt.Sprint(want) {
			t.Errorf("%s is %q, want %d", name, got, want)
		}
	}
	p.becomes("document.querySelector('[data-figure=outstanding] [data-amount]')?.dataset.amount === " +
		quoted(outstanding.RatString()))
	p.hasDigits()
	for name, parts := range map[string][]string{"overdue": {"overdue"}, "prepared": {"prepared"},
		"findings": {"findings"}, "outstanding": {"reopened", "open"}, "ending": {"ending"}} {
		p.turn("/today")
		p.sees("[data-part=ended]")
		link := "[data-figure=" + name + "]"
		if name == "outstanding" {
			link += " > a"
		}
		p.click(link)
		p.sees("[data-filter=" + name + "]")
		p.becomes("!document.querySelector('[aria-busy]')")
		if got := p.texts("main section:not(:empty)"); len(got) != len(parts) {
			t.Errorf("%s shows %q", name, got)
		}
		for _, part := range parts {
			p.sees("[data-part=" + part + "] tbody")
		}
		if count := p.count("[data-part=" + name + "] tbody tr"); name != "findings" && name != "outstanding" &&
			fmt.Sprint(count) != p.figure(name) {
			t.Errorf("%s has %d rows, and the figure is %s", name, count, p.figure(name))
		}
		p.click("[data-filter=" + name + "]")
		p.sees("[data-part=due]", "Bordereaux due")
	}
	p.click("[data-figure=outstanding] strong a")
	p.sees("h1", "Claims")
	p.sees("[data-part=rows] tbody", lost.Text("claimNumber"))
}

// outstanding is what claims still come to: what the reserve of each that is not closed exceeds what was paid since it
// was set, as the rows of the book say. It is there once the book has a claim with what was paid for it.
func (d office) outstanding(t *testing.T, claim trial.Record) (sum *big.Rat) {
	t.Helper()
	wait.Until(t, func() error {
		sum = new(big.Rat)
		last := ""
		for _, row := range d.everyPage(t, "/x/book/claims?limit=3", "rows", "cursor") {
			sum.Add(sum, rational(text(row["outstanding"])))
			if row["claimNumber"] == claim["claimNumber"] {
				last = text(row["outstanding"])
			}
		}
		if last != "2500" {
			return fmt.Errorf("%s is outstanding of %v", last, claim["claimNumber"])
		}
		return nil
	})
	return sum
}

// TestTodayNamesWhatItLists shows who is insured, the line, the contract and how many days each is late or away, in the
// lists of the first screen.
func TestTodayNamesWhatItLists(t *testing.T) {
	t.Parallel()
	d := reported(t, "Named")
	loss(t, d.clerk, d.policy)
	soon := policy(t, d.clerk, "Soon")
	d.clerk.Put(t, "/motorCoverage/"+soon.Text("id"), soon.With("expiryDate", "2026-12-08T09:00:00Z")).
		Want(t, http.StatusOK)
	over := policy(t, d.clerk, "Over")
	d.clerk.Put(t, "/motorCoverage/"+over.Text("id"), over.With("expiryDate", "2026-12-01T09:00:00Z")).
		Want(t, http.StatusOK)
	wait.For(t, "the contract of the claim is in the book", func() bool {
		return strings.Contains(string(d.clerk.Get(t, "/x/book/claims").Body), "MOTOR-2026")
	})
	wait.For(t, "the policies are in the book", func() bool {
		text := string(d.clerk.Get(t, "/x/book/policies?expiryDateFrom=2026-12-01&expiryDateTo=2026-12-08").Body)
		return strings.Contains(text, "Grace Soon") && strings.Contains(text, "Grace Over")
	})
	p := open(t, d.Exchange, "/today", trial.Developer)
	p.sees("[data-part=open]", "Grace Named", "Motor", "MOTOR-2026", "Mar 1, 2026")
	p.sees("[data-part=ending]", "Grace Soon", "EX SOON", "Motor", "MOTOR-2026", "in 3 days")
	p.sees("[data-part=ended]", "Grace Over", "EX OVER", "ended", "4 days ago")
	p.sees("[data-part=overdue]", "MOTOR-2026", "5 days late")
	// What is late is red, whatever else is true of it.
	d.clerk.Post(t, "/x/bordereau/MOTOR-2026/claims/2026-10:prepare", trial.Record{"type": "nil"}).
		Want(t, http.StatusCreated)
	p.turn("/help")
	p.turn("/today")
	p.sees("[data-part=prepared] tbody", "prepared")
	p.becomes("((of) => getComputedStyle(of).color === getComputedStyle(of.parentElement.querySelector('.late.bad'))" +
		".color)(document.querySelector('[data-part=prepared] .badge'))")
	p.becomes("!/[0-9]:[0-9][0-9]/.test(document.querySelector('[data-part=open]').innerText)")
}

// TestTodayWithoutTheBook shows the first screen of an exchange that keeps no book, and of one whose book is away: what
// is missing is said, and who is insured is what the records say.
func TestTodayWithoutTheBook(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"none": "This exchange keeps no book.",
		"away": "The book does not respond."} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := run(t, "EXCHANGE_TEST_CLOCK="+today, "EXCHANGE_BOOK="+fmt.Sprint(name == "away"))
			c := client(t, e)
			made := policy(t, c, "Bookless")
			claim := loss(t, c, made)
			p := open(t, e, "/help", trial.Developer)
			if name == "away" {
				header := []*fetch.HeaderEntry{{Name: "Exchange-Test-Clock", Value: today}}
				p.intercept("*/x/book/*", fetch.RequestStageRequest,
					func(ctx context.Context, id fetch.RequestID) error {
						return fetch.FulfillRequest(id, http.StatusServiceUnavailable).WithBody("e30=").
							WithResponseHeaders(header).Do(ctx)
					})
			}
			p.turn("/today")
			p.sees("[data-figure=outstanding]", says)
			p.sees("[data-part=open]", claim.Text("claimNumber"), "Grace Bookless", "Motor", "4,000")
			p.sees("[data-part=ending]", made.Text("policyNumber"), "Grace Bookless", "EX BOOKLESS", "in 26 days")
			p.sees("[data-figure=ending]", "1")
			p.seeks("bookl")
			p.sees("[data-group=parties]", "Grace Bookless")
			p.sees("[data-group=belonging]", made.Text("policyNumber"))
			if name == "none" {
				p.turn("/claims")
				p.sees("[data-part=rows] [role=alert]", says)
			}
		})
	}
}
