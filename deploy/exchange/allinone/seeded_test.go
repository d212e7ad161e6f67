package allinone

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/exchange/client"
)

// onTheDesk is what the screens Desk and Reconciliation list.
type onTheDesk struct {
	Periods []struct{ Owner, Contract, Kind, Period, State string }
	Runs    []struct {
		State    string
		Outcomes map[string]int
	}
}

// desk reads what an organisation sees on the screens Desk and Reconciliation.
func (m *member) desk() (is onTheDesk) {
	m.t.Helper()
	for _, path := range []string{"/x/bordereau?limit=200", "/x/reconciliation/run"} {
		if err := json.Unmarshal([]byte(m.want(200, "GET", path, "").body), &is); err != nil {
			m.t.Fatal(err)
		}
	}
	return is
}

// seeded fails the test unless the desk has contracts of the caller's own with a month that is approved, one that is
// due and lines of now, and a statement that differs in two rows.
func (m *member) seeded() {
	m.t.Helper()
	states, is := map[string][]string{}, m.desk()
	for _, p := range is.Periods {
		if p.Owner != m.organisation {
			continue
		}
		lane := p.Contract + "/" + p.Kind
		states[lane] = append(states[lane], p.State)
		if p.State == "approved" {
			continue
		}
		var live struct{ LiveLines int }
		got := m.want(200, "GET", "/x/bordereau/"+lane+"/"+p.Period, "")
		if err := json.Unmarshal([]byte(got.body), &live); err != nil {
			m.t.Fatal(err)
		}
		if live.LiveLines > 0 {
			states[lane] = append(states[lane], "has lines")
		}
	}
	for _, contract := range []string{"SEED1-CARS", "SEED1-BOOK"} {
		for _, kind := range []string{"premium", "claims"} {
			all := states[contract+"/"+kind]
			begins := len(all) >= 4 && slices.Equal(all[:2], []string{"approved", "due"})
			if !begins || !slices.Contains(all, "has lines") {
				m.t.Errorf("%s of %s is %v", kind, contract, all)
			}
		}
	}
	if len(is.Runs) != 1 {
		m.t.Fatalf("the comparisons are %+v", is.Runs)
	}
	if of := is.Runs[0].Outcomes; is.Runs[0].State != "open" || of["matched"] < 3 || of["mismatch"] != 1 ||
		of["missingHere"] != 1 || len(of) != 3 {
		m.t.Errorf("the comparison is %+v", is.Runs[0])
	}
	if left := m.want(200, "GET", "/x/bordereau/unassigned", ""); !strings.Contains(left.body, `"policies":[]`) {
		m.t.Errorf("policies are under no contract: %s", left.body)
	}
}

// TestTheDeskIsFilled presses the button of an empty exchange, twice: the desk has something to work with, and no more
// the second time.
func TestTheDeskIsFilled(t *testing.T) {
	data := t.TempDir()
	timed := runTimed(t, data)
	m := &member{&shared{t: t, data: data, base: timed.base}, timed.token, ""}
	if before := m.desk(); len(before.Periods)+len(before.Runs) > 0 {
		t.Fatalf("an empty exchange has %+v", before)
	}
	for range 2 {
		m.want(204, "POST", seedPath, "")
		m.seeded()
	}
}

// TestTheDeskIsFilledForAnOrganisation presses the button in the name of an organisation that sees a contract of
// another one with a reference of the book.
func TestTheDeskIsFilledForAnOrganisation(t *testing.T) {
	s := runShared(t)
	acme, zenith := s.as("acme"), s.as("zenith")
	zenith.want(200, "PUT", "/x/contract/SEED1-BOOK", `{`+reportedTerms+`,"counterparty":"acme"}`)
	for range 2 {
		acme.want(204, "POST", seedPath, "")
		acme.seeded()
	}
	if theirs := zenith.want(200, "GET", "/x/contract/SEED1-BOOK", ""); !strings.Contains(theirs.body, `"version":1`) {
		t.Errorf("the contract of another organisation is %s", theirs.body)
	}
}

// TestTheBookNeedsNoDesk fills an exchange of a release that had no desk.
func TestTheBookNeedsNoDesk(t *testing.T) {
	data := t.TempDir()
	timed := runTimed(t, data)
	base, err := url.Parse(timed.base)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(base)
	older := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, path := range []string{"/x/bordereau", "/x/contract", "/x/reconciliation"} {
			if strings.HasPrefix(r.URL.Path, path) {
				http.NotFound(w, r)
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	defer older.Close()
	var said strings.Builder
	around := client.Surroundings{
		Environ: []string{"EXCHANGE_URL=" + older.URL, "EXCHANGE_TOKEN=" + timed.token}, Out: &said, Err: io.Discard,
	}
	if err := fill(t.Context(), around, "--size", "7"); err != nil {
		t.Fatal(err)
	}
	wantWords(t, said.String(), "motorCoverage", "Look at it:")
	if strings.Contains(said.String(), "SEED1-") || strings.Contains(said.String(), "bordereau list") {
		t.Errorf("it tells of contracts that are not there:\n%s", said.String())
	}
}
