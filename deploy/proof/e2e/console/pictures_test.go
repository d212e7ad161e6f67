package console

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

var writePictures = flag.Bool("write-pictures", false, "have TestPictures write the pictures of the screens anew")

const (
	pictures = "../../../../gateway/console/pictures"
	// mostPicture is the most that a picture has, in bytes.
	mostPicture = 100_000
	// usualHeight is how high a picture is, unless it says otherwise.
	usualHeight = 760
)

// picture is the address of a screen, what is pressed there or on the picture before, and what is seen then.
type picture struct {
	name, address, follow, selector, text string
	height                                int64
}

// days are the pictures of a year of contracts, of which some months and quarters wait to be reported.
var days = []picture{
	{name: "today", address: "/today", selector: "[data-part=prepared]", text: "SEED1-TRAVEL", height: 1240},
	{name: "claim", follow: "[data-part=reopened] tbody a", selector: "[data-part=timeline]", text: "Created"},
	{name: "policy", follow: ".lead a", selector: "[data-part=timeline]", text: "Created"},
	{name: "find", address: "/find", selector: "#results", text: "POL-"},
	{name: "board", address: "/desk", selector: "[data-part=board] tbody", text: "SEED1-TRAVEL"},
	{name: "book", address: "/book", selector: "[data-part=lines] tbody", text: "EUR", height: 900},
	{name: "booklist", address: "/book/policies?sort=-incurred", selector: "[data-part=rows] tbody", text: "POL-"},
	{name: "feed", address: "/feed", selector: "#events tbody", text: "exchange."},
	{name: "help", address: "/help", selector: "[data-part=operations]", text: "POST /x/batch"},
}

// reports are the pictures of a month that is signed off.
var reports = []picture{
	{name: "desk", address: "/desk/MOTOR-2026/premium/2026-11", selector: "[data-part=why]", text: "EUR"},
	{name: "reconciliation", selector: "[data-part=items]", text: "mismatch"},
}

// sharings are the pictures of an exchange that organisations share.
var sharings = []picture{
	{name: "sharing", follow: "[data-action=share]", selector: "form[data-form=share] fieldset", text: "broker"},
}

// TestPictures checks that each screen has a picture in the READMEs, and that no picture is large. With -write-pictures
// it makes them, of the seeded book at the instant of the test clock.
func TestPictures(t *testing.T) {
	t.Parallel()
	if *writePictures {
		photograph(t)
	}
	shown := []byte{}
	for readme, first := range map[string]string{"README.md": "(gateway/console/pictures/today.webp)",
		"gateway/README.md":       "(console/pictures/today.webp)",
		"services/desk/README.md": "(../../gateway/console/pictures/desk.webp)"} {
		text, err := os.ReadFile(filepath.Join("../../../..", readme))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(first)) {
			t.Errorf("%s does not show %s", readme, first)
		}
		shown = append(shown, text...)
	}
	for _, screen := range slices.Concat(days, reports, sharings) {
		file := screen.name + ".webp"
		info, err := os.Stat(filepath.Join(pictures, file))
		if err != nil {
			t.Error(err)
			continue
		}
		if info.Size() > mostPicture {
			t.Errorf("%s has %d bytes, of at most %d", file, info.Size(), mostPicture)
		}
		if !bytes.Contains(shown, []byte("console/pictures/"+file+")")) {
			t.Errorf("no README shows %s", file)
		}
	}
}

// photograph makes the pictures.
func photograph(t *testing.T) {
	t.Helper()
	d := reporting(t)
	camera(t, d.Exchange, d.clerk).take(days)
	d = reported(t, "Alder")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	reports[1].address = d.compared(t)
	camera(t, d.Exchange, d.clerk).take(reports)

	e := run(t, "EXCHANGE_TEST_CLOCK="+today, "EXCHANGE_CURRENCY=EUR", "EXCHANGE_AMOUNT_UNIT=major",
		"EXCHANGE_ORG_CLAIM=org", "EXCHANGE_ORG_DEFAULT=insurer")
	if err := seed(e, "--organisations"); err != nil {
		t.Fatal(err)
	}
	coverholder := together{Exchange: e}.member(t, "coverholder", trial.Admin)
	policy := coverholder.Get(t, "/x/search/coverage?limit=1").Records(t)[0]
	sharings[0].address = "/policy/" + policy.Text("policyNumber")
	camera(t, e, coverholder).take(sharings)
}

// reporting is an exchange with a year of contracts, whose last month is overdue but for what waits for a second
// person, and with policies that end soon.
func reporting(t *testing.T) office {
	t.Helper()
	d := office{Exchange: run(t, "EXCHANGE_TEST_CLOCK=2026-01-05T09:00:00Z", "EXCHANGE_CURRENCY=EUR",
		"EXCHANGE_AMOUNT_UNIT=major")}
	d.clerk = client(t, d.Exchange)
	if err := seed(d.Exchange, "--year"); err != nil {
		t.Fatal(err)
	}
	d.advance(t, "2027-02-02T09:00:00Z")
	if err := seed(d.Exchange, "--seed", "2"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"claims", "premium"} {
		d.prepare(t, d.clerk, "/x/bordereau/SEED1-MOTOR/"+kind+"/2026-12")
	}
	return d
}

// camera opens a tab in which pictures are made.
func camera(t *testing.T, e *trial.Exchange, c *trial.Client) *tab {
	t.Helper()
	p := openAs(t, e, c, "/help")
	p.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}))
	return p
}

// take makes pictures.
func (p *tab) take(all []picture) {
	p.Helper()
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		p.Fatal(err)
	}
	for _, screen := range all {
		if screen.address != "" {
			p.turn(screen.address)
		}
		if screen.follow != "" {
			p.click(screen.follow)
		}
		p.do(chromedp.EmulateViewport(1280, cmp.Or(screen.height, usualHeight)))
		p.sees(screen.selector, screen.text)
		p.becomes("!document.querySelector('[aria-busy]')")
		p.eval("document.activeElement.blur(); scrollTo(0, 0)", nil)
		var picture []byte
		p.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
			const quality = 70
			format := page.CaptureScreenshotFormatWebp
			picture, err = page.CaptureScreenshot().WithFormat(format).WithQuality(quality).Do(ctx)
			return err
		}))
		if err := os.WriteFile(filepath.Join(pictures, screen.name+".webp"), picture, 0o644); err != nil {
			p.Fatal(err)
		}
	}
}
