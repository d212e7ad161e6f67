package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// media has the browser prefer something, such as prefers-color-scheme: dark.
func (p *tab) media(feature, value string) {
	p.Helper()
	p.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: feature, Value: value}}))
}

// eachScreen shows each screen with the records of a policy and a claim, and each form, and calls look with its name.
func (p *tab) eachScreen(made, claim trial.Record, look func(screen string)) {
	p.Helper()
	policy, loss := "/policy/"+made.Text("policyNumber"), "/claim/"+claim.Text("claimNumber")
	for _, screen := range []struct{ address, selector, text string }{
		{"/today", "[data-part=open]", "CLM-"},
		{"/find?q=" + made.Text("policyNumber"), "[data-part=policies]", "POL-"},
		{policy, "[data-part=timeline] [data-version='1']", ""}, {loss, "[data-part=timeline] [data-version='1']", ""},
		{"/record/personal/" + made.Text("policyholderId"), "[data-part=timeline]", ""},
		{"/feed", "#events tbody", "exchange."}, {"/help", "[data-part=operations]", "POST /x/batch"},
		{"/create", "form[data-form=create] h2", ""}, {"/desk", "[data-part=board]", ""},
		{"/contract", "form[data-form=contract] legend", ""}, {"/unassigned", "[data-part=unassigned] table", ""},
		{"/reconciliation", "[data-part=profiles] tbody", ""}, {"/import", "form[data-form=import] h2", ""},
		{"/book", "[data-part=lines] tbody", ""},
		{"/book/policies?line=motorCoverage", "[data-part=rows] tbody", "POL-"},
		{"/policies", "[data-part=rows] tbody", "POL-"}, {"/claims", "[data-part=rows] tbody", "CLM-"},
		{"/files", "[data-part=statements]", ""}, {"/today?only=ending", "[data-part=ending]", ""},
		{"/import/profile?as=profile motor", "form[data-form=profile] [data-part=records]", ""},
	} {
		p.turn(screen.address)
		p.sees(screen.selector, screen.text)
		p.becomes("!document.querySelector('[aria-busy]')")
		look(screen.address)
	}
	for _, form := range [][2]string{{policy, "endorse"}, {policy, "cancel"}, {policy, "renew"}, {loss, "revise"},
		{loss, "settle"}} {
		p.turn(form[0])
		p.click("[data-action=" + form[1] + "]")
		p.sees("form[data-form=" + form[1] + "] h2")
		look(form[1])
	}
	// An empty settlement is refused each time, and so leaves the claim as it is for others.
	p.send("settle")
	p.becomes("Boolean(document.querySelector('form[data-form=settle] [aria-invalid=true]'))")
	p.sees("form[data-form=settle] .outcome")
	look("a refusal")
}

// TestScreensAreAccessible has axe look at each screen and form, in light and in dark.
func TestScreensAreAccessible(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	made := policy(t, c, "Accessible")
	claim := loss(t, c, made)
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p := blank(t, book)
			p.media("prefers-color-scheme", scheme)
			p.visit("/today")
			p.sees("#sign-in", "exchange token")
			p.accessible("the dialog for the token")
			p.paste(strings.TrimPrefix(c.Authorization(), "Bearer "))
			p.eachScreen(made, claim, p.accessible)
		})
	}
}

// TestKeyboardAlone finds a claim and settles it with keys alone. The focus can be seen wherever it is.
func TestKeyboardAlone(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	claim := loss(t, c, policy(t, c, "Keyboard"))
	p := open(t, book, "/today", trial.Developer, trial.Admin)
	p.sees("[data-part=open]", "CLM-")
	p.becomes("!document.querySelector('[aria-busy]')")
	p.press("j")
	p.press("j")
	p.press("k")
	p.becomes("document.activeElement.closest('[data-row]') === document.querySelector('main [data-row]')")
	p.press("?")
	p.sees("h1", "Help")
	p.seeks(claim.Text("claimNumber") + "\r")
	p.sees("h1", "Claim "+claim.Text("claimNumber"))
	p.sees("[data-action=settle]")
	p.tabTo("[data-action=settle]")
	p.keys("\r")
	p.becomes("document.activeElement.name === '/paymentAmount'")
	p.keys("250")
	p.tabTo("[name='/paymentMethod']")
	p.keys("cash")
	p.becomes("document.activeElement.value === 'cash'")
	p.tabTo("form[data-form=settle] button[type=submit]")
	p.keys("\r")
	p.sees(".lead", "closed")
	settledOnce(t, c, claim)
}

