package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// numbers returns a member of records, as the exchange wrote it.
func numbers(records []trial.Record, member string) []string {
	all := []string{}
	for _, r := range records {
		all = append(all, fmt.Sprint(r[member]))
	}
	return all
}

// TestToday compares the lists of the first screen with those of the exchange.
func TestToday(t *testing.T) {
	t.Parallel()
	e := run(t, "EXCHANGE_TEST_CLOCK="+today)
	if err := seed(e); err != nil {
		t.Fatal(err)
	}
	c := client(t, e)
	p := open(t, e, "/today", trial.Developer)
	for _, status := range []string{"open", "reopened"} {
		part := "[data-part=" + status + "]"
		p.sees(part, "CLM-")
		want := c.Get(t, "/x/search/claim?claimStatus="+status+"&fnolFrom=2020-01-01T00:00:00Z&order=newest&limit=10").
			Records(t)
		if got := p.texts(part + " tbody td:first-child"); !slices.Equal(got, numbers(want, "claimNumber")) {
			t.Errorf("%s claims: %v, want %v", status, got, numbers(want, "claimNumber"))
		}
		if got := p.amounts(part + " [data-label=Reserve]"); !slices.Equal(got, numbers(want, "reserve")) {
			t.Errorf("reserves of %s claims: %v, want %v", status, got, numbers(want, "reserve"))
		}
	}
	p.sees("[data-part=ending]", "POL-")
	ending := c.Get(t, "/x/search/coverage?status=in+force&status=extended&expiryDateFrom="+today+
		"&expiryDateTo="+url.QueryEscape("2027-01-04T09:00:00Z")).Records(t)
	got := p.texts("[data-part=ending] tbody td:first-child")
	if !slices.Equal(got, numbers(ending, "policyNumber")) || len(got) == 0 {
		t.Errorf("policies that end: %v, want %v", got, numbers(ending, "policyNumber"))
	}
	// What has ended stays until somebody has dealt with it: renewed or cancelled it, or insured the vehicle anew.
	if ended := p.texts("[data-part=ended] tbody td:first-child"); len(ended) != 0 {
		t.Errorf("ended: %v", ended)
	}
	made := map[string]trial.Record{}
	for _, name := range []string{"Left", "Renewed", "Cancelled", "Replaced"} {
		made[name] = policy(t, c, name)
		c.Put(t, "/motorCoverage/"+made[name].Text("id"), made[name].With("expiryDate", "2026-11-20T00:00:00Z")).
			Want(t, http.StatusOK)
	}
	c.Post(t, "/motorCoverage/"+made["Renewed"].Text("id")+":renew", trial.Record{}).Want(t, http.StatusCreated)
	c.Post(t, "/motorCoverage/"+made["Cancelled"].Text("id")+":cancel", trial.Record{}).Want(t, http.StatusOK)
	c.Create(t, "motorCoverage", made["Replaced"].Without("id", "policyNumber", "status").
		With("inceptionDate", "2026-11-22T00:00:00Z").With("expiryDate", "2027-11-22T00:00:00Z"))
	p.turn("/help")
	p.turn("/today")
	p.sees("[data-part=ended]", made["Left"].Text("policyNumber"), "ended")
	if ended := p.texts("[data-part=ended] tbody td:first-child"); len(ended) != 1 ||
		ended[0] != made["Left"].Text("policyNumber") {
		t.Errorf("ended: %v, want only %s", ended, made["Left"].Text("policyNumber"))
	}
	p.sees("#clock", "test clock", "Dec 5, 2026")
	// Who reads on knows what the exchange is, and that all services respond.
	p.gone("[data-part=health], [data-part=empty]")
}

