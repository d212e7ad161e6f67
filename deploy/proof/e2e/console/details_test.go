package console

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// module evaluates an expression with the names of a file of the page.
func (p *tab) module(file, names, expression string, into any) {
	p.Helper()
	const folder = "document.querySelector('link[rel=modulepreload]').href.replace(/[^/]*$/, '')"
	p.do(chromedp.Evaluate("import("+folder+" + "+quoted(file)+").then(({ "+names+" }) => "+expression+")", into,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// TestAContractInWords reads the terms of contracts: years have no mark of thousands, percentages a sign, and lines
// have a name. A contract that has only what is assigned to it shows no days for its risks.
func TestAContractInWords(t *testing.T) {
	t.Parallel()
	e := run(t, "EXCHANGE_TEST_CLOCK="+today)
	c := client(t, e)
	c.Put(t, "/x/contract/RULES", terms.With("yearOfAccount", 2025)).Want(t, http.StatusOK)
	c.Put(t, "/x/contract/ASSIGNED", terms.With("uniqueMarketReference", "B0001ASSIGNED").
		With("risksFrom", "1800-01-02").With("risksBefore", "1800-01-03")).Want(t, http.StatusOK)
	p := openAs(t, e, c, "/desk/RULES")
	reads := func(member, want string) {
		t.Helper()
		p.sees("[data-part=contract] [data-member=" + member + "] dd")
		if got := p.texts("[data-part=contract] [data-member=" + member + "] dd"); !slices.Equal(got, []string{want}) {
			t.Errorf("%s reads %q, want %q", member, got, want)
		}
	}
	reads("yearOfAccount", "2025")
	reads("commissionPercentage", "15%")
	reads("lines", "Motor")
	reads("risksFrom", "Jan 1, 2026")
	reads("risksBefore", "Jan 1, 2027")
	p.turn("/desk/ASSIGNED")
	p.sees("h1", "ASSIGNED")
	reads("risksFrom", "none by its dates; only policies that are assigned belong to it")
	p.gone("[data-member=risksBefore]")
}

// TestCountriesAndEventsInWords reads countries and types of events in both languages, and finds countries by name in a
// list. An event of the desk opens the version that it is about.
func TestCountriesAndEventsInWords(t *testing.T) {
	t.Parallel()
	d := reported(t, "Named")
	p := openAs(t, d.Exchange, d.clerk, "/feed")
	for _, in := range []struct{ country, first, event, other string }{
		{"Germany (DE)", "Afghanistan (AF)", "Policy (Motor): Created", "Version of a bordereau: Approved"},
		{"Deutschland (DE)", "Afghanistan (AF)", "Police (Kraftfahrt): Angelegt",
			"Fassung eines Bordereaus: Genehmigt"},
	} {
		p.turn("/feed")
		p.sees("#events", in.event+" exchange.motorCoverage.created", in.other+" exchange.bordereau.approved")
		var got []string
		p.module("words.js", "option, happening", `[option('country', 'DE'), option('nationality', 'XX'),
			option('country', 'as sent'), happening('exchange.webhook.test')]`, &got)
		if want := []string{in.country, "XX", "as sent", "exchange.webhook.test"}; !slices.Equal(got, want) {
			t.Errorf("in words: %q, want %q", got, want)
		}
		p.turn("/create")
		countries := "form[data-form=create] select[name$='/country'] option[value]:not([value=''])"
		p.sees(countries, in.country)
		if all := p.texts(countries); len(all) != 249 || all[0] != in.first {
			t.Errorf("the list has %d countries, from %q on", len(all), all[0])
		}
		p.click("#language")
	}
	p.turn("/feed")
	p.click("#events a[href='#/desk/MOTOR-2026/premium/2026-10/1']")
	p.sees("h1", "Premium 2026-10")
}

// TestOneBoxForAPeril opens the form of a motor policy: a peril whose published spelling is wrong has one box, with
// the right spelling, which sends the published one.
func TestOneBoxForAPeril(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/create", trial.Developer, trial.Admin)
	p.sees("form[data-form=create] .boxes", "volcanic eruption", "unknown or hit and run")
	var values []string
	p.eval("[...document.querySelectorAll('[name=\"/perils\"]')].filter((e) => /volcanic|hit and/"+
		".test(e.parentElement.innerText)).map((e) => e.value)", &values)
	want := []string{}
	for _, right := range []string{"volcanic eruption", "unknown or hit and run"} {
		published, _ := valuesets.Published().Lookup(valuesets.MotorPeril, right)
		want = append(want, published)
	}
	if !slices.Equal(values, want) {
		t.Errorf("the boxes have %q", values)
	}
}

// TestDecimalsAsTheyAreTyped reads what people type as their language writes it, and moves the point of decimals.
func TestDecimalsAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/help", trial.Developer)
	for _, one := range []struct{ language, typed, want string }{
		{"en", "1,000.50", "1000.50"}, {"en", "420.50", "420.50"}, {"en", "-1,234,567", "-1234567"},
		{"en", "1000,50", "1000,50"}, {"en", "12 Euro", "12 Euro"}, {"en", "0,125", "0,125"},
		{"de", "1.000,50", "1000.50"}, {"de", "420,5", "420.5"}, {"de", "1.234", "1234"}, {"de", "420.50", "420.50"},
		{"de", "0.125", "0.125"}, {"de", "1,000.50", "1,000.50"}, {"de", " 7 ", "7"},
	} {
		var got string
		p.module("decimal.js", "typed", "typed("+quoted(one.typed)+", "+quoted(one.language)+")", &got)
		if got != one.want {
			t.Errorf("%s: %q is read as %q, want %q", one.language, one.typed, got, one.want)
		}
	}
	for of, want := range map[string][2]string{"100.5": {"10050", "1.005"}, "5": {"500", "0.05"},
		"-320005": {"-32000500", "-3200.05"}, "0.5": {"50", "0.005"}, "1.005": {"100.5", "0.01005"}, "x": {"x", "x"}} {
		var got [2]string
		p.module("decimal.js", "moved", "[moved("+quoted(of)+", 2), moved("+quoted(of)+", -2)]", &got)
		if got != want {
			t.Errorf("%s is moved to %v, want %v", of, got, want)
		}
	}
}

// TestAClaimThatIsNoLongerReported compares two periods: a claim that only the earlier one has did not change by what
// it came to, and is said to have left the list.
func TestAClaimThatIsNoLongerReported(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/help", trial.Developer)
	line := func(number, incurred string) trial.Record {
		return trial.Record{"policyNumber": "P", "claimNumber": number, "currency": "CHF",
			"indemnity": trial.Record{"incurred": incurred}}
	}
	lines := func(all ...trial.Record) string {
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var left map[string]bool
	p.module("why.js", "compared", "Object.fromEntries(compared("+lines(line("A", "300"), line("B", "5"))+", "+
		lines(line("B", "7"))+", 'claims').map((row) => [row.what, row.left]))", &left)
	if want := map[string]bool{"A": true, "B": false}; !reflect.DeepEqual(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}
