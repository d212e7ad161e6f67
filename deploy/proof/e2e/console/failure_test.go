package console

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/auth"
)

// typedSettlement opens a new claim and fills the form that settles it.
func typedSettlement(t *testing.T, e *trial.Exchange, name string) (c *trial.Client, claim trial.Record, p *tab) {
	t.Helper()
	c, claim, p = openClaim(t, e, name)
	p.click("[data-action=settle]")
	p.fill("settle", "/paymentAmount", "321")
	p.fill("settle", "/paymentMethod", "cash")
	return c, claim, p
}

// typed is true while the form has what typedSettlement has typed.
const typed = "document.querySelector('[name=\"/paymentAmount\"]')?.value === '321' && " +
	"document.querySelector('[name=\"/paymentMethod\"]').value === 'cash'"

// settledOnce checks that a claim has one payment.
func settledOnce(t *testing.T, c *trial.Client, claim trial.Record) {
	t.Helper()
	now := c.Read(t, "/claim/"+claim.Text("id"))
	if payments, _ := now["payments"].([]any); len(payments) != 1 || now["claimStatus"] != "closed" {
		t.Errorf("the record is %v", now)
	}
}

// TestRestart crashes the exchange while a form is filled. The page says so, on each screen, keeps what was typed, and
// goes on by itself once the exchange is back.
func TestRestart(t *testing.T) {
	t.Parallel()
	e := run(t)
	c, claim, p := typedSettlement(t, e, "Restarted")
	number := claim.Text("claimNumber")
	if err := e.Kill("exchange"); err != nil {
		t.Fatal(err)
	}
	p.send("settle")
	p.sees("form .outcome", "The exchange does not respond.", "nothing is done twice")
	p.sees("#offline", "What you typed is kept")
	p.becomes(typed)
	p.click("#language")
	p.sees("#banners", "The exchange does not respond.")
	p.turn("/today")
	p.sees("[data-part=open]", "The exchange does not respond.")
	p.sees("[data-part=health]", "The exchange does not respond.")
	p.turn("/find?q=" + number)
	p.sees("#results", "The exchange does not respond.")
	p.becomes("document.getElementById('q').value === " + quoted(number))
	path := "/claim/" + claim.Text("id")
	p.turn("/record" + path)
	p.sees("main", "The exchange does not respond.")
	p.turn("/today")
	p.sees("[data-part=ending]", "The exchange does not respond.")
	if err := e.Restart("exchange"); err != nil {
		t.Fatal(err)
	}
	p.gone("#offline")
	p.sees("[data-part=open]", number)
	p.gone("[data-part=health]")
	// The file of this screen could not be loaded.
	p.turn("/record" + path)
	p.sees("main", claim.Text("policyNumber"))
	p.turn("/claim/" + number)
	p.click("[data-action=settle]")
	p.becomes(typed)
	p.send("settle")
	p.sees(".lead", "closed")
	settledOnce(t, c, claim)
}

// TestServiceAway takes services away. What the others have is shown; what is missing says so, and comes by itself.
func TestServiceAway(t *testing.T) {
	t.Parallel()
	e, err := commands.RunApart(t.TempDir(), nil)
	trial.EndWith(t, e, err)
	c, claim, p := typedSettlement(t, e, "Away")
	if err := e.Kill("claims"); err != nil {
		t.Fatal(err)
	}
	p.send("settle")
	p.sees("form .outcome", "unavailable")
	p.becomes(typed)
	p.gone("#offline")
	p.turn("/policy/" + claim.Text("policyNumber"))
	p.sees("[data-part=record]", "1,234")
	p.sees("[data-unavailable=claims]", "its service does not respond")
	p.turn("/today")
	p.sees("[data-part=health]", "These services do not respond: claims.")
	p.sees("[data-part=ending]", "No policy ends")
	p.sees("[data-part=open]", "unavailable")
	p.awayIsTheDesk(t, e)
	if err := e.Restart("claims"); err != nil {
		t.Fatal(err)
	}
	p.sees("[data-part=open]", claim.Text("claimNumber"))
	p.gone("[data-part=health]")
	// What is under the policy is known without coverage, and its terms are not.
	if err := e.Kill("coverage"); err != nil {
		t.Fatal(err)
	}
	p.turn("/policy/" + claim.Text("policyNumber"))
	p.sees("main [role=alert]", "its service does not respond")
	if err := e.Restart("coverage"); err != nil {
		t.Fatal(err)
	}
	p.sees("[data-part=record]", "1,234")
	p.turn("/claim/" + claim.Text("claimNumber"))
	p.click("[data-action=settle]")
	p.becomes(typed)
	p.send("settle")
	p.sees(".lead", "closed")
	settledOnce(t, c, claim)
}

