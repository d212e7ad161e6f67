package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestAFileIsWorkedOff compares a file of 30 rows, six of which differ from the records in some way, and decides on all
// of these in the page: it pairs what belongs together by hand, parts a wrong pair again, and accepts the rest by what
// became of it. In the end nothing is open.
func TestAFileIsWorkedOff(t *testing.T) {
	t.Parallel()
	d := reported(t, "Worked")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	number := d.policy.Text("policyNumber")
	file := strings.Builder{}
	file.WriteString("Policy;Gross\n")
	for i := range 29 {
		d.receipt(t, "mid term adjustment", 1000+10*i)
		if i < 25 {
			fmt.Fprintf(&file, "%s;%d,00\n", number, 1000+10*i)
		}
	}
	fmt.Fprintf(&file, "%[1]s;1255,00\n%[1]s;1267,00\n%[1]s;1.28O,00\nPOL-A;7,00\nPOL-B;8,00\n", number)
	d.clerk.Put(t, "/x/reconciliation/profile/PLAIN", trial.Record{
		"format": "csv", "delimiter": ";", "encoding": "utf-8", "headerRow": 1, "decimalMark": ",", "sign": "minus",
		"currency": "EUR", "totals": trial.Record{"rule": "none"}, "columns": []trial.Record{
			{"column": "Policy", "means": "policyNumber"}, {"column": "Gross", "means": "gross"},
		},
	}).Want(t, http.StatusOK)
	wait.Until(t, func() error {
		if lines := fmt.Sprint(d.clerk.Read(t, "/x/bordereau/MOTOR-2026/premium/2026-12")["liveLines"]); lines != "29" {
			return fmt.Errorf("there are %s lines", lines)
		}
		return nil
	})
	p := open(t, d.Exchange, "/reconciliation", trial.Developer, trial.Admin)
	p.upload(t, file.String())
	p.sees(".lead", "30 rows were read; 1 of them")
	p.click("[data-action=compare]")
	p.fill("run", "/against/contract", "MOTOR-2026")
	p.fill("run", "/against/period", "2026-12")
	p.fill("run", "/against/receipts", "true")
	p.send("run")
	p.sees("[data-part=outcomes]", "missing here", "missing there", "quarantined", "matched")
	p.sees("[data-part=items]", "1255.00", "1.28O,00", "1280.00")
	p.accessible("a comparison")
	p.click("[data-export=xlsx]")
	p.becomes("!document.querySelector('[data-export=xlsx]').disabled")

	p.pairs(1, "1260.00")
	p.sees("[data-part=items] [data-paired]", "Paired by clerk: the same payment")
	p.click("[data-action=unpair]")
	p.fill("unpair", "/reason", "it was another one")
	p.send("unpair")
	p.gone("[data-paired]")
	p.pairs(1, "1250.00")
	p.pairs(0, "1260.00")
	p.sees("[data-part=items]", "5.00", "7.00")
	for _, outcome := range []string{"mismatch", "missingHere", "missingThere", "quarantined"} {
		p.click(fmt.Sprintf("[data-part=outcomes] a[href$='outcome=%s']", outcome))
		p.click("[data-action=accept-all]")
		p.fill("accept-all", "/reason", "agreed with the broker")
		p.send("accept-all")
		p.becomes("[...document.querySelectorAll('[data-part=items] tbody tr')]" +
			".every((row) => row.innerText.includes('agreed with the broker'))")
	}
	p.sees(".lead .badge", "settled")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("a comparison")
	p.click("#language")
	p.sees("[data-part=items] [data-paired], [data-part=outcomes]", "Alle")
}

// pairs pairs one of the rows that can be, by their places on the screen, with the record that has an amount.
func (p *tab) pairs(at int, amount string) {
	p.Helper()
	p.becomes(fmt.Sprintf("document.querySelectorAll('[data-action=pair]').length > %d", at))
	p.eval(fmt.Sprintf("document.querySelectorAll('[data-action=pair]')[%d].click()", at), nil)
	const options = "[...document.querySelectorAll('form[data-form=pair] option')]"
	p.becomes(options + ".some((one) => one.value.includes(" + quoted(amount) + "))")
	var value string
	p.eval(options+".find((one) => one.value.includes("+quoted(amount)+")).value", &value)
	p.fill("pair", "/item", value)
	p.fill("pair", "/reason", "the same payment")
	p.send("pair")
	p.gone("form[data-form=pair]")
}
