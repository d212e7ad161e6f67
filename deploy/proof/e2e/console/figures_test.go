package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// shown returns what an element shows, as the exchange has it: the digits of an amount, the text of an instant, the
// value of a state or a type of events; else its text.
const shown = `((e) => e.querySelector('[data-amount]')?.dataset.amount
	?? e.querySelector('[data-number]')?.dataset.number
	?? e.querySelector('time')?.dateTime ?? e.querySelector('[data-state]')?.dataset.state
	?? e.querySelector('[data-type]')?.dataset.type ?? e.innerText.trim())`

// rows returns what the tables that a selector finds show, cell by cell, but for tables in their cells.
func (p *tab) rows(selector string) (all [][]string) {
	p.Helper()
	p.eval("[...document.querySelectorAll("+quoted(selector+" tbody tr")+")].filter((row) => "+
		"!row.closest("+quoted(selector)+").contains(row.parentElement.closest('td')))"+
		".map((row) => [...row.children].map("+shown+"))", &all)
	return all
}

// members returns the members of the records in what a selector finds, by their paths.
func (p *tab) members(selector string) (all map[string][]string) {
	p.Helper()
	p.eval(`(() => { const all = {};
		for (const e of document.querySelectorAll(`+quoted(selector+" [data-member]")+`)) {
			if (e.querySelector('[data-member]')) continue;
			const path = [];
			for (let at = e; at; at = at.parentElement.closest('[data-member]')) path.unshift(at.dataset.member);
			(all[path.join('/')] ??= []).push(`+shown+`(e.querySelector('dd') ?? e));
		}
		return all; })()`, &all)
	return all
}

// whole matches a number that the page writes without its part.
var whole = regexp.MustCompile(`^(-?\d+)\.0+$`)

// text returns a member as the page shows it.
func text(of any) string {
	switch of := of.(type) {
	case nil:
		return "–"
	case bool:
		return map[bool]string{true: "yes", false: "no"}[of]
	case string:
		if of == "GB" { // where the parties of the tests are
			return "United Kingdom (GB)"
		}
		if line, is := strings.CutSuffix(of, "Coverage"); is {
			return strings.ToUpper(line[:1]) + line[1:]
		}
	case []any:
		texts := []string{}
		for _, one := range of {
			texts = append(texts, text(one))
		}
		if len(texts) == 0 {
			return "–"
		}
		return strings.Join(texts, ", ")
	case json.Number:
		return whole.ReplaceAllString(of.String(), "$1")
	}
	return cmp.Or(fmt.Sprint(of), "–")
}

// flat returns the members of a record by their paths.
func flat(at string, of any, all map[string][]string) map[string][]string {
	switch of := of.(type) {
	case map[string]any:
		for name, member := range of {
			flat(strings.TrimPrefix(at+"/"+name, "/"), member, all)
		}
		return all
	case []any:
		if len(of) > 0 && reflect.TypeOf(of[0]).Kind() == reflect.Map {
			for _, one := range of {
				flat(at, one, all)
			}
			return all
		}
	}
	all[at] = append(all[at], text(of))
	return all
}

// hasMembers compares what a part shows of a record with the record, but for some of its members.
func (p *tab) hasMembers(selector string, record trial.Record, but ...string) {
	p.Helper()
	want := flat("", map[string]any(record.Without(but...)), map[string][]string{})
	wait.Until(p.T, func() error {
		got := p.members(selector)
		if !maps.EqualFunc(got, want, slices.Equal) || len(want) == 0 {
			return fmt.Errorf("%s shows\n%v, want\n%v", selector, got, want)
		}
		return nil
	})
	p.hasDigits()
}

// hasDigits compares the amounts and numbers that people read with those of the exchange, digit by digit.
func (p *tab) hasDigits() {
	p.Helper()
	var wrong []string
	p.eval(`(() => {
		const plain = (of) => of.replace(/[^\d.-]/g, '').replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
		return [...document.querySelectorAll('[data-amount], [data-number]')]
			.map((e) => [e.innerText, e.dataset.amount ?? e.dataset.number])
			.filter(([read, is]) => plain(read) !== plain(is)).map((both) => both.join(' is shown of '));
	})()`, &wrong)
	if len(wrong) > 0 {
		p.Errorf("amounts: %q", wrong)
	}
}

// at returns a member of a record by its path.
func at(record trial.Record, path string) any {
	var of any = map[string]any(record)
	for name := range strings.SplitSeq(path, "/") {
		inner, is := of.(map[string]any)
		if !is {
			return nil
		}
		of = inner[name]
	}
	return of
}

