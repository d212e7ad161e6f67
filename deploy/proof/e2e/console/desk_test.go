package console

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

const (
	october  = "/x/bordereau/MOTOR-2026/premium/2026-10"
	november = "/x/bordereau/MOTOR-2026/premium/2026-11"
)

// terms has the members of the contract.
var terms = trial.Record{
	"uniqueMarketReference": "B0001MOTOR2026", "coverholderName": "Alder Underwriting", "inception": "2026-01-01",
	"expiry": "2027-01-01", "lines": []string{"motorCoverage"}, "currency": "EUR", "amountUnit": "major",
	"settlementCurrency": "GBP", "originalPerSettlement": "1.22", "commissionPercentage": "15",
	"frequency": "month", "firstPeriod": "2026-10",
}

// office is an exchange in December with a contract whose October is approved, and whose November is due. November has
// the receipts of October and one more, and one is larger.
type office struct {
	*trial.Exchange
	clerk, anna *trial.Client
	policy      trial.Record
	// extra is the receipt of November that makes it differ most.
	extra trial.Record
}

// reported makes a desk, with policies of a holder whose last name is given.
func reported(t *testing.T, name string) office {
	t.Helper()
	e := run(t, "EXCHANGE_TEST_CLOCK=2026-10-05T09:00:00Z", "EXCHANGE_CURRENCY=EUR", "EXCHANGE_AMOUNT_UNIT=major")
	d := office{Exchange: e, clerk: client(t, e)}
	anna, err := e.Client("anna", trial.Developer, trial.Admin)
	if err != nil {
		t.Fatal(err)
	}
	d.anna, d.policy = anna, policy(t, d.clerk, name)
	d.clerk.Put(t, "/x/contract/MOTOR-2026", terms).Want(t, http.StatusOK)
	d.receipt(t, "new policy", 100)
	d.advance(t, "2026-11-05T09:00:00Z")
	d.sign(t, october, d.prepare(t, d.clerk, october))
	d.receipt(t, "new policy", 130)
	d.extra = d.receipt(t, "mid term adjustment", 900)
	d.advance(t, today)
	return d
}

func (d office) receipt(t *testing.T, kind string, amount int) trial.Record {
	t.Helper()
	return d.clerk.Create(t, "receipt", trial.Record{"policyNumber": d.policy.Text("policyNumber"),
		"receiptType": kind, "paymentAmount": amount, "premiumPaymentMethod": "cash"})
}

func (d office) advance(t *testing.T, to string) {
	t.Helper()
	d.clerk.Post(t, "/x/clock:advance", trial.Record{"to": to}).Want(t, http.StatusOK)
}

// prepare makes the first version of a period, once its receipts are in the rows.
func (d office) prepare(t *testing.T, by *trial.Client, period string) (made trial.Record) {
	t.Helper()
	wait.Until(t, func() error {
		response := by.Post(t, period+":prepare", trial.Record{"type": "original"})
		if response.Status == http.StatusServiceUnavailable {
			return fmt.Errorf("not yet: %s", response.Body)
		}
		made = response.Want(t, http.StatusCreated).Record(t)
		return nil
	})
	return made
}

// sign approves a version as the second person.
func (d office) sign(t *testing.T, period string, v trial.Record) {
	t.Helper()
	d.anna.Post(t, fmt.Sprintf("%s/versions/%v:approve", period, v["number"]),
		trial.Record{"digest": v.Text("digest")}).Want(t, http.StatusOK)
}

// TestWhyNovemberIsDifferent goes from the first screen to why November is not as October, and from there to the
// receipt, in two clicks.
func TestWhyNovemberIsDifferent(t *testing.T) {
	t.Parallel()
	d := reported(t, "Different")
	v := d.prepare(t, d.anna, november)
	p := open(t, d.Exchange, "/today", trial.Developer)
	p.sees("[data-part=prepared]", "Versions that wait for a second person", "2026-11", "MOTOR-2026")
	p.click("[data-part=prepared] tbody a")
	p.comparesNovember("Additional Premium")
	total := v["totals"].([]any)[0].(map[string]any)
	want := []string{}
	for _, name := range []string{"gross", "commission", "brokerage", "net", "settled"} {
		want = append(want, strings.TrimSuffix(fmt.Sprint(total[name]), ".00"))
	}
	if got := p.amounts("[data-part=live]"); !slices.Equal(got, want) {
		t.Errorf("amounts of the period: %v, want %v", got, want)
	}
	d.opensReceipt(p, "receipt")
}

