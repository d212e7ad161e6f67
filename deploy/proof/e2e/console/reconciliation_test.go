package console

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestAFileIsReconciled sends a file with a row that agrees, one with another premium and one that no record has, and
// decides about them. A file that cannot be read is refused with the words of the exchange.
func TestAFileIsReconciled(t *testing.T) {
	t.Parallel()
	d := reported(t, "Reconciler")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	d.profile(t)
	p := open(t, d.Exchange, "/reconciliation", trial.Developer, trial.Admin)
	p.upload(t, "Nothing;Here\n1;2\n")
	p.sees("form[data-form=upload] [role=alert]")
	p.tries(t, d)
	p.upload(t, d.statement("<img src=x onerror=window.ran=1>"))
	p.sees("h1", "Statement")
	p.sees(".lead", "3 rows were read")
	p.click("[data-action=compare]")
	p.fill("run", "/against/contract", "NONE")
	p.fill("run", "/against/period", "2026-11")
	p.send("run")
	p.sees("form[data-form=run] .outcome [role=alert]")
	p.fill("run", "/against/contract", "MOTOR-2026")
	p.send("run")
	p.sees("[data-part=outcomes]", "mismatch", "missing here", "matched")
	p.sees("[data-part=items]", "950", "900", "<img src=x onerror=window.ran=1>")
	p.becomes("window.ran === undefined")
	p.sees("[data-part=ageing]", "2026-11")
	p.click("[data-action=accept]")
	p.lacks("accept", "/reason")
	p.fill("accept", "/reason", strings.Repeat("a", 2001))
	p.isRefused("accept", "/reason")
	p.fill("accept", "/reason", "agreed by telephone")
	p.send("accept")
	p.sees("[data-part=items]", "accepted", "agreed by telephone")
	p.click("[data-action=dispute]")
	p.fill("dispute", "/reason", "not ours")
	p.send("dispute")
	p.sees("[data-part=items]", "disputed", "not ours")
	p.click("[data-part=outcomes] a[href$='outcome=matched']") // what agrees is shown where somebody asks for it
	p.click("[data-action=unmatch]")
	p.fill("unmatch", "/reason", "another policy")
	p.send("unmatch")
	p.sees("[data-part=items]", "unmatched", "another policy")
	var address string
	p.eval("location.hash.slice(1).split('?')[0]", &address)
	reader := open(t, d.Exchange, address, trial.Developer)
	reader.sees("[data-part=items]", "accepted")
	reader.turn("/reconciliation")
	reader.sees("[data-part=profiles]", "BROKER")
	if n := reader.count("[data-action], form.act"); n > 0 {
		t.Errorf("a reader sees %d controls that write", n)
	}
}

