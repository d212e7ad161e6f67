package console

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// people is a file of the form of persons: two that can be made, one of them with a script as its name, one with a day
// that there is not, one with a document that the exchange does not know, and one who is there already.
const people = `firstName,lastName,dob,idType,idNumber,address.city,address.country,shoeSize
Ada,Importer,1990-12-10,passport,IMP-1,London,GB,38
Eve,<script>alert(1)</script>,1991-05-01,passport,IMP-2,Leeds,GB,39
Cy,Leapling,1989-02-29,passport,IMP-3,Leeds,GB,40
Dot,Carded,1988-02-29,library card,IMP-4,Leeds,GB,41
Una,There,1987-01-01,passport,IMP-5,Leeds,GB,42
`

// TestAFileIsImported imports persons with keys alone, but for the choice of the file: two cells are wrong, and are
// named with what they have. What is made is linked, and what was refused can be downloaded.
func TestAFileIsImported(t *testing.T) {
	t.Parallel()
	e := run(t)
	c := client(t, e)
	c.Create(t, "personal", trial.Record{"firstName": "Una", "lastName": "There", "dob": "1987-01-01",
		"idType": "passport", "idNumber": "IMP-5", "address": trial.Record{"city": "Leeds", "country": "GB"}})
	p := open(t, e, "/today", trial.Developer, trial.Admin)
	p.sees("[data-part=ending]", "No policy ends")
	p.tabTo("nav [data-screen=files]")
	p.keys("\r")
	p.tabTo("[data-lead=import]")
	p.keys("\r")
	p.sees("[data-part=imports]", "Nobody has imported a file yet.")
	p.sees("form[data-form=import]", "Check the file")
	p.tabTo("#rows-are")
	p.keys("Person")
	p.becomes("document.activeElement.value === 'profile personal'")
	p.sees("[data-part=means]", "Each row makes: Person.", "Workbook to fill in: Person")
	p.choose(t, people)
	p.tabTo("form[data-form=import] button[type=submit]")
	p.keys("\r")
	p.counts("refused 2", "there already 1", "can be made 2")
	p.sees("[data-part=notes]", "Columns not read, because nothing says what they mean: 1 (H).")
	p.sees("[data-part=columns]", "Person · Date of birth", "C2 1990-12-10", "Person · Address · City")
	p.wrongs(t, "C4 Person · Date of birth: 1989-02-29", "D5 Person · Id type: library card")
	p.accessible("an import that was checked")

	p.tabTo("[data-action=apply]")
	p.keys("\r")
	p.sees("form[data-form=apply]", "The records of 2 rows are made, in your name.",
		"1 row is left out because its record is there already.", "2 rows are left out because something is wrong")
	if n := len(c.Get(t, "/x/search/personal?idNumber=IMP-1").Records(t)); n != 0 {
		t.Errorf("%d persons are made before it was confirmed", n)
	}
	p.accessible("the question whether records are made")
	p.becomes("document.activeElement.matches('form[data-form=apply] button[type=submit]')")
	p.keys("\r")
	p.sees(".lead", "made")
	p.counts("refused 2", "there already 1", "made 2")
	p.wrongs(t, "C4 Person · Date of birth: 1989-02-29", "D5 Person · Id type: library card")
	p.keepsDownloads()
	p.click("[data-export=csv]")
	p.becomes("saved.length === 1")
	var file string
	p.eval("saved[0][1]", &file)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][0] != "4" || rows[1][1] != "refused" || rows[2][0] != "5" ||
		!strings.Contains(rows[1][2], "C4") || !slices.Contains(rows[2], "library card") {
		t.Errorf("the refused rows are downloaded as %v, %v", rows, err)
	}
	p.click("[data-export=xlsx]")
	p.becomes("saved.length === 2 && saved[1][1].startsWith('PK')")

	p.tabTo("[data-part=outcomes] a[href$='outcome=made']")
	p.keys("\r")
	p.sees("[data-part=rows]", "Ada, Importer, 1990-12-10 …")
	p.shows("the rows that were made", "<script>alert(1)</script>")
	made := c.Get(t, "/x/search/personal?idNumber=IMP-2").Records(t)
	if len(made) != 1 {
		t.Fatalf("%d persons have the number", len(made))
	}
	p.click("[data-part=rows] a[href='#/record/personal/" + made[0].Text("id") + "']")
	p.shows("a person who was imported", "<script>alert(1)</script>")
	p.turn("/import")
	p.sees("[data-part=imports]", "made", "2 refused, 1 there already, 2 made", "clerk")
	p.becomes("document.querySelectorAll('[data-part=imports] tbody tr').length === 1")

	reader := open(t, e, "/import", trial.Developer)
	reader.sees("[data-part=imports] tbody", "made")
	reader.click("[data-part=imports] tbody a")
	reader.sees("[data-part=rows]", "C4")
	if n := reader.count("[data-action], form.act"); n > 0 {
		t.Errorf("a reader sees %d controls that write", n)
	}
}

