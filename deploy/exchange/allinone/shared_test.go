package allinone

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/deploy/exchange/local"
)

// shared is an exchange that organisations share. It runs in the process of the test until the test ends.
type shared struct {
	t    *testing.T
	base string
	data string
}

// runShared runs an exchange in which the claim org of a token names the organisation.
func runShared(t *testing.T, args ...string) *shared {
	t.Helper()
	s, _ := runOn(t, t.TempDir(), append([]string{"--org-claim", "org"}, args...)...)
	return s
}

// runOn runs an exchange on a folder, and returns what stops it.
func runOn(t *testing.T, data string, args ...string) (s *shared, stop func()) {
	t.Helper()
	r := run(t, data, append([]string{"--admin-addr", ""}, args...)...)
	return &shared{t: t, data: data, base: r.base}, r.stop
}

// member is a caller who acts for an organisation.
type member struct {
	*shared
	token        string
	organisation string
}

// as returns a caller with scopes who acts for an organisation; with all of them if none is given.
func (s *shared) as(organisation string, scopes ...string) *member {
	s.t.Helper()
	if len(scopes) == 0 {
		scopes = []string{"std.developer", "std.admin"}
	}
	var token strings.Builder
	command := local.TokenCommand(nil, &token)
	// The subject is the same in each organisation.
	command.SetArgs([]string{
		"--data", s.data, "--org", organisation, "--subject", "ada", "--scope", strings.Join(scopes, " "),
	})
	if err := command.Execute(); err != nil {
		s.t.Fatal(err)
	}
	return &member{s, strings.TrimSpace(token.String()), organisation}
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (m *member) send(method, path, body string, headers map[string]string) answer {
	m.t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(m.t.Context(), method, m.base+path, content)
	if err != nil {
		m.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+m.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		m.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// issuance maps what the examples have in place of what an exchange issues to what it has issued.
type issuance map[string]string

// in returns a text with the names in it.
func (n issuance) in(text string) string {
	for example, issued := range n {
		text = strings.ReplaceAll(text, example, issued)
	}
	return text
}

// writeExamples makes the requests of the examples, and returns the names of what was issued.
func (m *member) writeExamples(all []examples.Example) issuance {
	m.t.Helper()
	issued := issuance{}
	for _, e := range all {
		method, path := e.Target()
		if method == http.MethodGet || strings.HasPrefix(path, "/x/") {
			continue
		}
		body, err := json.Marshal(e.Body)
		if err != nil {
			m.t.Fatal(err)
		}
		made := m.send(method, issued.in(path), issued.in(string(body)), maps.Clone(e.Headers))
		if made.status >= 300 {
			m.t.Fatalf("%s: %d %s", e.Operation, made.status, made.body)
		}
		var record map[string]any
		if err := json.Unmarshal([]byte(made.body), &record); err != nil {
			m.t.Fatal(err)
		}
		for _, name := range []string{"id", "policyNumber", "claimNumber"} {
			example, is := e.Issues[name].(string)
			if value, has := record[name].(string); is && has {
				issued[example] = value
			}
		}
	}
	return issued
}

// TestTheRulesHoldWithinAnOrganisation runs the conformance program as one organisation, beside another one that has
// records of its own.
func TestTheRulesHoldWithinAnOrganisation(t *testing.T) {
	s := runShared(t)
	all, err := examples.Load()
	if err != nil {
		t.Fatal(err)
	}
	s.as("acme").writeExamples(all)
	report := conformance.Run(t.Context(), conformance.Options{
		Base: s.base, AdminToken: s.as("zenith", "std.admin").token,
		DeveloperToken: s.as("zenith", "std.developer").token, Patience: 5 * time.Minute, Timeout: 5 * time.Minute,
	})
	for _, r := range report.Results {
		if r.Outcome == conformance.Failed {
			t.Errorf("%s: %s", r.Rule, r.Why)
		}
	}
	if passed := report.Count("", conformance.Passed); passed < len(report.Results)*9/10 {
		t.Errorf("%d of %d rules passed", passed, len(report.Results))
	}
}
