package allinone

import (
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/examples"
)

// reported is a contract of acme with an approved bordereau, whose counterparty is zenith.
const (
	reportedContract = "/x/contract/DEAL-26"
	reportedPeriod   = "/x/bordereau/DEAL-26/premium/2026-01"
	reportedTerms    = `"uniqueMarketReference":"B1","coverholderName":"A","inception":"2000-01-01",` +
		`"expiry":"2100-01-01","lines":["motorCoverage"],"currency":"EUR","amountUnit":"major","frequency":"month",` +
		`"firstPeriod":"2026-01","signOff":"one"`
)

// putsDeal sets the contract with a counterparty; without one if it is empty.
func (m *member) putsDeal(counterparty string) {
	m.t.Helper()
	m.want(200, "PUT", reportedContract, `{`+reportedTerms+`,"counterparty":"`+counterparty+`"}`)
}

// readsOfTheDesk are requests that read a contract and what is approved under it.
var readsOfTheDesk = []string{
	reportedContract, reportedContract + "?at=2100-01-01T00:00:00Z", "/x/bordereau?contract=DEAL-26", reportedPeriod,
	reportedPeriod + "/versions/1", reportedPeriod + "/versions/1/lines", reportedPeriod + "/versions/1/lines.csv",
	reportedPeriod + "/versions/1/lines.xlsx", reportedPeriod + "/versions/1/findings",
	reportedPeriod + "/versions/1/diff?to=1",
}

// seesDeal reports an error unless each reading of the contract has the status, and lists agree with that.
func (m *member) seesDeal(status int) {
	m.t.Helper()
	for _, path := range readsOfTheDesk {
		got := m.send("GET", path, "", nil)
		if got.status != status {
			m.t.Errorf("GET %s: %d %s, want %d", path, got.status, got.body, status)
		}
	}
	for _, path := range []string{"/x/contract", "/x/bordereau"} {
		if got := m.want(200, "GET", path, ""); strings.Contains(got.body, "DEAL-26") != (status == 200) {
			m.t.Errorf("GET %s: %s", path, got.body)
		}
	}
}

