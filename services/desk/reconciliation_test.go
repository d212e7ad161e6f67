package desk_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	shown "insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/servicetest"
)

const (
	sheetMedia = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	profiles   = "/x/reconciliation/profile/"
	statements = "/x/reconciliation/statement"
	runs       = "/x/reconciliation/run"
)

// ownColumns are those of the exports of the exchange.
const ownColumns = `"columns":[{"column":"Line Id","means":"lineId"},{"column":"Certificate Reference",
	"means":"policyNumber"},{"column":"Effective Date of Transaction","means":"date"},
	{"column":"Original Currency","means":"currency"},{"column":"Gross Premium Paid This Time","means":"gross"},
	{"column":"Commission Amount","means":"commission"},
	{"column":"Net Premium to London in Original Currency","means":"net"},
	{"column":"Net Premium to London in Settlement Currency","means":"settled"},
	{"column":"Brokerage Amount","means":"brokerage"}]`

const plain = `"format":"csv","delimiter":",","encoding":"utf-8","headerRow":1,"sign":"minus","decimalMark":".",
	"totals":{"rule":"none"}`

// send sends a file, and returns its statement.
func send(t *testing.T, s *servicetest.Service, profile, media, file string) shown.Statement {
	t.Helper()
	var of shown.Statement
	a := s.Do("POST", statements+"?profile="+profile, file, "Content-Type", media)
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Text)
	}
	read(t, a, &of)
	return of
}

func read(t *testing.T, from servicetest.Response, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(from.Text), into); err != nil {
		t.Fatal(err)
	}
}

// compared compares a statement with what stands approved for November, and returns the run with its items.
func compared(t *testing.T, s *servicetest.Service, statement, more string) (shown.Run, []shown.RunItem) {
	t.Helper()
	var of shown.Run
	read(t, s.Must(201, "POST", runs, `{"statement":"`+statement+`","against":{"contract":"C","kind":"premium",
		"period":"2026-11"}`+more+`}`), &of)
	return of, itemsOf(t, s, of)
}

func itemsOf(t *testing.T, s *servicetest.Service, of shown.Run) (all []shown.RunItem) {
	t.Helper()
	for skip, more := 0, true; more; {
		var page shown.RunItems
		read(t, s.Must(200, "GET", fmt.Sprintf("%s/%s/items?limit=200&skip=%d", runs, of.ID, skip), ""), &page)
		all, skip, more = append(all, page.Items...), page.Next, page.Next > 0
	}
	if len(all) != of.Items {
		t.Fatalf("the run has %d items and lists %d", of.Items, len(all))
	}
	return all
}

// bookOfNovember returns a desk with an approved November of some receipts, one with a sign that a spreadsheet would
// take for a formula.
func bookOfNovember(t *testing.T, receipts int) (*world, *servicetest.Service) {
	w, s := atNovember(t)
	w.policies["-P"] = w.policies["P"]
	first := w.record("-P", "new policy", 100, "")
	for i := range receipts {
		number := fmt.Sprintf("P-%d", i)
		w.policies[number] = w.policies["P"]
		w.record(number, "new policy", int64(100+i), "")
	}
	w.record("-P", "other", 100, first.ID)
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	return w, s
}

// TestOwnExportsAgree sends the exports of a version as statements.
func TestOwnExportsAgree(t *testing.T) {
	t.Parallel()
	_, s := bookOfNovember(t, 700)
	s.Must(200, "PUT", profiles+"own", `{`+plain+`,`+ownColumns+`}`)
	s.Must(200, "PUT", profiles+"book", `{"format":"xlsx","sheet":"Lines","headerRow":2,"sign":"minus",
		"decimalMark":".","totals":{"rule":"none"},`+ownColumns+`}`)
	for profile, media := range map[string]string{"own": "text/csv", "book": sheetMedia} {
		suffix := map[string]string{"own": ".csv", "book": ".xlsx"}[profile]
		file := s.Must(200, "GET", november+"/versions/1/lines"+suffix, "").Text
		of := send(t, s, profile, media, file)
		if of.Rows != 702 || of.Quarantined != 0 {
			t.Fatalf("%s: %+v", profile, of)
		}
		if again := send(t, s, profile, media, file); again.ID != of.ID {
			t.Errorf("%s: the same file is the statement %s, and was %s", profile, again.ID, of.ID)
		}
		if back := s.Must(200, "GET", statements+"/"+of.ID+"/file", ""); back.Text != file {
			t.Errorf("%s: the file has %d bytes, and was sent with %d", profile, len(back.Text), len(file))
		}
		run, items := compared(t, s, of.ID, "")
		want := shown.Matched
		if run.Outcomes[want] != 702 {
			want = shown.Duplicate // the other file has the records
		}
		if run.Outcomes[want] != 702 || run.Items != 702 {
			t.Fatalf("%s: %v, such as %+v", profile, run.Outcomes, items[0])
		}
	}
}

