package allinone

import (
	"encoding/json"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/pkg/wait"
)

// preparesDeal prepares the period of the contract and returns the body that names the digest of the version.
func (m *member) preparesDeal() (digest string) {
	m.t.Helper()
	prepared := m.want(201, "POST", reportedPeriod+":prepare", `{"type":"nil"}`)
	return `{"digest":"` + prepared.named("digest") + `"}`
}

// deals returns the types of the events of a feed that are about the contract, in order.
func deals(text string) (types []string) {
	for line := range strings.Lines(text) {
		var event struct{ Type, Source string }
		if json.Unmarshal([]byte(line), &event) == nil && strings.Contains(event.Source, "/DEAL-26/") {
			types = append(types, event.Type)
		}
	}
	return types
}

// TestTheFeedOfACounterparty reads the events of the desk as the counterparty of a contract, while it is that. Events
// of a comparison with somebody's file are the owner's alone.
func TestTheFeedOfACounterparty(t *testing.T) {
	s := runShared(t)
	acme, zenith, orion := s.as("acme"), s.as("zenith"), s.as("orion")
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	acme.writeExamples(all)
	acme.putsDeal("zenith")
	_, from := zenith.feed("", "")
	digest := acme.preparesDeal()
	acme.want(200, "POST", reportedPeriod+"/versions/1:approve", digest)
	zenith.want(200, "POST", reportedPeriod+"/versions/1:acknowledge", digest)
	const want = "exchange.bordereau.approved exchange.bordereau.acknowledged"
	// What was asked for a moment before at a place of the feed may be said again for some milliseconds.
	awaits := func(who *member, after, types, want string) (text string) {
		t.Helper()
		var got []string
		wait.For(t, "the events of the contract", func() bool {
			text, _ = who.feed(after, types)
			got = deals(text)
			return len(got) >= len(strings.Fields(want))
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %v, want %s", who.organisation, got, want)
		}
		return text
	}
	const bordereaux = "&type=exchange.bordereau.*"
	awaits(acme, "", bordereaux, "exchange.bordereau.prepared "+want)
	awaits(zenith, "", bordereaux, want)
	if text := awaits(zenith, from, "", want); strings.Contains(text, "acme") {
		t.Errorf("the counterparty reads %s", text)
	}
	if text, _ := orion.feed("", ""); len(deals(text)) > 0 {
		t.Errorf("another organisation reads %s", text)
	}
	// What it is shown the path of, it reads.
	zenith.want(200, "GET", reportedPeriod+"/versions/1", "")

	// A contract of its own that has the reference changes nothing.
	zenith.putsDeal("orion")
	if text, _ := zenith.feed(from, ""); strings.Join(deals(text), " ") != want {
		t.Errorf("with a contract of its own: %s", text)
	}
	acme.putsDeal("orion")
	if text, _ := zenith.feed("", ""); len(deals(text)) > 0 {
		t.Errorf("once it is not the counterparty: %s", text)
	}
	awaits(orion, "", bordereaux, want)
	acme.putsDeal(`orion","preview":true,"section":"1`)
	awaits(orion, "", bordereaux, "exchange.bordereau.prepared "+want)
}

// TestTheWebhookOfACounterparty has the webhook of a counterparty send events of a contract, until the first of them
// arrives and the contract names it no longer. What was read with it is not sent any more.
func TestTheWebhookOfACounterparty(t *testing.T) {
	s := runShared(t, "--webhook-private-addresses")
	acme, zenith := s.as("acme"), s.as("zenith")
	from := zenith.want(200, "GET", "/x/events?after=now", "").named("next")
	acme.putsDeal(`zenith","preview":true,"section":"1`)
	acme.want(200, "POST", reportedPeriod+"/versions/1:approve", acme.preparesDeal())
	wait.For(t, "the events of the owner", func() bool {
		text, _ := acme.feed("", "")
		return len(deals(text)) == 2
	})
	sent := zenith.sendsUntil(from, func(e sentEvent) bool {
		return strings.HasPrefix(e.Type, "exchange.bordereau.")
	}, func() {
		body := `{` + reportedTerms + `,"counterparty":"orion"}`
		if put := acme.send("PUT", reportedContract, body, nil); put.status != 200 {
			t.Errorf("%d %s", put.status, put.body)
		}
	})
	if strings.Count(sent, "exchange.bordereau.") != 1 {
		t.Errorf("sent were %s", sent)
	}
}