// TestGroupsAreProposed compares a row that two records together come to, and two rows that together come to a record.
// The items say which belong together, and nothing is paired.
func TestGroupsAreProposed(t *testing.T) {
	t.Parallel()
	d := reported(t, "Groups")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	d.profile(t)
	number := d.policy.Text("policyNumber")
	run := d.sends(t, "Policy;Type;Date;Gross\n"+number+";NB;05/11/2026;1030,00\n"+number+";NB;05/11/2026;400,00\n"+
		number+";NB;05/11/2026;500,00\n")
	p := open(t, d.Exchange, "/reconciliation/run/"+run.Text("id"), trial.Developer)
	p.sees("[data-part=outcomes]", "missing here", "missing there")
	var want, shown [][]string
	for _, one := range d.clerk.Read(t, "/x/reconciliation/run/"+run.Text("id")+"/items")["items"].([]any) {
		item := one.(map[string]any)
		if item["outcome"] == "matched" {
			continue
		}
		row := []string{""}
		if rows, are := item["rows"].([]any); are {
			row[0] = strings.Join(strings.Fields(strings.Trim(fmt.Sprint(rows), "[]")), ", ")
		} else if item["together"] == true {
			row[0] = "the amount of the row"
		}
		if id, is := item["lineId"]; is {
			row = append(row, "#/record/receipt/"+fmt.Sprint(id))
		}
		records, _ := item["candidates"].([]any)
		for _, id := range records {
			row = append(row, "#/record/receipt/"+fmt.Sprint(id))
		}
		want = append(want, row)
	}
	p.becomes("document.querySelectorAll('[data-part=items] tr[data-row]').length === " + fmt.Sprint(len(want)))
	p.eval("[...document.querySelectorAll('[data-part=items] tr[data-row]')].map((row) => [(row"+
		".querySelector('[data-proposed]')?.innerText.match(/[0-9]+(, [0-9]+)+|the amount of the row/) || [''])[0]]"+
		".concat([...row.querySelectorAll('a[href*=receipt]')].map((a) => a.hash)))", &shown)
	if !reflect.DeepEqual(shown, want) {
		t.Fatalf("the items propose %v, want %v", shown, want)
	}
	p.sees("[data-proposed]", "these together come to the amount of the row", "the rows 3, 4 together",
		"None is paired")
	p.accessible("groups")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("groups")
	p.click("#language")
	p.sees("[data-proposed]", "Zusammen ergeben sie den Betrag der Zeile", "Die Zeilen 3, 4 ergeben zusammen")
}

// TestAComparisonUnderWay opens a statement that is being compared. The screen says how far that has come, keeps what
// is typed meanwhile, and says no more of it once it ends.
func TestAComparisonUnderWay(t *testing.T) {
	t.Parallel()
	d := reported(t, "Underway")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	d.profile(t)
	path := "/x/reconciliation/statement/" + d.sends(t, d.statement("POL-OTHER")).Text("statement")
	statement := d.clerk.Read(t, path)
	var records atomic.Int64 // to be read; not known at first
	p := open(t, d.Exchange, "/reconciliation", trial.Developer, trial.Admin)
	pass := p.responds(path, func() trial.Record {
		shown := maps.Clone(statement)
		shown["comparing"] = desk.WorkUnderWay{AskedBy: "carl", Since: scalar.Instant(time.Now()), Read: 2000,
			Of: int(records.Load()), Made: 7}
		return shown
	})
	p.turn(strings.TrimPrefix(path, "/x"))
	p.sees("[data-part=comparing]", "carl is comparing it: 7 items are made, 2000 records are read.")
	p.click("[data-action=compare]")
	p.fill("run", "/against/contract", "TYPED")
	records.Store(90_000)
	p.sees("[data-part=comparing]", "2000 of 90000 records are read.")
	p.accessible("a comparison under way")
	p.click("#language")
	p.sees("[data-part=comparing]", "carl vergleicht sie: 7 Posten sind entstanden",
		"von 90000 Datensätzen sind gelesen")
	if n := p.count("[data-member=comparing]"); n > 0 {
		t.Errorf("the record shows it %d times more", n)
	}
	p.click("[data-action=compare]")
	p.becomes("document.querySelector('[name=\"/against/contract\"]')?.value === 'TYPED'")
	p.eval("(window.typed = document.querySelector('[name=\"/against/contract\"]')).focus()", nil)
	pass()
	p.gone("[data-part=comparing]")
	p.becomes("document.activeElement === window.typed && window.typed.isConnected && window.typed.value === 'TYPED'")
}

