package allinone

import (
	"strings"
	"testing"

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

// readsOfTheDesk are requests that read a contract and what is reported under it.
var readsOfTheDesk = []string{
	reportedContract, reportedContract + "?at=2100-01-01T00:00:00Z", "/x/bordereau?contract=DEAL-26", reportedPeriod,
	reportedPeriod + "/versions/1", reportedPeriod + "/versions/1/lines", reportedPeriod + "/versions/1/lines.csv",
	reportedPeriod + "/versions/1/lines.xlsx", reportedPeriod + "/versions/1/findings",
	reportedPeriod + "/versions/1/diff?to=live",
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
	if got := zenith.want(409, "POST", acknowledge, digest); got.named("type") != "/problems/not-pending" {
		t.Error(got.body)
	}
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

	// Its own contract of the reference comes first.
	zenith.want(200, "PUT", reportedContract, `{`+reportedTerms+`,"counterparty":"orion"}`)
	if got := zenith.want(200, "GET", reportedContract, ""); got.named("owner") != "zenith" {
		t.Error(got.body)
	}
	if got := orion.want(200, "GET", reportedContract, ""); got.named("owner") != "zenith" {
		t.Error(got.body)
	}
	acme.putsDeal("orion") // which goes on to see the first one
	orion.want(200, "GET", reportedContract, "")
	zenith.putsDeal("")
	if got := orion.want(200, "GET", reportedContract, ""); got.named("owner") != "acme" {
		t.Error(got.body)
	}
	acme.putsDeal("")
	orion.seesDeal(404)
}
