package allinone

import (
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/examples"
	sharing "insurance.example/exchange/pkg/docstore/shared"
)

// TestTurningOrganisationsOn: the records from before belong to one organisation, at once and for good. What would show
// them to others does not start.
func TestTurningOrganisationsOn(t *testing.T) {
	data := t.TempDir()
	starts := func(args ...string) (*shared, func()) {
		t.Helper()
		return runOn(t, data, args...)
	}
	refused := func(want error, args ...string) {
		t.Helper()
		wantWords(t, refusal(t, append([]string{"--data", data}, args...)...), want.Error())
	}
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	on, acmes := []string{"--org-claim", "org"}, []string{"--org-claim", "org", "--org-default", "acme"}
	s, stop := starts()
	issued := s.as("").writeExamples(all)
	stop()

	refused(sharing.ErrUnowned, on...)
	s, stop = starts(acmes...)
	acme, zenith := s.as("acme"), s.as("zenith")
	wantWords(t, acme.must(200, "GET", "/docs/start", ""), "exchange token --data ", " --org acme")
	if got := s.as("").send("GET", "/vehicle", "", nil); got.status != http.StatusUnauthorized {
		t.Errorf("a token without an organisation: %d %s", got.status, got.body)
	}
	for example, id := range issued {
		if strings.HasPrefix(example, "POL") {
			acme.must(200, "GET", "/x/policy/"+id, "")
			zenith.must(404, "GET", "/x/policy/"+id, "")
		}
	}
	motor := `"policyNumber":"` + issued["POL-EXAMPLE-MOTOR"] + `"`
	acme.awaitEvent("", motor)
	if got := zenith.must(200, "GET", "/x/events?limit=200", ""); strings.Contains(got, motor) {
		t.Errorf("another organisation reads %s", got)
	}
	if got := acme.must(200, "GET", "/personal", ""); !strings.Contains(got, "X1234567") {
		t.Errorf("the owner does not see %s", got)
	}
	if got := zenith.must(200, "GET", "/personal", ""); got != "[]" {
		t.Errorf("another organisation sees %s", got)
	}
	stop()

	// As long as no other has a record, it can be turned off.
	s, stop = starts()
	s.as("").must(200, "GET", "/x/events?limit=200", "")
	stop()
	refused(sharing.ErrSettled, "--org-claim", "org", "--org-default", "zenith")
	s, stop = starts(on...)
	s.as("zenith").writeExamples(all) // with the identity numbers that the records from before have
	if got := s.as("acme").must(200, "GET", "/personal", ""); strings.Count(got, "X1234567") != 1 {
		t.Errorf("the owner sees %s", got)
	}
	stop()

	refused(sharing.ErrOwned)
	refused(sharing.ErrSettled, "--org-claim", "org", "--org-default", "zenith")
	_, stop = starts(acmes...)
	stop()
}
