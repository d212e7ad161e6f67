package claims_test

import (
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
	"insurance.example/exchange/pkg/servicetest/consumercontract"
	"insurance.example/exchange/services/claims"
)

func start(t *testing.T, stub http.Handler, flags ...string) *servicetest.Service {
	t.Helper()
	return servicetest.Start(t, claims.Service().Definition(), servicetest.Options{
		Clock: servicetest.At(t, "2026-06-01T00:00:00Z"),
		Peers: map[string]http.Handler{"coverage": stub}, Flags: flags,
	})
}

// reliedOn is what the service relies on at the coverage service: its policies are those that the tests name.
var reliedOn = filepath.Join("..", "..", "contracts", "consumers", "coverage", "claims.json")

func coverage(t *testing.T) *consumercontract.Stub { return consumercontract.NewStub(t, reliedOn) }

// TestInForceAtLossDate, with the tests after it, files claims against every policy of the contract with coverage.
func TestInForceAtLossDate(t *testing.T) {
	s := start(t, coverage(t))
	for _, c := range []struct {
		policy, lossDate string
		status           int
	}{
		{"MOTOR", "2025-12-31T23:59:59Z", 409},
		{"MOTOR", "2026-01-01T00:00:00Z", 201},
		{"MOTOR", "2026-12-31T23:59:59Z", 201},
		{"MOTOR", "2027-01-01T00:00:00Z", 409},
		{"ENDED", "2026-02-28T23:59:59Z", 201}, // admitted, though the policy has ended since
		{"ENDED", "2026-03-01T00:00:00Z", 409},
		{"OPEN", "2099-01-01T00:00:00Z", 201},
		{"NO-SUCH", "2026-02-01T00:00:00Z", 404},
	} {
		a := s.Do("POST", "/claim", `{"policyNumber":"`+c.policy+`","lossDate":"`+c.lossDate+
			`","lossCause":"fire","claimType":"other"}`)
		if a.Status != c.status {
			t.Errorf("%s at %s: %d %s", c.policy, c.lossDate, a.Status, a.Text)
		}
	}
}

func TestLossCause(t *testing.T) {
	s := start(t, coverage(t))
	for _, c := range []struct {
		policy, cause string
		status        int
		says          string
	}{
		{"MOTOR", `,"lossCause":"fire"`, 201, ""},
		{"MOTOR", `,"lossCause":"volcanic eruption"`, 201, ""},
		{"MOTOR", `,"lossCause":"theft"`, 422, "is not covered by the policy; the values are fire, volcanic erruption"},
		{"MOTOR", ``, 422, "the values are fire"},
		{"NOTHING", `,"lossCause":"fire"`, 422, "names nothing that it covers"},
		{"OPEN", ``, 201, ""}, // a line without such a list
	} {
		a := s.Do("POST", "/claim", `{"policyNumber":"`+c.policy+
			`","lossDate":"2026-02-01T00:00:00Z","claimType":"other"`+c.cause+`}`)
		if a.Status != c.status {
			t.Errorf("%s %s: %d %s", c.policy, c.cause, a.Status, a.Text)
		}
		if !strings.Contains(a.Text, c.says) {
			t.Errorf("%s %s: %s, want %q", c.policy, c.cause, a.Text, c.says)
		}
		if strings.Contains(a.Text, `"lossCause":"volcanic eruption"`) {
			t.Error("the corrected spelling is stored")
		}
	}
}

func TestWarnings(t *testing.T) {
	s := start(t, coverage(t), "--reporting-window", "720h")
	for _, c := range []struct{ policy, cause, lossDate, fnol, want string }{
		{"MOTOR", "fire", "2026-02-01T00:00:00Z", "2026-03-03T00:00:00Z", ""},
		{"MOTOR", "fire", "2026-02-02T00:00:00Z", "2026-03-04T00:00:01Z", "late-notification"},
		{"CREDIT", "insolvency", "2026-02-01T00:00:00Z", "2026-03-02T23:00:00Z", "waiting-period"},
		{"CREDIT", "insolvency", "2026-02-02T00:00:00Z", "2026-03-04T00:00:00Z", ""},
		{"PET", "Cancer", "2026-01-14T23:00:00Z", "2026-01-20T00:00:00Z", "waiting-period"},
		{"PET", "Cancer", "2026-01-15T00:00:00Z", "2026-01-20T00:00:00Z", ""},
	} {
		a := s.Must(201, "POST", "/claim", `{"policyNumber":"`+c.policy+`","lossDate":"`+c.lossDate+`","fnol":"`+c.fnol+
			`","lossCause":"`+c.cause+`","claimType":"other"}`)
		got := ""
		if warnings, _ := a.Body["warnings"].([]any); len(warnings) > 0 {
			got, _ = warnings[0].(map[string]any)["type"].(string)
		}
		if got != c.want {
			t.Errorf("%+v: warning %q", c, got)
		}
		if stored := s.Must(200, "GET", "/claim/"+a.Member("id"), ""); strings.Contains(stored.Text, "warnings") {
			t.Error("a warning is part of the record")
		}
	}
}

