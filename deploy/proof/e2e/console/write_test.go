package console

import (
	"fmt"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// TestClaimIsSettled pays a part of a claim, settles it after a refusal that stands at its field, reopens it with a
// reserve, and revises that.
func TestClaimIsSettled(t *testing.T) {
	t.Parallel()
	c, claim, p := openClaim(t, book, "Settler")
	p.click("[data-action=pay]")
	p.fill("pay", "/paymentAmount", "300")
	p.fill("pay", "/paymentMethod", "cash")
	p.send("pay")
	p.sees("[data-part=payments]", "EUR 300.00")
	p.sees(".lead", "open")
	p.click("[data-action=settle]")
	p.fill("settle", "/paymentAmount", "-5")
	p.fill("settle", "/paymentMethod", "cash")
	p.send("settle")
	p.sees("form .outcome", "invalid payment amount", "paymentAmount must be greater than 0.")
	p.becomes("document.activeElement.matches('[name=\"/paymentAmount\"][aria-invalid=true]')")
	p.sees("[id='"+p.attribute("[name='/paymentAmount']", "id")+"-said']", "must be greater than 0")
	p.fill("settle", "/paymentAmount", "12 Euro")
	p.send("settle")
	p.sees("form .outcome", "invalid field")
	p.sees("[id='"+p.attribute("[name='/paymentAmount']", "id")+"-said']", "must be")
	p.fill("settle", "/paymentAmount", "3200")
	p.click("form[data-form=settle] .curl summary")
	p.sees(".curl pre", `-d '{"paymentAmount":3200,"paymentMethod":"cash"}'`, "$(exchange token)", "Idempotency-Key")
	p.send("settle")
	p.sees("main", "closed", "EUR 3,200.00")
	p.click("[data-action=reopen]")
	p.fill("reopen", "/reserve", "4321")
	p.send("reopen")
	p.sees(".lead", "reopened")
	p.sees("[data-part=record]", "EUR 4,321.00")
	p.click("[data-action=revise]")
	p.fill("revise", "/reserve", "5100.5")
	p.send("revise")
	p.sees("form[data-form=revise] .said", "must be")
	p.fill("revise", "/reserve", "5100")
	p.send("revise")
	p.sees("[data-part=record]", "EUR 5,100.00")
	now := c.Read(t, "/claim/"+claim.Text("id"))
	if fmt.Sprintf("%v %v %v", now["reserve"], now["claimStatus"], now["lossCause"]) != "5100 reopened hail" {
		t.Errorf("the record is %v", now)
	}
}

// TestAmountsAreTypedAsTheyAreShown pays a claim of an exchange whose amounts are in minor units: the person types what
// the page shows, and the exchange gets its units.
func TestAmountsAreTypedAsTheyAreShown(t *testing.T) {
	t.Parallel()
	e := run(t, "EXCHANGE_CURRENCY=EUR", "EXCHANGE_AMOUNT_UNIT=minor")
	c, claim, p := openClaim(t, e, "Minor")
	p.click("[data-action=settle]")
	p.sees("form[data-form=settle]", "Payment amount (EUR)", "An amount, such as 1,000.50.")
	p.fill("settle", "/paymentAmount", "1,000.50")
	p.fill("settle", "/paymentMethod", "cash")
	p.send("settle")
	p.sees("[data-part=payments]", "EUR 1,000.50")
	if paid := within(c.Read(t, "/claim/"+claim.Text("id")), "payments"); text(paid[0]["paymentAmount"]) != "100050" {
		t.Errorf("paid is %v", paid)
	}
}

// TestPolicyIsChanged endorses a policy, extends it with a refusal, renews it and cancels it.
func TestPolicyIsChanged(t *testing.T) {
	t.Parallel()
	c, made, p := openPolicy(t, book, "Changer")
	p.click("[data-action=endorse]")
	p.fill("endorse", "/endorsementType", "policy extension")
	p.fill("endorse", "/expiryDate", "2026-06-01T00:00:00")
	p.send("endorse")
	p.sees("form[data-form=endorse] .said", "later")
	p.fill("endorse", "/endorsementType", "addition")
	p.fill("endorse", "/expiryDate", "2027-01-01T00:00:00")
	p.eval("document.querySelector('form[data-form=endorse] details').open = true", nil)
	p.sees("form[data-form=endorse]", "Gross written premium (EUR)", "An amount, such as 1,000.50.",
		"A whole amount, such as 1,000.")
	p.fill("endorse", "/grossWrittenPremium", "1,500.25")
	p.click("[name='/perils'][value=theft]")
	p.send("endorse")
	p.sees("[data-part=record]", "EUR 1,500.25", "theft", "hail")
	p.click("[data-action=renew]")
	p.send("renew")
	p.sees("#act .done", "The renewal is POL-")
	p.click("[data-action=cancel]")
	p.fill("cancel", "/reason", "sold")
	p.send("cancel")
	p.sees(".lead", "cancelled")
	p.gone("[data-action=cancel]")
	now := c.Read(t, "/motorCoverage/"+made.Text("id"))
	if fmt.Sprintf("%v %v %v", now["status"], now["grossWrittenPremium"], now["perils"]) !=
		"cancelled 1500.25 [fire theft hail]" {
		t.Errorf("the record is %v", now)
	}
}

// TestRecordsAreAdded reports a claim and records a receipt from the screen of a policy, after a refusal, and adds a
// document to the claim.
func TestRecordsAreAdded(t *testing.T) {
	t.Parallel()
	c, made, p := openPolicy(t, book, "Adder")
	p.click("[data-action=add-claim]")
	p.fill("new-claim", "/lossDate", "2029-03-01T08:30:00")
	p.fill("new-claim", "/claimType", "own property damage")
	p.fill("new-claim", "/lossCause", "hail")
	p.send("new-claim")
	p.sees("form[data-form=new-claim] .outcome", "not in force")
	p.fill("new-claim", "/lossDate", "2026-03-01T08:30:00")
	p.fill("new-claim", "/reserve", "77")
	p.send("new-claim")
	p.sees("section", "CLM-", "EUR 77.00")
	p.click("[data-action=add-receipt]")
	p.fill("new-receipt", "/receiptType", "new policy")
	p.fill("new-receipt", "/paymentAmount", "420")
	p.fill("new-receipt", "/premiumPaymentMethod", "cash")
	p.send("new-receipt")
	p.sees("section", "EUR 420.00")
	claims := c.Get(t, "/claim?policyNumber="+made.Text("policyNumber")).Records(t)
	receipts := c.Get(t, "/receipt?policyNumber="+made.Text("policyNumber")).Records(t)
	if len(claims) != 1 || len(receipts) != 1 {
		t.Fatalf("%d claims, %d receipts", len(claims), len(receipts))
	}
	p.turn("/claim/" + claims[0].Text("claimNumber"))
	p.click("[data-action=addDocument]")
	p.fill("addDocument", "/url", "https://files.example/hail.jpg")
	p.fill("addDocument", "/type", "photo")
	p.send("addDocument")
	p.sees("section table", "https://files.example/hail.jpg", "photo")
}

// create fills the form of a new motor policy.
func (p *tab) create(name string) {
	p.Helper()
	for pointer, value := range map[string]string{
		"/firstName": "Ada", "/lastName": name, "/dob": "1990-12-10", "/idType": "passport", "/idNumber": name,
		"/address/city": "London", "/plateNumber": "EX " + name, "/name": "Ada " + name,
		"/inceptionDate": "2026-01-01T00:00:00", "/expiryDate": "2027-01-01T00:00:00", "/grossWrittenPremium": "99",
	} {
		p.fill("create", pointer, value)
	}
	p.click("[name='/perils'][value=fire]")
}

// TestPolicyIsCreated creates a policy with all that belongs to it, after refusals at the fields of two of its
// records, with a double click that makes one.
func TestPolicyIsCreated(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	p := open(t, book, "/create", trial.Developer, trial.Admin)
	p.create("Creator")
	p.fill("create", "/dob", "")
	p.send("create")
	p.sees("form[data-form=create] .said", "required")
	p.becomes("document.activeElement.name === '/dob'")
	p.fill("create", "/dob", "1990-12-10")
	p.send("create")
	p.sees("[data-names$='/body/driverId'] .said", "licence")
	p.fill("create", "/licence/expiryDate", "2099-12-31")
	p.eval("{ const send = document.querySelector('form[data-form=create] button[type=submit]'); send.click(); "+
		"send.click(); send.form.requestSubmit(); }", nil)
	p.sees("[data-created]", "The policy was created: POL-")
	if n := len(c.Get(t, "/personal?idNumber=Creator").Records(t)); n != 1 {
		t.Errorf("there are %d parties", n)
	}
	// One form was not sent, one request was refused, and one was sent by all the clicks.
	p.becomes("performance.getEntriesByType('resource').filter((e) => e.name.endsWith('/x/batch')).length === 2")
	p.click("[data-created] a")
	p.sees("main", "Ada Creator", "EX Creator", "EUR 99.00")
}

// TestEveryLine opens the form of each line, which has its own fields.
func TestEveryLine(t *testing.T) {
	t.Parallel()
	p := open(t, book, "/create", trial.Developer, trial.Admin)
	for line, field := range map[string]string{
		"motorCoverage": "/plateNumber", "cyberLiabilityCoverage": "/businessSector",
		"propertyCoverage": "/propertyType", "travelCoverage": "/nationality", "tradeCreditCoverage": "/creditRating",
		"businessInterruptionCoverage": "/IndemnityPeriod", "petCoverage": "/petKind",
	} {
		p.turn("/create?holder=commercial&line=" + line)
		p.sees("form[data-form=create] h2")
		p.becomes("Boolean(document.querySelector('form[data-form=create] [name=\"" + field + "\"]'))")
		p.becomes("!document.querySelector('[name=\"/policyholderId\"]')")
	}
}

// TestReaderWritesNothing opens each screen with a token that only reads: no control writes.
func TestReaderWritesNothing(t *testing.T) {
	t.Parallel()
	c := client(t, book)
	made := policy(t, c, "Readonly")
	claim := loss(t, c, made)
	p := open(t, book, "/today", trial.Developer)
	p.sees("#who", "clerk (reads only)")
	for screen, text := range map[string]string{
		"/policy/" + made.Text("policyNumber"): "Grace Readonly", "/claim/" + claim.Text("claimNumber"): "hail",
		"/feed": "exchange.", "/find": "POL-", "/today": "CLM-", "/create": "Your token only reads.",
		"/record/motorCoverage/" + made.Text("id"): made.Text("policyNumber"), "/help": "POST /x/batch",
	} {
		p.turn(screen)
		p.sees("main", text)
		p.becomes("!document.querySelector('[aria-busy]')")
		if n := p.count("[data-action], [data-create], button[data-seed], form.act"); n > 0 {
			t.Errorf("%s has %d controls that write", screen, n)
		}
	}
}

// TestReceiptIsRefunded refunds a part of a receipt after a refusal, and then what is left. The policy shows how much
// that is.
func TestReceiptIsRefunded(t *testing.T) {
	t.Parallel()
	c, made, p := openPolicy(t, book, "Refunder")
	receipt := c.Create(t, "receipt", trial.Record{"policyNumber": made["policyNumber"], "receiptType": "new policy",
		"paymentAmount": 1000})
	p.visit("/record/receipt/" + receipt.Text("id"))
	p.click("[data-action=refund]")
	p.fill("refund", "/receiptType", "other")
	p.fill("refund", "/paymentAmount", "1001")
	p.send("refund")
	p.sees("form .outcome", "invalid payment amount")
	p.fill("refund", "/paymentAmount", "300")
	p.send("refund")
	p.sees("#act .done", "The refund is")
	p.visit("/policy/" + made.Text("policyNumber"))
	p.sees("[data-part=receipts]", "EUR 1,000.00", "EUR 700.00")
	p.visit("/record/receipt/" + receipt.Text("id"))
	p.click("[data-action=refund]")
	p.fill("refund", "/receiptType", "other")
	p.send("refund")
	p.click("#act .done a")
	p.sees("[data-part=record]", "-EUR 700.00", "EUR 1,000.00")
	p.gone("[data-action=refund]")
}
