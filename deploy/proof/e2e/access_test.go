package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/auth"
)

// issue returns a token of a signer. It is valid for every request, except for what a test changes in the grant.
func issue(t *testing.T, signer *auth.Signer, change func(*auth.Grant)) string {
	t.Helper()
	grant := auth.Grant{
		Subject: "tester", Scopes: []string{trial.Admin, trial.Developer}, Issuer: trial.Issuer,
		Audience: []string{trial.Audience}, Lifetime: time.Hour,
	}
	change(&grant)
	token, err := signer.Issue(grant)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestTokensThatAreRefused sends one of each kind of refusal. Package auth tries all that is wrong with tokens.
func TestTokensThatAreRefused(t *testing.T) {
	t.Parallel()
	stranger, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ authorization, code string }{
		"no header":         {"", ""},
		"key of a stranger": {"Bearer " + issue(t, stranger, func(*auth.Grant) {}), "invalid_token"},
		"without scope": {"Bearer " + issue(t, whole.Signer, func(g *auth.Grant) {
			g.Scopes = nil
		}), "insufficient_scope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caller := caller(t).With(c.authorization)
			for _, response := range []trial.Response{caller.Get(t, "/vehicle"),
				caller.Post(t, "/vehicle", vehicle())} {
				challenge := response.Want(t, http.StatusUnauthorized).Header.Get("WWW-Authenticate")
				if !strings.HasPrefix(challenge, "Bearer ") {
					t.Errorf("the challenge is %q", challenge)
				}
				if has := strings.Contains(challenge, "error="); has != (c.code != "") ||
					!strings.Contains(challenge, c.code) {
					t.Errorf("the challenge is %q, its code is not %q", challenge, c.code)
				}
			}
		})
	}
}

// TestInternalPathsAreNotRouted requests paths that only services and operators use. The gateway does not route them.
func TestInternalPathsAreNotRouted(t *testing.T) {
	t.Parallel()
	c := caller(t)
	p := policy(t, c)
	for _, unknown := range []string{
		"/internal/policy/" + p.Text("policyNumber"), "/internal/party/" + p.Text("policyholderId"),
		"/internal/lapse/" + p.Text("policyNumber"),
		"//internal/policy/" + p.Text("policyNumber"), "/vehicle/../internal/policy/" + p.Text("policyNumber"),
		"/vehicle/%2e%2e/internal/policy/" + p.Text("policyNumber"),
		"/vehicle%2f..%2finternal%2fpolicy%2f" + p.Text("policyNumber"),
		"/metrics", "/livez", "/readyz", "/debug/pprof/",
	} {
		for who, caller := range map[string]*trial.Client{"with a token": c, "without": c.With("")} {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				if response := caller.Do(t, method, unknown, nil); response.Status != http.StatusNotFound {
					t.Errorf("%s %s %s: %d %s", method, unknown, who, response.Status, response.Body)
				}
			}
		}
	}
	wantMembers(t, c.Read(t, "/motorCoverage/"+p.Text("id")), map[string]string{"status": "in force"})
}

// TestSmuggledIdentity sends the headers with which the gateway names the caller to a service. They have no effect.
func TestSmuggledIdentity(t *testing.T) {
	t.Parallel()
	smuggled := []string{
		"X-Exchange-Caller", "somebody", "X-Exchange-Scopes", trial.Admin, "X-Exchange-Credential", trial.Credential,
		"Connection", "X-Exchange-Caller, X-Exchange-Credential, X-Exchange-Scopes",
	}
	client(t, whole, "reader", trial.Developer).Post(t, "/vehicle", vehicle(), smuggled...).
		Want(t, http.StatusUnauthorized)
	caller(t).With("").Get(t, "/vehicle", smuggled...).Want(t, http.StatusUnauthorized)
}
