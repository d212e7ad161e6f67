package console

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// seeks types a text into the box of the header, from any screen and in place of what it has, by keys alone.
func (p *tab) seeks(text string) {
	p.Helper()
	p.eval("document.getElementById('content').focus()", nil)
	p.press("/")
	p.becomes("document.activeElement.id === 'q'")
	p.keys(text)
}

// TestFind finds a policy by its number, by the beginning of the holder's name and of the vehicle's plate in any case,
// and by the number of a claim, and opens it with the keyboard alone. A plate leads to the vehicle and to its policies.
func TestFind(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	made := policy(t, c, "Findling")
	claim := loss(t, c, made)
	p := open(t, book, "/today", trial.Developer)
	p.sees("[data-part=ending]")
	p.seeks("findl")
	p.sees("[data-group=parties]", "Grace Findling")
	p.sees("[data-group=belonging]", made.Text("policyNumber"), "Grace Findling", "EX FINDLING", "Motor", "in force")
	p.seeks("EX FUNDLING")
	p.sees(".below", "Nothing is found for “EX FUNDLING”.", "vehicles by the beginning of the plate")
	// A plate is found however its blanks are typed, and both names of a person together.
	p.seeks("ex findl")
	p.sees("[data-group=vehicles]", "EX FINDLING", "WVWZZZ1JZXW000001")
	c.Create(t, "vehicle", trial.Record{"plateNumber": "EXF 7711"})
	for _, typed := range []string{"exf7711", "EXF-7711", "exf 77"} {
		p.seeks(typed)
		p.sees("[data-group=vehicles]", "EXF 7711")
	}
	for _, typed := range []string{"grace findl", "Findling Gr"} {
		p.seeks(typed)
		p.sees("[data-group=parties]", "Grace Findling")
	}
	for i := range 6 {
		c.Create(t, "vehicle", trial.Record{"plateNumber": fmt.Sprint("EX FLEET ", i)})
	}
	p.seeks("ex fleet")
	p.becomes("document.querySelectorAll('[data-group=vehicles] a').length === 6")
	p.seeks("WVWZZZ1JZXW000001")
	p.sees("[data-group=vehicles]", "WVWZZZ1JZXW000001")
	p.seeks(strings.ToLower(made.Text("policyNumber")))
	p.sees("[data-group=policies]", made.Text("policyNumber"), "Grace Findling", "EX FINDLING", "Motor", "in force")
	p.seeks(strings.ReplaceAll(made.Text("policyNumber"), "-", ""))
	p.sees("[data-group=policies]", made.Text("policyNumber"))
	p.seeks(claim.Text("claimNumber"))
	p.sees("[data-group=claims]", claim.Text("claimNumber"), made.Text("policyNumber"))
	p.keys("\r")
	p.sees("h1", "Claim "+claim.Text("claimNumber"))
	p.becomes("document.getElementById('q').value === '' && !document.querySelector('.below')")

	// Arrows choose, Escape closes, and the last of all is the screen with all that is found.
	p.seeks("ex fleet")
	p.becomes("document.querySelectorAll('[data-group=vehicles] a').length === 6")
	p.keys(kb.ArrowDown + kb.ArrowDown)
	p.becomes("document.getElementById('q').getAttribute('aria-activedescendant') === 'option-1'")
	p.sees("[aria-selected=true]", "EX FLEET")
	p.keys(kb.Escape)
	p.gone(".below")
	p.keys(kb.ArrowDown + kb.ArrowUp)
	p.sees("[aria-selected=true]", "All that is found")
	p.keys("\r")
	p.becomes("location.hash === '#/find?q=ex%20fleet'")
	p.becomes("document.querySelectorAll('[data-part=vehicles] tbody tr').length === 6")
	p.becomes("document.getElementById('q').value === 'ex fleet'")
	p.visit("/find?q=ex+findl")
	p.sees("[data-part=vehicles]", "EX FINDLING", "WVWZZZ1JZXW000001", made.Text("policyNumber"))
	p.click("[data-part=vehicles] a[href*='/vehicle/']")
	p.sees("h1", "Vehicle EX FINDLING")
	p.sees("[data-part=policies]", made.Text("policyNumber"))
	p.eval("history.back()", nil)
	p.sees("[data-part=vehicles]", "EX FINDLING")

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

	// Who presses Enter at once opens what the text in the box finds, and not what is still shown, on any screen.
	for _, screen := range []string{"/feed", "/find", "/find?q=ex+fleet"} {
		p.visit(screen)
		p.sees("h1")
		p.seeks(claim.Text("claimNumber") + "\r")
		p.sees("h1", "Claim "+claim.Text("claimNumber"))
		p.seeks("ex fleet")
		p.sees("[data-group=vehicles]", "EX FLEET 1")
		p.seeks(made.Text("policyNumber") + "\r")
		p.sees("h1", made.Text("policyNumber"))
	}
}

// TestFindInTheBook finds what only the book has by its beginning: the number of a policy and of a claim.
func TestFindInTheBook(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	made := policy(t, c, "Bookling")
	claim := loss(t, c, made)
	wait.For(t, "the claim is in the book", func() bool {
		return strings.Contains(string(c.Get(t, "/x/book/claims?policyNumber="+made.Text("policyNumber")).Body),
			claim.Text("claimNumber"))
	})
	p := open(t, book, "/help", trial.Developer)
	p.sees("h1", "Help")
	for group, number := range map[string]string{"policies": made.Text("policyNumber"),
		"claims": claim.Text("claimNumber")} {
		for _, typed := range []string{number[:9], strings.ToLower(number[4:11])} {
			p.seeks(typed)
			p.sees("[data-group="+group+"]", number, "Grace Bookling")
		}
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