// tabTo presses Tab until the focus is where a selector finds it. Everywhere on the way, the focus can be seen.
func (p *tab) tabTo(selector string) {
	p.Helper()
	const most = 60
	for range most {
		p.keys("\t")
		var at struct {
			Is, Seen bool
			HTML     string
		}
		p.eval("{ const e = document.activeElement; ({ is: e.matches("+quoted(selector)+"), "+
			"html: e.outerHTML.slice(0, 200), seen: e === document.body || e.matches('main') || "+
			"getComputedStyle(e).outlineStyle !== 'none' }) }", &at)
		if !at.Seen {
			p.Errorf("the focus cannot be seen on %s", at.HTML)
		}
		if at.Is {
			return
		}
	}
	p.Fatalf("%d times Tab do not lead to %s", most, selector)
}

// wider returns what scrolls sideways: the page, and what makes it so.
const wider = `document.scrollingElement.scrollWidth <= innerWidth ? [] : ['the page'].concat(
	[...document.querySelectorAll('body *')].filter((e) =>
		e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll, pre, .unseen'))
		.map((e) => e.outerHTML.slice(0, 150)))`

// below returns what stands under the name of its column, which a phone shows to the left of it.
const below = `[...document.querySelectorAll('td[data-label]')].filter((e) => getComputedStyle(e).display === 'grid' &&
	[...e.children].some((one) => one.getBoundingClientRect().width > 0 &&
		one.getBoundingClientRect().left < e.getBoundingClientRect().left + 100)).map((e) => e.outerHTML.slice(0, 300))`

// fits sees that nothing is wider than the window, and that on a phone each cell stands beside its name.
func (p *tab) fits(screen string) {
	p.Helper()
	var wide []string
	p.eval(wider, &wide)
	if len(wide) > 0 {
		p.Errorf("%s is wider than the window:\n%s", screen, strings.Join(wide[:min(3, len(wide))], "\n"))
	}
	var under []string
	p.eval(below, &under)
	if len(under) > 0 {
		p.Errorf("%s has %d cells under their names:\n%s", screen, len(under), under[0])
	}
}

// TestPhone shows each screen as wide as a phone, with names that are long and have no blanks. No screen is wider.
func TestPhone(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	made := policy(t, c, strings.Repeat("Donaudampfschifffahrts", 20))
	claim := loss(t, c, made)
	for _, width := range []int64{320, 360, 1280} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			p := open(t, book, "/today", trial.Developer, trial.Admin)
			p.do(chromedp.EmulateViewport(width, 740))
			p.eachScreen(made, claim, p.fits)
		})
	}
}

// TestGerman shows the screens to a browser that prefers German: words, dates and amounts are German.
func TestGerman(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	made := policy(t, c, "Deutsch")
	claim := loss(t, c, made)
	p := blank(t, book)
	var agent string
	p.eval("navigator.userAgent", &agent)
	// Days and instants are those of the exchange, which reckons in UTC, wherever the person is.
	p.do(emulation.SetUserAgentOverride(agent).WithAcceptLanguage("de-DE"),
		emulation.SetTimezoneOverride("America/New_York"))
	p.signedIn(strings.TrimPrefix(c.Authorization(), "Bearer "))
	p.visit("/policy/" + made.Text("policyNumber"))
	p.sees("[data-part=record]", "Bruttoprämie", "1.234,00 EUR", "01.01.2026")
	p.sees(".lead", "Kraftfahrt", "in Kraft")
	p.becomes("document.documentElement.lang === 'de'")
	p.eachScreen(made, claim, p.isGerman)
	p.turn("/policy/" + made.Text("policyNumber"))
	p.click("[data-action=endorse]")
	p.eval("document.querySelector('form[data-form=endorse] details').open = true", nil)
	p.sees("form[data-form=endorse]", "Ein Betrag, etwa 1.000,50.", "Einschluss")
	p.types("endorse", map[string]string{"/endorsementType": "addition", "/grossWrittenPremium": "1.500,25"})
	p.send("endorse")
	p.sees("[data-part=record]", "1.500,25 EUR")
	p.click("#language")
	p.sees("nav", "Today")
	p.becomes("document.documentElement.lang === 'en'")
}

