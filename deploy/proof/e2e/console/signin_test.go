package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/pkg/wait"
)

// link finds the link that the start of an exchange prints.
var link = regexp.MustCompile(`(http://\S+/console#sign-in=\S+)`)

// TestLink follows the link that the start prints to an empty exchange, and fills it by the button. The token stands
// in no address, no log and no storage, and the link works once.
func TestLink(t *testing.T) {
	t.Parallel()
	e := run(t)
	followed, err := e.Printed("exchange", link)
	if err != nil {
		t.Fatal(err)
	}
	p := blank(t, e)
	p.to(followed)
	p.sees("[data-part=empty]", "exchange seed")
	p.sees("#who", "local")
	p.click("button[data-seed]")
	p.sees("[data-part=open]", "CLM-")
	p.gone("[data-part=empty]")
	p.becomes("location.hash === '#/today' && document.cookie === ''")
	p.becomes("sessionStorage.length === 0 && localStorage.length === 0")
	p.becomes("performance.getEntriesByType('resource').every((e) => !/eyJ|sign-in=/.test(e.name))")
	code := followed[strings.Index(followed, "sign-in=")+len("sign-in="):]
	for _, secret := range []string{code, "eyJ"} {
		if n := e.Logged("exchange", secret); n > 0 {
			t.Errorf("%d lines of the log have %q", n, secret)
		}
	}
	// Only who says so is still signed in once the page is loaded again, as the link works once.
	p.click("#unkept button")
	p.gone("#unkept")
	p.becomes("sessionStorage.length === 1")
	p.to(p.base + "/console")
	p.sees("#who", "local")
	p.gone("#sign-in")
	again := blank(t, e)
	again.to(followed)
	again.sees("#sign-in", "This link has been used", "exchange token")
	again.becomes("location.hash === '#/today'")
}

// signedInWithin is how long it takes at most from following the link to seeing the first screen.
const signedInWithin = time.Second

// TestTheLinkIsFast follows the link of an empty exchange and of one with the seeded book, and measures in the page how
// long it takes until the lists of Today are painted. A busy machine may prevent that in time for a while, so that the
// test starts the exchange again, for another link, and asks again; what makes each start slow fails it.
func TestTheLinkIsFast(t *testing.T) {
	t.Parallel()
	e := run(t)
	for _, exchange := range []struct{ name, shown string }{
		{"empty", "[data-part=empty] button"}, {"seeded", "[data-part=open] tbody tr"},
	} {
		if exchange.name == "seeded" {
			if err := seed(e); err != nil {
				t.Fatal(err)
			}
		}
		wait.Until(t, func() error {
			if err := errors.Join(e.Stop("exchange"), e.Restart("exchange")); err != nil {
				t.Fatal(err)
			}
			followed, err := e.Printed("exchange", link)
			if err != nil {
				t.Fatal(err)
			}
			took := blank(t, e).paints(followed, exchange.shown)
			t.Logf("%s: %s", exchange.name, took)
			if took > signedInWithin {
				return fmt.Errorf("the link of the %s exchange took %s", exchange.name, took)
			}
			return nil
		})
	}
}

// paints loads a page, and returns how long it took from there until what a selector finds was painted, with all lists
// of the screen.
func (p *tab) paints(address, selector string) time.Duration {
	p.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`{ const seen = new MutationObserver(() => {
			if (!document.querySelector(` + quoted(selector) + `) || document.querySelector('[aria-busy]')) return;
			seen.disconnect();
			requestAnimationFrame(() => setTimeout(() => { window.paintedAfter = performance.now(); }));
		});
		seen.observe(document, { childList: true, subtree: true, attributes: true }); }`).Do(ctx)
		return err
	}), chromedp.Navigate(address))
	p.becomes("window.paintedAfter > 0")
	var after float64
	p.eval("paintedAfter", &after)
	return time.Duration(after * float64(time.Millisecond)).Round(time.Millisecond)
}

// TestSignIn pastes a token, once what is none, and signs out. Without the box nothing is kept.
func TestSignIn(t *testing.T) {
	t.Parallel()
	p := blank(t, book)
	p.to(book.Base + "/console#/find")
	p.sees("#sign-in", "exchange token")
	paste := func(token string) {
		p.eval("document.getElementById('token').value = "+quoted(token), nil)
		p.click("#sign-in button")
	}
	paste("nonsense")
	p.sees("#sign-in", "This is not a token.")
	paste(strings.TrimPrefix(client(t, book).Authorization(), "Bearer "))
	p.gone("#sign-in")
	p.sees("#results", "POL-")
	p.becomes("sessionStorage.length === 0")
	p.turn("/create")
	p.fill("create", "/firstName", "Secret")
	p.click("#sign-out")
	p.sees("#sign-in", "exchange token")
	p.becomes("document.querySelector('main').textContent === ''")
	paste(strings.TrimPrefix(client(t, book).Authorization(), "Bearer "))
	p.sees("form[data-form=create] h2")
	p.becomes("document.querySelector('[name=\"/firstName\"]').value === ''")
}

// TestNoFrame loads the console into a frame of another page, which the browser refuses, and sees that the policy of
// the page makes no markup of a text.
func TestNoFrame(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<iframe src="%s/console"></iframe>`, book.Base)
	}))
	defer other.Close()
	p := blank(t, book)
	p.to(other.URL)
	p.causes("frame-ancestors 'none'")
	p.to(book.Base + "/console")
	p.sees("#sign-in")
	p.becomes("(() => { try { document.createElement('p').innerHTML = 'x'; return false; } catch { return true; } })()")
	p.causes("TrustedHTML")
}