// TestTwoRunsAtOnce compares two statements with the same lines at once: no record is in two pairs.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	_, s := bookOfNovember(t, 300)
	file := s.Must(200, "GET", november+"/versions/1/lines.csv", "").Text
	pairs, mu, all := map[string]int{}, sync.Mutex{}, []shown.Run{}
	var group sync.WaitGroup
	for n := range 4 {
		name := fmt.Sprintf("own%d", n/2)
		s.Must(200, "PUT", profiles+name, `{`+plain+`,`+ownColumns+`}`)
		of := send(t, s, name, "text/csv", file)
		group.Go(func() {
			run, _ := compared(t, s, of.ID, "")
			mu.Lock()
			defer mu.Unlock()
			all = append(all, run)
		})
	}
	group.Wait()
	for _, run := range all {
		read(t, s.Must(200, "GET", runs+"/"+run.ID, ""), &run)
		for _, item := range itemsOf(t, s, run) {
			if run.ReplacedBy == "" && item.Outcome == shown.Matched {
				pairs[item.LineID]++
			}
		}
	}
	for id, count := range pairs {
		if count != 1 {
			t.Errorf("%s is in %d pairs", id, count)
		}
	}
	if len(pairs) != 302 {
		t.Errorf("%d records are in pairs", len(pairs))
	}
}