// englishIn returns the texts that a person sees with an English word in them, but for what is written for programs.
const englishIn = `(() => {
	const found = [], walk = document.createTreeWalker(document.getElementById('app'), NodeFilter.SHOW_TEXT);
	const english = new RegExp('(^|[^\\p{L}/:.*{-])(the|of|and|is|are|with|for|not|which|this|that|must|has|have|' +
		'from|by|to|or|there|when|where|policy|claim|claims|receipt|date|amount|required|version|premium|cash|fire|' +
		'hail|other|cancelled|reference|status of|currency|expiry|inception|month|share)([^\\p{L}/:.*-]|$)', 'iu');
	while (walk.nextNode()) {
		const { data, parentElement: at } = walk.currentNode;
		if (at.checkVisibility() && !at.closest('code, pre, kbd, #language, [lang=en]') && english.test(data)) {
			found.push(data.trim());
		}
	}
	return found;
})()`

// isGerman sees that a screen has no English words.
func (p *tab) isGerman(screen string) {
	p.Helper()
	var english []string
	p.eval(englishIn, &english)
	if len(english) > 0 {
		p.Errorf("%s shows %q", screen, english)
	}
}

// TestTheDeskIsGerman shows what is reported, and a file that is compared with it, to a person who has chosen German.
func TestTheDeskIsGerman(t *testing.T) {
	t.Parallel()
	d := reported(t, "Deutsch")
	d.nameless(t)
	v := d.prepare(t, d.clerk, november)
	p := openAs(t, d.Exchange, d.clerk, "/today")
	p.eval("localStorage.setItem('exchange-language', 'de')", nil)
	p.visit("/today")
	for _, screen := range [][2]string{
		{"/today", "[data-part=prepared]"}, {"/desk", "[data-part=board]"},
		{"/desk/MOTOR-2026", "[data-part=contract] dl"}, {"/contract", "form[data-form=contract] [data-add]"},
		{"/contract/MOTOR-2026", "form[data-form=contract] [data-fixed]"}, {"/unassigned", "[data-part=unassigned]"},
		{"/desk/MOTOR-2026/premium/2026-11", "[data-part=versions]"},
		{"/desk/MOTOR-2026/premium/2026-11/1", "[data-part=findings] code"},
		{"/desk/MOTOR-2026/premium/2026-11/1/" + d.extra.Text("id"), "[data-part=contract] dl"},
	} {
		p.turn(screen[0])
		p.sees(screen[1])
		p.becomes("!document.querySelector('[aria-busy]')")
		p.isGerman(screen[0])
	}
	p.turn("/desk/MOTOR-2026/premium/2026-11/1")
	p.sees("[data-part=findings]", "Die Police nennt keinen Versicherungsnehmer mit Namen.")
	p.sees("[data-part=sign-off]", "2 Zeilen, netto", "vorbereitet von clerk", "Sie haben die Fassung vorbereitet")
	second := openAs(t, d.Exchange, d.anna, "/today")
	second.click("#language")
	second.turn("/desk/MOTOR-2026/premium/2026-11/1")
	second.sees("[data-part=sign-off]", "2 Zeilen, netto", "Zwei Personen genehmigen. clerk",
		"2 Fehler müssen zuerst hingenommen werden.")
	second.click("[data-action=approve]")
	second.send("approve")
	second.sees("form[data-form=approve] .outcome", "Fehler der Fassung sind nicht hingenommen")
	second.isGerman("a refusal")
	const findings = november + "/versions/1/findings"
	for _, one := range d.read(t, findings, "findings") {
		if one["severity"] == "error" {
			d.clerk.Post(t, findings+"/"+one.Text("id")+":waive", trial.Record{"reason": "bekannt"}).
				Want(t, http.StatusOK)
		}
	}
	d.sign(t, november, v)
	d.compared(t)
	for _, part := range []string{"runs", "statements"} {
		p.turn("/reconciliation")
		p.sees("[data-part=" + part + "] tbody a")
		p.becomes("!document.querySelector('[aria-busy]')")
		p.isGerman("/reconciliation")
		p.click("[data-part=" + part + "] tbody a")
		p.sees("h1")
		p.becomes("!document.querySelector('[aria-busy]')")
		p.isGerman(part)
	}
}

