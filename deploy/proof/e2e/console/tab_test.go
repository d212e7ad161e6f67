package console

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// tab is a page in the browser, in a profile of its own.
type tab struct {
	*testing.T
	base string
	ctx  context.Context

	mu     sync.Mutex
	faults []string // errors of the page's scripts, and what its policy has refused
	lost   []string // files of the page that did not come, for the log of a test that fails
}

// blank opens an empty tab for an exchange. At the end of the test, the page must have had no fault.
func blank(t *testing.T, e *trial.Exchange) *tab {
	t.Helper()
	profile, window := window(t)
	ctx, end := chromedp.NewContext(browser, chromedp.WithTargetID(window))
	ctx, cancel := context.WithTimeout(ctx, 4*trial.Patience)
	p := &tab{T: t, base: e.Base, ctx: ctx}
	chromedp.ListenTarget(ctx, p.listen)
	t.Cleanup(func() {
		cancel()
		end()
		dispose := cdp.WithExecutor(browser, chromedp.FromContext(browser).Browser)
		if err := target.DisposeBrowserContext(profile).Do(dispose); err != nil {
			t.Error(err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.faults) > 0 {
			t.Errorf("the page has faults:\n%s", strings.Join(p.faults, "\n"))
		}
		if t.Failed() && len(p.lost) > 0 {
			t.Logf("files of the page that did not come:\n%s", strings.Join(p.lost, "\n"))
		}
	})
	p.do(log.Enable(), runtime.Enable(), network.Enable())
	return p
}

// window opens a window with a profile of its own.
func window(t *testing.T) (profile cdp.BrowserContextID, id target.ID) {
	t.Helper()
	err := chromedp.Run(browser, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		ctx = cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser)
		if profile, err = target.CreateBrowserContext().Do(ctx); err != nil {
			return err
		}
		id, err = target.CreateTarget("about:blank").WithBrowserContextID(profile).WithNewWindow(true).Do(ctx)
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	return profile, id
}

// open opens the console as a caller with scopes, at a screen such as /find.
func open(t *testing.T, e *trial.Exchange, screen string, scopes ...string) *tab {
	t.Helper()
	c, err := e.Client("clerk", scopes...)
	if err != nil {
		t.Fatal(err)
	}
	return openAs(t, e, c, screen)
}

// openAs opens the console at a screen with the token of a client.
func openAs(t *testing.T, e *trial.Exchange, c *trial.Client, screen string) *tab {
	t.Helper()
	p := blank(t, e)
	p.signedIn(strings.TrimPrefix(c.Authorization(), "Bearer "))
	p.visit(screen)
	return p
}

// signedIn has the tab hold a token, as if the person had said that it is to be kept.
func (p *tab) signedIn(token string) {
	p.Helper()
	p.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(
			"if (location.protocol === 'http:') sessionStorage.setItem('exchange-token', " + quoted(token) + ")").
			Do(ctx)
		return err
	}))
}

// listen collects faults. A refusal of the exchange is none: the page shows it.
func (p *tab) listen(event any) {
	fault := ""
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = event.ExceptionDetails.Error()
	case *log.EventEntryAdded:
		if event.Entry.Level == log.LevelError && event.Entry.Source != log.SourceNetwork {
			fault = event.Entry.Text
		}
	}
	p.loses(event)
	if sent, is := event.(*network.EventRequestWillBeSent); is && strings.Contains(sent.DocumentURL, "/console") {
		fault = unguarded(sent.Request)
	}
	if fault != "" {
		p.mu.Lock()
		p.faults = append(p.faults, fault)
		p.mu.Unlock()
	}
}

var (
	asks = regexp.MustCompile(`/x/claim/admissibility$|/console/|/token$|` +
		`/x/bordereau/.*:(approve|reject|acknowledge|waive)(\?owner=.*)?$|/x/reconciliation/(statement|run/)|` +
		`/x/import[?/]`)
	changes = regexp.MustCompile(`^http://[^/]+/([A-Za-z]{2,}|x/access)/[^/:]+(:[a-z]+|/documents)?$`)
)