// TestAComparisonThatBeginsLater opens a statement that nobody compares yet. The screen says so when somebody does, and
// leads to what came of it. It looks no more once nobody has begun for a while, until the form that compares is opened.
func TestAComparisonThatBeginsLater(t *testing.T) {
	t.Parallel()
	d := reported(t, "Later")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	d.profile(t)
	sent := d.keeps(t, d.statement("POL-OTHER"))
	path := "/x/reconciliation/statement/" + sent.Text("id")
	var looks, under atomic.Int64
	watches := func() (p *tab, pass func()) {
		looks.Store(0)
		under.Store(0)
		p = open(t, d.Exchange, "/reconciliation", trial.Developer, trial.Admin)
		return p, p.responds(path, func() trial.Record {
			looks.Add(1)
			shown := maps.Clone(sent)
			if under.Load() > 0 {
				shown["comparing"] = desk.WorkUnderWay{AskedBy: "carl", Since: scalar.Instant(time.Now()), Made: 7}
			}
			return shown
		})
	}
	p, pass := watches()
	p.turn(strings.TrimPrefix(path, "/x"))
	p.sees(".lead", "3 rows were read")
	p.gone("[role=status] p")
	under.Store(1)
	p.sees("[data-part=comparing]", "carl is comparing it: 7 items are made")
	run := d.compares(t, sent)
	pass()
	p.sees("[data-part=compared]", "MOTOR-2026 2026-11", "open")
	p.accessible("a statement that was compared")
	p.click("[data-part=compared] a[href='#/reconciliation/run/" + run.Text("id") + "']")
	p.sees("[data-part=outcomes]", "mismatch")

	p, _ = watches()
	p.eval("{ const after = setTimeout; window.setTimeout = (does, ms) => after(does, ms === 2000 ? 1 : ms); }", nil)
	p.turn(strings.TrimPrefix(path, "/x"))
	const most, more = 60, 20
	wait.Until(t, func() error {
		if n := looks.Load(); n < most {
			return fmt.Errorf("%d looks", n)
		}
		return nil
	})
	p.do(chromedp.Evaluate(fmt.Sprintf("(async () => { for (let i = 0; i < %d; i++) await fetch(%s); })()", more,
		quoted(path)), nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	if n := looks.Load(); n != most+more {
		t.Errorf("the screen has looked %d times", n-more)
	}
	under.Store(1)
	p.click("[data-action=compare]")
	p.sees("[data-part=comparing]", "carl is comparing it")
}

// sends sends a file without the console, and compares it with November.
func (d office) sends(t *testing.T, text string) (run trial.Record) {
	t.Helper()
	return d.compares(t, d.keeps(t, text))
}

// keeps sends a file without the console.
func (d office) keeps(t *testing.T, text string) (sent trial.Record) {
	t.Helper()
	return d.clerk.Post(t, "/x/reconciliation/statement?profile=BROKER", text, "Content-Type", "text/csv").
		Want(t, http.StatusOK).Record(t)
}

// compares compares a file that was sent with November.
func (d office) compares(t *testing.T, sent trial.Record) (run trial.Record) {
	t.Helper()
	return d.clerk.Post(t, "/x/reconciliation/run", trial.Record{"statement": sent["id"],
		"against": trial.Record{"contract": "MOTOR-2026", "kind": "premium", "period": "2026-11"}}).
		Want(t, http.StatusCreated).Record(t)
}

// listed returns what the exchange lists as the newest statements or runs, as the rows of the screen name it.
func (d office) listed(t *testing.T, what string, figures ...string) (rows [][]string) {
	t.Helper()
	for _, one := range d.clerk.Read(t, "/x/reconciliation/"+what+"?limit=200")[what+"s"].([]any) {
		record := trial.Record(one.(map[string]any))
		row := []string{"#/reconciliation/" + what + "/" + record.Text("id")}
		for _, figure := range figures {
			row = append(row, record.Text(figure))
		}
		rows = append(rows, row)
	}
	return rows
}

// TestWhatWasComparedIsFoundAgain lists what was sent and compared, the newest first and page by page, in a browser
// that has not seen it before. A comparison is settled once each of its items is accepted. The lists are for keys,
// for a phone, and for people who speak German.
func TestWhatWasComparedIsFoundAgain(t *testing.T) {
	t.Parallel()
	d := reported(t, "Finder")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	empty := open(t, d.Exchange, "/reconciliation", trial.Developer)
	empty.sees("[data-part=runs] .empty", "Nothing has been compared yet.", "exchange reconcile compare")
	empty.sees("[data-part=statements] .empty", "Nobody has sent a file yet.")
	d.profile(t)
	const all = 21 // one more than a page has
	var last trial.Record
	for i := range all {
		last = d.sends(t, d.statement(fmt.Sprint("POL-", i)))
	}
	path := "/x/reconciliation/run/" + last.Text("id")
	for _, one := range d.clerk.Read(t, path+"/items")["items"].([]any) {
		item := trial.Record(one.(map[string]any))
		if item["outcome"] != "matched" {
			d.clerk.Post(t, fmt.Sprint(path, "/items/", item["number"], ":accept"), trial.Record{"reason": "agreed"}).
				Want(t, http.StatusOK)
		}
	}
	p := open(t, d.Exchange, "/today", trial.Developer)
	p.turn("/reconciliation")
	for what, figures := range map[string][]string{"run": {"items"}, "statement": {"rows", "quarantined"}} {
		part := "[data-part=" + what + "s] "
		p.becomes("document.querySelectorAll('" + part + "tbody tr').length === 20")
		p.click(part + ".more")
		p.becomes("document.querySelectorAll('" + part + "tbody tr').length === 21")
		p.becomes("document.querySelector('" + part + ".more').hidden")
		var shown [][]string
		p.eval("[...document.querySelectorAll('"+part+"tbody tr')].map((row) => [row.querySelector('a').hash]"+
			".concat([...row.querySelectorAll('td.right')].slice("+fmt.Sprint(-len(figures))+
			").map((e) => e.innerText)))", &shown)
		if want := d.listed(t, what, figures...); !reflect.DeepEqual(shown, want) {
			t.Errorf("the screen lists %v, want %v", shown, want)
		}
	}
	if got := p.texts("[data-part=runs] .badge"); len(got) != all || got[0] != "settled" ||
		slices.ContainsFunc(got[1:], func(state string) bool { return state != "open" }) {
		t.Errorf("the states are %v", got)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.media("prefers-color-scheme", scheme)
		p.accessible(scheme)
	}
	p.click("#language")
	p.sees("[data-part=runs]", "Abgleiche", "MOTOR-2026 2026-11", "erledigt", "offen", "Offene Posten")
	p.sees("[data-part=statements]", "Abrechnungsdateien", "BROKER", "Zeilen", "Gesendet von")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("the lists")
	p.rowTo("[data-part=runs] a[href='#/reconciliation/run/" + last.Text("id") + "']")
	p.keys("\r")
	p.sees(".lead", "erledigt", "MOTOR-2026 2026-11")
	p.sees("[data-part=items]", "agreed")
	p.eval("history.back()", nil)
	p.click("[data-part=statements] a[href='#/reconciliation/statement/" + last.Text("statement") + "']")
	p.sees(".lead", "3 Zeilen wurden gelesen")
}

// tries looks at how a file is read before it is sent: what is read, what cannot be and why, of the first rows only.
// Nothing of the file is kept, and so no statement is shown.
func (p *tab) tries(t *testing.T, d office) {
	t.Helper()
	p.choose(t, "Nothing;Here\n1;2\n")
	p.click("form[data-form=upload] [data-try]")
	p.sees("form[data-form=upload] [role=alert]", "The file cannot be read by the profile.")
	p.choose(t, d.statement("<img src=x onerror=window.ran=1>")+strings.Repeat("P;NB;31/02/2026;1.000,00\n", 30))
	p.click("form[data-form=upload] [data-try]")
	p.sees("[data-part=trial]", "The first 20 rows.", d.policy.Text("policyNumber"), "new policy", "2026-11-05",
		"950.00", "<img src=x onerror=window.ran=1>", "31/02/2026", "1.000,00")
	if n := p.count("[data-part=trial] tbody tr"); n != 20 {
		t.Errorf("%d rows are shown", n)
	}
	p.click("form[data-form=upload] .curl summary")
	p.sees("form[data-form=upload] pre", "curl -X POST", "'Content-Type: text/csv' --data-binary '@statement.csv'",
		"/x/reconciliation/statement?profile=BROKER'", "$(exchange token)")
	p.harmless("how a file is read")
	p.accessible("how a file is read")
	p.becomes("document.getElementById('file').files.length === 1 && location.hash === '#/reconciliation'")
}

// upload chooses a file of a text, and sends it.
func (p *tab) upload(t *testing.T, text string) {
	t.Helper()
	p.choose(t, text)
	p.send("upload")
}

// choose chooses a file of a text.
func (p *tab) choose(t *testing.T, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "statement.csv")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.becomes("Boolean(document.getElementById('file'))")
	p.do(chromedp.SetUploadFiles("#file", []string{file}))
}

// profile says how the files of a broker are read.
func (d office) profile(t *testing.T) {
	t.Helper()
	d.clerk.Put(t, "/x/reconciliation/profile/BROKER", trial.Record{
		"format": "csv", "delimiter": ";", "encoding": "utf-8", "headerRow": 1, "decimalMark": ",", "dateOrder": "dmy",
		"sign": "minus", "currency": "EUR", "totals": trial.Record{"rule": "none"},
		"types": trial.Record{"NB": "new policy", "MTA": "mid term adjustment"}, "columns": []trial.Record{
			{"column": "Policy", "means": "policyNumber"}, {"column": "Type", "means": "type"},
			{"column": "Date", "means": "date"}, {"column": "Gross", "means": "gross"},
		},
	}).Want(t, http.StatusOK)
}

// statement returns a file with a row that agrees with November, one with another premium, and one of a policy that is
// not there.
func (d office) statement(missing string) string {
	const rows = "Policy;Type;Date;Gross\n%[1]s;NB;05/11/2026;130,00\n%[1]s;MTA;05/11/2026;950,00\n" +
		"%[2]s;NB;05/11/2026;7,00\n"
	return fmt.Sprintf(rows, d.policy.Text("policyNumber"), missing)
}

// comparedClaims compares a file about a claim with December without the console, and returns the screen of that.
func (d office) comparedClaims(t *testing.T, claim trial.Record) (address string) {
	t.Helper()
	d.clerk.Put(t, "/x/reconciliation/profile/CLAIMS", trial.Record{
		"format": "csv", "delimiter": ";", "encoding": "utf-8", "headerRow": 1, "decimalMark": ".", "dateOrder": "dmy",
		"sign": "minus", "currency": "GBP", "totals": trial.Record{"rule": "none"}, "columns": []trial.Record{
			{"column": "Claim", "means": "claimNumber"}, {"column": "Paid", "means": "paid"},
		},
	}).Want(t, http.StatusOK)
	file := "Claim;Paid\n" + claim.Text("claimNumber") + ";1.00\n"
	sent := d.clerk.Post(t, "/x/reconciliation/statement?profile=CLAIMS", file, "Content-Type", "text/csv").
		Want(t, http.StatusOK).Record(t)
	run := d.clerk.Post(t, "/x/reconciliation/run", trial.Record{"statement": sent["id"],
		"against": trial.Record{"contract": "MOTOR-2026", "kind": "claims", "period": "2026-12"}}).
		Want(t, http.StatusCreated).Record(t)
	return "/reconciliation/run/" + run.Text("id")
}

// compared compares the file with November, and returns the screen of that.
func (d office) compared(t *testing.T) (address string) {
	t.Helper()
	d.profile(t)
	p := open(t, d.Exchange, "/reconciliation", trial.Developer, trial.Admin)
	p.upload(t, d.statement("POL-OTHER"))
	p.click("[data-action=compare]")
	p.fill("run", "/against/contract", "MOTOR-2026")
	p.fill("run", "/against/period", "2026-11")
	p.send("run")
	p.sees("[data-part=items]")
	p.eval("location.hash.slice(1)", &address)
	return address
}