// TestPoliciesAreImported imports policies with those who hold them and what they insure, to a person who has chosen
// German, and on a phone. Policies are led to by their numbers.
func TestPoliciesAreImported(t *testing.T) {
	t.Parallel()
	e := run(t)
	p := openAs(t, e, client(t, e), "/import")
	p.picks("profile motor")
	p.sees("[data-part=means]", "Each row makes: Person, Vehicle, Driver, Motor.")
	p.choose(t, "holder.firstName,holder.lastName,holder.dob,holder.idType,holder.idNumber,holder.address.city,"+
		"holder.address.country,vehicle.plateNumber,vehicle.vin,driver.name,driver.licence.expiryDate,"+
		"policy.perils,policy.inceptionDate,policy.expiryDate,policy.indemnityLimitPolicy\n"+
		"Ada,Motorist,1990-12-10,passport,MOT-1,London,GB,MO 1,WVWZZZ1JZXW000001,Ada Motorist,2099-12-31,"+
		"theft,2026-01-01,2027-01-01,50000\n"+
		"Bo,Motorist,1990-12-11,passport,MOT-2,London,GB,MO 2,WVWZZZ1JZXW000002,Bo Motorist,2099-12-31,"+
		"theft;noise,2026-01-01,2027-01-01,50000\n")
	p.send("import")
	p.wrongs(t, "L3 Policy · Perils: theft;noise")
	p.click("[data-action=apply]")
	p.send("apply")
	p.counts("refused 1", "made 1")
	p.click("#language")
	p.sees("[data-part=outcomes]", "abgelehnt", "angelegt")
	p.sees("[data-part=columns]", "Versicherungsnehmer · Geburtstag", "Zeitpunkt")
	p.isGerman("an import")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("an import")
	p.click("[data-part=outcomes] a[href$='outcome=made']")
	p.sees("[data-part=rows]", "Versicherungsnehmer", "Fahrzeug", "Police POL-")
	p.fits("the rows of an import")
	p.click("[data-record=policy] a")
	p.sees("h1", "POL-")
	p.turn("/import")
	p.sees("[data-part=imports] tbody", "Kraftfahrt", "1 abgelehnt, 1 angelegt")
	p.isGerman("imports")
	p.fits("imports")
}

// instead has the page get responses that the exchange has not given, as long as there are some in responses: to what
// is read of an import, and to each action by its name. The page notes what it has asked for.
const instead = `{
	window.asked = [];
	const real = fetch;
	window.fetch = (path, options) => {
		const [, action] = /^\/x\/import\/[^/?:]+(?::(\w+))?$/.exec(path) ?? [];
		if (options?.method === 'POST') asked.push([action, options.body]);
		const next = options?.method === 'POST' ? responses[action]?.shift() : action === undefined
			&& /^\/x\/import\/[^/?:]+$/.test(path) && responses.read;
		return next ? Promise.resolve(new Response(JSON.stringify(next), { status: next.status ?? 200,
			headers: { 'Content-Type': 'application/json' } })) : real(path, options);
	};
}`