// comparesNovember expects why November is different, with a text and the amounts, and the bars. What is new is first;
// what both months have follows, with what it differs by.
func (p *tab) comparesNovember(says string) {
	p.Helper()
	p.sees("[data-part=why]", "Why 2026-11 is different from 2026-10", says)
	if got := p.amounts("[data-part=why]"); !slices.Equal(got, []string{"0", "900", "900", "100", "130", "30"}) {
		p.Errorf("amounts of the comparison: %v", got)
	}
	var shown []string
	p.eval("[...document.querySelectorAll('[data-bar]')].map((e) => `${e.dataset.bar} ${e.dataset.figure}`)", &shown)
	if !slices.Equal(shown, []string{"2026-10 100", "2026-11 1030"}) {
		p.Errorf("bars: %v", shown)
	}
}

// opensReceipt goes from why November is different to the receipt that makes it differ most, which a part shows.
func (d office) opensReceipt(p *tab, part string) {
	p.Helper()
	p.click("[data-part=why] tbody td:last-child a")
	p.sees("[data-part="+part+"]", "mid term adjustment", "EUR 900.00", d.policy.Text("policyNumber"))
}

// TestWhyNovemberIsDifferentBeforeItIsPrepared goes from the first screen to why November is not as October while
// nobody has prepared it, and from there to the receipt, in two clicks. A figure of what November would have opens its
// lines, which are those of the interface.
func TestWhyNovemberIsDifferentBeforeItIsPrepared(t *testing.T) {
	t.Parallel()
	d := reported(t, "Unprepared")
	p := open(t, d.Exchange, "/today", trial.Developer)
	p.click("[data-part=due] tbody a[href='#/desk/MOTOR-2026/premium/2026-11']")
	p.comparesNovember("2026-11 has no version that waits or is approved; it is compared as it is now.")
	p.sees("[data-part=bars]",
		"The bar of 2026-11, of which no version waits or is approved, is what it would have now.")
	p.click("[data-part=live] td.right a")
	p.becomes("document.activeElement.matches('[data-part=lines]')")
	p.hasRows("[data-part=lines]", d.read(t, november+"/lines", "lines"), "policyNumber", "insured", "",
		"transactionType", "effectiveDate", "late/recordedPeriod", "gross", "commission", "net", "settled")
	p.click("[data-part=live] td.right a")
	if n := p.count("[data-part=lines]"); n != 1 {
		t.Errorf("the lines are shown %d times", n)
	}
	p.click("[data-part=lines] td.right a[href='#/record/receipt/" + d.extra.Text("id") + "']")
	p.sees("[data-part=record]", "mid term adjustment", "EUR 900.00")
	p.eval("history.back()", nil)
	d.opensReceipt(p, "record")
}

// TestAPreparationUnderWay opens a period of which a version is being prepared. The screen says how far that has come,
// keeps what is typed meanwhile, and says no more of it once it ends.
func TestAPreparationUnderWay(t *testing.T) {
	t.Parallel()
	d := reported(t, "Preparing")
	period := d.clerk.Read(t, november)
	var read atomic.Int64
	read.Store(2000)
	p := open(t, d.Exchange, "/desk", trial.Developer, trial.Admin)
	pass := p.responds(november, func() trial.Record {
		shown := maps.Clone(period)
		shown["preparing"] = desk.WorkUnderWay{AskedBy: "carl", Since: scalar.Instant(time.Now()),
			Read: int(read.Load()), Made: 7}
		return shown
	})
	p.turn("/desk/MOTOR-2026/premium/2026-11")
	p.sees("[data-part=preparing]", "carl is preparing a version: 2000 records are read.")
	p.click("[data-action=prepare]")
	p.fill("prepare", "/note", "typed")
	read.Store(3000)
	p.sees("[data-part=preparing]", "3000 records are read.")
	p.accessible("a preparation under way")
	pass()
	p.gone("[data-part=preparing]")
	p.becomes("document.querySelector('[name=\"/note\"]')?.value === 'typed'")
}

// TestACellLeadsToItsReceipt goes from the first screen to the version that waits, from a cell of it to the receipt,
// and from there to the policy, in a click each.
func TestACellLeadsToItsReceipt(t *testing.T) {
	t.Parallel()
	d := reported(t, "Cell")
	v := d.prepare(t, d.anna, november)
	p := open(t, d.Exchange, "/today", trial.Developer)
	p.click(fmt.Sprintf("[data-part=prepared] tbody a[href='#/desk/MOTOR-2026/premium/2026-11/%v']", v["number"]))
	line := fmt.Sprintf("#/desk/MOTOR-2026/premium/2026-11/%v/%s", v["number"], d.extra.Text("id"))
	cell := "[data-part=lines] td.right a[href='" + line + "'] "
	p.sees(cell, "EUR 900.00", "EUR 135.00", "EUR 765.00", "GBP 627.05")
	p.click(cell)
	p.sees("[data-part=receipt]", "Version 1", "mid term adjustment", "EUR 900.00")
	p.click("[data-part=receipt] a[href='#/policy/" + d.policy.Text("policyNumber") + "']")
	p.sees("h1", "Policy "+d.policy.Text("policyNumber"))
}

