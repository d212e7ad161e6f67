package console

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// opened is a form that a person has opened, about a record that a client reads.
type opened struct {
	*tab
	c *trial.Client
	// history is where the versions of the record are, and another what another person changes of it.
	history string
	another func()
	// seen are what the record had before that, and after. kept is the member that has the second.
	seen [2]string
	kept [2]string
}

// versions returns how often the record was written.
func (o opened) versions() int { return len(within(o.c.Read(o.T, "/x/history"+o.history), "history")) }

// onClaim opens a form about a claim, which is closed for the form that reopens it.
func onClaim(t *testing.T, form string) opened {
	t.Helper()
	c := client(t, book)
	claim := loss(t, c, policy(t, c, "Form "+form))
	path := "/claim/" + claim.Text("id")
	if form == "reopen" {
		c.Post(t, path+":settle", trial.Record{"paymentAmount": 9, "paymentMethod": "cash"}).Want(t, http.StatusOK)
	}
	o := opened{tab: open(t, book, "/claim/"+claim.Text("claimNumber"), trial.Developer, trial.Admin), c: c,
		history: path, seen: [2]string{"EUR 4,000.00", "EUR 7,000.00"}, kept: [2]string{"reserve", "7000"}}
	o.another = func() { c.Put(t, path, trial.Record{"reserve": 7000}).Want(t, http.StatusOK) }
	o.click("[data-action=" + form + "]")
	return o
}

// onPolicy opens a form about a policy.
func onPolicy(t *testing.T, form string) opened {
	t.Helper()
	c := client(t, book)
	made := policy(t, c, "Form "+form)
	path := "/motorCoverage/" + made.Text("id")
	o := opened{tab: open(t, book, "/policy/"+made.Text("policyNumber"), trial.Developer, trial.Admin), c: c,
		history: path, seen: [2]string{"EUR 50,000.00", "EUR 75,000.00"},
		kept: [2]string{"indemnityLimitPolicy", "75000"}}
	o.another = func() {
		c.Post(t, path+":endorse", trial.Record{"endorsementType": "addition", "indemnityLimitPolicy": 75_000}).
			Want(t, http.StatusOK)
	}
	o.click("[data-action=" + strings.Replace(form, "new-", "add-", 1) + "]")
	return o
}

// written are the forms that change a record, or add to it. A person who has opened one changes what it was then.
var written = []struct {
	form  string
	opens func(*testing.T, string) opened
	// path is the end of the address that the form is sent to, and fields what is typed.
	path   string
	fields map[string]string
}{
	{"settle", onClaim, ":settle", map[string]string{"/paymentAmount": "250", "/paymentMethod": "cash"}},
	{"reopen", onClaim, ":reopen", nil},
	{"revise", onClaim, "", map[string]string{"/liabilityShare": "50"}},
	{"addDocument", onClaim, "/documents", map[string]string{"/url": "https://files.example/a.jpg", "/type": "photo"}},
	{"endorse", onPolicy, ":endorse", map[string]string{"/endorsementType": "addition",
		"/grossWrittenPremium": "1500"}},
	{"cancel", onPolicy, ":cancel", map[string]string{"/reason": "sold"}},
	{"renew", onPolicy, ":renew", map[string]string{"/grossWrittenPremium": "1600"}},
}

// types fills a form.
func (p *tab) types(form string, fields map[string]string) {
	p.Helper()
	for pointer, value := range fields {
		p.fill(form, pointer, value)
	}
}

// goesAway waits until a form was done.
func (p *tab) goesAway(form string) {
	p.Helper()
	p.gone("form[data-form=" + form + "]")
}

// TestTheSecondSeesWhatTheFirstHasChanged has somebody change a record while another person fills a form about it. What
// is sent is not written; the person sees what changed, cell by cell, and can send the form again, which leaves the
// change as it is. TestTwoPersonsShareAPolicy does it with the form that shares.
func TestTheSecondSeesWhatTheFirstHasChanged(t *testing.T) {
	t.Parallel()
	for _, of := range written {
		t.Run(of.form, func(t *testing.T) {
			t.Parallel()
			o := of.opens(t, of.form)
			o.types(of.form, of.fields)
			o.another()
			before := o.versions()
			o.send(of.form)
			o.sees("form .outcome", "the record has changed", "Somebody has changed the record", o.seen[0], o.seen[1])
			if after := o.versions(); after != before {
				t.Errorf("it was written: %d versions, %d before", after, before)
			}
			o.send(of.form)
			o.goesAway(of.form)
			if now := o.c.Read(t, o.history); text(now[o.kept[0]]) != o.kept[1] {
				t.Errorf("the change of the other person is overwritten: %v", now)
			}
			if after := o.versions(); after != before+1 && of.form != "renew" {
				t.Errorf("%d versions, %d before", after, before)
			}
		})
	}
}

