package allinone

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/wait"
)

// ofClaim returns the body of a receipt that names the claim of the book alone.
func (b *holding) ofClaim(amount string) string {
	return `{"claimNumber":"` + b.claim["claimNumber"].(string) + `","receiptType":"claim payment","paymentAmount":` +
		amount + `}`
}

// placesOf are where a receipt of the claim is read.
func (b *holding) placesOf(receipt string) []string {
	claimNumber := b.claim["claimNumber"].(string)
	return []string{
		"/receipt/" + receipt, "/receipt", "/receipt?claimNumber=" + claimNumber,
		"/receipt?policyNumber=" + b.policyNumber, "/receipt?receiptType=claim+payment",
		"/x/search/receipt?claimNumber=" + claimNumber,
		"/x/search/receipt?policyNumber=" + b.policyNumber, "/x/search/receipt?receiptType=claim+payment",
		"/x/history/receipt/" + receipt, "/x/asof/receipt/" + receipt + atNow(), "/x/policy/" + b.policyNumber,
	}
}

// shows fails the test unless each place shows a receipt of the claim to somebody, or none of them does.
func (b *holding) shows(t *testing.T, by *member, receipt string, want bool) {
	t.Helper()
	for _, path := range b.placesOf(receipt) {
		got := by.send("GET", path, "", nil)
		if has := got.status == 200 && strings.Contains(got.body, receipt); has != want {
			t.Errorf("GET %s: %d %s", path, got.status, got.body)
		}
	}
}

// TestAReceiptOfAClaimIsUnderItsPolicy has the owner of a policy and a participant record receipts that name a claim
// alone. The access list of the claim's policy decides who sees them, and they belong to the owner of the policy.
func TestAReceiptOfAClaimIsUnderItsPolicy(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	zenith, orion := s.as("zenith"), s.as("orion")
	made := b.owner.want(201, "POST", "/receipt", b.ofClaim("7"), "Idempotency-Key", "k")
	before := made.named("id")
	if made.named("policyNumber") != b.policyNumber {
		t.Errorf("the receipt is under no policy: %s", made.body)
	}
	// What was sent is what the receipt is, also without the number that was added.
	b.owner.want(200, "POST", "/receipt", b.ofClaim("7"), "Idempotency-Key", "k")
	b.owner.want(200, "PUT", "/receipt/"+before, b.ofClaim("7"))
	b.owner.want(409, "PUT", "/receipt/"+before, b.ofClaim("8"))
	b.shows(t, b.owner, before, true)
	b.shows(t, zenith, before, false)
	b.share("zenith:read", "orion:claims,read")
	b.shows(t, zenith, before, true)
	after := b.owner.want(201, "POST", "/receipt", b.ofClaim("9")).named("id")
	b.shows(t, zenith, after, true)
	if got := zenith.want(403, "POST", "/receipt", b.ofClaim("9")); got.named("right") != "premium" {
		t.Error(got.body)
	}
	wait.For(t, "the events of the receipts", func() bool {
		text, _ := zenith.feed("", "&policyNumber="+b.policyNumber)
		return strings.Contains(text, `"/receipt/`+before+`"`) && strings.Contains(text, `"/receipt/`+after+`"`)
	})

	b.share("zenith:read,premium", "orion:read")
	theirs := zenith.want(201, "POST", "/receipt", b.ofClaim("11")).named("id")
	// Both give back parts of it, and see what the other has left.
	refund := zenith.want(201, "POST", "/receipt/"+before+":refund", `{"receiptType":"other","paymentAmount":3}`)
	got := b.owner.want(409, "POST", "/receipt/"+before+":refund", `{"receiptType":"other","paymentAmount":5}`)
	if !strings.Contains(got.body, `"left":4`) {
		t.Error(got.body)
	}
	b.owner.want(201, "POST", "/receipt/"+before+":refund", `{"receiptType":"other"}`)
	zenith.want(409, "POST", "/receipt/"+before+":refund", `{"receiptType":"other"}`)
	for _, id := range []string{before, after, theirs} {
		for _, by := range []*member{b.owner, zenith, orion} {
			b.shows(t, by, id, true)
		}
	}
	if refund.named("policyNumber") != b.policyNumber {
		t.Errorf("the refund is under no policy: %s", refund.body)
	}
	b.share("orion:read")
	for _, id := range []string{before, after, theirs} {
		b.shows(t, b.owner, id, true)
		b.shows(t, zenith, id, false)
		b.shows(t, orion, id, true)
	}
	zenith.want(404, "GET", "/receipt/"+refund.named("id"), "")
	b.owner.want(200, "GET", "/receipt/"+refund.named("id"), "")
	if text, _ := zenith.feed("", ""); strings.Contains(text, theirs) {
		t.Errorf("after the sharing has ended: %s", text)
	}
	// Another organisation names the claim in vain.
	zenith.want(404, "POST", "/receipt", b.ofClaim("7"))
}