// TestTaxesOfAContract reports November with taxes, which October was approved without. Only November has a column of
// them, in its sums and in its lines.
func TestTaxesOfAContract(t *testing.T) {
	t.Parallel()
	d := reported(t, "Taxed")
	d.clerk.Put(t, "/x/contract/MOTOR-2026", terms.With("taxPercentage", "12")).Want(t, http.StatusOK)
	d.prepare(t, d.anna, november)
	p := open(t, d.Exchange, "/today", trial.Developer)
	for number, is := range map[string][]string{"10": {"gross", "commission"}, "11": {"gross", "commission", "taxes"}} {
		month := strings.TrimSuffix(november, "11") + number
		p.turn("/desk/MOTOR-2026/premium/2026-" + number + "/1")
		p.hasRows("[data-part=totals]", within(d.clerk.Read(t, month+"/versions/1"), "totals"), slices.Concat(
			[]string{"", "lines", "gross", "commission", "brokerage"}, is[2:], []string{"net", "settled"})...)
		p.hasRows("[data-part=lines]", d.read(t, month+"/versions/1/lines", "lines"), slices.Concat([]string{
			"policyNumber", "insured", "", "transactionType", "effectiveDate", "late/recordedPeriod"}, is,
			[]string{"net", "settled"})...)
	}
	p.turn("/desk/MOTOR-2026/premium/2026-11/1")
	p.sees("[data-part=totals]", "Taxes", "EUR 123.60")
}

// TestAMonthIsSignedOff prepares November, of the only type that can be. Whoever has prepared it reads that somebody
// else must approve it, which is refused; another person approves, and reads what that signs before the digest of it is
// sent.
func TestAMonthIsSignedOff(t *testing.T) {
	t.Parallel()
	d := reported(t, "Signer")
	d.rowsAreThere(t)
	p := open(t, d.Exchange, "/desk", trial.Developer, trial.Admin)
	p.sees("[data-part=board]", "2026-10", "approved", "2026-11", "due", "2026-12", "open")
	p.turn("/desk/MOTOR-2026/premium/2026-12")
	p.sees("[data-part=why-not]", "2026-12 is not over yet.")
	p.becomes("document.querySelector('[data-action=prepare]').disabled")
	p.turn("/desk/MOTOR-2026/premium/2026-10")
	p.offers("Additional", "Correction")
	p.turn("/desk/MOTOR-2026/premium/2026-11")
	p.offers("Original")
	p.fill("prepare", "/note", strings.Repeat("n", 2001))
	p.send("prepare")
	p.sees("form[data-form=prepare] .said", "more than 2000 characters")
	p.fill("prepare", "/note", "as agreed")
	p.send("prepare")
	p.sees("[data-part=record]", "as agreed", "clerk")
	p.sees("[data-part=sign-off]", "2 lines, net EUR 875.50, prepared by clerk",
		"You have prepared it, so that somebody else must approve it.", "exchange token --subject NAME")
	p.becomes("document.querySelector('[data-action=approve]').disabled")
	d.refusesTheSamePerson(t)
	p.turn("/desk/MOTOR-2026/premium/2026-11")
	p.sees("[data-part=why-not]", "Version 1 of 2026-11 waits: it is approved or rejected first.")
	p.turn("/desk/MOTOR-2026/premium/2026-11/1")
	p.click("[data-action=reject]")
	p.fill("reject", "/reason", "a receipt is missing")
	p.send("reject")
	p.sees(".lead", "rejected")
	p.sees("[data-part=record]", "a receipt is missing")

	v := d.prepare(t, d.anna, november)
	p.turn(fmt.Sprintf("/desk/MOTOR-2026/premium/2026-11/%v", v["number"]))
	p.sees("[data-part=lines]", "Grace Signer", "Additional Premium")
	p.sees("[data-part=sign-off]", "2 lines, net EUR 875.50, prepared by anna",
		"Two persons sign off. anna has prepared it; somebody else approves it")
	p.signs("approve", v, "2 lines, net EUR 875.50, prepared by anna")
	p.sees(".lead", "approved")
	p.click("[data-action=acknowledge]")
	p.send("acknowledge")
	p.gone("[data-action=acknowledge]")
	now := d.clerk.Read(t, november)
	if now.Text("state") != "acknowledged" {
		t.Errorf("November is %s", now.Text("state"))
	}
	d.exports(t, p, v)
}

// offers opens the form that prepares a version, and compares the types in it with those that can be.
func (p *tab) offers(types ...string) {
	p.Helper()
	p.click("[data-action=prepare]")
	p.sees("form[data-form=prepare] option")
	if got := p.texts("form[data-form=prepare] option"); !slices.Equal(got, append([]string{"choose …"}, types...)) {
		p.Errorf("the types are %q, want %q", got, types)
	}
}