// hasRows compares the columns of a table with members of records. The columns that have no path are left out.
func (p *tab) hasRows(selector string, records []trial.Record, paths ...string) {
	p.Helper()
	want := [][]string{}
	for _, record := range records {
		row := []string{}
		for _, path := range paths {
			if path != "" {
				row = append(row, text(at(record, path)))
			}
		}
		want = append(want, row)
	}
	wait.Until(p.T, func() error {
		got := [][]string{}
		for _, cells := range p.rows(selector) {
			row := []string{}
			for i, cell := range cells {
				if i < len(paths) && paths[i] != "" {
					row = append(row, cell)
				}
			}
			got = append(got, row)
		}
		if !reflect.DeepEqual(got, want) || len(want) == 0 {
			return fmt.Errorf("%s shows\n%q, want\n%q", selector, got, want)
		}
		return nil
	})
	p.hasDigits()
}

// within returns the records of a member of a record.
func within(record trial.Record, path string) (all []trial.Record) {
	list, _ := at(record, path).([]any)
	for _, one := range list {
		all = append(all, one.(map[string]any))
	}
	return all
}

// inner returns the records of a part of a view.
func inner(of []trial.Record) (all []trial.Record) {
	for _, one := range of {
		all = append(all, one["record"].(map[string]any))
	}
	return all
}

// read returns the records of a member of what a path has.
func (d office) read(t *testing.T, path, member string) []trial.Record {
	t.Helper()
	return within(d.clerk.Read(t, path), member)
}

// TestEveryFigure compares each figure of each screen with what the interface returns.
func TestEveryFigure(t *testing.T) {
	t.Parallel()
	d := reported(t, "Figures")
	d.nameless(t)
	lost := loss(t, d.clerk, d.policy)
	d.clerk.Post(t, "/claim/"+lost.Text("id")+":settle",
		trial.Record{"paymentAmount": 1500, "paymentMethod": "cash"}).Want(t, http.StatusOK)
	d.clerk.Post(t, "/claim/"+lost.Text("id")+":reopen", trial.Record{}).Want(t, http.StatusOK)
	loss(t, d.clerk, d.policy)
	d.clerk.Create(t, "receipt", trial.Record{"claimNumber": lost.Text("claimNumber"), "receiptType": "claim payment",
		"paymentAmount": 1500, "premiumPaymentMethod": "cash"})
	v := d.prepare(t, d.clerk, november)
	p := openAs(t, d.Exchange, d.clerk, "/help")
	for _, screen := range []struct {
		name string
		look func(*testing.T, *tab)
	}{
		{"today", d.today}, {"find", d.find}, {"policy", d.whole}, {"claim", func(t *testing.T, p *tab) {
			d.claim(t, p, lost.Text("id"))
		}}, {"period", d.period}, {"version", d.version}, {"source", d.source},
		{"reconciliation", func(t *testing.T, p *tab) { d.run(t, p, v) }}, {"feed", d.feed},
	} {
		t.Run(screen.name, func(t *testing.T) { screen.look(t, &tab{T: t, base: p.base, ctx: p.ctx}) })
	}
}

func (d office) today(t *testing.T, p *tab) {
	p.turn("/today")
	for _, state := range []string{"open", "reopened"} {
		claims := d.clerk.Get(t, "/x/search/claim?fnolFrom=2020-01-01T00:00:00Z&order=newest&claimStatus="+state).
			Records(t)
		p.hasRows("[data-part="+state+"]", claims, "claimNumber", "", "", "", "policyNumber", "", "reserve")
	}
	ending := d.clerk.Get(t, "/x/search/coverage?status=in+force&expiryDateFrom="+today+"&expiryDateTo="+
		url.QueryEscape("2027-01-04T09:00:00Z")).Records(t)
	p.hasRows("[data-part=ending]", ending, "policyNumber", "", "", "", "", "status", "expiryDate")
	d.clerk.Post(t, "/x/bordereau/MOTOR-2026/claims/2026-10:prepare", trial.Record{"type": "nil"}).
		Want(t, http.StatusCreated)
	p.turn("/help")
	p.turn("/today")
	p.sees("[data-part=overdue]", "prepared", "5 days late")
	p.sees("[data-part=prepared]", "5 days late")
	for _, state := range []string{"overdue", "due", "prepared"} {
		periods := d.read(t, "/x/bordereau?state="+state, "periods")
		if state != "due" { // the latest first
			slices.SortStableFunc(periods, func(a, b trial.Record) int {
				late := func(r trial.Record) int { n, _ := strconv.Atoi(text(r["daysLate"])); return n }
				return late(b) - late(a)
			})
		}
		for _, one := range periods {
			one["found"] = "–"
			for _, v := range within(one, "versions") {
				one["found"] = fmt.Sprintf("%v to be waived; %[2]v errors, %[3]v warnings", v["unwaived"], v["errors"],
					v["warnings"])
				if one["found"] == "0 to be waived; 0 errors, 0 warnings" {
					one["found"] = "no findings"
				}
			}
		}
		p.hasRows("[data-part="+state+"]", periods, "period", "contract", "", "state", "due", "found")
	}
}