// TestDecisions decides about items, and compares again.
func TestDecisions(t *testing.T) {
	w, s := atNovember(t)
	w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"EUR","columns":[{"column":"Policy","means":"policyNumber"},
		{"column":"Gross","means":"gross"}]}`)
	of := send(t, s, "p", "text/csv", "Policy,Gross\nP,100\nQ,7\n")
	run, items := compared(t, s, of.ID, "")
	if len(items) != 2 || items[0].Outcome != shown.MissingHere || items[1].Outcome != shown.Matched {
		t.Fatalf("%+v", items)
	}
	at := runs + "/" + run.ID + "/items/"
	s.Must(404, "POST", at+"3:accept", `{"reason":"x"}`)
	s.Must(400, "POST", at+"1:accept", `{"reason":" "}`)
	s.Must(409, "POST", at+"1:unmatch", `{"reason":"x"}`)
	s.Must(409, "POST", at+"2:accept", `{"reason":"x"}`)
	s.Must(200, "POST", at+"1:dispute", `{"reason":"not ours"}`)
	s.Must(200, "POST", at+"1:accept", `{"reason":"theirs to correct"}`)
	s.Must(409, "POST", at+"1:accept", `{"reason":"again"}`)
	after := s.Must(200, "GET", runs+"/"+run.ID, "").Text
	if !strings.Contains(after, `"decisions":{"accepted":1}`) || !strings.Contains(after, `"ageing":[]`) {
		t.Error(after)
	}
	// Another run takes the place of the first one, with what was accepted of it, and the pair is parted there.
	again(s, 409, of.ID, "")
	second, items := compared(t, s, of.ID, `,"carry":true`)
	if items[1].PairedIn != nil || items[0].Decision != shown.Accepted || second.Carried != 1 {
		t.Fatalf("%+v", items)
	}
	s.Must(409, "POST", at+"2:unmatch", `{"reason":"another policy"}`)
	s.Must(200, "POST", runs+"/"+second.ID+"/items/2:unmatch", `{"reason":"another policy"}`)
	s.Must(409, "POST", runs+"/"+second.ID+"/items/2:dispute", `{"reason":"x"}`)
	_, items = compared(t, s, of.ID, `,"carry":true`)
	if items[0].Outcome != shown.Ambiguous || len(items[0].Candidates) != 1 {
		t.Fatalf("a pair that was parted is %+v", items)
	}
}

// TestProfilesWrong sends profiles with each member wrong.
func TestProfilesWrong(t *testing.T) {
	_, s := atNovember(t)
	right := map[string]any{
		"format": "csv", "delimiter": ",", "encoding": "utf-8", "headerRow": 1, "sign": "minus", "decimalMark": ".",
		"totals": map[string]any{"rule": "none"}, "currency": "EUR", "columns": []any{
			map[string]any{"column": "P", "means": "policyNumber"}, map[string]any{"column": "G", "means": "gross"},
		},
	}
	put := func(member string, value any) servicetest.Response {
		sent := map[string]any{}
		for name, value := range right {
			sent[name] = value
		}
		if sent[member] = value; value == nil {
			delete(sent, member)
		}
		text, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		return s.Do("PUT", profiles+"p", string(text))
	}
	column := func(column, means string) map[string]any { return map[string]any{"column": column, "means": means} }
	policy, gross := column("P", "policyNumber"), column("G", "gross")
	for _, c := range []struct {
		member  string
		value   any
		pointer string
	}{
		{"format", "xls", "/format"}, {"format", nil, "/format"}, {"format", "xlsx", "/delimiter"},
		{"sheet", "A", "/sheet"}, {"delimiter", ":", "/delimiter"}, {"delimiter", nil, "/delimiter"},
		{"encoding", "latin1", "/encoding"}, {"headerRow", -1, "/headerRow"}, {"headerRow", 1001, "/headerRow"},
		{"decimalMark", "'", "/decimalMark"}, {"groupingMark", ".", "/groupingMark"},
		{"groupingMark", "_", "/groupingMark"}, {"dateOrder", "dym", "/dateOrder"}, {"sign", nil, "/sign"},
		{"sign", "plus", "/sign"}, {"currency", "EURO", "/currency"}, {"currency", nil, "/currency"},
		{"amountBasis", "gross", "/amountBasis"}, {"totals", map[string]any{"rule": "first"}, "/totals/rule"},
		{"totals", map[string]any{"rule": "last", "word": "x"}, "/totals/column"},
		{"totals", map[string]any{"rule": "marked", "column": "P"}, "/totals/word"},
		{"totals", map[string]any{"rule": "marked", "word": "x"}, "/totals/column"},
		{"columns", []any{}, "/columns"}, {"columns", []any{gross}, "/columns"}, {"columns", []any{policy}, "/columns"},
		{"columns", []any{policy, gross, column("G", "net")}, "/columns/2/column"},
		{"columns", []any{policy, gross, column("H", "policyNumber")}, "/columns/2/means"},
		{"columns", []any{policy, gross, column("H", "tax")}, "/columns/2/means"},
		{"columns", []any{policy, gross, column(" ", "net")}, "/columns/2/column"},
		{"columns", []any{policy, column("H", "amount")}, "/amountBasis"},
		{"columns", []any{policy, gross, column("T", "type")}, "/types"},
		{"columns", []any{policy, gross, column("C", "currency")}, "/currency"},
		{"types", map[string]any{"NB": "new policy"}, "/types"},
		{"types", map[string]any{"N/B": "new"}, "/types/N~1B"}, {"headerRow", 0, "/columns/0/column"},
		{"no-such", 1, "/no-such"},
	} {
		a := put(c.member, c.value)
		if a.Status != 400 || !strings.Contains(a.Text, `"pointer":"`+c.pointer+`"`) {
			t.Errorf("%s %v: %d %s", c.member, c.value, a.Status, a.Text)
		}
	}
	s.Must(404, "GET", profiles+"p", "")
	s.Must(400, "PUT", profiles+"a,b", "{}")
	if a := put("currency", "EUR"); a.Status != 200 || a.Header.Get("ETag") == "" {
		t.Fatal(a.Text)
	}
	changed := s.Must(200, "GET", profiles+"p", "").Header.Get("ETag")
	text, _ := json.Marshal(right)
	s.Must(412, "PUT", profiles+"p", string(text), "If-None-Match", "*")
	s.Must(200, "PUT", profiles+"p", string(text), "If-Match", changed)
	if same := s.Must(200, "GET", profiles+"p", "").Header.Get("ETag"); same != changed {
		t.Errorf("the same profile has the tag %s, and had %s", same, changed)
	}
	put("decimalMark", ",")
	s.Must(412, "PUT", profiles+"p", string(text), "If-Match", changed)
	if list := s.Must(200, "GET", "/x/reconciliation/profile?limit=1", ""); !strings.Contains(list.Text, `"name":"p"`) {
		t.Error(list.Text)
	}
}

// TestRunsWrong asks for comparisons that cannot be made.
func TestRunsWrong(t *testing.T) {
	_, s := bookOfNovember(t, 1)
	s.Must(200, "PUT", profiles+"own", `{`+plain+`,`+ownColumns+`}`)
	of := send(t, s, "own", "text/csv", s.Must(200, "GET", november+"/versions/1/lines.csv", "").Text)
	const against = `"contract":"C","kind":"premium","period":"2026-11"`
	for body, pointer := range map[string]string{
		`"statement":"x","against":{` + against + `}`:                                                "/statement",
		`"statement":"` + of.ID + `","against":{` + against + `},"tolerance":"-1"`:                   "/tolerance",
		`"statement":"` + of.ID + `","against":{` + against + `},"windowDays":367`:                   "/windowDays",
		`"statement":"` + of.ID + `","against":{` + against + `,"versions":[2]}`:                     "/against/versions/0",
		`"statement":"` + of.ID + `","against":{` + against + `,"versions":[1,1]}`:                   "/against/versions/1",
		`"statement":"` + of.ID + `","against":{` + against + `,"versions":[1],"receipts":true}`:     "/against/receipts",
		`"statement":"` + of.ID + `","against":{"contract":"D","kind":"premium","period":"2026-11"}`: "/against/contract",
		`"statement":"` + of.ID + `","against":{"contract":"C","kind":"x","period":"2026-11"}`:       "/against/kind",
		`"statement":"` + of.ID + `","against":{"contract":"C","kind":"claims","period":"2026-11"}`:  "/against/kind",
		`"statement":"` + of.ID + `","against":{"contract":"C","kind":"premium","period":"2026-13"}`: "/against/period",
		`"statement":"` + of.ID + `","against":{"contract":"C","kind":"premium","period":"2026-12"}`: "/against/period",
	} {
		a := s.Do("POST", runs, "{"+body+"}")
		if a.Status != 400 || !strings.Contains(a.Text, `"pointer":"`+pointer+`"`) {
			t.Errorf("%s: %d %s", body, a.Status, a.Text)
		}
	}
	s.Must(404, "GET", runs+"/"+of.ID, "")
	s.Must(404, "GET", statements+"/x", "")
	s.Must(404, "POST", statements+"?profile=none", "a,b\n", "Content-Type", "text/csv")
	s.Must(415, "POST", statements+"?profile=own", "{}")
	// The receipts as they are now are the same lines.
	var run shown.Run
	read(t, s.Must(201, "POST", runs, `{"statement":"`+of.ID+`","against":{`+against+`,"receipts":true}}`), &run)
	if run.Outcomes[shown.Matched] != 3 || run.Items != 3 {
		t.Errorf("%+v", run)
	}
	s.Must(400, "GET", runs+"/"+run.ID+"/items?outcome=x", "")
}

// TestTheFirstRowsAreTried reads the first rows of files before they are sent for good: what is read, what cannot be,
// and no more than 20 rows.
func TestTheFirstRowsAreTried(t *testing.T) {
	_, s := atNovember(t)
	s.Must(200, "PUT", profiles+"TRY", `{"currency":"EUR","dateOrder":"dmy","types":{"NB":"new policy"},`+plain+`,
		"columns":[{"column":"Policy","means":"policyNumber"},{"column":"Type","means":"type"},
		{"column":"Date","means":"date"},{"column":"Gross","means":"gross"}]}`)
	try := func(file string) (of shown.FileTrial) {
		t.Helper()
		read(t, s.Must(200, "POST", statements+":try?profile=TRY", file, "Content-Type", "text/csv"), &of)
		return of
	}
	const header = "Policy,Type,Date,Gross\n"
	of := try(header + "P,NB,05/11/2026,-12.5\nQ,XX,31/02/2026,\n")
	if of.Profile != "TRY" || of.ProfileVersion != 1 || of.More || len(of.Rows) != 2 {
		t.Fatalf("%+v", of)
	}
	want := []shown.FileTrialCell{{Means: "policyNumber", Value: "P"}, {Means: "type", Value: "new policy"},
		{Means: "date", Value: "2026-11-05"}, {Means: "gross", Value: "-12.50"}}
	if first := of.Rows[0]; first.Row != 2 || len(first.Wrong) > 0 || !slices.Equal(first.Cells, want) {
		t.Errorf("the first row is %+v", first)
	}
	var wrong []string
	for _, cell := range of.Rows[1].Wrong {
		wrong = append(wrong, cell.Cell)
	}
	if !slices.Equal(wrong, []string{"B3", "C3", "D3"}) {
		t.Errorf("the cells that cannot be read are %v", wrong)
	}
	for rows, more := range map[int]bool{20: false, 21: true} {
		if of := try(header + strings.Repeat("P,NB,05/11/2026,1.00\n", rows)); len(of.Rows) != 20 || of.More != more {
			t.Errorf("of %d rows %d are shown, more: %v", rows, len(of.Rows), of.More)
		}
	}
	s.Must(400, "POST", statements+":try?profile=TRY", "no header\n", "Content-Type", "text/csv")
	s.Must(404, "POST", statements+":try?profile=NONE", header, "Content-Type", "text/csv")
	s.Must(415, "POST", statements+":try?profile=TRY", header)
}
