package allinone

import (
	"strings"
	"testing"
)

// TestARenewalKeepsTheParticipants renews a policy that is shared, with its access list and without.
func TestARenewalKeepsTheParticipants(t *testing.T) {
	s := runShared(t)
	b := newHolding(t, s, "acme")
	zenith := s.as("zenith")
	renew := b.policyPath + ":renew"
	const keeps = `{"keepParticipants":true}`
	seen := func(policyNumber string) int {
		return zenith.send("GET", "/x/policy/"+policyNumber, "", nil).status
	}
	// Nothing is shared yet.
	none := b.owner.want(201, "POST", renew, keeps, "Idempotency-Key", "none")
	b.share("zenith:read,claims,premium", "orion:read")
	without := b.owner.want(201, "POST", renew, "")
	denied := b.owner.want(201, "POST", renew, `{"keepParticipants":false}`)
	for _, made := range []answer{none, without, denied} {
		if got := seen(made.named("policyNumber")); got != 404 {
			t.Errorf("a renewal that keeps nobody: %d", got)
		}
	}
	unkeyed := b.owner.want(400, "POST", renew, keeps)
	if !strings.Contains(unkeyed.body, "Idempotency-Key") {
		t.Error(unkeyed.body)
	}
	wrong := b.owner.want(400, "POST", renew, `{"keepParticipants":"yes"}`, "Idempotency-Key", "wrong")
	if !strings.Contains(wrong.body, `"/keepParticipants"`) {
		t.Error(wrong.body)
	}
	if got := zenith.want(403, "POST", renew, keeps, "Idempotency-Key", "z"); got.named("right") != "owner" {
		t.Error(got.body)
	}
	made := b.owner.want(201, "POST", renew, keeps, "Idempotency-Key", "k1")
	number := made.named("policyNumber")
	if strings.Contains(made.body, "keepParticipants") || made.header.Get("X-Exchange-Keeps") != "" {
		t.Error(made.header, made.body)
	}
	was := b.owner.want(200, "GET", "/x/access/"+b.policyNumber, "")
	list := b.owner.want(200, "GET", "/x/access/"+number, "")
	if participantsIn(was) != participantsIn(list) || strings.Contains(list.body, "unfinished") ||
		list.header.Get("ETag") != `"1"` || list.named("setBy") != "ada" {
		t.Error(was.body, list.body)
	}
	// Each service has it: coverage, premium and claims.
	if got := seen(number); got != 200 {
		t.Errorf("the renewal: %d", got)
	}
	zenith.want(201, "POST", "/receipt",
		`{"policyNumber":"`+number+`","receiptType":"policy renewal","paymentAmount":5}`)
	b.owner.want(201, "POST", "/claimsBordereau", `{"policyNumber":"`+number+`"}`)
	if got := zenith.list("/claimsBordereau?policyNumber=" + number); len(got) != 1 {
		t.Error(got)
	}
	// A repetition changes nothing, also once the owner has ended the sharing of the renewal.
	again := b.owner.want(200, "POST", renew, keeps, "Idempotency-Key", "k1")
	if again.named("id") != made.named("id") {
		t.Error(again.body)
	}
	b.owner.want(200, "PUT", "/x/access/"+number, participants(), "If-Match", `"1"`)
	b.owner.want(200, "POST", renew, keeps, "Idempotency-Key", "k1")
	if got := seen(number); got != 404 {
		t.Errorf("a repetition shares the renewal again: %d", got)
	}
}

// participantsIn returns the participants of a response as it has them.
func participantsIn(list answer) string {
	_, rest, _ := strings.Cut(list.body, `"participants":`)
	text, _, _ := strings.Cut(rest, "]}]")
	return text
}