// unguarded returns what is wrong with a request of the console that writes: without an Idempotency-Key, it may be done
// twice, and without an If-Match, it may overwrite what somebody else has written.
func unguarded(r *network.Request) string {
	given := func(name string) bool { text, _ := r.Headers[name].(string); return text != "" }
	switch {
	case asks.MatchString(r.URL):
	case r.Method == http.MethodPost && !given("Idempotency-Key"):
		return "no Idempotency-Key: POST " + r.URL
	case r.Method != http.MethodGet && changes.MatchString(r.URL) && !given("If-Match"):
		return "no If-Match: " + r.Method + " " + r.URL
	}
	return ""
}

func (p *tab) do(actions ...chromedp.Action) {
	p.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// visit loads the console at a screen. An exchange that has more to do than it can refuses a file of the page now and
// then: the page then asks to be loaded again, which visit does.
func (p *tab) visit(screen string) {
	p.Helper()
	wait.Until(p.T, func() error {
		p.to(p.base + "/console#" + screen)
		return chromedp.Run(p.ctx, chromedp.Poll("Boolean(document.querySelector('#content, dialog'))", nil,
			chromedp.WithPollingTimeout(startsWithin)))
	})
}

// startsWithin is after which time a page that shows nothing is loaded again.
const startsWithin = 20 * time.Second

// to loads a page.
func (p *tab) to(address string) {
	p.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
}

// loses notes a file of the page that did not come.
func (p *tab) loses(event any) {
	lost := ""
	switch event := event.(type) {
	case *network.EventLoadingFailed:
		if event.Type == network.ResourceTypeScript {
			lost = "a script: " + event.ErrorText
		}
	case *network.EventResponseReceived:
		if event.Type == network.ResourceTypeScript && event.Response.Status >= http.StatusBadRequest {
			lost = fmt.Sprintf("%s: %d", event.Response.URL, event.Response.Status)
		}
	}
	if lost != "" {
		p.mu.Lock()
		p.lost = append(p.lost, lost)
		p.mu.Unlock()
	}
}

// causes waits for a fault that has a text, which the test has caused, and forgets it.
func (p *tab) causes(text string) {
	p.Helper()
	wait.Until(p.T, func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		before := len(p.faults)
		p.faults = slices.DeleteFunc(p.faults, func(fault string) bool { return strings.Contains(fault, text) })
		if len(p.faults) == before {
			return fmt.Errorf("no fault has %q: %v", text, p.faults)
		}
		return nil
	})
}

// eval evaluates an expression in the page.
func (p *tab) eval(expression string, into any) {
	p.Helper()
	p.do(chromedp.Evaluate(expression, into))
}

// attribute returns an attribute of what a selector finds.
func (p *tab) attribute(selector, name string) (value string) {
	p.Helper()
	p.eval("document.querySelector("+quoted(selector)+")?.getAttribute("+quoted(name)+") ?? ''", &value)
	return value
}

// texts returns the texts of all that a selector finds.
func (p *tab) texts(selector string) (texts []string) {
	p.Helper()
	p.eval("[...document.querySelectorAll("+quoted(selector)+")].map((e) => e.innerText)", &texts)
	return texts
}

// amounts returns the amounts in what a selector finds, as the exchange sent them.
func (p *tab) amounts(selector string) (amounts []string) {
	p.Helper()
	p.eval("[...document.querySelectorAll("+quoted(selector+" [data-amount]")+")].map((e) => e.dataset.amount)",
		&amounts)
	return amounts
}

// count returns how many elements a selector finds.
func (p *tab) count(selector string) (n int) {
	p.Helper()
	p.eval("document.querySelectorAll("+quoted(selector)+").length", &n)
	return n
}

// sees waits until what a selector finds has all of the texts.
func (p *tab) sees(selector string, wanted ...string) {
	p.Helper()
	wait.Until(p.T, func() error {
		var shown string
		err := chromedp.Run(p.ctx, chromedp.Evaluate(
			"[...document.querySelectorAll("+quoted(selector)+")].map((e) => e.innerText).join('\\n')"+
				".replaceAll('\\u00a0', ' ')", &shown))
		if err != nil {
			return err
		}
		for _, text := range wanted {
			if !strings.Contains(shown, text) {
				return fmt.Errorf("%s shows no %q:\n%s", selector, text, shown)
			}
		}
		if len(wanted) == 0 && shown == "" {
			return errors.New("there is no " + selector)
		}
		return nil
	})
}

