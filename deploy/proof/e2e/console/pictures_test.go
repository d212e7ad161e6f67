package console

import (
	"bytes"
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
)

// picture is the address of a screen, or what leads to it from the one before, and what it shows.
type picture struct{ name, address, follow, selector, text string }

// screens are the pictures of the seeded book.
var screens = []picture{
	{name: "today", address: "/today", selector: "[data-part=ending]", text: "POL-"},
	{name: "claim", follow: "[data-part=reopened] tbody a", selector: "[data-part=timeline]", text: "Created"},
	{name: "policy", follow: ".lead a", selector: "[data-part=timeline]", text: "Created"},
	{name: "find", address: "/find", selector: "#results", text: "POL-"},
	{name: "feed", address: "/feed", selector: "#events tbody", text: "exchange."},
	{name: "help", address: "/help", selector: "[data-part=operations]", text: "POST /x/batch"},
}

// reports are the pictures of what a book without contracts does not have.
var reports = []picture{
	{name: "desk", address: "/desk/MOTOR-2026/premium/2026-11", selector: "[data-part=why]", text: "EUR"},
	{name: "reconciliation", selector: "[data-part=items]", text: "mismatch"},
}

// TestPictures checks that each screen has a picture in the READMEs, and that no picture is large. With -write-pictures
// it makes them, of the seeded book at the instant of the test clock.
func TestPictures(t *testing.T) {
	t.Parallel()
	if *writePictures {
		photograph(t)
	}
	shown := []byte{}
	for _, readme := range []string{"gateway/README.md", "README.md"} {
		text, err := os.ReadFile(filepath.Join("../../../..", readme))
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, text...)
	}
	for _, screen := range slices.Concat(screens, reports) {
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
	if !bytes.Contains(shown, []byte("(gateway/console/pictures/today.webp)")) {
		t.Error("the main README does not show the first screen")
	}
}

// photograph makes the pictures.
func photograph(t *testing.T) {
	t.Helper()
	e := run(t, "EXCHANGE_TEST_CLOCK="+today, "EXCHANGE_CURRENCY=EUR", "EXCHANGE_AMOUNT_UNIT=major")
	if err := seed(e); err != nil {
		t.Fatal(err)
	}
	camera(t, e).take(screens)
	d := reported(t, "Alder")
	d.sign(t, november, d.prepare(t, d.clerk, november))
	reports[1].address = d.compared(t)
	camera(t, d.Exchange).take(reports)
}

// camera opens a tab in which pictures are made.
func camera(t *testing.T, e *trial.Exchange) *tab {
	t.Helper()
	p := open(t, e, "/help", trial.Developer, trial.Admin)
	p.do(chromedp.EmulateViewport(1120, 760), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
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
		if screen.follow != "" {
			p.click(screen.follow)
		} else {
			p.turn(screen.address)
		}
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
