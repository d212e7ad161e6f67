package console

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestFind finds a policy by its number, by the beginning of the holder's name and of the vehicle's plate in any case,
// and by the number of a claim, and opens it with the keyboard alone. A plate leads to the vehicle and to its policies.
func TestFind(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	made := policy(t, c, "Findling")
	claim := loss(t, c, made)
	p := open(t, book, "/today", trial.Developer)
	p.sees("[data-part=health]", "All services respond")
	p.press("/")
	p.becomes("document.activeElement.id === 'q'")
	p.keys("findl")
	p.sees("[data-part=parties]", "Grace Findling")
	p.eval("document.getElementById('q').value = ''", nil)
	p.keys("EX FUNDLING")
	p.sees("#results", "Nothing is found for “EX FUNDLING”.", "vehicles by the beginning of the plate")
	p.eval("document.getElementById('q').value = ''", nil)
	p.keys("ex findl")
	p.sees("[data-part=vehicles]", "EX FINDLING", "WVWZZZ1JZXW000001", made.Text("policyNumber"))
	p.click("[data-part=vehicles] a[href*='/vehicle/']")
	p.sees("h1", "Vehicle EX FINDLING")
	p.sees("[data-part=policies]", made.Text("policyNumber"))
	p.eval("history.back()", nil)
	p.sees("[data-part=vehicles]", "EX FINDLING")
	p.eval("document.getElementById('q').value = ''", nil)
	for i := range 6 {
		c.Create(t, "vehicle", trial.Record{"plateNumber": fmt.Sprint("EX FLEET ", i)})
	}
	p.keys("ex fleet")
	p.becomes("document.querySelectorAll('[data-part=vehicles] tbody tr').length === 6")
	p.eval("document.getElementById('q').value = ''", nil)
	p.keys("WVWZZZ1JZXW000001")
	p.sees("[data-part=vehicles]", "WVWZZZ1JZXW000001")
	p.eval("document.getElementById('q').value = ''", nil)
	p.keys(strings.ToLower(made.Text("policyNumber")))
	p.sees("[data-part=policies]", made.Text("policyNumber"), "Motor", "in force")
	p.eval("document.getElementById('q').value = ''", nil)
	p.keys(claim.Text("claimNumber"))
	p.sees("[data-part=claims]", claim.Text("claimNumber"), made.Text("policyNumber"))
	p.becomes("document.getElementById('results').dataset.of === " + quoted(claim.Text("claimNumber")))
	p.keys("\r")
	p.sees("h1", "Claim "+claim.Text("claimNumber"))
	p.eval("history.back()", nil)
	p.sees("[data-part=claims]", claim.Text("claimNumber"))

	// The caller's own reference finds each kind of record, and stands beside what has one.
	own := "Own & 7/é " + claim.Text("claimNumber")
	c.Put(t, "/claim/"+claim.Text("id"), trial.Record{"externalReference": own}).Want(t, 200)
	c.Put(t, "/motorCoverage/"+made.Text("id"), made.With("externalReference", own)).Want(t, 200)
	c.Create(t, "commercial", trial.Record{"name": "Ownings", "externalReference": own})
	p.visit("/find?q=" + url.QueryEscape(own))
	for part, what := range map[string]string{"parties": "Ownings", "claims": claim.Text("claimNumber"),
		"policies": made.Text("policyNumber")} {
		p.sees("[data-part="+part+"]", what, "External reference", own)
	}

	// Who presses Enter at once opens what the text in the box finds, and not what is still shown.
	for _, before := range []string{"", "ex fleet"} {
		p.visit("/find?q=" + url.QueryEscape(before))
		p.sees("#results", map[bool]string{true: "EX FLEET 1", false: "Newest policies"}[before != ""])
		p.eval("document.getElementById('q').value = ''", nil)
		p.keys(claim.Text("claimNumber") + "\r")
		p.sees("h1", "Claim "+claim.Text("claimNumber"))
	}
}

// TestATermThatIsOver shows that a policy has ended, which keeps its state, on its screen and in a list.
func TestATermThatIsOver(t *testing.T) {
	t.Parallel()
	c, made, p := openPolicy(t, book, "Overman")
	p.sees(".lead", "in force")
	p.becomes("!document.querySelector('.lead [data-state=ended]')")
	c.Put(t, "/motorCoverage/"+made.Text("id"), made.With("inceptionDate", "2020-01-01T00:00:00Z").
		With("expiryDate", "2021-01-01T00:00:00Z")).Want(t, 200)
	p.visit("/policy/" + made.Text("policyNumber"))
	p.sees(".lead", "in force", "ended")
	p.visit("/find?q=" + made.Text("policyNumber"))
	p.sees("[data-part=policies]", "in force", "ended")
}