// TestPages reads the newest policies page by page, and goes back.
func TestPages(t *testing.T) {
	t.Parallel()
	e := run(t)
	c := client(t, e)
	holder := c.Create(t, "commercial", trial.Record{"name": "Pages Ltd", "registrationNumber": "P-1"})
	business := c.Create(t, "business", trial.Record{"businessSector": "printing"})
	for range 120 {
		c.Create(t, "cyberLiabilityCoverage", trial.Record{"policyholderId": holder.Text("id"),
			"businessId": business.Text("id"), "scope": []string{"Data and software loss"},
			"indemnityLimitPolicy": 1000,
			"inceptionDate":        "2026-01-01T00:00:00Z", "expiryDate": "2027-01-01T00:00:00Z"})
	}
	p := open(t, e, "/record/commercial/"+holder.Text("id"), trial.Developer)
	rows := "[data-part=policies] tbody tr"
	for _, n := range []string{"50", "100", "120"} {
		p.becomes("document.querySelectorAll('" + rows + "').length === " + n)
		if n != "120" {
			p.click("[data-part=policies] .more")
		}
	}
	p.becomes("document.querySelector('[data-part=policies] .more').hidden")
	if got := p.texts(rows + " td:first-child"); len(slices.Compact(slices.Sorted(slices.Values(got)))) != 120 {
		t.Errorf("%d rows, not all of them once", len(got))
	}
	p.click(rows + " a")
	p.sees("h1", "Policy POL-")
	p.eval("history.back()", nil)
	p.sees("h1", "Pages Ltd")
}

// TestClaim compares the screen of a claim with its record.
func TestClaim(t *testing.T) {
	t.Parallel()
	e := run(t, "EXCHANGE_CURRENCY=EUR", "EXCHANGE_AMOUNT_UNIT=minor", "EXCHANGE_REPORTING_WINDOW=720h")
	c := client(t, e)
	made := policy(t, c, "Claimant")
	claim := loss(t, c, made)
	path := "/claim/" + claim.Text("id")
	c.Post(t, path+"/documents", trial.Record{"url": "https://files.example/a.jpg", "type": "photo"}).Want(t, 200)
	c.Post(t, path+"/documents", trial.Record{"url": "javascript:alert(1)", "type": "note"}).Want(t, 200)
	c.Post(t, path+":settle", trial.Record{"paymentAmount": 320005, "paymentMethod": "cash"}).Want(t, 200)
	c.Post(t, path+":reopen", trial.Record{}).Want(t, 200)
	c.Put(t, path, trial.Record{"reserve": 500000}).Want(t, 200)
	c.Create(t, "receipt", trial.Record{"claimNumber": claim.Text("claimNumber"), "receiptType": "claim payment",
		"paymentAmount": 320005, "premiumPaymentMethod": "cash"})
	p := open(t, e, "/claim/"+claim.Text("claimNumber"), trial.Developer)
	p.sees("[data-part=record]", "EUR 5,000.00", "hail")
	p.sees("section table", "EUR 3,200.05", "files.example", "javascript:alert(1)")
	if n := p.count("a[href^='javascript']"); n > 0 {
		t.Errorf("%d links run scripts", n)
	}
	p.sees("[data-part=warnings]", "late notification")
	p.sees("[data-part=receipts]", "EUR 3,200.05", "claim payment")
	p.sees("[data-part=timeline] [data-version='6']", "Corrected", "EUR 40.00", "EUR 5,000.00")
	p.sees("[data-part=timeline] [data-version='4']", "Settled", "closed")
	p.becomes("document.querySelectorAll('[data-part=chart] path').length === 3")
}

// loss files a claim against a policy.
func loss(t *testing.T, c *trial.Client, policy trial.Record) trial.Record {
	t.Helper()
	return c.Create(t, "claim", trial.Record{"policyNumber": policy.Text("policyNumber"),
		"lossDate": "2026-03-01T08:30:00Z", "fnol": "2026-06-02T08:30:00Z", "claimType": "own property damage",
		"lossCause": "hail", "reserve": 4000})
}

