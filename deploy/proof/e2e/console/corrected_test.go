package console

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestAFileIsCorrected sends a file in the place of another one, with clicks, and sees what it changes.
func TestAFileIsCorrected(t *testing.T) {
	t.Parallel()
	d := reported(t, "Corrected")
	d.profile(t)
	text := d.statement("POL-OTHER")
	first := d.keeps(t, text)
	p := open(t, d.Exchange, "/reconciliation/statement/"+first.Text("id"), trial.Developer, trial.Admin)
	p.click("[data-action=correct]")
	p.upload(t, strings.Replace(text, "POL-OTHER", "POL-ANOTHER", 1))
	p.sees("[data-part=changes]", "POL-OTHER", "removed", "POL-ANOTHER", "added", "The file before")
	p.accessible("what a corrected file changes")
	p.do(chromedp.EmulateViewport(320, 740))
	p.fits("what a corrected file changes")
	p.click("#language")
	p.sees("[data-part=changes]", "weggefallen", "hinzugekommen", "Die Datei davor")
	p.click("[data-part=changes] a[href='#/reconciliation/statement/" + first.Text("id") + "']")
	p.becomes("document.querySelector('[data-part=record]')?.innerText.includes('" + first.Text("id") + "')")
	if n := p.count("[data-action=correct], [data-part=changes]"); n > 0 {
		t.Errorf("a file that was replaced offers to be corrected, or says what it changes")
	}
}
