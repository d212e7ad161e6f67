package desk_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/desk"
	shown "insurance.example/exchange/contracts/reconciliation"
)

// TestTheNewestStatementsAndRuns lists what was sent and compared, page by page, while more comes.
func TestTheNewestStatementsAndRuns(t *testing.T) {
	w, s := atNovember(t)
	w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"EUR","types":{"NB":"new policy"},"columns":[
		{"column":"Policy","means":"policyNumber"},{"column":"Type","means":"type"},{"column":"Date","means":"date"},
		{"column":"Gross","means":"gross"},{"column":"Net","means":"net"}]}`)
	statementsNow := func(cursor string) (page shown.StatementList) {
		read(t, s.Must(200, "GET", "/x/reconciliation/statement?limit=2&cursor="+url.QueryEscape(cursor), ""), &page)
		return page
	}
	runsNow := func(cursor string) (page shown.RunList) {
		read(t, s.Must(200, "GET", runs+"?limit=2&cursor="+url.QueryEscape(cursor), ""), &page)
		return page
	}
	if a := s.Must(200, "GET", runs, ""); a.Text != `{"runs":[]}` {
		t.Error(a.Text)
	}
	if a := s.Must(200, "GET", "/x/reconciliation/statement", ""); a.Text != `{"statements":[]}` {
		t.Error(a.Text)
	}
	var statements, made []string
	compare := func(gross int) {
		of := send(t, s, "p", "text/csv",
			fmt.Sprintf("Policy,Type,Date,Gross,Net\nP,NB,2026-11-10,%d.00,85.00\n", gross))
		var run shown.Run
		read(t, s.Must(201, "POST", runs, `{"statement":"`+of.ID+`","against":{"contract":"C","kind":"premium",
			"period":"2026-11"}}`), &run)
		statements, made = append([]string{of.ID}, statements...), append([]string{run.ID}, made...)
	}
	for i := range 5 {
		compare(101 + i) // one that differs, so that each run has items that are open
	}
	var sent, compared []string
	for cursor, more := "", true; more; {
		page := statementsNow(cursor)
		for _, of := range page.Statements {
			sent = append(sent, of.ID)
		}
		if cursor == "" {
			compare(999) // it comes before the page that was read
		}
		cursor, more = page.Next, page.Next != ""
	}
	if !slices.Equal(sent, statements[1:]) {
		t.Errorf("the statements are %v, not %v", sent, statements[1:])
	}
	for cursor, more := "", true; more; {
		page := runsNow(cursor)
		for _, of := range page.Runs {
			compared = append(compared, of.ID)
			var one shown.Run
			read(t, s.Must(200, "GET", runs+"/"+of.ID, ""), &one)
			if fmt.Sprint(one) != fmt.Sprint(of) || of.State != shown.RunOpen || of.Items == 0 ||
				len(of.Outcomes) == 0 {
				t.Errorf("the list has %+v, and the run is %+v", of, one)
			}
		}
		if len(page.Runs) != 2 {
			t.Errorf("a page of 2 has %d", len(page.Runs))
		}
		cursor, more = page.Next, page.Next != ""
	}
	if !slices.Equal(compared, made) {
		t.Errorf("the runs are %v, not %v", compared, made)
	}
	// Once each item is accepted, a run is settled.
	var items shown.RunItems
	read(t, s.Must(200, "GET", runs+"/"+made[5]+"/items", ""), &items)
	for _, item := range items.Items {
		if item.Outcome != shown.Matched {
			s.Must(200, "POST", fmt.Sprintf("%s/%s/items/%d:accept", runs, made[5], item.Number), `{"reason":"agreed"}`)
		}
	}
	if last := runsNow(made[4]); len(last.Runs) != 1 || last.Runs[0].State != shown.RunSettled || last.Next != "" {
		t.Errorf("%+v", last)
	}
	for _, wrong := range []string{"?cursor=nothing", "?cursor=%zz", "?limit=0", "?limit=201", "?colour=blue"} {
		s.Must(400, "GET", runs+wrong, "")
		s.Must(400, "GET", "/x/reconciliation/statement"+wrong, "")
	}
}

// TestLinesBeforeAVersion reads the lines that periods would have, page by page. A version that is made then has the
// same ones. What a change of the contract makes of them is seen in those of now, and not in the version.
func TestLinesBeforeAVersion(t *testing.T) {
	w, s := atNovember(t)
	for amount := range int64(5) {
		w.record("P", "new policy", 100+amount, "")
		w.file("P", 1000+amount)
	}
	w.until(t, "2026-12-01T00:01:00Z")
	pagesOf := func(path string) (ids []string) {
		for skip := 0; ; {
			var page desk.BordereauLines
			read(t, s.Must(200, "GET", fmt.Sprintf("%s/lines?limit=2&skip=%d", path, skip), ""), &page)
			for _, line := range page.Lines {
				ids = append(ids, fmt.Sprint(line.LineID, line.Gross))
			}
			for _, line := range page.Claims {
				ids = append(ids, fmt.Sprint(line.LineID, line.Indemnity.Incurred))
			}
			if len(page.Lines)+len(page.Claims) > 2 || page.Next != 0 && page.Next != skip+2 {
				t.Fatalf("after %d: %+v", skip, page)
			}
			if skip = page.Next; skip == 0 {
				return ids
			}
		}
	}
	for _, period := range []string{november, claimsOf + "2026-11"} {
		before := pagesOf(period)
		if len(before) != 5 {
			t.Errorf("%s would have %q", period, before)
		}
		signedOff(s, period, "original")
		version := pagesOf(period + "/versions/1")
		if now := pagesOf(period); !slices.Equal(version, before) || !slices.Equal(now, before) {
			t.Errorf("%s would have %q, its version has %q, and now %q", period, before, version, now)
		}
	}
	s.Must(404, "GET", "/x/bordereau/D/premium/2026-11/lines", "")
	s.Must(400, "GET", november+"/lines?skip=-1", "")
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.NewReplacer("2026-01\"", "2026-11\"",
		`"commissionPercentage":"15"`, `"commissionPercentage":"20"`).Replace(sterling)+`}`)
	var now, was desk.BordereauLines
	read(t, s.Must(200, "GET", november+"/lines?limit=1", ""), &now)
	read(t, s.Must(200, "GET", november+"/versions/1/lines?limit=1", ""), &was)
	if fmt.Sprint(now.Lines[0].Commission, " ", was.Lines[0].Commission) != "20.00 15.00" {
		t.Errorf("the commission is %s now and was %s", now.Lines[0].Commission, was.Lines[0].Commission)
	}
}