// TestPolicy compares what the screen of a policy shows with the record, and sees what each version changed.
func TestPolicy(t *testing.T) {
	t.Parallel()
	e := run(t, "EXCHANGE_CURRENCY=EUR", "EXCHANGE_AMOUNT_UNIT=major")
	c := client(t, e)
	made := policy(t, c, "Wholeman")
	path := "/motorCoverage/" + made.Text("id")
	c.Post(t, path+":endorse", trial.Record{"endorsementType": "addition", "indemnityLimitPolicy": 75_000}).Want(t, 200)
	c.Create(t, "receipt", trial.Record{"policyNumber": made.Text("policyNumber"), "receiptType": "new policy",
		"paymentAmount": 9_007_199_254_740_993, "premiumPaymentMethod": "cash"})
	p := open(t, e, "/policy/"+made.Text("policyNumber"), trial.Developer)
	p.sees("[data-part=record]", "EUR 1,234.00", "75,000.00", "fire, hail")
	p.sees("[data-part=policyholder]", "Grace Wholeman", "London")
	p.sees("main", "EX WHOLEMAN")
	p.sees("[data-part=timeline] [data-version='2']", "Endorsed", "Indemnity limit", "50,000.00", "75,000.00")
	p.sees("[data-part=timeline] [data-version='1']", "Created")
	p.becomes("Boolean(document.querySelector('td [data-amount=\"9007199254740993\"]'))")
	p.sees("main table", "9,007,199,254,740,993.00")
}

// TestWhatARefundTakesBack shows a receipt that reverses another one below zero, wherever receipts are shown.
func TestWhatARefundTakesBack(t *testing.T) {
	t.Parallel()
	c, made, p := openPolicy(t, book, "Refundman")
	receipt := c.Create(t, "receipt", trial.Record{"policyNumber": made.Text("policyNumber"),
		"receiptType": "new policy", "paymentAmount": 100, "premiumPaymentMethod": "cash"})
	refund := c.Post(t, "/receipt/"+receipt.Text("id")+":refund", trial.Record{"receiptType": "other"}).
		Want(t, 201).Record(t)
	p.visit("/policy/" + made.Text("policyNumber"))
	for _, part := range []string{"receipts", "timeline"} {
		p.sees("[data-part="+part+"]", "EUR 100.00", "-EUR 100.00")
	}
	p.turn("/record/receipt/" + refund.Text("id"))
	p.sees("[data-member=paymentAmount]", "-EUR 100.00")
}

// TestACancelledPolicyOffersNoAction sees that the actions that a policy does not have in its state are not offered.
func TestACancelledPolicyOffersNoAction(t *testing.T) {
	t.Parallel()
	c, made, p := openPolicy(t, book, "Cancelman")
	p.sees(".buttons", "Endorse", "Cancel policy", "Renew")
	c.Post(t, "/motorCoverage/"+made.Text("id")+":cancel", trial.Record{}).Want(t, 200)
	p.visit("/policy/" + made.Text("policyNumber"))
	p.sees(".buttons", "Report a claim", "Record a receipt")
	for _, action := range []string{"endorse", "cancel", "renew"} {
		if n := p.count("[data-action=" + action + "]"); n != 0 {
			t.Errorf("%s is offered", action)
		}
	}
}

// TestWithoutACurrency sees amounts without a sign for a currency that the operator has not said, and versions of one
// instant with what each changed.
func TestWithoutACurrency(t *testing.T) {
	t.Parallel()
	e := run(t, "EXCHANGE_TEST_CLOCK="+today)
	c, made, p := openPolicy(t, e, "Unsaid")
	path := "/motorCoverage/" + made.Text("id")
	c.Post(t, "/x/clock:advance", trial.Record{"to": "2026-12-05T10:00:00Z"}).Want(t, 200)
	c.Post(t, path+":endorse", trial.Record{"endorsementType": "addition", "grossWrittenPremium": 1350}).Want(t, 200)
	c.Post(t, path+":cancel", trial.Record{}).Want(t, 200)
	p.visit("/policy/" + made.Text("policyNumber"))
	p.sees("[data-part=record]", "1,350")
	p.sees("[data-part=timeline] [data-version='2']", "1,234", "1,350")
	p.sees("[data-part=timeline] [data-version='3']", "in force", "cancelled")
	if shown := strings.Join(p.texts("#app"), ""); strings.Contains(shown, "¤") {
		t.Errorf("the page shows ¤: %s", shown)
	}
}
