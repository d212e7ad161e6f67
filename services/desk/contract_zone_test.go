package desk_test

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/servicetest"
)

// ofYear are the terms of a contract of a year in a zone.
func ofYear(year int, zone string) string {
	return fmt.Sprintf(`{"uniqueMarketReference":"B0001","coverholderName":"Alder","inception":"%d-01-01",
		"expiry":"%d-01-01","lines":["motorCoverage"],"amountUnit":"major","currency":"EUR","frequency":"month",
		"firstPeriod":"2026-11","timeZone":%q}`, year, year+1, zone)
}

// owners returns which contracts have the receipt of each policy in the live lines of a month, by policy.
func owners(s *servicetest.Service, month string, contracts ...string) map[string]string {
	found := map[string]string{}
	for _, reference := range contracts {
		lines := s.Must(200, "GET", "/x/bordereau/"+reference+"/premium/"+month+"/lines", "")
		for _, line := range lines.Body["lines"].([]any) {
			found[line.(map[string]any)["policyNumber"].(string)] += reference
		}
	}
	return found
}

// TestAContractHasTheDaysOfItsZone has policies that begin about the turn of a year, under contracts of years whose
// windows meet on a day. Where only their zones overlap, the one that begins later takes the policy; in a gap it is
// unassigned.
func TestAContractHasTheDaysOfItsZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, after string
		belongs       map[string]string
	}{
		{"Europe/Paris", "Europe/Paris", map[string]string{
			"2027-01-01T00:00:00+01:00": "B", "2026-12-31T23:59:59+01:00": "A", "2028-01-01T00:00:00+01:00": "",
		}},
		{"Australia/Sydney", "Australia/Sydney", map[string]string{
			"2027-01-01T00:00:00+11:00": "B", "2026-12-31T23:59:59+11:00": "A", "2026-01-01T00:00:00+11:00": "A",
		}},
		{"UTC", "UTC", map[string]string{"2027-01-01T00:00:00+01:00": "A", "2027-01-01T00:00:00Z": "B"}},
		{"America/New_York", "Europe/Paris", map[string]string{
			"2026-12-31T22:59:59Z": "A", "2026-12-31T23:00:00Z": "B", "2027-01-01T04:59:59Z": "B",
		}},
		{"Europe/Paris", "America/New_York", map[string]string{
			"2026-12-31T22:59:59Z": "A", "2026-12-31T23:00:00Z": "", "2027-01-01T04:59:59Z": "",
			"2027-01-01T05:00:00Z": "B",
		}},
	} {
		for _, order := range [][2]string{{"A", "B"}, {"B", "A"}} {
			w := newWorld(t, "2026-11-10T12:00:00Z")
			s := w.start()
			for _, reference := range order {
				terms := ofYear(2026, c.before)
				if reference == "B" {
					terms = ofYear(2027, c.after)
				}
				s.Must(200, "PUT", "/x/contract/"+reference, terms)
			}
			for begins := range c.belongs {
				w.policies[begins] = policy{"motorCoverage", begins, "Ann Lee", "in force"}
				w.record(begins, "new policy", 100, "")
			}
			has := owners(s, "2026-11", "A", "B")
			unassigned := s.Must(200, "GET", "/x/bordereau/unassigned", "").Text
			for begins, want := range c.belongs {
				if has[begins] != want || strings.Contains(unassigned, begins) != (want == "") {
					t.Errorf("%s, %s: what begins at %s belongs to %q, want %q: %s", c.before, c.after, begins,
						has[begins], want, unassigned)
				}
			}
		}
	}
}

// TestWhatIsReportedStaysWhereItIs makes a contract that would take a policy which another one has reported, because
// its zone is ahead of the other one's.
func TestWhatIsReportedStaysWhereItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "2026-11-10T12:00:00Z")
	s := w.startOn(store)
	s.Must(200, "PUT", "/x/contract/A", ofYear(2026, "America/New_York"))
	w.policies["P"] = policy{"motorCoverage", "2026-12-31T23:30:00Z", "Ann Lee", "in force"}
	w.policies["Q"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	w.record("P", "new policy", 100, "")
	w.record("Q", "new policy", 100, "")
	w.until(t, "2026-12-01T05:01:00Z")
	const month = "/x/bordereau/A/premium/2026-11"
	s.Must(201, "POST", month+":prepare", `{"type":"original"}`, caller, "anna")
	if a := s.Must(409, "PUT", "/x/contract/B", ofYear(2027, "Europe/Paris")); a.Member("contract") != "A" ||
		a.Member("type") != "/problems/contract-in-use" {
		t.Error(a.Text)
	}
	// Nothing is left of what was refused.
	s.Must(404, "GET", "/x/contract/B", "")
	if has := owners(s, "2026-11", "A"); has["P"] != "A" || has["Q"] != "A" {
		t.Error(has)
	}
	s.Must(200, "PUT", "/x/contract/B", ofYear(2027, "America/New_York"))
	s.Must(409, "PUT", "/x/contract/B", ofYear(2027, "Europe/Paris"))
	s.Must(200, "POST", month+"/versions/1:reject", `{"reason":"wrong"}`, caller, "bob")
	s.Must(200, "PUT", "/x/contract/B", ofYear(2027, "Europe/Paris"))
	if has := owners(s, "2026-11", "A", "B"); has["P"] != "B" || has["Q"] != "A" {
		t.Error(has)
	}
	signedOff(s, month, "original")
	w.record("P", "mid term adjustment", 7, "")
	w.record("Q", "mid term adjustment", 7, "")
	w.until(t, "2027-01-01T05:01:00Z")
	signedOff(s, "/x/bordereau/A/premium/2026-12", "original")
	signedOff(s, "/x/bordereau/B/premium/2026-11", "original")
	// B has reported P, so that it goes on taking it.
	if a := s.Must(409, "PUT", "/x/contract/B", ofYear(2027, "America/New_York")); a.Member("type") !=
		"/problems/contract-in-use" {
		t.Error(a.Text)
	}
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if e := w.examine(t, path); len(e.findings) > 0 || e.counts["versions made anew"] != 3 {
		t.Errorf("%v: %v", e.counts, e.findings)
	}
}