// TestFeed sees events come, filters them, and adds a webhook and acts on it.
func TestFeed(t *testing.T) {
	t.Parallel()
	taken := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer taken.Close()
	e := run(t, "EXCHANGE_WEBHOOK_PRIVATE_ADDRESSES=true")
	c := client(t, e)
	made := policy(t, c, "Feeder")
	p := open(t, e, "/feed", trial.Developer, trial.Admin)
	p.sees("#events", "exchange.motorCoverage.created", made.Text("policyNumber"))
	c.Post(t, "/motorCoverage/"+made.Text("id")+":cancel", trial.Record{}).Want(t, 200)
	p.sees("#events", "exchange.motorCoverage.cancelled", "cancelled")
	p.eval("document.getElementById('feed-type').value = 'exchange.vehicle.*'", nil)
	p.click(".filter button")
	p.becomes("document.querySelectorAll('#events tbody tr').length === 1")
	p.sees("#events tbody", "exchange.vehicle.created")
	p.click("#events tbody a")
	p.sees("[data-part=record]", "EX FEEDER")
	loss(t, c, policy(t, c, "Losing"))
	p.turn("/feed")
	p.click("#events tbody a[href^='#/record/claim/']")
	p.sees("[data-part=record]", "CLM-", "own property damage")
	p.turn("/feed")
	p.sees("#events", "exchange.claim.created")
	p.eval("document.getElementById('feed-type').value = 'exchange.nothing'", nil)
	p.click(".filter button")
	p.sees("#feed-said", "unknown or malformed parameter", "type ")

	p.click("[data-action=webhook]")
	p.lacks("webhook", "/url")
	p.fill("webhook", "/url", "ftp://files.example")
	p.eval("document.getElementById('hook-name').value = 'desk'", nil)
	p.send("webhook")
	p.sees("form[data-form=webhook] .said", "must")
	p.fill("webhook", "/url", taken.URL)
	p.send("webhook")
	p.sees("[data-webhook=desk]", taken.URL, "active")
	p.sees("#act", "whsec_")
	p.click("[data-action=webhook]")
	p.eval("document.getElementById('hook-name').value = 'desk'", nil)
	p.fill("webhook", "/url", "https://other.example/taken")
	p.send("webhook")
	p.sees("form[data-form=webhook] .outcome", "If-None-Match")
	p.sees("[data-webhook=desk]", taken.URL)
	p.click("[data-webhook=desk] [data-action=test]")
	p.sees("[data-webhook=desk]", "The test was delivered. 200")
	p.click("[data-webhook=desk] [data-action=pause]")
	p.sees("[data-webhook=desk]", "paused")
	p.click("[data-webhook=desk] [data-action=resume]")
	p.sees("[data-webhook=desk]", "active")
	policy(t, c, "Delivered")
	wait.Until(t, func() error {
		text := string(c.Get(t, "/x/webhook/desk/deliveries").Body)
		if !strings.Contains(text, "exchange.motorCoverage") {
			return fmt.Errorf("no delivery: %s", text)
		}
		return nil
	})
	p.click("[data-webhook=desk] summary")
	p.sees("[data-webhook=desk]", "exchange.motorCoverage.created", "200")
	p.click("[data-webhook=desk] [data-action=replay]")
	p.lacks("replay", "/after")
	p.fill("replay", "/after", "no cursor")
	p.send("replay")
	p.sees("form[data-form=replay] .said", "is no cursor of this exchange")
	p.fill("replay", "/after", "now")
	p.send("replay")
	p.gone("form[data-form=replay]")
}

// TestHelp sees the requests of the console, each with a line of curl that has no token.
func TestHelp(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/find", trial.Developer)
	p.sees("#results", "POL-")
	p.eval("document.getElementById('q').blur()", nil)
	p.press("?")
	p.sees("[data-part=operations]", "POST /claim/{id}:settle")
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(openapi.Published(), &document); err != nil {
		t.Fatal(err)
	}
	operations := p.texts("[data-operation] summary code")
	var lines []string
	p.eval("[...document.querySelectorAll('[data-operation] pre')].map((e) => e.textContent)", &lines)
	if len(operations) < 30 || len(lines) != len(operations) {
		t.Fatalf("the page has only %v", operations)
	}
	for i, line := range lines {
		method, path, _ := strings.Cut(operations[i], " ")
		described := document.Paths[path][strings.ToLower(method)]
		keyed := bytes.Contains(described, []byte("/IdempotencyKey"))
		if described == nil || strings.Contains(line, "Idempotency-Key") != keyed {
			t.Errorf("%s is described: %v, takes a key: %v, and is shown as %s", operations[i], described != nil, keyed,
				line)
		}
		if !strings.HasPrefix(line, "curl ") || strings.Contains(line, "eyJ") || !strings.Contains(line, book.Base) {
			t.Errorf("not to be pasted: %s", line)
		}
	}
}
