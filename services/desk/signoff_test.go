package desk_test

import (
	"strings"
	"testing"
)

// TestOnePersonDoesNotSwitchTwoOff has a preparer set the contract to one person and back. What two protect, two sign
// off, until a version is approved under the new rule.
func TestOnePersonDoesNotSwitchTwoOff(t *testing.T) {
	w, s := atNovember(t)
	persons := func(how string) {
		t.Helper()
		s.Must(200, "PUT", "/x/contract/C", strings.Replace(`{`+sterling+`,"signOff":"`+how+`"}`, `2026-01"`, `2026-11"`, 1),
			caller, "anna")
	}
	approve := func(status int, period, who string) {
		t.Helper()
		at := "/x/bordereau/C/premium/" + period + "/versions/1"
		digest := s.Must(200, "GET", at, "").Member("digest")
		a := s.Must(status, "POST", at+":approve", `{"digest":"`+digest+`"}`, caller, who)
		if status == 409 && a.Member("type") != "/problems/same-person" {
			t.Errorf("%s as %s: %s", period, who, a.Text)
		}
	}
	months := []string{"2026-11", "2026-12", "2027-01", "2027-02"}
	prepare := func(n int, who string) {
		t.Helper()
		s.Must(201, "POST", "/x/bordereau/C/premium/"+months[n]+":prepare", `{"type":"nil"}`, caller, who)
	}
	w.until(t, "2027-03-01T00:01:00Z")
	// With a version pending, with none, and with the rule set back.
	prepare(0, "anna")
	persons("one")
	approve(409, months[0], "anna")
	persons("two")
	approve(409, months[0], "anna")
	persons("one")
	approve(409, months[0], "anna")
	approve(200, months[0], "bob")
	// Two have signed off the version after which one is enough.
	prepare(1, "anna")
	approve(200, months[1], "anna")
	// Two for an instant is two until the next version.
	persons("two")
	persons("one")
	prepare(2, "anna")
	approve(409, months[2], "anna")
	approve(200, months[2], "bob")
	prepare(3, "anna")
	approve(200, months[3], "anna")
}

// TestAContractMadeForOnePersonIsForOne has one person do all under a contract that never asked for two.
func TestAContractMadeForOnePersonIsForOne(t *testing.T) {
	w, s := atNovember(t)
	s.Must(200, "PUT", "/x/contract/D", strings.NewReplacer(`2026-01"`, `2026-11"`, "motorCoverage", "petCoverage").
		Replace(`{`+sterling+`,"signOff":"one"}`), caller, "anna")
	w.until(t, "2026-12-01T00:01:00Z")
	v := s.Must(201, "POST", "/x/bordereau/D/premium/2026-11:prepare", `{"type":"nil"}`, caller, "anna")
	s.Must(200, "POST", "/x/bordereau/D/premium/2026-11/versions/1:approve", `{"digest":"`+v.Member("digest")+`"}`,
		caller, "anna")
}
