package desk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

// TestContractsAreBookedWithWhatTheyDoNotSay reads contracts as the book needs them: what they leave out is filled in,
// and where windows meet on a day and only their zones overlap, the contract that begins later takes what begins then.
func TestContractsAreBookedWithWhatTheyDoNotSay(t *testing.T) {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	s := w.start("--time-zone", "Europe/Berlin")
	booked := func(want ...string) {
		t.Helper()
		if got := s.Must(200, "GET", internalapi.BookedContractsPath, "").Text; got !=
			`{"contracts":[`+strings.Join(want, ",")+`]}` {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	booked()
	s.Must(200, "PUT", "/x/contract/PET", `{`+strings.Replace(terms, "motorCoverage", "petCoverage", 1)+
		`,"currency":"EUR"}`)
	const pet = `{"reference":"PET","lines":["petCoverage"],"from":"2025-12-31T23:00:00Z",` +
		`"before":"2026-12-31T23:00:00Z","timeZone":"Europe/Berlin","currency":"EUR","amountUnit":"major",` +
		`"frequency":"month","quarterBegins":"calendar","inception":"2026-01-01",` +
		`"commissionPercentage":"0","yearOfAccount":2026}`
	booked(pet)
	s.Must(200, "PUT", "/x/contract/A", ofYear(2026, "America/New_York"))
	s.Must(200, "PUT", "/x/contract/B", strings.Replace(strings.Replace(ofYear(2027, "Europe/Paris"),
		`"major"`, `"minor","commissionPercentage":"12.5","yearOfAccount":2031`, 1), "EUR", "GBP", 1))
	booked(`{"reference":"A","lines":["motorCoverage"],"from":"2026-01-01T05:00:00Z","before":"2027-01-01T05:00:00Z",`+
		`"until":{"motorCoverage":"2026-12-31T23:00:00Z"},"timeZone":"America/New_York","currency":"EUR",`+
		`"amountUnit":"major","frequency":"month","quarterBegins":"calendar","inception":"2026-01-01",`+
		`"commissionPercentage":"0","yearOfAccount":2026}`,
		`{"reference":"B","lines":["motorCoverage"],"from":"2026-12-31T23:00:00Z","before":"2027-12-31T23:00:00Z",`+
			`"timeZone":"Europe/Paris","currency":"GBP","amountUnit":"minor","frequency":"month",`+
			`"quarterBegins":"calendar","inception":"2027-01-01","commissionPercentage":"12.5",`+
			`"yearOfAccount":2031}`, pet)
}

// TestAssignmentsAreBookedInPages reads the policies that were assigned, by twos. One that is assigned again keeps its
// place.
func TestAssignmentsAreBookedInPages(t *testing.T) {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	s := w.start()
	s.Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR"}`)
	s.Must(200, "PUT", "/x/contract/D", `{`+strings.Replace(terms, "motorCoverage", "petCoverage", 1)+`,"currency":"EUR"}`)
	var want []string
	for i := range 5 {
		number := fmt.Sprintf("P%d", i)
		w.policies[number] = policy{"motorCoverage", "2020-01-01T00:00:00Z", "Ann Lee", "in force"}
		s.Must(200, "PUT", "/x/contract/C/policy/"+number, "")
		want = append(want, number+" C")
	}
	s.Must(200, "PUT", "/x/contract/D/policy/P1", "")
	want[1] = "P1 D"
	for limit := 1; limit < 7; limit++ {
		var got []string
		for after, pages := internalapi.Oldest, 0; after != ""; pages++ {
			page := s.Must(200, "GET",
				fmt.Sprintf("%s%s?limit=%d", internalapi.BookedAssignmentsPath, after, limit), "")
			some := page.Body["assignments"].([]any)
			if len(some) > limit || pages > len(want) {
				t.Fatalf("page %d of %d: %s", pages, limit, page.Text)
			}
			for _, a := range some {
				a := a.(map[string]any)
				got = append(got, fmt.Sprint(a["policyNumber"], " ", a["contract"]))
			}
			after = page.Member("next")
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %d: %v, want %v", limit, got, want)
		}
	}
	for _, wrong := range []string{"nonsense", "oldest?limit=0", "oldest?limit=201", "oldest?at=x"} {
		s.Must(400, "GET", internalapi.BookedAssignmentsPath+wrong, "")
	}
}

// TestWhatIsBookedIsTheOwners asks for contracts and assignments as their owner, as the counterparty that sees them in
// the desk, and as nobody who does.
func TestWhatIsBookedIsTheOwners(t *testing.T) {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	s := servicetest.Start(t, desk.Service().Definition(),
		servicetest.Options{Clock: w.clock, Peers: w.peers(), Flags: []string{"--org-claim", "org"}})
	w.policies["P"] = policy{"petCoverage", "2020-01-01T00:00:00Z", "Bo", "in force"}
	s.As("acme").Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR","counterparty":"zenith","preview":true}`)
	s.As("acme").Must(200, "PUT", "/x/contract/C/policy/P", "")
	for by, sees := range map[string]bool{"acme": true, "zenith": false, "orion": false} {
		contracts := s.As(by).Must(200, "GET", internalapi.BookedContractsPath, "").Body["contracts"].([]any)
		assigned := s.As(by).Must(200, "GET", internalapi.BookedAssignmentsPath+internalapi.Oldest, "")
		if len(contracts) == 1 != sees || len(assigned.Body["assignments"].([]any)) == 1 != sees {
			t.Errorf("%s: %v, %s", by, contracts, assigned.Text)
		}
	}
}

// TestTheLogOfTheDeskHasNoRecords asks for records of what is no record.
func TestTheLogOfTheDeskHasNoRecords(t *testing.T) {
	w := newWorld(t, "2026-02-01T12:00:00Z")
	s := w.start()
	s.Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR"}`)
	s.Must(201, "POST", "/x/bordereau/C/premium/2026-01:prepare", `{"type":"nil"}`)
	plain := s.Must(200, "GET", internalapi.ChangesPath+internalapi.Oldest, "")
	asked := s.Must(200, "GET", internalapi.ChangesPath+internalapi.Oldest+"?records=true", "")
	if len(asked.Body["changes"].([]any)) != 1 ||
		fmt.Sprint(asked.Body["changes"]) != fmt.Sprint(plain.Body["changes"]) {
		t.Errorf("%s\n%s", asked.Text, plain.Text)
	}
	s.Must(400, "GET", internalapi.ChangesPath+internalapi.Oldest+"?records=false", "")
}