// refusesTheSamePerson sees that the exchange says what the screen does: the clerk has prepared the version.
func (d office) refusesTheSamePerson(t *testing.T) {
	t.Helper()
	version := november + "/versions/1"
	d.clerk.Post(t, version+":approve", trial.Record{"digest": d.clerk.Read(t, version).Text("digest")}).
		Want(t, http.StatusConflict)
}

// signs opens the form that signs a version, which says what that is, asks for nothing and sends the digest.
func (p *tab) signs(action string, v trial.Record, says string) {
	p.Helper()
	form := "form[data-form=" + action + "] "
	p.click("[data-action=" + action + "]")
	p.sees(form+"[data-signs]", says)
	if n := p.count(form + ":is(input, select, textarea)"); n > 0 {
		p.Errorf("%s asks for %d values", action, n)
	}
	p.accessible(action)
	p.click(form + ".curl summary")
	p.sees(form+".curl code", v.Text("digest"))
	p.send(action)
}

// exports downloads a version as CSV and as XLSX. The CSV has the bytes that the exchange returns.
func (d office) exports(t *testing.T, p *tab, v trial.Record) {
	t.Helper()
	p.keepsDownloads()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		fmt.Sprintf("%s%s/versions/%v/lines.csv", d.Base, november, v["number"]), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", d.clerk.Authorization())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	csv, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	p.click("[data-export=csv]")
	p.becomes("saved.length === 1")
	var text string
	p.eval("saved[0][1]", &text)
	if strings.TrimPrefix(string(csv), "\ufeff") != strings.TrimPrefix(text, "\ufeff") || len(text) == 0 {
		t.Errorf("the file has\n%s\nwant\n%s", text, csv)
	}
	p.click("[data-export=xlsx]")
	p.becomes("saved.length === 2 && saved[1][1].startsWith('PK')")
	p.becomes("!performance.getEntriesByType('resource').some((e) => e.name.includes('eyJ'))")
}

// TestDifferences has the contract change after a version was prepared: a reader sees each cell that would be another
// now, the largest first, and no control that writes.
func TestDifferences(t *testing.T) {
	t.Parallel()
	d := reported(t, "Later")
	d.prepare(t, d.anna, november)
	d.clerk.Put(t, "/x/contract/MOTOR-2026", terms.With("commissionPercentage", "20")).Want(t, http.StatusOK)
	p := open(t, d.Exchange, "/desk/MOTOR-2026/premium/2026-11/1", trial.Developer)
	p.sees("[data-part=differences]", "Commission", "135", "180", "19.50", "26")
	// The largest first: the net amount of the larger receipt in euros changes by 45, as its commission does.
	if first := p.texts("[data-part=differences] tbody tr:first-child")[0]; !strings.Contains(first, "180") {
		t.Errorf("the first difference is %s", first)
	}
	if n := p.count("[data-action], form.act"); n > 0 {
		t.Errorf("a reader sees %d controls that write", n)
	}
	p.turn("/desk/MOTOR-2026/premium/2026-11")
	p.sees("[data-part=versions]", "anna")
	if n := p.count("[data-action], form.act"); n > 0 {
		t.Errorf("a reader sees %d controls that write", n)
	}
}

// TestDeskIsForPeople has axe look at the screens of a period, a version and a form, in light and in dark, and sees
// that none is wider than a phone, also with a name that is long and has no blanks.
func TestDeskIsForPeople(t *testing.T) {
	t.Parallel()
	d := reported(t, strings.Repeat("Donaudampfschifffahrts", 10))
	d.prepare(t, d.anna, november)
	const period = "/desk/MOTOR-2026/premium/2026-11"
	for _, scheme := range []string{"light", "dark"} {
		p := open(t, d.Exchange, "/today", trial.Developer, trial.Admin)
		p.media("prefers-color-scheme", scheme)
		for _, screen := range []struct{ address, selector string }{
			{"/today", "[data-part=prepared] tbody"}, {"/desk", "[data-part=board] tbody"},
			{period, "[data-part=versions] tbody"}, {period + "/1", "[data-part=lines] tbody"},
			{period + "/1/" + d.extra.Text("id"), "[data-part=receipt]"},
			{"/reconciliation", "[data-part=profiles]"},
		} {
			p.do(chromedp.EmulateViewport(1280, 900))
			p.turn(screen.address)
			p.sees(screen.selector)
			p.becomes("!document.querySelector('[aria-busy]')")
			p.accessible(scheme + " " + screen.address)
			p.do(chromedp.EmulateViewport(320, 740))
			p.fits(screen.address)
		}
		p.turn(period + "/1")
		p.click("[data-action=approve]")
		p.sees("form[data-form=approve] h2")
		p.accessible(scheme + " approve")
	}
}
