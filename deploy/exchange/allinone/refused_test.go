package allinone

import (
	"fmt"
	"strings"
	"testing"
)

// TestRefusedShares refuses what an organisation shares, which hides it everywhere, and tells the other one nothing.
func TestRefusedShares(t *testing.T) {
	s := runShared(t)
	b, other := newHolding(t, s, "acme"), newHolding(t, s, "vega")
	zenith := s.as("zenith")
	const refused = "/x/access/refused/acme"
	zenith.want(404, "GET", refused, "")
	zenith.want(404, "DELETE", refused, "")
	b.share("zenith:read,claims,premium")
	other.share("zenith:read")
	list := b.owner.want(200, "GET", "/x/access/"+b.policyNumber, "")
	if got := zenith.want(200, "PUT", refused, ""); got.named("organisation") != "acme" || got.named("setBy") != "ada" {
		t.Error(got.body)
	}
	b.unseen(t, zenith)
	other.seen(t, zenith)
	b.seen(t, b.owner)
	if got := zenith.want(404, "POST", "/claim", b.claimBody()); got.named("type") != "/problems/policy-not-found" {
		t.Error(got.body)
	}
	zenith.want(404, "POST", "/receipt", b.receiptBody())
	events, _ := zenith.feed("", "")
	if strings.Contains(events, b.policyNumber) || !strings.Contains(events, other.policyNumber) {
		t.Errorf("the feed has %s", events)
	}
	if got := b.owner.want(200, "GET", "/x/access/"+b.policyNumber, ""); got.body != list.body {
		t.Errorf("the sharer reads %s, and before %s", got.body, list.body)
	}
	b.share()
	b.share("zenith:read") // what is shared later is refused, too
	b.unseen(t, zenith)
	zenith.want(200, "GET", refused, "")
	b.owner.want(404, "GET", "/x/access/refused/zenith", "")
	zenith.want(200, "DELETE", refused, "")
	zenith.want(404, "GET", refused, "")
	b.seen(t, zenith)
	for _, name := range []string{"zenith", "no%20name", strings.Repeat("a", 65)} {
		zenith.want(400, "PUT", "/x/access/refused/"+name, "")
	}
}

// TestRefusalsAreBounded refuses one organisation more than one may.
func TestRefusalsAreBounded(t *testing.T) {
	s := runShared(t)
	zenith := s.as("zenith")
	path := func(i int) string { return fmt.Sprintf("/x/access/refused/o%d", i) }
	for i := range 256 {
		zenith.want(200, "PUT", path(i), "")
	}
	const full = "/problems/too-many-refusals"
	if got := zenith.want(409, "PUT", path(256), ""); got.named("type") != full {
		t.Error(got.body)
	}
	zenith.want(404, "GET", path(256), "")
	zenith.want(200, "PUT", path(7), "")
	s.as("vega").want(200, "PUT", path(256), "")
	zenith.want(200, "DELETE", path(7), "")
	zenith.want(200, "PUT", path(256), "")
	zenith.want(409, "PUT", path(7), "")
}
