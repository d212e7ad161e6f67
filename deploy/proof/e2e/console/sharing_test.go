package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"insurance.example/exchange/deploy/proof/e2e/trial"
)

// together is an exchange that organisations share, with a policy of acme.
type together struct {
	*trial.Exchange
	acme, zenith *trial.Client
	number       string
}

func shared(t *testing.T, name string) together {
	t.Helper()
	e := run(t, "EXCHANGE_TEST_CLOCK="+today, "EXCHANGE_CURRENCY=EUR", "EXCHANGE_AMOUNT_UNIT=major",
		"EXCHANGE_ORG_CLAIM=org", "EXCHANGE_ORG_DEFAULT=acme")
	s := together{Exchange: e}
	s.acme, s.zenith = s.member(t, "acme", trial.Admin), s.member(t, "zenith", trial.Admin)
	s.number = policy(t, s.acme, name).Text("policyNumber")
	return s
}

// member returns a client of a person of an organisation, who reads and has more scopes.
func (s together) member(t *testing.T, organisation string, more ...string) *trial.Client {
	t.Helper()
	c, err := s.Member(organisation, "ada-"+organisation, append(more, trial.Developer)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// screen opens the policy as somebody.
func (s together) screen(t *testing.T, as *trial.Client) *tab {
	t.Helper()
	return openAs(t, s.Exchange, as, "/policy/"+s.number)
}

// share changes the list without the console. with are an organisation and its rights each, such as "orion read".
func (s together) share(t *testing.T, with ...string) {
	t.Helper()
	participants := []trial.Record{}
	for _, one := range with {
		words := strings.Fields(one)
		participants = append(participants, trial.Record{"organisation": words[0], "rights": words[1:]})
	}
	s.acme.Put(t, "/x/access/"+s.number, trial.Record{"participants": participants}).Want(t, http.StatusOK)
}

// wants compares the list with what it should be, written as for share, and returns its version.
func (s together) wants(t *testing.T, with ...string) (version string) {
	t.Helper()
	list := s.acme.Read(t, "/x/access/"+s.number)
	got := []string{}
	for _, one := range list["participants"].([]any) {
		entry := one.(map[string]any)
		words := []string{entry["organisation"].(string)}
		for _, right := range entry["rights"].([]any) {
			words = append(words, right.(string))
		}
		got = append(got, strings.Join(words, " "))
	}
	if !slices.Equal(got, with) {
		t.Errorf("the list is %q, not %q", got, with)
	}
	return fmt.Sprint(list["version"])
}

// participant is where the fields of the nth participant of the form are, from 0.
func participant(n int) string {
	return fmt.Sprintf("form[data-form=share] fieldset[data-participant]:nth-of-type(%d) ", n+1)
}

// names gives the nth participant of the form a name and toggles rights.
func (p *tab) names(n int, organisation string, rights ...string) {
	p.Helper()
	field := participant(n) + "[name='/organisation']"
	p.becomes("Boolean(document.querySelector(" + quoted(field) + "))")
	p.eval("{ const e = document.querySelector("+quoted(field)+"); e.value = "+quoted(organisation)+
		"; e.dispatchEvent(new Event('input', { bubbles: true })); }", nil)
	for _, right := range rights {
		p.click(participant(n) + "[name='/rights'][value=" + right + "]")
	}
}

// TestAPolicyIsShared shares a policy after refusals at their fields. The participant sees its own entry, and what its
// rights open; once the sharing has ended, the policy is unknown to it.
func TestAPolicyIsShared(t *testing.T) {
	t.Parallel()
	s := shared(t, "Sharer")
	p := s.screen(t, s.acme)
	p.sees("[data-part=sharing]", "No other organisation sees this policy.")
	p.click("[data-action=share]")
	p.lacks("share", "/organisation", "/rights")
	p.names(0, "acme", "claims")
	p.send("share")
	p.sees(participant(0)+".field:nth-child(1) .said", "is the owner of the policy, which has all rights")
	p.sees(participant(0)+".field:nth-child(2) .said", "must have read")
	p.becomes("document.activeElement.matches('[name=\"/organisation\"][aria-invalid=true]')")
	p.names(0, "zenith", "read")
	p.click("form[data-form=share] [data-add]")
	p.names(1, "<img src=x onerror=window.ran=1>", "read", "premium")
	p.send("share")
	p.sees(participant(1)+".field:nth-child(1) .said", "is no name of an organisation")
	p.harmless("a name that is none")
	p.names(1, "orion")
	p.accessible("the form that shares")
	p.send("share")
	p.sees("[data-part=sharing]", "zenith", "sees it, reports and settles claims", "orion", "by ada-acme")
	s.wants(t, "orion read premium", "zenith read claims")

	other := s.screen(t, s.zenith)
	other.sees("[data-part=sharing]", "Shared with you", "zenith", "sees it, reports and settles claims")
	other.sees("[data-part=policyholder]", "Grace Sharer")
	if shown := strings.Join(other.texts("main"), ""); strings.Contains(shown, "orion") ||
		strings.Contains(shown, "EX SHARER") {
		t.Errorf("a participant sees more than what is shared: %s", shown)
	}
	if got := other.texts("[data-action]"); !slices.Equal(got, []string{"Report a claim"}) {
		t.Errorf("a participant with the right claims has the buttons %q", got)
	}
	if n := other.count("main a[href^='#/record/']"); n > 0 {
		t.Errorf("%d links lead a participant to what is the owner's alone", n)
	}
	other.click("[data-action=add-claim]")
	other.fill("new-claim", "/lossDate", "2026-03-01T08:30:00")
	other.fill("new-claim", "/claimType", "own property damage")
	other.fill("new-claim", "/lossCause", "hail")
	other.send("new-claim")
	other.sees("section", "CLM-")

	s.share(t, "zenith read")
	other.click("section tbody a[href^='#/claim/']")
	other.sees("[data-part=record]", "hail")
	if n := other.count("[data-action]"); n > 0 {
		t.Errorf("a participant that only reads has %d controls that write", n)
	}
	reader := s.screen(t, s.member(t, "acme"))
	reader.sees("[data-part=sharing]", "zenith")
	if n := reader.count("[data-action]"); n > 0 {
		t.Errorf("a reader of the owner has %d controls that write", n)
	}

	p.turn("/today")
	p.turn("/policy/" + s.number)
	p.click("[data-action=share]")
	p.click(participant(0) + "[data-remove]")
	p.send("share")
	p.sees("[data-part=sharing]", "No other organisation sees this policy.")
	s.wants(t)
	other.turn("/policy/" + s.number)
	other.sees("main [role=alert]", "No policy has this policyNumber.")
}

// TestTwoPersonsShareAPolicy sees that the second of two who change an access list is shown what the first changed, and
// keeps it: what a person has left alone stays as the other one has set it.
func TestTwoPersonsShareAPolicy(t *testing.T) {
	t.Parallel()
	s := shared(t, "Both")
	s.share(t, "orion read", "vega read", "zenith read")
	p := s.screen(t, s.acme)
	p.click("[data-action=share]")
	p.names(2, "zenith", "premium")
	p.click(participant(0) + "[data-remove]")
	p.click("form[data-form=share] [data-add]")
	p.names(2, "lyra", "read")
	// Meanwhile another person adds one, gives one a right, and ends the sharing with nobody that this person touched.
	s.share(t, "atlas read claims", "orion read", "vega read claims", "zenith read")
	p.send("share")
	p.sees("form[data-form=share] .outcome", "the record has changed", "Somebody has changed the record", "atlas")
	s.wants(t, "atlas read claims", "orion read", "vega read claims", "zenith read")
	p.becomes("document.querySelectorAll('form[data-form=share] fieldset[data-participant]').length === 4")
	p.send("share")
	p.sees("[data-part=sharing]", "lyra")
	s.wants(t, "atlas read claims", "lyra read", "vega read claims", "zenith read premium")
}

// TestSharingIsNotLost loses the response to a change that was made. Sent again, it is recognised as made.
func TestSharingIsNotLost(t *testing.T) {
	t.Parallel()
	s := shared(t, "Lost")
	p := s.screen(t, s.acme)
	p.click("[data-action=share]")
	p.names(0, "zenith", "read", "premium")
	pass := p.intercept("*/x/access/*", fetch.RequestStageResponse,
		func(ctx context.Context, id fetch.RequestID) error {
			return fetch.FailRequest(id, network.ErrorReasonConnectionReset).Do(ctx)
		})
	p.send("share")
	p.sees("form .outcome", "The exchange does not respond.", "nothing is done twice")
	pass()
	p.send("share")
	p.sees("[data-part=sharing]", "zenith", "records receipts")
	p.gone("form[data-form=share]")
	if version := s.wants(t, "zenith read premium"); version != "1" {
		t.Errorf("the list was changed %s times", version)
	}
}

// TestNothingOfSharingIsShown opens a policy of an exchange that organisations do not share: there is nothing about
// sharing, and no request about it.
func TestNothingOfSharingIsShown(t *testing.T) {
	t.Parallel()
	_, _, p := openPolicy(t, book, "Alone")
	p.sees("[data-part=record]", "EUR 1,234.00")
	p.sees("[data-part=timeline] [data-version='1']")
	p.click("[data-action=renew]")
	p.sees("form[data-form=renew] h2")
	if n := p.count("[data-part=sharing], [data-action=share], [name='/keepParticipants']"); n > 0 {
		t.Errorf("%d elements are about sharing", n)
	}
	p.becomes("performance.getEntriesByType('resource').some((e) => e.name.endsWith('/x/about'))")
	p.becomes("!performance.getEntriesByType('resource').some((e) => e.name.includes('/x/access/'))")
}
