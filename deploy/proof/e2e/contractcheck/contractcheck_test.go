package contractcheck_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"insurance.example/exchange/deploy/proof/e2e/contractcheck"
)

const id = "0195a000-0000-7000-8000-000000000001"

// policy returns a motor policy with a status.
func policy(status string) string {
	return `{"id":"` + id + `","policyNumber":"P","status":"` + status + `","policyholderId":"` + id +
		`","vehicleId":"` + id +
		`","driverId":"` + id + `","inceptionDate":"2026-01-01T00:00:00Z","expiryDate":"2027-01-01T00:00:00Z"}`
}

// claim returns a closed claim with further members.
func claim(further string) string {
	return `{"id":"` + id +
		`","claimNumber":"C","claimStatus":"closed","policyNumber":"P","lossDate":"2026-02-01T00:00:00Z",` +
		`"fnol":"2026-02-01T00:00:00Z","claimType":"other","reserve":0` + further + `}`
}

// TestWhatBreaksTheDocumentIsReported checks fixed responses: some match the document, others do not.
func TestWhatBreaksTheDocumentIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, sent string
		status             int
		body               string
		without            string // a header that the response lacks
		broken             string
	}{
		"created": {
			"POST", "/vehicle", `{"vin":"V","x":1,"plateNumber":null}`, 201,
			`{"id":"` + id + `","vin":"V","x":1}`, "", "",
		},
		"an alias": {"POST", "/driver", `{"dob":"1990-01-01"}`, 201, `{"id":"` + id + `"}`, "", ""},
		"listed": {
			"GET", "/motorCoverage?policyNumber=P&limit=3", "", 200, `[` + policy("in force") + `]`, "", "",
		},
		"settled": {
			"POST", "/claim/" + id + ":settle", `{"paymentAmount":1.0,"paymentMethod":"cash"}`, 200,
			claim(`,"status":"closed"`), "", "",
		},
		"a path beside one with a parameter": {
			"GET", "/x/import/template", "", 200, `{"templates":[]}`, "", "",
		},
		"an alias that is wrong": {"POST", "/driver", `{"dob":"1990-13-01"}`, 201, `{"id":"` + id + `"}`, "", "date"},
		"no id":                  {"POST", "/vehicle", `{}`, 201, `{"vin":"V"}`, "", "id"},
		"no Location":            {"POST", "/vehicle", `{}`, 201, `{"id":"` + id + `"}`, "Location", "Location"},
		"a value of no set":      {"GET", "/motorCoverage/" + id, "", 200, policy("asleep"), "", "in force"},
		"required and accepted": {
			"POST", "/claim/" + id + ":settle", `{"paymentMethod":"cash"}`, 200, claim(`,"status":"closed"`), "",
			"paymentAmount",
		},
		"nothing else": {
			"POST", "/claim/" + id + ":settle", `{"paymentAmount":1,"paymentMethod":"cash"}`, 200,
			claim(""), "", "status",
		},
		"a parameter":  {"GET", "/vehicle?vin=V", "", 200, `[]`, "", "vin"},
		"a status":     {"GET", "/vehicle", "", 500, `{}`, "", "status"},
		"an operation": {"DELETE", "/vehicle/" + id, "", 200, `{}`, "", "operation"},
		"a problem of another": {
			"POST", "/vehicle", `{}`, 404,
			`{"type":"/problems/pet-not-found","title":"pet not found","status":404,"instance":"i"}`, "", "status",
		},
		"not what it always has": {
			"GET", "/motorCoverage/" + id, "", 200, `{"id":"` + id + `","status":"in force"}`, "", "policyNumber",
		},
		"another status within": {
			"POST", "/petCoverage", `{}`, 404,
			`{"type":"/problems/pet-not-found","title":"t","status":400,"instance":"i"}`, "", "status",
		},
		"an undeclared problem": {
			"POST", "/petCoverage", `{}`, 404,
			`{"type":"/problems/vehicle-not-found","title":"t","status":404,"instance":"i"}`, "", "type",
		},
		"a declared problem": {
			"POST", "/petCoverage", `{}`, 404,
			`{"type":"/problems/pet-not-found","title":"t","status":404,"instance":"i"}`, "", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			canned := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				for _, header := range []string{"X-Request-Id", "ETag", "Location"} {
					if header != c.without {
						w.Header().Set(header, "/x")
					}
				}
				w.Header().Set("Content-Type", "application/json")
				if c.status >= 400 {
					w.Header().Set("Content-Type", "application/problem+json")
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer canned.Close()
			request, err := http.NewRequestWithContext(t.Context(), c.method, canned.URL+c.path,
				strings.NewReader(c.sent))
			if err != nil {
				t.Fatal(err)
			}
			response, err := contractcheck.Strict(http.DefaultTransport).RoundTrip(request)
			if err == nil {
				_ = response.Body.Close()
			}
			if (err != nil) != (c.broken != "") || err != nil && !strings.Contains(err.Error(), c.broken) {
				t.Errorf("the report is %v, want %q", err, c.broken)
			}
		})
	}
}