// TestAContractHasThePeriodsOfItsZone records receipts and closes a claim about the end of November in New York. A
// receipt is dated by the calendar of its recording, which is a day ahead, and after the term of its policy.
func TestAContractHasThePeriodsOfItsZone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	store, err := sqlitestore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "2026-11-10T12:00:00Z")
	s := w.startOn(store)
	s.Must(200, "PUT", "/x/contract/A", ofYear(2026, "America/New_York"))
	w.policies["P"] = policy{"motorCoverage", "2026-03-02T03:30:00Z", "Ann Lee", "in force"}
	w.ends["P"] = "2026-12-01T04:30:00Z"
	const period = "/x/bordereau/A/premium/2026-11"
	c := w.file("P", 100)
	w.until(t, "2026-12-01T04:59:00Z")
	w.record("P", "new policy", 1, "")
	w.settle(c, 100)
	if a := s.Must(200, "GET", period, ""); a.Member("state") != "open" {
		t.Error(a.Text)
	}
	w.until(t, "2026-12-01T05:00:00Z")
	w.record("P", "mid term adjustment", 2, "")
	if a := s.Must(409, "POST", period+":prepare", `{"type":"original"}`); !strings.Contains(a.Text,
		"from 2026-12-01T05:01:00Z on") {
		t.Error(a.Text)
	}
	w.until(t, "2026-12-01T05:01:00Z")
	signedOff(s, period, "original")
	signedOff(s, claimsOf[:len("/x/bordereau/")]+"A/claims/2026-11", "original")
	lines := s.Must(200, "GET", period+"/versions/1/lines", "")
	if all := lines.Body["lines"].([]any); len(all) != 1 || strings.Contains(lines.Text, `"late"`) {
		t.Error(lines.Text)
	}
	if found, _ := findingsOf(t, s, period); len(found) != 1 || found[0].Code != "date-outside-term" {
		t.Errorf("found %+v", found)
	}
	if a := s.Must(200, "GET", "/x/bordereau/A/claims/2026-11/versions/1/lines", ""); !strings.Contains(a.Text,
		`"closedOn":"2026-11-30"`) || !strings.Contains(a.Text, "Closed this month") {
		t.Error(a.Text)
	}
	rows, err := csv.NewReader(strings.NewReader(s.Must(200, "GET", period+"/versions/1/lines.csv", "").Text)).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	for i, name := range rows[0] {
		want, is := map[string]string{
			"Risk Inception Date": "2026-03-01", "Reporting Period Start Date": "2026-11-01",
			"Reporting Period End Date": "2026-11-30",
		}[name]
		if is && rows[1][i] != want {
			t.Errorf("%s is %s, want %s", name, rows[1][i], want)
		}
	}
	s.Stop()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if e := w.examine(t, path); len(e.findings) > 0 || e.counts["versions made anew"] != 2 {
		t.Errorf("%v: %v", e.counts, e.findings)
	}
}