// awayIsTheDesk takes the service of the desk away, and brings it back while its screens are open.
func (p *tab) awayIsTheDesk(t *testing.T, e *trial.Exchange) {
	t.Helper()
	other := open(t, e, "/desk", trial.Developer)
	other.sees("[data-part=board]", "No contract has a period here.")
	if err := e.Kill("desk"); err != nil {
		t.Fatal(err)
	}
	p.turn("/reconciliation")
	p.sees("[data-part=runs]", "unavailable")
	p.sees("[data-part=profiles]", "unavailable")
	other.turn("/today")
	for _, state := range []string{"overdue", "due", "prepared"} {
		other.sees("[data-part="+state+"]", "unavailable")
	}
	other.sees("[data-part=ending]", "No policy ends")
	other.sees("[data-part=health]", "claims", "desk")
	if err := e.Restart("desk"); err != nil {
		t.Fatal(err)
	}
	p.sees("[data-part=runs]", "Nothing has been compared yet.")
	p.sees("[data-part=profiles]", "Nobody has said yet how a file is read.")
	other.gone("[data-part=overdue] [role=alert], [data-part=due] [role=alert], [data-part=prepared] [role=alert]")
	p.turn("/today")
}

// token issues a token that ends after a lifetime.
func token(t *testing.T, subject string, lifetime time.Duration) string {
	t.Helper()
	issued, err := book.Signer.Issue(auth.Grant{Subject: subject, Scopes: []string{trial.Developer, trial.Admin},
		Issuer: trial.Issuer, Audience: []string{trial.Audience}, Lifetime: lifetime})
	if err != nil {
		t.Fatal(err)
	}
	return issued
}

// ended sends the requests to URLs like a pattern with a token that has ended.
func (p *tab) ended(pattern string) (pass func()) {
	old := token(p.T, "clerk", -time.Hour)
	return p.intercept(pattern, fetch.RequestStageRequest, func(ctx context.Context, id fetch.RequestID) error {
		return fetch.ContinueRequest(id).WithHeaders([]*fetch.HeaderEntry{
			{Name: "Authorization", Value: "Bearer " + old}, {Name: "Content-Type", Value: "application/json"},
		}).Do(ctx)
	})
}

// paste signs in with a token in the dialog.
func (p *tab) paste(token string) {
	p.Helper()
	p.sees("#sign-in")
	p.eval("document.getElementById('token').value = "+quoted(token), nil)
	p.click("#sign-in button")
}

// TestTokenEnds lets the token end before a form is sent. After the person has signed in again, it is sent.
func TestTokenEnds(t *testing.T) {
	t.Parallel()
	c, claim, p := typedSettlement(t, book, "Ended")
	pass := p.ended("*:settle")
	p.send("settle")
	p.sees("#sign-in", "Your sign-in has ended.")
	p.becomes(typed)
	pass()
	p.paste(token(t, "clerk", time.Hour))
	p.sees(".lead", "closed")
	settledOnce(t, c, claim)
}

// TestTokenEndsWhileReading lets the token end before a list is read. After the person has signed in again, the list is
// there.
func TestTokenEndsWhileReading(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/help", trial.Developer, trial.Admin)
	p.sees("[data-part=operations]", "POST /x/batch")
	pass := p.ended("*/x/search/*")
	p.turn("/today")
	p.sees("#sign-in", "Your sign-in has ended.")
	if n := p.count("dialog"); n != 1 {
		t.Errorf("%d dialogs ask to sign in", n)
	}
	pass()
	p.paste(token(t, "clerk", time.Hour))
	p.gone("#sign-in")
	p.sees("[data-part=open]", "CLM-")
	p.sees("[data-part=ending]", "POL-")
}