// TestCoverEndsOnTheDayThatIsTyped endorses a policy from one day on and cancels it from another, both before today.
func TestCoverEndsOnTheDayThatIsTyped(t *testing.T) {
	t.Parallel()
	o := onPolicy(t, "endorse")
	o.types("endorse", map[string]string{"/endorsementType": "addition", "/effectiveDate": "2026-02-01T00:00:00",
		"/grossWrittenPremium": "1500"})
	o.send("endorse")
	o.goesAway("endorse")
	o.sees("[data-part=record]", "Effective date")
	o.click("[data-action=cancel]")
	o.types("cancel", map[string]string{"/effectiveDate": "2026-03-01T00:00:00", "/reason": "sold"})
	o.send("cancel")
	o.goesAway("cancel")
	o.sees("[data-part=record]", "Cover ends")
	// The clock of this exchange stands still, so the timeline shows what was sent.
	o.sees("[data-part=timeline] [data-version='3']", "Effective date", "cancelled")
	view := o.c.Read(t, "/x/policy/"+o.c.Read(t, o.history).Text("policyNumber"))
	if view.Text("effectiveDate") != "2026-02-01T00:00:00Z" || view.Text("coverEnds") != "2026-03-01T00:00:00Z" {
		t.Errorf("the policy says %v and %v", view["effectiveDate"], view["coverEnds"])
	}
}

// TestALostResponseMakesOneChange loses the response to each form that changes a record. It is then sent again by two
// clicks, and makes one change. TestSharingIsNotLost does it with the form that shares.
func TestALostResponseMakesOneChange(t *testing.T) {
	t.Parallel()
	for _, of := range written {
		t.Run(of.form, func(t *testing.T) {
			t.Parallel()
			o := of.opens(t, of.form)
			o.types(of.form, of.fields)
			before := o.versions()
			o.losesOnce(of.form, o.history[strings.LastIndex(o.history, "/"):]+of.path)
			o.goesAway(of.form)
			if of.form == "renew" {
				view := o.c.Read(t, "/x/policy/"+o.c.Read(t, o.history).Text("policyNumber"))
				if n := len(within(view, "renewalsAfter/records")); n != 1 {
					t.Errorf("there are %d renewals", n)
				}
			} else if after := o.versions(); after != before+1 {
				t.Errorf("%d versions, %d before", after, before)
			}
		})
	}
}

// losesOnce sends a form to an address whose response does not come, and sends it again by two clicks.
func (p *tab) losesOnce(form, path string) {
	p.Helper()
	pass := p.intercept("*"+path, fetch.RequestStageResponse, func(ctx context.Context, id fetch.RequestID) error {
		return fetch.FailRequest(id, network.ErrorReasonConnectionReset).Do(ctx)
	})
	p.send(form)
	p.sees("form .outcome", "The exchange does not respond.", "nothing is done twice")
	pass()
	button := fmt.Sprintf("form[data-form=%q] button[type=submit]", form)
	p.becomes("!document.querySelector(" + quoted(button) + ").disabled")
	p.eval("{ const send = document.querySelector("+quoted(button)+"); send.click(); send.click(); }", nil)
}

// TestALostResponseMakesOneRecord loses the response to each form that makes a record.
func TestALostResponseMakesOneRecord(t *testing.T) {
	t.Parallel()
	for form, of := range map[string]struct {
		fields map[string]string
		list   string
	}{
		"new-claim": {map[string]string{"/lossDate": "2026-03-01T08:30:00", "/claimType": "own property damage",
			"/lossCause": "hail"}, "/claim"},
		"new-receipt": {map[string]string{"/receiptType": "new policy", "/paymentAmount": "420",
			"/premiumPaymentMethod": "cash"}, "/receipt"},
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			o := onPolicy(t, form)
			o.types(form, of.fields)
			o.losesOnce(form, of.list)
			o.goesAway(form)
			number := o.c.Read(t, o.history).Text("policyNumber")
			if n := len(o.c.Get(t, of.list+"?policyNumber="+number).Records(t)); n != 1 {
				t.Errorf("there are %d records", n)
			}
		})
	}
	t.Run("create", func(t *testing.T) {
		t.Parallel()
		p := open(t, book, "/create", trial.Developer, trial.Admin)
		p.create("Lostcreate")
		p.fill("create", "/licence/expiryDate", "2099-12-31")
		p.losesOnce("create", "/x/batch")
		p.sees("[data-created]", "The policy was created: POL-")
		if n := len(client(t, book).Get(t, "/personal?idNumber=Lostcreate").Records(t)); n != 1 {
			t.Errorf("there are %d parties", n)
		}
	})
	t.Run("prepare", func(t *testing.T) {
		t.Parallel()
		d := reported(t, "Lostprepare")
		d.rowsAreThere(t)
		p := openAs(t, d.Exchange, d.clerk, "/desk/MOTOR-2026/premium/2026-11")
		p.click("[data-action=prepare]")
		p.losesOnce("prepare", ":prepare")
		p.sees("h1", "Premium 2026-11, Version 1")
		if n := len(d.read(t, november, "versions")); n != 1 {
			t.Errorf("there are %d versions", n)
		}
	})
}

// TestAClaimIsClosedWithoutPayment closes a claim for which nothing is paid, which needs a reason.
func TestAClaimIsClosedWithoutPayment(t *testing.T) {
	t.Parallel()
	o := onClaim(t, "closeUnpaid")
	o.sees("form[data-form=closeUnpaid]", "Close without payment")
	o.lacks("closeUnpaid", "/reason")
	o.fill("closeUnpaid", "/reason", "no loss after all")
	o.send("closeUnpaid")
	o.sees(".lead [data-state=closed]", "closed")
	claim := o.c.Read(t, o.history)
	payments := within(claim, "payments")
	if claim.Text("claimStatus") != "closed" || len(payments) != 1 || text(payments[0]["paymentAmount"]) != "0" ||
		payments[0].Text("reason") != "no loss after all" {
		t.Errorf("the claim is %v", claim)
	}
}
