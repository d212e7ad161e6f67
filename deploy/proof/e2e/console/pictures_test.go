package console

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
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

// screens are the pictures: the address of a screen, or what leads to it from the one before, and what it shows.
var screens = []struct{ name, address, follow, selector, text string }{
	{name: "today", address: "/today", selector: "[data-part=ending]", text: "POL-"},
	{name: "claim", follow: "[data-part=reopened] tbody a", selector: "[data-part=timeline]", text: "Created"},
	{name: "policy", follow: ".lead a", selector: "[data-part=timeline]", text: "Created"},
	{name: "find", address: "/find?q=c", selector: "#results", text: ""},
	{name: "feed", address: "/feed", selector: "#events tbody", text: "exchange."},
	{name: "help", address: "/help", selector: "[data-part=operations]", text: "POST /x/batch"},
}

// TestPictures holds that each screen has a picture in the READMEs, which is not large. With -write-pictures it makes
// them, of the seeded book at the instant of the test clock.
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
	for _, screen := range screens {
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
	p := open(t, e, "/help", trial.Developer, trial.Admin)
	p.do(chromedp.EmulateViewport(1120, 760), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: "light"}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}))
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, screen := range screens {
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
			t.Fatal(err)
		}
	}
}
