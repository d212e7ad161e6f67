package console

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// tickLine ticks the box of a line in the form of a contract.
func (p *tab) tickLine(line string) {
	p.Helper()
	p.click("form[data-form=contract] [name='/lines'][value=" + line + "]")
}

// fillLimit fills in a limit of a contract.
func (p *tab) fillLimit(at int, members map[string]string) {
	p.Helper()
	for pointer, value := range members {
		field := fmt.Sprintf("[data-limit='%d'] [name=%q]", at, pointer)
		p.becomes("Boolean(document.querySelector(" + quoted(field) + "))")
		p.eval("{ const e = document.querySelector("+quoted(field)+"); e.value = "+quoted(value)+
			"; e.dispatchEvent(new Event('input', { bubbles: true })); }", nil)
	}
}

// TestAContractIsMade makes a contract at the desk. What is missing and what the exchange refuses stands at its field,
// also in a limit; a reference that is taken changes nothing.
func TestAContractIsMade(t *testing.T) {
	t.Parallel()
	d := reported(t, "Maker")
	p := open(t, d.Exchange, "/desk", trial.Developer, trial.Admin)
	p.click("[data-action=new-contract]")
	p.sees("h1", "New contract")
	p.lacks("contract", "/contract", "/coverholderName", "/inception", "/expiry", "/lines", "/currency",
		"/amountUnit", "/frequency", "/firstPeriod")
	for pointer, value := range map[string]string{
		"/contract": "MOTOR-2026", "/coverholderName": "Birch Underwriting", "/uniqueMarketReference": "B0001PETS",
		"/inception": "2026-01-01", "/expiry": "2027-01-01", "/currency": "EURO", "/amountUnit": "major",
		"/commissionPercentage": "12.5", "/frequency": "month", "/firstPeriod": "2026-Q1",
	} {
		p.fill("contract", pointer, value)
	}
	p.tickLine("petCoverage")
	p.click("[data-add]")
	p.becomes("document.activeElement.closest('[data-limit]') !== null")
	p.fillLimit(0, map[string]string{"/name": "Written", "/amount": "-5", "/currency": "EUR"})
	p.isRefused("contract", "/currency", "/firstPeriod", "/amount")
	p.sees("[data-limit='0'] .said", "in digits")
	p.accessible("a contract that is refused")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("a contract that is refused")
	p.do(chromedp.EmulateViewport(390, 740))
	p.fits("a contract that is refused")
	p.do(chromedp.EmulateViewport(1440, 900))
	p.fill("contract", "/currency", "EUR")
	p.fill("contract", "/firstPeriod", "2026-12")
	p.fillLimit(0, map[string]string{"/amount": "1,000.50"})
	p.send("contract")
	p.sees("form[data-form=contract] .said", "There is a contract with this reference.")
	p.becomes("document.activeElement.name === '/contract'")
	if now := d.clerk.Read(t, "/x/contract/MOTOR-2026"); fmt.Sprint(now["version"]) != "1" {
		t.Errorf("another contract was changed: %v", now)
	}
	p.fill("contract", "/contract", "a b")
	p.isRefused("contract", "/contract")
	p.fill("contract", "/contract", "PETS-2026")
	p.send("contract")
	p.sees("h1", "Contract PETS-2026")
	p.sees("[data-part=contract] [data-group=money]", "12.5%", "EUR")
	p.sees("[data-part=contract] [data-member=limits]", "Written", "EUR 1,000.50", "0%")
	made := d.clerk.Read(t, "/x/contract/PETS-2026")
	for path, want := range map[string]string{"coverholderName": "Birch Underwriting", "commissionPercentage": "12.5",
		"lines": "[petCoverage]", "signOff": "two", "firstPeriod": "2026-12"} {
		if got := fmt.Sprint(at(made, "contract/"+path)); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// TestAContractIsChanged changes a contract of which a bordereau is approved: what that holds is greyed and says why,
// and is sent as it was; what another person has changed meanwhile is shown before it is changed again. A reader sees
// no button for it.
func TestAContractIsChanged(t *testing.T) {
	t.Parallel()
	d := reported(t, "Changer")
	limit := trial.Record{"name": "Written", "amount": 400, "currency": "EUR"}
	d.clerk.Put(t, "/x/contract/MOTOR-2026", terms.With("limits", []trial.Record{limit})).Want(t, http.StatusOK)
	reader := open(t, d.Exchange, "/desk/MOTOR-2026", trial.Developer)
	reader.sees("[data-part=contract] [data-member=limits]", "Written", "EUR 400.00")
	reader.fits("a contract")
	reader.accessible("a contract")
	if n := reader.count("[data-action]"); n > 0 {
		t.Errorf("a reader sees %d controls that write", n)
	}
	reader.turn("/contract/MOTOR-2026")
	reader.sees(".empty", "only reads")
	p := open(t, d.Exchange, "/desk/MOTOR-2026", trial.Developer, trial.Admin)
	p.click("[data-action=change]")
	for _, member := range []string{"currency", "amountUnit", "frequency", "timeZone", "quarterBegins"} {
		p.becomes("document.querySelector('form[data-form=contract] [name=\"/" + member + "\"]')?.disabled")
	}
	p.sees("form[data-form=contract] [data-fixed]", "because a bordereau of the contract is approved")
	p.sees("form[data-form=contract] [data-taken]", "must still take them")
	p.accessible("a contract to change")
	p.fill("contract", "/commissionPercentage", "20")
	d.clerk.Put(t, "/x/contract/MOTOR-2026", terms.With("dueDays", 10)).Want(t, http.StatusOK)
	p.send("contract")
	p.sees("form[data-form=contract] .outcome", "Due days", "30 → 10")
	p.fill("contract", "/dueDays", "10")
	p.tickLine("motorCoverage")
	p.tickLine("petCoverage")
	p.send("contract")
	p.sees("form[data-form=contract] .outcome", "a bordereau depends on what the request changes")
	p.tickLine("motorCoverage")
	p.send("contract")
	p.sees("[data-part=contract] [data-group=money]", "20%")
	p.sees("[data-part=contract] [data-group=term]", "Motor, Pet")
	now := d.clerk.Read(t, "/x/contract/MOTOR-2026")
	if fmt.Sprint(now["version"]) != "4" || at(now, "contract/currency") != "EUR" ||
		fmt.Sprint(at(now, "contract/dueDays")) != "10" || fmt.Sprint(at(now, "contract/limits")) == "<nil>" {
		t.Errorf("the contract is changed to %v", now)
	}
}