func TestWithoutWindowNoClaimIsLate(t *testing.T) {
	a := start(t, coverage(t)).Must(201, "POST", "/claim",
		`{"policyNumber":"MOTOR","lossDate":"2026-02-01T00:00:00Z","fnol":"2036-01-01T00:00:00Z","lossCause":"fire","claimType":"other"}`)
	if strings.Contains(a.Text, "warnings") {
		t.Error(a.Text)
	}
}

func TestEveryStateAndOperation(t *testing.T) {
	s := start(t, coverage(t))
	const claim = `{"policyNumber":"MOTOR","lossDate":"2026-02-01T00:00:00Z","lossCause":"fire","claimType":"other"}`
	const payment = `{"paymentAmount":1,"paymentMethod":"cash"}`
	into := map[string][]string{"open": nil, "closed": {"settle"}, "reopened": {"settle", "reopen"}}
	bodies := map[string]string{"settle": payment, "reopen": ""}
	listed := map[string]map[string]string{
		"settle": {"open": "closed", "reopened": "closed"},
		"reopen": {"closed": "reopened"},
	}
	for state, steps := range into {
		for operation, moves := range listed {
			path := "/claim/" + s.Create("claim", claim)
			for _, step := range steps {
				s.Must(200, "POST", path+":"+step, bodies[step])
			}
			to, ok := moves[state]
			status := 200
			if !ok {
				to, status = state, 409
			}
			s.Must(status, "POST", path+":"+operation, bodies[operation])
			if is := s.Must(200, "GET", path, "").Member("claimStatus"); is != to {
				t.Errorf("%s of a claim that is %s: now %s", operation, state, is)
			}
		}
	}
}

func TestTrialWritesNothingAndReportsEveryCheck(t *testing.T) {
	s := start(t, coverage(t))
	body := `{"policyNumber":"ENDED","lossDate":"2026-04-01T00:00:00Z","lossCause":"theft","claimType":"none"}`
	a := s.Must(200, "POST", "/x/claim/admissibility", body)
	if a.Body["admissible"] != false || strings.Count(a.Text, `"outcome":"failed"`) < 3 ||
		!strings.Contains(a.Text, `"endedAt":"2026-03-01T00:00:00Z"`) {
		t.Error(a.Text)
	}
	a = s.Must(200, "POST", "/x/claim/admissibility", strings.Replace(body, "ENDED", "NO-SUCH", 1))
	if !strings.Contains(a.Text, `"outcome":"not evaluated"`) {
		t.Error(a.Text)
	}
	a = s.Must(200, "POST", "/x/claim/admissibility",
		`{"policyNumber":"MOTOR","lossDate":"2026-04-01T00:00:00Z","lossCause":"fire","claimType":"other"}`)
	if a.Body["admissible"] != true {
		t.Error(a.Text)
	}
	if list := s.Must(200, "GET", "/claim", ""); list.Text != "[]" {
		t.Errorf("the trial wrote %s", list.Text)
	}
}

func TestCoverageDownIsAnOutage(t *testing.T) {
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}))
	for _, path := range []string{"/claim", "/x/claim/admissibility"} {
		if a := s.Must(503, "POST", path,
			`{"policyNumber":"MOTOR","lossDate":"2026-04-01T00:00:00Z"}`); a.Header.Get("Retry-After") == "" {
			t.Error(a.Header)
		}
	}
}

// TestItSaysWhichSettingsAreInForce: a rule that is off has no value.
func TestItSaysWhichSettingsAreInForce(t *testing.T) {
	s := start(t, coverage(t), "--reporting-window", "720h", "--currency", "EUR")
	said := s.Must(http.StatusOK, http.MethodGet, "/internal/about", "")
	got := map[string]any{}
	for _, each := range said.Body["settings"].([]any) {
		of := each.(map[string]any)
		got[of["name"].(string)] = of["value"]
	}
	want := map[string]any{
		"amount-unit": nil, "claim-documents": "1000", "currency": "EUR", "key-retention": nil, "max-record": "2097152",
		"reporting-window": "720h0m0s", "time-zone": "UTC",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("settings %v, want %v", got, want)
	}
	s.Must(http.StatusBadRequest, http.MethodGet, "/internal/about?all=1", "")
}
