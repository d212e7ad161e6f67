package conformance

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRuleNamesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		name := r.Area + ": " + r.Name
		if seen[name] {
			t.Errorf("two rules are called %q", name)
		}
		seen[name] = true
	}
}

// TestIndependence: an error that the services and their judge shared would not be seen.
func TestIndependence(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), "go", "list", "-deps",
		"insurance.example/exchange/contracts/conformance").Output()
	if err != nil {
		t.Fatal(err)
	}
	const project, itself = "insurance.example/exchange/", "insurance.example/exchange/contracts/conformance"
	for imported := range strings.Lines(string(output)) {
		if imported = strings.TrimSpace(imported); strings.HasPrefix(imported, project) && imported != itself {
			t.Errorf("the suite imports %s", imported)
		}
	}
}

func TestFormats(t *testing.T) {
	report := Report{Base: "http://example", Results: []Result{
		{Area: "lists", Rule: "good", Outcome: Passed},
		{Area: "lists", Rule: "bad", Outcome: Failed, Why: "it <differs>", Request: "GET /x", Response: "500"},
		{Area: "claims", Rule: "unseen", Outcome: Skipped, Why: "no way"},
	}}
	written := map[string]*bytes.Buffer{}
	for name, write := range Formats {
		written[name] = new(bytes.Buffer)
		if err := write(report, written[name]); err != nil {
			t.Fatal(err)
		}
	}
	var again Report
	if err := json.Unmarshal(written["json"].Bytes(), &again); err != nil ||
		!slices.Equal(again.Results, report.Results) {
		t.Errorf("json: %v\n%s", err, written["json"])
	}
	var junit struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(written["junit"].Bytes(), &junit); err != nil {
		t.Fatal(err)
	}
	if len(junit.Suites) != 2 || junit.Suites[0].Name != "lists" || junit.Suites[0].Failures != 1 ||
		junit.Suites[0].Tests != 2 ||
		junit.Suites[1].Skipped != 1 || junit.Suites[0].Cases[1].Failure.Message != "it <differs>" {
		t.Errorf("junit: %s", written["junit"])
	}
	if text := written["text"].String(); !strings.Contains(text, "failed   lists: bad\n") ||
		strings.Contains(text, "good") {
		t.Errorf("text: %s", text)
	}
}

// TestNothingPassesForNothing: an implementation that responds to everything alike conforms in nothing.
func TestNothingPassesForNothing(t *testing.T) {
	t.Parallel()
	for name, nonsense := range map[string]http.HandlerFunc{
		"200 {}":     always(http.StatusOK, "application/json", "{}"),
		"201 {}":     always(http.StatusCreated, "application/json", "{}"),
		"200 []":     always(http.StatusOK, "application/json", "[]"),
		"200 null":   always(http.StatusOK, "application/json", "null"),
		"200 [null]": always(http.StatusOK, "application/json", "[null]"),
		"nothing":    always(http.StatusNoContent, "", ""),
		"400": always(http.StatusBadRequest, "application/problem+json",
			`{"type":"/x","title":"x","status":400,"detail":"x","instance":"x","errors":[{"reason":"x"}]}`),
		"404": always(http.StatusNotFound, "application/problem+json",
			`{"type":"/x","title":"x","status":404,"detail":"x","instance":"x"}`),
		"401": always(http.StatusUnauthorized, "application/problem+json",
			`{"type":"/x","title":"x","status":401,"detail":"x","instance":"x"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := Run(t.Context(), Options{
				Base: "http://nonsense.example", AdminToken: "admin", DeveloperToken: "developer",
				Patience:  time.Nanosecond,
				Transport: called(nonsense),
			})
			const most = 0.05
			if passed := report.Count("", Passed); float64(passed) > most*float64(len(report.Results)) {
				for _, r := range report.Results {
					if r.Outcome == Passed {
						t.Log(r.Area, r.Rule)
					}
				}
				t.Errorf("%d of %d rules passed", passed, len(report.Results))
			}
			if failed := report.Count("", Failed); float64(failed) < (1-most)*float64(len(report.Results)) {
				t.Errorf("%d of %d rules failed, %d were skipped", failed, len(report.Results),
					report.Count("", Skipped))
			}
		})
	}
}

// called is a transport that calls a handler. These implementations get tens of thousands of requests, and none of
// them needs a socket.
type called http.HandlerFunc

func (c called) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	defer r.Body.Close()
	recorder := httptest.NewRecorder()
	c(recorder, r)
	response := recorder.Result()
	response.Request = r
	return response, nil
}

// always returns a handler that responds to every request alike.
func always(status int, mediaType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if mediaType != "" {
			w.Header().Set("Content-Type", mediaType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}
