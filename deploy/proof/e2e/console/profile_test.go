package console

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestAProfileIsMadeInThePage says in the page how a file of others is read, without a request of its own: what cannot
// be is marked at its field, a file is read by it at once, and a change is another version.
func TestAProfileIsMadeInThePage(t *testing.T) {
	t.Parallel()
	d := reported(t, "Profiles")
	p := open(t, d.Exchange, "/reconciliation", trial.Developer, trial.Admin)
	p.sees("[data-part=profiles]", "Nobody has said yet how a file is read.")
	p.click("[data-action=profile]")
	p.sees("form[data-form=profile] legend", "File")
	p.eval("document.getElementById('profile-name').value = 'HAND'", nil)
	for pointer, value := range map[string]string{
		"/delimiter": "semicolon", "/encoding": "utf-8", "/headerRow": "", "/findHeader": "true",
		"/decimalMark": "comma", "/groupingMark": "space", "/currency": "EURO",
		"/types": "NB = new policy\nRNW=policy renewal",
	} {
		p.fill("profile", pointer, value)
	}
	p.column(0, "Policy", "policyNumber")
	p.column(1, "Premium", "gross")
	p.click("[data-add]")
	p.column(2, "Kind", "type")
	p.send("profile")
	p.isRefused("profile", "/currency")
	p.fill("profile", "/currency", "EUR")
	p.accessible("a profile")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("a profile")
	p.do(chromedp.EmulateViewport(1280, 900))
	p.send("profile")
	p.sees("[data-part=profiles]", "HAND", "Premium → Gross")
	kept := d.clerk.Read(t, "/x/reconciliation/profile/HAND")
	if kept["delimiter"] != ";" || kept["groupingMark"] != " " || kept["findHeader"] != true ||
		kept["types"].(map[string]any)["RNW"] != "policy renewal" {
		t.Errorf("the profile is kept as %v", kept)
	}
	p.choose(t, "A broker\nPolicy;Kind;Premium\nPOL-1;nb;1 234,50\nPolicy;Kind;Premium\nPOL-2;RNW;x\n")
	p.click("[data-try]")
	p.sees("[data-part=trial]", "POL-1", "1234.50", "POL-2", "is no amount", "The header is repeated 1 times (4).")
	p.turn("/reconciliation/profile/HAND")
	p.fill("profile", "/currency", "GBP")
	p.click("[data-column='2'] [data-remove]")
	p.fill("profile", "/types", "")
	p.send("profile")
	p.sees("[data-part=profiles]", "HAND")
	kept = d.clerk.Read(t, "/x/reconciliation/profile/HAND")
	if fmt.Sprint(kept["version"]) != "2" || kept["currency"] != "GBP" || len(kept["columns"].([]any)) != 2 {
		t.Errorf("the profile is changed to %v", kept)
	}
}

// column fills in a column of a profile.
func (p *tab) column(at int, name, means string) {
	p.Helper()
	for pointer, value := range map[string]string{"/column": name, "/means": means} {
		field := fmt.Sprintf(`[data-column="%d"] [name=%q]`, at, pointer)
		p.becomes("Boolean(document.querySelector(" + quoted(field) + "))")
		p.eval("{ const e = document.querySelector("+quoted(field)+"); e.value = "+quoted(value)+
			"; e.dispatchEvent(new Event('input', { bubbles: true })); }", nil)
	}
}