// TestSomebodyElseSignsIn lets the token end before a form is sent. It is not sent in the name of another person.
func TestSomebodyElseSignsIn(t *testing.T) {
	t.Parallel()
	c, claim, p := typedSettlement(t, book, "Other")
	pass := p.ended("*:settle")
	p.send("settle")
	p.sees("#sign-in", "Your sign-in has ended.")
	pass()
	p.paste(token(t, "somebody else", time.Hour))
	p.sees("#who", "somebody else")
	p.sees("[data-part=timeline]", "Created")
	p.becomes("performance.getEntriesByType('resource').filter((e) => e.name.endsWith(':settle')).length === 1")
	p.gone("form[data-form=settle]")
	if now := c.Read(t, "/claim/"+claim.Text("id")); now["claimStatus"] != "open" {
		t.Errorf("it was sent by somebody else: %v", now)
	}
}

// TestNetworkGoes takes the network away and brings it back.
func TestNetworkGoes(t *testing.T) {
	t.Parallel()
	c, claim, p := typedSettlement(t, book, "Network")
	p.do(network.Enable(), network.EmulateNetworkConditions(true, 0, -1, -1))
	p.send("settle")
	p.sees("form .outcome", "The exchange does not respond.")
	p.sees("#offline", "What you typed is kept")
	p.becomes(typed)
	p.do(network.EmulateNetworkConditions(false, 0, -1, -1))
	p.gone("#offline")
	p.becomes(typed)
	p.send("settle")
	p.sees(".lead", "closed")
	settledOnce(t, c, claim)
}

// TestSlowResponse holds a response back. The page says that it waits, and goes on when the response is there.
func TestSlowResponse(t *testing.T) {
	t.Parallel()
	c, claim, p := typedSettlement(t, book, "Slow")
	goOn := make(chan struct{})
	p.intercept("*:settle", fetch.RequestStageResponse, func(ctx context.Context, id fetch.RequestID) error {
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return fetch.ContinueRequest(id).Do(ctx)
	})
	p.send("settle")
	p.sees("#slow", "has not responded for some time")
	p.becomes(typed)
	close(goOn)
	p.sees(".lead", "closed")
	p.gone("#slow")
	settledOnce(t, c, claim)
}

// TestProxyFails has a proxy before the exchange respond with 502 and a page of its own.
func TestProxyFails(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/find", trial.Developer)
	p.sees("#results", "POL-")
	pass := p.intercept("*/x/search/claim*", fetch.RequestStageRequest,
		func(ctx context.Context, id fetch.RequestID) error {
			return fetch.FulfillRequest(id, http.StatusBadGateway).WithBody("PGh0bWw+PC9odG1sPg==").Do(ctx)
		})
	p.turn("/today")
	p.sees("[data-part=open]", "HTTP 502", "Try again")
	p.sees("[data-part=ending]", "POL-")
	pass()
	p.sees("[data-part=open]", "CLM-")
}

// TestAPageWhoseFileIsRefused refuses a file of the page, as an exchange does that has more to do than it can. The page
// says that it is to be loaded again, and then shows the same screen.
func TestAPageWhoseFileIsRefused(t *testing.T) {
	t.Parallel()
	p := blank(t, book)
	pass := p.intercept("*main*.js", fetch.RequestStageRequest, func(ctx context.Context, id fetch.RequestID) error {
		return fetch.FailRequest(id, network.ErrorReasonConnectionRefused).Do(ctx)
	})
	p.to(p.base + "/console#/help")
	p.sees("#app", "load the page again")
	pass()
	p.do(chromedp.Reload())
	p.sees("#sign-in", "exchange token")
	p.becomes("location.hash === '#/help'")
}
