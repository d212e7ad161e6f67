package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/wait"
)

// TestOrganisationsOverSeparateProcesses has two organisations work with an exchange whose services call each other
// over HTTP: what each refers to is found among its own, and what the exchange makes of it is its own.
func TestOrganisationsOverSeparateProcesses(t *testing.T) {
	t.Parallel()
	e, err := commands.RunComposed(t.TempDir(), trial.Composition{
		Environ: []string{"EXCHANGE_ORG_CLAIM=org", "EXCHANGE_ORG_DEFAULT=acme"},
	})
	trial.EndWith(t, e, err)
	acme, zenith := member(t, e, "acme"), member(t, e, "zenith")
	numbers := map[*trial.Client]string{}
	for _, c := range []*trial.Client{acme, zenith} {
		numbers[c] = policy(t, c).Text("policyNumber")
		c.Create(t, "claim", loss(numbers[c], -2))
		c.Create(t, "receipt", receipt(numbers[c], 700))
	}
	for _, of := range []struct{ own, other *trial.Client }{{acme, zenith}, {zenith, acme}} {
		number, foreign := numbers[of.own], numbers[of.other]
		wait.Until(t, func() error {
			rows := of.own.Get(t, "/premiumBordereau?policyNumber="+number).Want(t, http.StatusOK).Records(t)
			if len(rows) != 1 || fmt.Sprint(rows[0]["grossWrittenPremium"]) != "700" {
				return fmt.Errorf("the rows are %v", rows)
			}
			return nil
		})
		for _, resource := range []string{"motorCoverage", "claim", "receipt", "premiumBordereau"} {
			if own := of.own.Get(t, "/"+resource).Want(t, http.StatusOK).Records(t); len(own) != 1 {
				t.Errorf("%s: %d records, want one", resource, len(own))
			}
		}
		for _, path := range []string{"/x/policy/" + foreign, "/x/policy/POL-00000-00000-0"} {
			of.own.Get(t, path).Want(t, http.StatusNotFound)
		}
		of.own.Post(t, "/claim", loss(foreign, -2)).Want(t, http.StatusNotFound)
		of.own.Post(t, "/receipt", receipt(foreign, 1)).Want(t, http.StatusNotFound)
		wait.Until(t, func() error {
			events := string(of.own.Get(t, "/x/events?limit=200").Want(t, http.StatusOK).Body)
			switch {
			case strings.Contains(events, foreign):
				t.Fatalf("the feed has %s: %s", foreign, events)
			case strings.Count(events, number) < 4:
				return fmt.Errorf("the feed is %s", events)
			}
			return nil
		})
	}
	sharedOverProcesses(t, acme, zenith, numbers[acme])
	withoutCoverage(t, e, acme, numbers[acme], numbers[zenith])
}

// withoutCoverage reads policies while coverage is away. An own one is shown by what lies under it; that of another
// organisation is like one that never was.
func withoutCoverage(t *testing.T, e *trial.Exchange, c *trial.Client, own, foreign string) {
	t.Helper()
	if err := e.Kill("coverage"); err != nil {
		t.Fatal(err)
	}
	const random, id = "POL-00000-00000-0", "the-same"
	for _, part := range []string{"", "?part=claims", "?part=renewalsAfter"} {
		var bodies []string
		for _, number := range []string{foreign, random} {
			path := "/x/policy/" + number + part
			a := c.Get(t, path, "X-Request-Id", id).Want(t, http.StatusServiceUnavailable)
			bodies = append(bodies, strings.ReplaceAll(string(a.Body), number, random))
		}
		if bodies[0] != bodies[1] {
			t.Errorf("of another organisation %s, of nobody %s", bodies[0], bodies[1])
		}
	}
	shown := c.Read(t, "/x/policy/"+own)
	if missing := fmt.Sprint(shown["unavailable"]); !strings.Contains(missing, "coverage") || shown["claims"] == nil {
		t.Errorf("the own policy is %v", shown)
	}
}

// sharedOverProcesses shares a policy between services in processes of their own, and ends that.
func sharedOverProcesses(t *testing.T, owner, other *trial.Client, number string) {
	t.Helper()
	share := func(participants ...trial.Record) {
		t.Helper()
		body := trial.Record{"participants": append([]trial.Record{}, participants...)}
		owner.Put(t, "/x/access/"+number, body).Want(t, http.StatusOK)
	}
	lists := []string{"/motorCoverage", "/claim", "/receipt", "/premiumBordereau"}
	for _, rights := range [][]string{{"read"}, {"read", "claims", "premium"}} {
		share(trial.Record{"organisation": "zenith", "rights": rights})
		for _, list := range lists {
			if got := string(other.Get(t, list).Want(t, http.StatusOK).Body); !strings.Contains(got, number) {
				t.Errorf("%s with %v: %s", list, rights, got)
			}
		}
		status := http.StatusForbidden
		if len(rights) > 1 {
			status = http.StatusCreated
		}
		other.Post(t, "/claim", loss(number, -2)).Want(t, status)
		other.Post(t, "/receipt", receipt(number, 3)).Want(t, status)
	}
	renewedOverProcesses(t, owner, other, number)
	share()
	for _, list := range lists {
		if got := string(other.Get(t, list).Want(t, http.StatusOK).Body); strings.Contains(got, number) {
			t.Errorf("%s after the sharing has ended: %s", list, got)
		}
	}
	other.Get(t, "/x/policy/"+number).Want(t, http.StatusNotFound)
	other.Post(t, "/claim", loss(number, -2)).Want(t, http.StatusNotFound)
	other.Post(t, "/receipt", receipt(number, 3)).Want(t, http.StatusNotFound)
}

// renewedOverProcesses renews a policy with its participants, who see what is under the renewal in each service.
func renewedOverProcesses(t *testing.T, owner, other *trial.Client, number string) {
	t.Helper()
	path := owner.Read(t, "/x/policy/"+number)["coverage"].(map[string]any)["link"].(string) + ":renew"
	keeps := trial.Record{"keepParticipants": true}
	renewed := owner.Post(t, path, keeps, "Idempotency-Key", "keeps").Want(t, http.StatusCreated).Record(t)
	owner.Post(t, path, keeps, "Idempotency-Key", "keeps").Want(t, http.StatusOK)
	next := renewed.Text("policyNumber")
	other.Get(t, "/x/policy/"+next).Want(t, http.StatusOK)
	other.Post(t, "/receipt", receipt(next, 3)).Want(t, http.StatusCreated)
	owner.Create(t, "claimsBordereau", trial.Record{"policyNumber": next})
	if got := other.Get(t, "/claimsBordereau?policyNumber="+next).Want(t, http.StatusOK).Records(t); len(got) != 1 {
		t.Errorf("the rows of the renewal are %v", got)
	}
}