func (d office) find(t *testing.T, p *tab) {
	p.turn("/find")
	p.hasRows("#results", d.clerk.Get(t, "/x/search/coverage?order=newest&limit=50").Records(t),
		"policyNumber", "", "", "", "status", "inceptionDate", "expiryDate")
	claims := d.clerk.Get(t, "/claim").Records(t)
	p.turn("/find?q=" + claims[0].Text("claimNumber"))
	p.hasRows("[data-part=claims]", claims[:1], "claimNumber", "policyNumber", "claimStatus", "lossDate", "reserve")
	p.turn("/find?q=Figures")
	p.hasRows("[data-part=parties]", []trial.Record{{"name": "Grace Figures", "country": "GB"}}, "name", "", "country")
}

func (d office) whole(t *testing.T, p *tab) {
	p.turn("/policy/" + d.policy.Text("policyNumber"))
	record := d.clerk.Read(t, "/motorCoverage/"+d.policy.Text("id"))
	p.hasMembers("[data-part=record]", record, "id", "policyNumber", "status", "policyholderId", "vehicleId",
		"driverId")
	view := d.clerk.Read(t, "/x/policy/"+d.policy.Text("policyNumber"))
	p.hasMembers("[data-part=policyholder]", at(view, "policyholder/record").(map[string]any), "id")
	p.hasRows("[data-part=claims]", inner(within(view, "claims/records")), "claimNumber", "claimStatus", "lossDate",
		"lossCause", "reserve")
	p.hasRows("[data-part=receipts]", inner(within(view, "receipts/records")), "receiptDate", "receiptType", "period",
		"paymentAmount")
	p.hasRows("[data-part=rows]", inner(within(view, "rows/records")), "period", "transactionType",
		"treatyReference", "grossWrittenPremium", "netPremium")
}

func (d office) claim(t *testing.T, p *tab, id string) {
	record := d.clerk.Read(t, "/claim/"+id)
	p.turn("/claim/" + record.Text("claimNumber"))
	p.hasMembers("[data-part=record]", record, "id", "claimNumber", "policyNumber", "claimStatus", "payments",
		"documents", "documentTypes", "warnings")
	p.hasRows("[data-part=payments]", within(record, "payments"), "paidAt", "recordedAt", "paymentMethod",
		"paymentAmount")
	p.hasRows("[data-part=receipts]", d.clerk.Get(t, "/receipt?claimNumber="+record.Text("claimNumber")).Records(t),
		"receiptDate", "receiptType", "paymentAmount")
}

var sums = []string{"", "lines", "gross", "commission", "brokerage", "net", "settled"}

func (d office) period(t *testing.T, p *tab) {
	p.turn("/desk/MOTOR-2026/premium/2026-11")
	now := d.clerk.Read(t, november)
	p.hasRows("[data-part=live]", within(now, "live"), sums...)
	versions := within(now, "versions")
	for _, v := range versions {
		v["found"] = fmt.Sprintf("%v errors, %v warnings", v["errors"], v["warnings"])
	}
	p.hasRows("[data-part=versions]", versions, "number", "", "state", "lines", "preparedAt", "", "", "found")
	var bars []string
	p.eval("[...document.querySelectorAll('[data-bar]')].map((e) => `${e.dataset.bar} ${e.dataset.figure}`)", &bars)
	want := []string{}
	for _, one := range d.read(t, "/x/bordereau?contract=MOTOR-2026&kind=premium&from=2026-01", "periods") {
		figure := "0"
		for _, v := range within(one, "versions") {
			figure = text(within(v, "totals")[0]["gross"])
		}
		if one.Text("period") <= "2026-11" {
			want = append(want, one.Text("period")+" "+figure)
		}
	}
	if !slices.Equal(bars, want) {
		t.Errorf("the bars are %q, want %q", bars, want)
	}
	p.turn("/desk/MOTOR-2026")
	p.hasMembers("[data-part=contract]", d.clerk.Read(t, "/x/contract/MOTOR-2026"))
}