// TestAnImportGoesOn has the exchange say for a while that it has not checked, or made, all rows. The page goes on
// until it has, and names the check that the person has seen. It stops when a service is away, and goes on when it is
// told to.
func TestAnImportGoesOn(t *testing.T) {
	t.Parallel()
	e := run(t)
	c := client(t, e)
	sends := func(batch string) trial.Record {
		return c.Post(t, "/x/import?profile=personal&batch="+batch, people, "Content-Type", "text/csv").
			Want(t, http.StatusOK).Record(t)
	}
	sent := sends("first")
	away := trial.Record{"status": http.StatusServiceUnavailable, "title": "a service is away"}
	at := func(state string, n int) trial.Record {
		return sent.With("state", state).With("rows", 500).With("checked", n).With("done", n)
	}
	responses, err := json.Marshal(map[string]any{
		"read":  at("checking", 50),
		"check": []trial.Record{at("checking", 100), at("checking", 200), away},
		"apply": []trial.Record{at("applying", 150), at("applying", 250), away},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := openAs(t, e, c, "/today")
	p.sees("[data-part=ending]", "No policy ends")
	p.eval("window.responses = "+string(responses)+"; "+instead, nil)
	p.turn("/import/" + sent.Text("id"))
	p.sees("[data-part=progress]", "50 of 500 rows are checked.", "does not go on by itself")
	p.accessible("an import that is being checked")
	p.click("[data-action=check]")
	p.sees("main [role=alert]", "a service is away")
	p.sees("[data-part=progress]", "200 of 500 rows are checked.")
	p.eval("delete responses.read", nil)
	p.click("[data-action=check]")
	p.click("[data-action=apply]")
	p.send("apply")
	p.sees("main [role=alert]", "a service is away")
	p.sees("[data-part=progress]", "250 of 500 rows are done.")
	p.becomes("document.querySelector('[data-part=progress] progress').value === 250")
	p.click("[data-action=apply]")
	p.sees(".lead", "made")
	p.gone("[data-part=progress] progress")
	p.gone("main [role=alert]")
	var asked [][]string
	p.eval("asked.map(([action, body]) => [action, body ?? ''])", &asked)
	digest := `{"digest":"` + sent.Text("digest") + `"}`
	want := [][]string{{"check", ""}, {"check", ""}, {"check", ""}, {"check", ""},
		{"apply", digest}, {"apply", digest}, {"apply", digest}, {"apply", digest}}
	if !reflect.DeepEqual(asked, want) {
		t.Errorf("the page has asked for %v, want %v", asked, want)
	}
	if n := len(c.Get(t, "/x/search/personal?idNumber=IMP-1").Records(t)); n != 1 {
		t.Errorf("%d persons are made of a row", n)
	}

	p.turn("/import/" + sends("second").Text("id"))
	p.click("[data-action=cancel]")
	p.sees("form[data-form=cancel]", "No further record is made.")
	p.send("cancel")
	p.sees(".lead", "cancelled")
	p.gone("[data-action]")
}

// TestAFileWithOtherColumnsIsImported makes a profile of a form in the page, for a file whose columns have names of
// their own, and imports by it. Files that are compared are not read by it.
func TestAFileWithOtherColumnsIsImported(t *testing.T) {
	t.Parallel()
	e := run(t)
	c := client(t, e)
	p := openAs(t, e, c, "/import")
	p.picks("profile personal")
	p.click("[data-action=profile]")
	p.sees("form[data-form=profile] [data-part=records]", "Each row makes: Person.")
	p.eval("document.getElementById('profile-name').value = 'AGENT'", nil)
	p.fill("profile", "/delimiter", "semicolon")
	p.fill("profile", "/dateOrder", "dmy")
	p.becomes("document.querySelectorAll('form[data-form=profile] [data-column]').length === 6") // what is required
	for at, of := range [][2]string{{"Town", "personal.address.city"}, {"Born", "personal.dob"},
		{"First", "personal.firstName"}, {"No", "personal.idNumber"}, {"Paper", "personal.idType"},
		{"Last", "personal.lastName"}} {
		p.column(at, of[0], of[1])
	}
	p.click("[data-add]")
	p.column(6, "Country", "personal.address.country")
	p.eval("{ const e = document.querySelector('[data-column=\"4\"] [name=\"/values\"]'); "+
		"e.value = 'P = passport'; e.dispatchEvent(new Event('input', { bubbles: true })); }", nil)
	p.send("profile")
	p.sees("[data-part=profiles]", "AGENT", "Born → Person · Date of birth")
	kept := c.Read(t, "/x/reconciliation/profile/AGENT")
	if len(kept["records"].([]any)) != 1 || len(kept["columns"].([]any)) != 7 {
		t.Errorf("the profile is kept as %v", kept)
	}
	p.picks("profile AGENT")
	p.choose(t, "Born;First;No;Paper;Last;Town;Country\n02/03/1990;Ada;OTH-1;p;Other;Leeds;GB\n"+
		"02/03/1990;Bo;OTH-2;x;Other;Leeds;GB\n")
	p.click("form[data-form=import] .curl summary")
	p.sees("form[data-form=import] pre", "curl -X POST", "--data-binary '@statement.csv'", "/x/import?profile=AGENT'")
	p.send("import")
	p.sees("h1", "Import: AGENT")
	p.counts("refused 1", "can be made 1")
	p.wrongs(t, "D3 Person · Id type: x is no word that the profile has for the column")
	p.sees("[data-part=columns]", "A2 02/03/1990 → 1990-03-02", "D2 p → passport")

	p.turn("/import/profile/AGENT")
	p.click("[data-column='6'] [data-remove]")
	p.send("profile")
	p.sees("[data-part=profiles]", "AGENT")
	kept = c.Read(t, "/x/reconciliation/profile/AGENT")
	if fmt.Sprint(kept["version"]) != "2" || len(kept["records"].([]any)) != 1 || len(kept["columns"].([]any)) != 6 ||
		!strings.Contains(fmt.Sprint(kept["columns"]), "map[P:passport]") {
		t.Errorf("the profile is changed to %v", kept)
	}
	p.turn("/reconciliation")
	p.sees("[data-part=profiles] .empty", "Nobody has said yet how a file is read.")
	p.gone("form[data-form=upload]")
}

// counts waits until the screen of an import has the outcomes of rows with how many there are of each, and no others.
func (p *tab) counts(outcomes ...string) {
	p.Helper()
	p.becomes("[...document.querySelectorAll('[data-part=outcomes] tbody tr')].map((row) => [...row.cells]" +
		".slice(0, 2)" +
		".map((cell) => cell.innerText.trim()).join(' ')).join(', ') === " + quoted(strings.Join(outcomes, ", ")))
}

// picks picks what the rows of a file are.
func (p *tab) picks(value string) {
	p.Helper()
	p.becomes("Boolean(document.getElementById('rows-are'))")
	p.eval("{ const e = document.getElementById('rows-are'); e.value = "+quoted(value)+
		"; e.dispatchEvent(new Event('input', { bubbles: true })); }", nil)
}

// wrongs sees that the rows name what is wrong with them, and nothing else.
func (p *tab) wrongs(t *testing.T, begins ...string) {
	t.Helper()
	p.becomes(fmt.Sprintf("document.querySelectorAll('[data-part=rows] tbody tr').length === %d", len(begins)))
	for i, text := range p.texts("[data-part=rows] tbody tr td:nth-child(3)") {
		if !strings.HasPrefix(text, begins[i]) {
			t.Errorf("%q is wrong, want %q", text, begins[i])
		}
	}
}