// TestTheCounterpartyOfAContract reads what is reported under a contract, acknowledges it, and does nothing else. It
// sees the contract while that names it.
func TestTheCounterpartyOfAContract(t *testing.T) {
	s := runShared(t)
	acme, zenith, orion := s.as("acme"), s.as("zenith"), s.as("orion")
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	acme.writeExamples(all)
	acme.putsDeal("zenith")
	prepared := acme.want(201, "POST", reportedPeriod+":prepare", `{"type":"nil"}`)
	digest := `{"digest":"` + prepared.named("digest") + `"}`
	acknowledge := reportedPeriod + "/versions/1:acknowledge"
	zenith.seesNoDraft()
	acme.putsDeal(`zenith","preview":true,"section":"1`)
	zenith.seesDeal(200)
	if got := zenith.want(409, "POST", acknowledge, digest); got.named("type") != "/problems/not-pending" {
		t.Error(got.body)
	}
	zenith.want(200, "GET", reportedPeriod+"/versions/1/diff?to=live", "")
	acme.putsDeal("zenith")
	zenith.want(404, "POST", acknowledge, digest)
	acme.want(200, "POST", reportedPeriod+"/versions/1:approve", digest)
	acme.seesDeal(200)
	zenith.seesDeal(200)
	orion.seesDeal(404)

	for path, body := range map[string]string{
		reportedPeriod + ":prepare":                            `{"type":"additional"}`,
		reportedPeriod + "/versions/1:approve":                 digest,
		reportedPeriod + "/versions/1:reject":                  `{"reason":"no"}`,
		reportedPeriod + "/versions/1/findings/any:waive":      `{"reason":"no"}`,
		reportedContract + "/policy/" + strings.Repeat("0", 3): "",
	} {
		method := "POST"
		if body == "" {
			method = "PUT"
		}
		if got := zenith.want(403, method, path, body); got.named("type") != "/problems/right-missing" ||
			got.named("right") != "owner" {
			t.Errorf("%s: %s", path, got.body)
		}
		orion.want(404, method, path, body)
	}
	// Of the persons of the owner its name alone is shown; its own person is.
	for _, path := range []string{reportedContract, reportedPeriod, reportedPeriod + "/versions/1"} {
		if got := zenith.want(200, "GET", path, ""); !strings.Contains(got.body, `By":"acme"`) ||
			strings.Contains(got.body, "acme \\\"") {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	if got := acme.want(403, "POST", acknowledge, digest); got.named("right") != "counterparty" {
		t.Errorf("the owner acknowledges for its counterparty: %s", got.body)
	}
	got := zenith.want(200, "POST", acknowledge, digest)
	if !strings.HasPrefix(got.named("acknowledgedBy"), "zenith ") {
		t.Error(got.body)
	}
	if got := acme.want(200, "GET", reportedPeriod, ""); !strings.Contains(got.body, `"state":"acknowledged"`) ||
		!strings.Contains(got.body, `"acknowledgedBy":"zenith `) {
		t.Error(got.body)
	}
	orion.want(404, "POST", acknowledge, digest)

	acme.putsDeal("")
	zenith.seesDeal(404)
}

// seesNoDraft reports an error if the counterparty is shown anything of a version that is not approved, or of what a
// period would have now.
func (m *member) seesNoDraft() {
	m.t.Helper()
	for path, status := range map[string]int{
		"/versions/1": 404, "/versions/1/lines": 404, "/versions/1/lines.csv": 404, "/versions/1/lines.xlsx": 404,
		"/versions/1/findings": 404, "/versions/1/diff?to=live": 404, "/versions/1/lines/any/source": 404,
		"/lines": 403,
	} {
		if got := m.want(status, "GET", reportedPeriod+path, ""); status == 403 && got.named("right") != "owner" {
			m.t.Error(got.body)
		}
	}
	for _, path := range []string{reportedPeriod, "/x/bordereau?contract=DEAL-26"} {
		if got := m.want(200, "GET", path, ""); !strings.Contains(got.body, `"versions":[]`) ||
			strings.Contains(got.body, "prepar") || strings.Contains(got.body, `"drift`) {
			m.t.Errorf("%s: %s", path, got.body)
		}
	}
	if got := m.want(200, "GET", "/x/events?limit=200", ""); strings.Contains(got.body, "bordereau") {
		m.t.Error(got.body)
	}
}

// TestAReferenceIsItsOwners has others make contracts of a reference, before and after the owner does, and name the
// same counterparty. What that sees of the owner's stays what it was.
func TestAReferenceIsItsOwners(t *testing.T) {
	s := runShared(t)
	acme, vega, zenith, orion := s.as("acme"), s.as("vega"), s.as("zenith"), s.as("orion")
	owners := func(by *member, path, want string) {
		t.Helper()
		got := by.want(409, "GET", path, "")
		if got.named("type") != "/problems/ambiguous" || !strings.Contains(got.body, want) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	ownerOf := func(by *member, path, want string) {
		t.Helper()
		if got := by.want(200, "GET", path, ""); !strings.Contains(got.body, `"owner":"`+want+`"`) {
			t.Errorf("%s: %s, want that of %s", path, got.body, want)
		}
	}
	vega.putsDeal("orion") // its mark is older than that of the owner
	acme.putsDeal("zenith")
	ownerOf(zenith, reportedContract, "acme")
	vega.putsDeal("zenith")
	const work = "/x/bordereau?contract=DEAL-26"
	for _, path := range []string{reportedContract, work, reportedPeriod} {
		owners(zenith, path, `"owners":["acme","vega"]`)
		with := "?"
		if strings.Contains(path, with) {
			with = "&"
		}
		ownerOf(zenith, path+with+"owner=acme", "acme")
		ownerOf(zenith, path+with+"owner=vega", "vega")
		zenith.want(404, "GET", path+with+"owner=orion", "")
		zenith.want(404, "GET", path+with+"owner=no%20name", "")
		orion.want(404, "GET", path+with+"owner=acme", "")
		orion.want(404, "GET", path, "")
	}
	if got := zenith.want(200, "GET", "/x/contract?limit=1", ""); got.named("next") != "DEAL-26 acme" {
		t.Error(got.body)
	} else {
		ownerOf(zenith, "/x/contract?limit=1&after=DEAL-26%20acme", "vega")
	}
	seen := map[string]bool{}
	for path := "/x/bordereau?limit=1"; path != ""; {
		got := zenith.want(200, "GET", path, "")
		var page struct {
			Periods []struct{ Owner, Kind, Period string }
			Next    string
		}
		if err := json.Unmarshal([]byte(got.body), &page, json.MatchCaseInsensitiveNames(true)); err != nil ||
			len(page.Periods) != 1 {
			t.Fatal(got.body)
		}
		of := page.Periods[0]
		if id := of.Owner + of.Kind + of.Period; seen[id] {
			t.Fatalf("%s is listed twice", id)
		} else {
			seen[id] = true
		}
		if path = ""; page.Next != "" {
			path = "/x/bordereau?limit=1&after=" + url.QueryEscape(page.Next)
		}
	}
	if !seen["acmepremium2026-01"] || !seen["vegaclaims2026-01"] {
		t.Errorf("the work list has %v", seen)
	}
	// Its own contract of the reference comes first, and takes nothing away.
	zenith.putsDeal("")
	ownerOf(zenith, reportedContract, "zenith")
	ownerOf(zenith, reportedContract+"?owner=zenith", "zenith")
	ownerOf(zenith, reportedContract+"?owner=vega", "vega")
	if got := zenith.want(200, "GET", "/x/contract", ""); strings.Count(got.body, `"reference":"DEAL-26"`) != 3 {
		t.Error(got.body)
	}
}