func (d office) version(t *testing.T, p *tab) {
	p.turn("/desk/MOTOR-2026/premium/2026-11/1")
	version := d.clerk.Read(t, november+"/versions/1")
	p.hasRows("[data-part=totals]", within(version, "totals"), sums...)
	p.hasRows("[data-part=lines]", d.read(t, november+"/versions/1/lines", "lines"), "policyNumber", "insured", "",
		"transactionType", "effectiveDate", "late/recordedPeriod", "gross", "commission", "net", "settled")
	p.hasRows("[data-part=findings] > div > div > .scroll", d.read(t, november+"/versions/1/findings",
		"findings"), "severity", "", "policyNumber")
	checks := []trial.Record{}
	for _, outcome := range []string{"fail", "not-evaluable", "pass"} {
		for _, one := range d.read(t, november+"/versions/1/findings", "checks") {
			if one["outcome"] == outcome {
				checks = append(checks, one)
			}
		}
	}
	p.eval("document.querySelector('[data-part=outcomes]').open = true", nil)
	p.hasRows("[data-part=outcomes]", checks, "code", "outcome", "why")
	p.click("[data-part=totals] td.right a")
	p.becomes("document.activeElement.matches('[data-part=lines]')")
}

func (d office) source(t *testing.T, p *tab) {
	path := november + "/versions/1/lines/" + d.extra.Text("id") + "/source"
	p.turn("/desk/MOTOR-2026/premium/2026-11/1/" + d.extra.Text("id"))
	of := d.clerk.Read(t, path)
	for _, part := range []string{"receipt", "policy", "policyholder"} {
		p.hasMembers("[data-part="+part+"]", at(of, part+"/record").(map[string]any))
		p.sees("[data-part="+part+"]", fmt.Sprintf("Version %v", at(of, part+"/version")))
	}
	p.hasMembers("[data-part=contract]", at(of, "contract/contract").(map[string]any))
}

func (d office) run(t *testing.T, p *tab, v trial.Record) {
	version := november + "/versions/1"
	for _, one := range d.read(t, version+"/findings", "findings") {
		if one["severity"] == "error" {
			d.clerk.Post(t, version+"/findings/"+one.Text("id")+":waive", trial.Record{"reason": "known"}).
				Want(t, http.StatusOK)
		}
	}
	d.sign(t, november, v)
	address := d.compared(t)
	p.turn(address)
	path := "/x" + address
	now := d.clerk.Read(t, path)
	outcomes := []trial.Record{}
	for _, name := range []string{"mismatch", "missingHere", "missingThere", "duplicate", "ambiguous", "quarantined",
		"withinTolerance", "matched"} {
		if n := at(now, "outcomes/"+name); n != nil && text(n) != "0" {
			outcomes = append(outcomes, trial.Record{"items": n})
		}
	}
	p.hasRows("[data-part=outcomes]", outcomes, "", "items")
	p.hasRows("[data-part=ageing]", within(now, "ageing"), "month", "months", "items")
	items := slices.DeleteFunc(d.read(t, path+"/items", "items"), func(item trial.Record) bool {
		return item["outcome"] == "matched" // shown where somebody asks for it
	})
	p.hasRows("[data-part=items]", items, "outcome", "row", "policyNumber", "",
		"days")
	beside := []trial.Record{}
	for _, item := range items {
		for _, cell := range within(item, "cells") {
			maps.DeleteFunc(cell, func(_ string, value any) bool { return value == "" }) // one side has nothing
			beside = append(beside, cell)
		}
	}
	p.hasRows("[data-part=items] .beside", beside, "", "theirs", "ours")
	p.turn("/reconciliation/statement/" + now.Text("statement"))
	p.hasMembers("[data-part=record]", d.clerk.Read(t, "/x/reconciliation/statement/"+now.Text("statement")), "totals")
	p.turn("/reconciliation")
	p.hasRows("[data-part=statements]", d.read(t, "/x/reconciliation/statement", "statements"), "sentAt", "profile",
		"rows", "quarantined", "sentBy")
}

func (d office) feed(t *testing.T, p *tab) {
	events := d.read(t, "/x/events?limit=200", "events")
	slices.Reverse(events)
	p.turn("/feed")
	p.hasRows("#events", events, "time", "type", "subject", "data/status", "data/version")
}
