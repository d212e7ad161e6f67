package client_test

import (
	"strings"
	"testing"
)

// TestSeedOfOrganisations fills an exchange that organisations share, twice.
func TestSeedOfOrganisations(t *testing.T) {
	t.Parallel()
	s := newShell(t, "EXCHANGE_ORG_CLAIM=org")
	first := s.run(t, "seed", "--organisations", "--size", "7")
	first.want(t, 0, "insurer shares ", "broker shares ", "coverholder shares ", "insurer (read, claims, premium)")
	// count returns how many records of a resource an organisation sees.
	count := func(organisation, resource string) int {
		return len(s.run(t, "list", resource, "--org", organisation, "-o", "json").want(t, 0).lines())
	}
	alone := count("stranger", "motorCoverage")
	counts := map[string]int{}
	for _, of := range []string{"insurer", "broker", "coverholder"} {
		for _, resource := range []string{"motorCoverage", "claim", "receipt"} {
			counts[of+" "+resource] = count(of, resource)
		}
	}
	if alone != 0 || counts["insurer receipt"] <= counts["coverholder receipt"] {
		t.Errorf("a stranger sees %d, and they see %v", alone, counts)
	}
	again := s.run(t, "seed", "--organisations", "--size", "7").want(t, 0)
	for _, line := range lines(again.stdout) {
		if strings.Contains(line, " made ") && !strings.Contains(line, " 0 made ") {
			t.Errorf("a second time: %s", line)
		}
	}
	for name, was := range counts {
		organisation, resource, _ := strings.Cut(name, " ")
		if is := count(organisation, resource); is != was {
			t.Errorf("%s: %d, and then %d", name, was, is)
		}
	}
	s.run(t, "seed", "--organisations", "--token", "x").want(t, 2, "leave out any other token")
	s.run(t, "seed", "--organisations", "--org", "insurer").want(t, 2, "leave out any other token")
	sole := newShell(t)
	sole.run(t, "seed", "--organisations").want(t, 1, "Organisations do not share this exchange")
}