// TestReducedMotion sees that nothing moves for a person who prefers that.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/find", trial.Developer)
	p.sees("#results", "POL-")
	const moves = "[...document.querySelectorAll('*')].some((e) => ['transitionDuration', 'animationDuration']" +
		".some((name) => parseFloat(getComputedStyle(e)[name]) > 0))"
	p.media("prefers-reduced-motion", "no-preference")
	p.becomes(moves)
	p.media("prefers-reduced-motion", "reduce")
	p.becomes("!" + moves)
}

// TestAmountsStandRight sees that amounts stand at the right of their columns, each with its currency.
func TestAmountsStandRight(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/today", trial.Developer)
	p.sees("[data-part=open]", "CLM-")
	p.becomes("[...document.querySelectorAll('td [data-amount]')].every((e) => e.innerText.includes('EUR') && " +
		"getComputedStyle(e.closest('td')).textAlign === 'right')")
	if p.count("td [data-amount]") == 0 {
		t.Error("there are no amounts")
	}
}

// TestRequestsAreBounded counts the requests and the rows of each screen of an exchange with thousands of policies of
// one policyholder: a screen reads a few pages, however many there are.
func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	const (
		mostRequests = 24 // find asks for numbers, names and own references of each kind, and in the book
		mostRows     = 200
	)
	e := run(t)
	c := client(t, e)
	made := policy(t, c, "Bounded")
	claim := loss(t, c, made)
	more(t, c, c.Read(t, "/motorCoverage/"+made.Text("id")))
	p := open(t, e, "/today", trial.Developer, trial.Admin)
	total := 0
	p.eachScreen(made, claim, func(screen string) {
		var n int
		p.eval("performance.getEntriesByType('resource').filter((e) => e.initiatorType === 'fetch').length", &n)
		p.eval("performance.clearResourceTimings()", nil)
		total += n
		if rows := p.count("tbody tr"); n > mostRequests || rows > mostRows {
			t.Errorf("%s made %d requests and shows %d rows", screen, n, rows)
		}
	})
	if total < mostRequests {
		t.Errorf("only %d requests were seen", total)
	}
	p.turn("/feed")
	p.sees("#feed-said", "More may have happened since then.")
	var last string
	p.eval("document.querySelector('[data-event]').dataset.event", &last)
	p.click(".more")
	p.sees("#feed-said", "More may have happened since then.")
	p.becomes("document.querySelector('[data-event]').dataset.event !== " + quoted(last))
	if shown := p.count("[data-event]"); shown != mostRows {
		t.Errorf("%d events are shown, want %d", shown, mostRows)
	}
}

// more creates 2,000 policies like one, with a claim each.
func more(t *testing.T, c *trial.Client, like trial.Record) {
	t.Helper()
	const policies, each = 2000, 25
	for n := range policies / each {
		operations := []trial.Record{}
		for i := range each {
			body := trial.Record{"perils": []string{"fire", "hail"}, "inceptionDate": "2026-01-01T00:00:00Z",
				"expiryDate": "2027-01-01T00:00:00Z", "policyholderId": like["policyholderId"],
				"vehicleId": like["vehicleId"], "driverId": like["driverId"]}
			ref := fmt.Sprint("p", i)
			operations = append(operations,
				trial.Record{"ref": ref, "method": "POST", "path": "/motorCoverage", "body": body},
				trial.Record{"ref": "c" + ref, "method": "POST", "path": "/claim", "body": trial.Record{
					"policyNumber": "@" + ref + ".policyNumber", "lossDate": "2026-03-01T08:30:00Z",
					"fnol": "2026-06-02T08:30:00Z", "claimType": "own property damage", "lossCause": "hail",
					"reserve": 1,
				}})
		}
		body, err := json.Marshal(trial.Record{"operations": operations})
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.Send(context.Background(), http.MethodPost, "/x/batch", body,
			"Idempotency-Key", fmt.Sprint("more ", n))
		if err != nil {
			t.Fatal(err)
		}
		response.Want(t, 200)
	}
}
