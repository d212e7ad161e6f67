package coverage_test

import (
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/services/coverage"
)

func TestRenewalTerm(t *testing.T) {
	s := start(t, servicetest.At(t, "2026-06-01T00:00:00Z"))
	path, number := policy(t, s, 0)
	for body, want := range map[string][2]string{
		``: {"2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"},
		`{"inceptionDate":"2027-02-01T00:00:00Z"}`: {
			"2027-02-01T00:00:00Z", "2028-02-01T00:00:00Z",
		},
		`{"expiryDate":"2027-07-01T00:00:00Z"}`: {
			"2027-01-01T00:00:00Z", "2027-07-01T00:00:00Z",
		},
		`{"inceptionDate":"2030-01-01T00:00:00Z","expiryDate":"2031-01-01T00:00:00Z"}`: {
			"2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z",
		},
	} {
		a := s.Must(http.StatusCreated, "POST", path+":renew", body)
		if a.Member("inceptionDate") != want[0] || a.Member("expiryDate") != want[1] ||
			a.Member("policyNumber") == number {
			t.Errorf("%s renews to %s", body, a.Text)
		}
	}
	if a := s.Must(400, "POST", path+":renew",
		`{"expiryDate":"2026-01-01T00:00:00Z"}`); a.Member("title") != "invalid policy term" {
		t.Error(a.Text)
	}
	open := s.Create("businessInterruptionCoverage", `{"propertyId":"`+s.Create("property", `{"propertyType":"Farm"}`)+
		`","type":"Business Interruption","IndemnityPeriod":3}`)
	s.Must(400, "POST", "/businessInterruptionCoverage/"+open+":renew", `{"expiryDate":"2030-01-01T00:00:00Z"}`)
	s.Must(409, "POST", "/businessInterruptionCoverage/"+open+":endorse", extension)
}

func TestTravelLengths(t *testing.T) {
	s := start(t, nil, "--trip-length", "2-90", "--annual-length", "1-31")
	traveller := s.Create("traveller", `{}`)
	for _, c := range []struct {
		members string
		ok      bool
	}{
		{`"length":2`, true}, {`"length":90`, true}, {`"length":1`, false}, {`"length":91`, false},
		{`"length":31,"isAnnualPolicy":true`, true}, {`"length":32,"isAnnualPolicy":true`, false},
		{`"isAnnualPolicy":true`, true}, {`"length":0`, false},
	} {
		a := s.Do("POST", "/travelCoverage", `{"policyholderId":"`+holder+`","travellerIds":["`+traveller+
			`"],"destination":250,`+c.members+`}`)
		if c.ok != (a.Status == http.StatusCreated) ||
			!c.ok && a.Member("title") != "length out of range for policy type" {
			t.Errorf("%s: %d %s", c.members, a.Status, a.Text)
		}
	}
}

func TestACheckRunsAgainOnlyIfWhatItReadsChanges(t *testing.T) {
	clock := servicetest.At(t, "2026-06-01T00:00:00Z")
	s := start(t, clock)
	driver := s.Create("driver", `{"licence":{"expiryDate":"2026-06-30"}}`)
	vehicle := s.Create("vehicle", `{}`)
	id := s.Create("motorCoverage", `{"policyholderId":"`+holder+`","vehicleId":"`+vehicle+`","driverId":"`+driver+
		`","perils":["fire"],`+term+`}`)
	clock.Pass(60 * 24 * 3600e9)
	s.Must(200, "POST", "/motorCoverage/"+id+":endorse", `{"endorsementType":"addition","perils":["fire","theft"]}`)
	expired := s.Create("driver", `{"licence":{"expiryDate":"2026-06-30"}}`)
	a := s.Must(400, "POST", "/motorCoverage/"+id+":endorse", `{"endorsementType":"addition","driverId":"`+expired+`"}`)
	if a.Member("title") != "driver licence expired or missing" {
		t.Error(a.Text)
	}
}

func TestDeductiblesAndAliases(t *testing.T) {
	s := start(t, nil)
	property := s.Create("property", `{"propertyType":"Farm"}`)
	body := `{"policyholderId":"` + holder + `","propertyId":"` + property + `",` + term +
		`,"deductibles":{"deductibleAmountBuilding":7,"deductibleAmountContent":8}}`
	a := s.Must(201, "POST", "/propertyCoverage", body)
	if !strings.Contains(a.Text, `"deductibleAmountBuilding":7,"deductibleAmountContent":8`) ||
		strings.Contains(a.Text, `"deductibles"`) {
		t.Error(a.Text)
	}
	a = s.Must(400, "POST", "/propertyCoverage", strings.Replace(body, ":7", `:"7"`, 1))
	if !strings.Contains(a.Text, `"pointer":"/deductibles/deductibleAmountBuilding"`) {
		t.Error(a.Text)
	}
	s.Must(400, "POST", "/propertyCoverage",
		strings.Replace(body, `"deductibles"`, `"deductibleAmountBuilding":9,"deductibles"`, 1))
	debtor := s.Must(201, "POST", "/debtor", `{"parentCompany":"P","registrationNumber":"R","financials":{"x":1.50}}`)
	if !strings.Contains(debtor.Text, `"ultimateParentCompany":"P","registrationNumber":"R","financials":{"x":1.50}`) {
		t.Error(debtor.Text)
	}
}

func TestPartiesDownIsAnOutage(t *testing.T) {
	down := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	s := servicetest.Start(t, coverage.Service().Definition(),
		servicetest.Options{Peers: map[string]http.Handler{"parties": down}})
	a := s.Must(503, "POST", "/motorCoverage", `{"policyholderId":"`+holder+`"}`)
	if a.Header.Get("Retry-After") == "" || a.Member("title") != "service unavailable" {
		t.Error(a.Header, a.Text)
	}
	if list := s.Must(200, "GET", "/motorCoverage", ""); list.Text != "[]" {
		t.Error(list.Text)
	}
}
