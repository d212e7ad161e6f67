package desk_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	contract "insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/desk"
)

// TestOfWhichContractsSomebodyIsTheCounterparty asks the desk as several organisations, and for more than it is asked
// for at a time.
func TestOfWhichContractsSomebodyIsTheCounterparty(t *testing.T) {
	w := newWorld(t, "2026-02-01T12:00:00Z")
	s := servicetest.Start(t, desk.Service().Definition(),
		servicetest.Options{Clock: w.clock, Peers: w.peers(), Flags: []string{"--org-claim", "org"}})
	put := func(owner, counterparty string) {
		t.Helper()
		s.As(owner).Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR","counterparty":"`+counterparty+`"}`)
	}
	seen := func(by, want string) {
		t.Helper()
		const asked = `{"references":["C","D","C","no reference"]}`
		if got := s.As(by).Must(200, "POST", internalapi.CounterpartyPath, asked); got.Text != `{"contracts":[`+want+`]}` {
			t.Errorf("%s: %s", by, got.Text)
		}
	}
	const ofAcme = `{"reference":"C","owner":"acme"}`
	put("acme", "zenith")
	seen("zenith", ofAcme)
	seen("acme", "")
	seen("orion", "")
	put("zenith", `orion","preview":true,"section":"1`) // its own contract of the reference changes nothing
	seen("zenith", ofAcme)
	const ofZenith = `{"reference":"C","owner":"zenith","drafts":true}`
	seen("orion", ofZenith)
	put("acme", "orion")
	seen("orion", ofAcme+","+ofZenith)
	put("zenith", "")
	seen("orion", ofAcme)
	put("acme", "")
	seen("orion", "")

	references := func(n int) string { return `{"references":["C"` + strings.Repeat(`,"C"`, n-1) + `]}` }
	s.As("orion").Must(200, "POST", internalapi.CounterpartyPath, references(internalapi.MostContracts))
	for _, wrong := range []string{
		references(internalapi.MostContracts + 1), `{"references":"C"}`, `[`,
		`{"references":["` + strings.Repeat("C", 30_000) + `"]}`,
	} {
		s.As("orion").Must(400, "POST", internalapi.CounterpartyPath, wrong)
	}
	// Where organisations do not share the exchange, there is no such operation.
	w.start().Must(404, "POST", internalapi.CounterpartyPath, references(1))
}

// TestAnOldMarkShowsNothing has a contract name another counterparty than its mark, as it does between the two
// writes.
func TestAnOldMarkShowsNothing(t *testing.T) {
	w := newWorld(t, "2026-02-01T12:00:00Z")
	path := filepath.Join(t.TempDir(), "records.db")
	run := func(do func(*servicetest.Service)) {
		t.Helper()
		store, err := sqlitestore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		s := servicetest.Start(t, desk.Service().Definition(), servicetest.Options{
			Clock: w.clock, Peers: w.peers(), Store: store, Flags: []string{"--org-claim", "org"},
		})
		do(s)
		s.Stop()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	const asked, ofAcme = `{"references":["C"]}`, `{"reference":"C","owner":"acme"}`
	run(func(s *servicetest.Service) {
		s.As("acme").Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR","counterparty":"zenith"}`)
		a := s.As("zenith").Must(200, "POST", internalapi.CounterpartyPath, asked)
		if a.Text != `{"contracts":[`+ofAcme+`]}` {
			t.Error(a.Text)
		}
	})
	if changed, err := sqlitetest.Exec(path,
		`UPDATE contract SET body = json_set(body, '$.counterparty', 'orion')`); err != nil || changed != 1 {
		t.Fatal(changed, err)
	}
	run(func(s *servicetest.Service) {
		zenith := s.As("zenith")
		if a := zenith.Must(200, "POST", internalapi.CounterpartyPath, asked); a.Text != `{"contracts":[]}` {
			t.Error(a.Text)
		}
		if a := zenith.Must(200, "GET", "/x/contract", ""); strings.Contains(a.Text, `"reference"`) {
			t.Error(a.Text)
		}
		zenith.Must(404, "GET", "/x/contract/C", "")
		s.As("acme").Must(200, "GET", "/x/contract/C", "")
	})
}

// TestAWorkbookNamesNoPersonsOfOthers has the counterparty download a version of which a finding was waived.
func TestAWorkbookNamesNoPersonsOfOthers(t *testing.T) {
	w := newWorld(t, "2026-01-10T12:00:00Z")
	s := servicetest.Start(t, desk.Service().Definition(),
		servicetest.Options{Clock: w.clock, Peers: w.peers(), Flags: []string{"--org-claim", "org"}})
	owner := s.As("acme")
	owner.Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"EUR","counterparty":"zenith"}`)
	w.policies["Q"] = policy{"motorCoverage", "2026-01-01T00:00:00Z", "", "in force"}
	w.record("Q", "new policy", 10, "")
	w.until(t, "2026-02-01T12:00:00Z")
	const january = "/x/bordereau/C/premium/2026-01"
	owner.Must(201, "POST", january+":prepare", `{"type":"original"}`)
	found, _ := findingsOf(t, owner, january)
	for _, f := range found {
		if f.Severity == contract.SeverityError {
			owner.Must(200, "POST", january+"/versions/1/findings/"+f.ID+":waive", `{"reason":"known"}`)
		}
	}
	owner.Must(200, "POST", january+"/versions/1:approve",
		`{"digest":"`+owner.Must(200, "GET", january+"/versions/1", "").Member("digest")+`"}`, caller, "bob")
	var waivers [2]string
	for i, by := range []string{"acme", "zenith"} {
		file := s.As(by).Must(200, "GET", january+"/versions/1/lines.xlsx", "").Text
		book, err := excelize.OpenReader(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := book.GetRows("Findings")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if len(row) > 7 && row[7] == "known" {
				waivers[i] = row[6]
			}
		}
	}
	if waivers[1] != "acme" || waivers[0] == "acme" || waivers[0] == "" {
		t.Errorf("the owner reads that %q has waived the finding, and the counterparty %q", waivers[0], waivers[1])
	}
}