// becomes waits until an expression is true in the page.
func (p *tab) becomes(expression string) {
	p.Helper()
	wait.Until(p.T, func() error {
		var is bool
		if err := chromedp.Run(p.ctx, chromedp.Evaluate(expression, &is)); err != nil {
			return err
		}
		if !is {
			return errors.New("not true: " + expression)
		}
		return nil
	})
}

// gone waits until a selector finds nothing.
func (p *tab) gone(selector string) {
	p.Helper()
	p.becomes("!document.querySelector(" + quoted(selector) + ")")
}

// click clicks on what a selector finds, once it is there and can be pressed.
func (p *tab) click(selector string) {
	p.Helper()
	found := "document.querySelector(" + quoted(selector) + ")"
	p.becomes("Boolean(" + found + ") && !" + found + ".disabled")
	p.eval(found+".click()", nil)
}

// fill gives the field of a form with a pointer a value, as typing does.
func (p *tab) fill(form, pointer, value string) {
	p.Helper()
	field := fmt.Sprintf("form[data-form=%q] [name=%q]", form, pointer)
	p.becomes("Boolean(document.querySelector(" + quoted(field) + "))")
	p.eval("{ const e = document.querySelector("+quoted(field)+"); e.value = "+quoted(value)+
		"; e.dispatchEvent(new Event('input', { bubbles: true })); }", nil)
}

// send presses the button of a form that sends it.
func (p *tab) send(form string) {
	p.Helper()
	p.click(fmt.Sprintf("form[data-form=%q] button[type=submit]", form))
}

// keys presses keys.
func (p *tab) keys(keys string) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// press presses one key with a character, which is typed only if the page leaves it to the browser.
func (p *tab) press(key string) {
	p.Helper()
	p.do(input.DispatchKeyEvent(input.KeyDown).WithKey(key).WithText(key),
		input.DispatchKeyEvent(input.KeyUp).WithKey(key))
}

// intercept pauses each request to a URL like the pattern, at a stage, until the tab closes or pass is called. does
// decides what becomes of it.
func (p *tab) intercept(pattern string, stage fetch.RequestStage, does func(context.Context, fetch.RequestID) error) (
	pass func(),
) {
	p.Helper()
	chromedp.ListenTarget(p.ctx, func(event any) {
		if paused, is := event.(*fetch.EventRequestPaused); is {
			go func() {
				ctx := cdp.WithExecutor(p.ctx, chromedp.FromContext(p.ctx).Target)
				_ = does(ctx, paused.RequestID) // the tab may have closed
			}()
		}
	})
	p.do(chromedp.ActionFunc(func(ctx context.Context) error {
		return fetch.Enable().WithPatterns([]*fetch.RequestPattern{{URLPattern: pattern, RequestStage: stage}}).Do(ctx)
	}))
	return func() { p.do(fetch.Disable()) }
}

// responds has each request to a path get a record as its response, until the tab closes or pass is called.
func (p *tab) responds(path string, with func() trial.Record) (pass func()) {
	p.Helper()
	return p.intercept("*"+path, fetch.RequestStageRequest, func(ctx context.Context, id fetch.RequestID) error {
		body, err := json.Marshal(with())
		if err != nil {
			return err
		}
		return fetch.FulfillRequest(id, http.StatusOK).WithBody(base64.StdEncoding.EncodeToString(body)).
			WithResponseHeaders([]*fetch.HeaderEntry{{Name: "Content-Type", Value: "application/json"}}).Do(ctx)
	})
}

// keepsDownloads has the page keep the sizes and texts of the files that it gives to the browser.
func (p *tab) keepsDownloads() {
	p.Helper()
	p.eval("{ window.saved = []; const made = URL.createObjectURL; URL.createObjectURL = (blob) => { "+
		"blob.text().then((text) => saved.push([blob.size, text])); return made(blob); }; }", nil)
}

// turn shows a screen such as /find, as a link to it does. What the tab shows then is of that screen.
func (p *tab) turn(screen string) {
	p.Helper()
	p.do(chromedp.Evaluate(`new Promise((done) => {
		const before = location.href;
		location.hash = `+quoted("#"+screen)+`;
		if (location.href === before) done(); else addEventListener('hashchange', () => done(), { once: true });
	})`, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// quoted returns a text as a literal of JavaScript.
func quoted(text string) string {
	literal, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has one
	}
	return string(literal)
}