// TestTheZoneOfAContractStays writes contracts without a zone, in exchanges of several zones. The one that a contract
// got at first stays; a contract from before there were zones is of UTC.
func TestTheZoneOfAContractStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	w := newWorld(t, "2026-11-10T12:00:00Z")
	terms := func(more string) string {
		return `{` + strings.Replace(sterling, `2026-01"`, `2026-11"`, 1) + more + `}`
	}
	run := func(zone string, do func(*servicetest.Service)) {
		t.Helper()
		store, err := sqlitestore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		s := w.startOn(store, "--time-zone", zone)
		do(s)
		s.Stop()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	zoneOf := func(a servicetest.Response) any { return a.Body["contract"].(map[string]any)["timeZone"] }
	pet := func(more string) string { return strings.Replace(terms(more), "motorCoverage", "petCoverage", 1) }
	run("UTC", func(s *servicetest.Service) {
		if a := s.Must(200, "PUT", "/x/contract/C", terms("")); zoneOf(a) != "UTC" {
			t.Error(a.Text)
		}
	})
	if changed, err := sqlitetest.Exec(path,
		`UPDATE contract SET body = json_remove(body, '$.timeZone', '$.quarterBegins')`); err != nil || changed != 1 {
		t.Fatal(changed, err)
	}
	run("Europe/Berlin", func(s *servicetest.Service) {
		if a := s.Must(200, "GET", "/x/contract/C", ""); zoneOf(a) != "UTC" {
			t.Error(a.Text)
		}
		if a := s.Must(200, "PUT", "/x/contract/C", terms(`,"section":"2"`)); zoneOf(a) != "UTC" {
			t.Error(a.Text)
		}
		if a := s.Must(200, "PUT", "/x/contract/D", pet("")); zoneOf(a) != "Europe/Berlin" {
			t.Error(a.Text)
		}
		w.until(t, "2026-12-01T00:01:00Z")
		signedOff(s, "/x/bordereau/D/premium/2026-11", "nil")
	})
	run("America/New_York", func(s *servicetest.Service) {
		if a := s.Must(200, "PUT", "/x/contract/D", pet(`,"section":"2"`)); zoneOf(a) != "Europe/Berlin" ||
			strings.Contains(a.Text, "@") {
			t.Error(a.Text)
		}
		// What is prepared keeps its instants; what is approved keeps its units.
		s.Must(201, "POST", november+":prepare", `{"type":"nil"}`, caller, "anna")
		v := s.Must(200, "GET", november+"/versions/1", "")
		s.Must(200, "PUT", "/x/contract/C", terms(`,"timeZone":"Europe/Berlin"`))
		if a := s.Must(200, "GET", november+"/versions/1", ""); a.Text != v.Text {
			t.Errorf("%s was %s", a.Text, v.Text)
		}
		body := `{"digest":"` + v.Member("digest") + `"}`
		if a := s.Must(409, "POST", november+"/versions/1:approve", body, caller, "bob"); a.Member("type") !=
			"/problems/version-does-not-fit" {
			t.Error(a.Text)
		}
		for _, more := range []string{`,"timeZone":"UTC"`, `,"timeZone":"Europe/Paris"`} {
			if a := s.Must(409, "PUT", "/x/contract/D", pet(more)); a.Member("type") != "/problems/contract-in-use" {
				t.Error(a.Text)
			}
		}
	})
	// A release that knows no zones reads the first period of a contract with one as none, and leaves it alone.
	if changed, err := sqlitetest.Exec(path, `UPDATE contract SET body = body WHERE k_reference = 'D'
		AND json_extract(body, '$.firstPeriod') = '2026-11@Europe/Berlin'`); err != nil || changed != 1 {
		t.Error(changed, err)
	}
}

// TestQuartersFromInception reports quarters that begin with the month of inception.
func TestQuartersFromInception(t *testing.T) {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	w.policies["P"] = policy{"motorCoverage", "2026-05-20T00:00:00Z", "Ann Lee", "in force"}
	s := w.start()
	terms := func(first, begins string) string {
		return `{` + strings.NewReplacer(`"2026-01-01"`, `"2026-05-15"`, `"2027-01-01"`, `"2027-05-15"`, `"month"`,
			`"quarter"`, `"2026-01"`, `"`+first+`"`).Replace(sterling) + `,"quarterBegins":"` + begins + `"}`
	}
	s.Must(400, "PUT", "/x/contract/C", terms("2026-Q2", "inception"))
	s.Must(200, "PUT", "/x/contract/C", terms("2026-05-3M", "inception"))
	w.record("P", "new policy", 100, "")
	w.until(t, "2027-02-01T00:00:00Z")
	w.record("P", "mid term adjustment", 7, "")
	w.until(t, "2027-02-01T00:01:00Z")
	work := s.Must(200, "GET", "/x/bordereau?contract=C&kind=premium&from=2026-07", "")
	var periods []string
	for _, each := range work.Body["periods"].([]any) {
		of := each.(map[string]any)
		periods = append(periods, fmt.Sprint(of["period"], " ", of["due"], " ", of["state"]))
	}
	if got := strings.Join(periods, ", "); got != "2026-05-3M 2026-08-30 overdue, 2026-08-3M 2026-11-30 overdue, "+
		"2026-11-3M 2027-03-02 due, 2027-02-3M 2027-05-30 open" {
		t.Error(got)
	}
	for _, wrong := range []string{"2026-05", "2026-Q2", "2026-06-3M", "2026-5-3M"} {
		s.Must(400, "GET", "/x/bordereau/C/premium/"+wrong, "")
	}
	for _, quarter := range []string{"2026-05-3M", "2026-08-3M"} {
		signedOff(s, "/x/bordereau/C/premium/"+quarter, "nil")
	}
	signedOff(s, "/x/bordereau/C/premium/2026-11-3M", "original")
	if a := s.Must(200, "GET", "/x/bordereau/C/premium/2026-11-3M/versions/1/lines", ""); strings.Count(a.Text,
		"lineId") != 1 {
		t.Error(a.Text)
	}
	if a := s.Must(409, "PUT", "/x/contract/C", terms("2026-Q2", "calendar")); a.Member("type") !=
		"/problems/contract-in-use" {
		t.Error(a.Text)
	}
}
