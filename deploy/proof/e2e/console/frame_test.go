package console

import (
	"testing"

	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// entries are those of the menu, with the titles of their screens.
var entries = []struct{ name, title string }{{"today", "Today"}, {"policies", "Policies"}, {"claims", "Claims"},
	{"desk", "Desk"}, {"files", "Files"}, {"book", "Book"}, {"feed", "Feed"}, {"help", "Help"}}

// TestTheMenu opens each screen of the menu, which stands at the left of a wide window, and opens on a phone.
func TestTheMenu(t *testing.T) {
	t.Parallel()
	for name, width := range map[string]int64{"desktop": 1440, "phone": 390} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, book, "/help", trial.Developer)
			p.do(chromedp.EmulateViewport(width, 844))
			shown := func() (is bool) {
				p.eval("document.getElementById('rail').checkVisibility()", &is)
				return is
			}
			for _, entry := range entries {
				if name == "phone" {
					if shown() {
						t.Errorf("the menu is open before %s", entry.name)
					}
					p.click("#menu")
				}
				p.becomes("document.getElementById('rail').checkVisibility()")
				p.fits("the menu")
				p.click("nav [data-screen=" + entry.name + "]")
				p.sees("h1", entry.title)
				p.becomes("document.querySelector('nav [aria-current=page]').dataset.screen === " + quoted(entry.name))
				if name == "phone" {
					p.becomes("!document.getElementById('rail').checkVisibility()")
				}
			}
			for address, entry := range map[string]string{"/import": "files", "/reconciliation": "files",
				"/book/claims": "claims", "/create": "policies"} {
				p.turn(address)
				p.becomes("document.querySelector('nav [aria-current]')?.dataset.screen === " + quoted(entry))
			}
		})
	}
}

// TestTheSearchIsAccessible has axe look at what the box of the header shows, and at the menu of a phone.
func TestTheSearchIsAccessible(t *testing.T) {
	t.Parallel()
	policy(t, client(t, book), "Boxman")
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p := open(t, book, "/help", trial.Developer)
			p.media("prefers-color-scheme", scheme)
			p.sees("h1", "Help")
			for _, width := range []int64{1440, 390} {
				p.do(chromedp.EmulateViewport(width, 844))
				p.seeks("boxm")
				p.sees("[data-group=belonging]", "POL-")
				p.accessible("what is found")
				p.fits("what is found")
				p.seeks("nobody has this name")
				p.sees(".below", "Nothing is found")
				p.accessible("nothing is found")
			}
			p.click("#menu")
			p.accessible("the menu")
		})
	}
}

// TestDensity sees rows closer to each other once a person wants that, also after the page is loaded again.
func TestDensity(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/find", trial.Developer)
	p.sees("#results", "POL-")
	var before, after float64
	const height = "document.querySelector('#results tbody tr').getBoundingClientRect().height"
	p.eval(height, &before)
	p.click("#density")
	p.becomes("Boolean(document.querySelector('#density[aria-pressed=true]'))")
	p.eval(height, &after)
	if after >= before {
		t.Errorf("rows are %v high, and were %v", after, before)
	}
	p.visit("/find")
	p.sees("#results", "POL-")
	p.becomes("document.documentElement.dataset.density === 'dense'")
	p.becomes("Object.keys(localStorage).every((name) => !localStorage.getItem(name).includes('eyJ'))")
}

// TestAFileIsTaken drops a file on the screen of files, which asks what is to become of it, and leads there with it.
func TestAFileIsTaken(t *testing.T) {
	t.Parallel()
	e := run(t)
	for screen, field := range map[string]string{"import": "form[data-form=import] input[type=file]",
		"reconciliation": "form[data-form=upload] input[type=file]"} {
		if screen == "reconciliation" {
			client(t, e).Put(t, "/x/reconciliation/profile/FILES", trial.Record{"format": "csv", "delimiter": ",",
				"encoding": "utf-8", "headerRow": 1, "decimalMark": ".", "dateOrder": "ymd", "currency": "EUR",
				"sign": "minus", "totals": trial.Record{"rule": "none"}, "columns": []trial.Record{
					{"column": "Policy", "means": "policyNumber"}, {"column": "Gross", "means": "gross"}}}).Want(t, 200)
		}
		p := open(t, e, "/files", trial.Developer, trial.Admin)
		p.sees("[data-part=drop]", "Choose a file")
		p.sees("[data-part=imports]", "Nobody has imported a file yet.")
		p.eval(`{ const held = new DataTransfer(); held.items.add(new File(['a,b\n1,2\n'], 'november.csv'));
			document.dispatchEvent(new DragEvent('drop',
				{ dataTransfer: held, bubbles: true, cancelable: true })); }`, nil)
		p.sees("[data-part=drop]", "november.csv")
		p.click("[data-part=drop] [data-to=" + screen + "]")
		p.becomes("document.querySelector(" + quoted(field) + ")?.files[0]?.name === 'november.csv'")
	}
	reader := open(t, e, "/files", trial.Developer)
	reader.sees("[data-part=imports]")
	reader.gone("[data-part=drop]")
}
