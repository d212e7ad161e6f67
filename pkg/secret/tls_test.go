package secret_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/pkg/secret"
	"insurance.example/exchange/pkg/secret/certificatetest"
	"insurance.example/exchange/pkg/setting"
)

// file writes a file and returns it as that of a setting.
func file(t *testing.T, name, text string) setting.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return setting.File{Setting: name, Path: path}
}

// issue returns a certificate with the names.
func issue(t *testing.T, by *certificatetest.Authority, names ...string) *secret.Pair {
	t.Helper()
	text, key := by.Issue(names...)
	pair, err := secret.ReadPair(file(t, "tls-certificate", text), file(t, "tls-key", key))
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// ask starts a server that accepts certificates of the authority with one of the names, and sends it a request with
// the certificate shown, or with none if that is nil.
func ask(t *testing.T, of *certificatetest.Authority, names []string, shown *secret.Pair) (status int, err error) {
	t.Helper()
	trusted, err := secret.ReadAuthorities(file(t, "tls-client-ca", of.PEM))
	if err != nil {
		t.Fatal(err)
	}
	callers := secret.NewCallers(trusted, names)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := callers.Accept(r.TLS); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	server.TLS = secret.ServerTLS(issue(t, of, "127.0.0.1"), callers)
	server.StartTLS()
	defer server.Close()
	transport := &http.Transport{TLSClientConfig: secret.ClientTLS(trusted, shown)()}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport, Timeout: 5 * time.Minute}).Get(server.URL)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func TestCallersAreAcceptedByAuthorityAndName(t *testing.T) {
	ours, others := certificatetest.NewAuthority(t), certificatetest.NewAuthority(t)
	const workload = "spiffe://exchange.example/gateway"
	for name, test := range map[string]struct {
		names    []string
		shown    *secret.Pair
		accepted bool
	}{
		"the name":                         {[]string{"claims", "gateway"}, issue(t, ours, "gateway"), true},
		"the name in capitals":             {[]string{"gateway"}, issue(t, ours, "GATEWAY"), true},
		"the URI":                          {[]string{workload}, issue(t, ours, workload), true},
		"any name":                         {nil, issue(t, ours, "anybody"), true},
		"no certificate":                   {nil, nil, false},
		"another authority":                {nil, issue(t, others, "gateway"), false},
		"another authority, the name":      {[]string{"gateway"}, issue(t, others, "gateway"), false},
		"another name":                     {[]string{"gateway"}, issue(t, ours, "claims"), false},
		"a name that begins like the name": {[]string{"gateway"}, issue(t, ours, "gateway.evil.example"), false},
		"a wildcard": {
			[]string{"gateway.exchange.example"}, issue(t, ours, "*.exchange.example"), false,
		},
		"another URI": {[]string{workload}, issue(t, ours, workload+"/x"), false},
	} {
		t.Run(name, func(t *testing.T) {
			status, err := ask(t, ours, test.names, test.shown)
			switch {
			case test.accepted && (err != nil || status != http.StatusOK):
				t.Errorf("status %d, error %v", status, err)
			case !test.accepted && (err == nil || !strings.Contains(err.Error(), "tls: ")):
				t.Errorf("status %d, error %v; want a handshake that fails", status, err)
			}
		})
	}
}

func TestReadPairRefuses(t *testing.T) {
	authority := certificatetest.NewAuthority(t)
	text, key := authority.Issue("gateway")
	_, otherKey := authority.Issue("gateway")
	hour := time.Now().Add(-time.Hour)
	ended, endedKey := authority.IssueUntil(hour.Add(-time.Hour), hour, "gateway")
	for want, pair := range map[string][2]string{
		"settings tls-certificate and tls-key: ":               {text, otherKey},
		"are not a certificate and its private key":            {key, text},
		"setting tls-certificate: the certificate in":          {ended, endedKey},
		"has ended on " + hour.UTC().Format(time.RFC3339)[:13]: {ended, endedKey},
	} {
		_, err := secret.ReadPair(file(t, "tls-certificate", pair[0]), file(t, "tls-key", pair[1]))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PRIVATE KEY") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestReadAuthoritiesRefuses(t *testing.T) {
	_, key := certificatetest.NewAuthority(t).Issue("gateway")
	for want, text := range map[string]string{
		"holds no certificate in PEM":            "none",
		"holds something else than certificates": key,
	} {
		if _, err := secret.ReadAuthorities(file(t, "tls-client-ca", text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestDue: a certificate of 100 days is due in its last 25 days, and one of ten years in its last 30.
func TestDue(t *testing.T) {
	authority := certificatetest.NewAuthority(t)
	const day = 24 * time.Hour
	now := time.Now()
	for _, test := range []struct {
		passed, left time.Duration
		due          string
	}{
		{70 * day, 30 * day, ""}, {80 * day, 20 * day, "ends on"}, {3615 * day, 35 * day, ""},
		{3625 * day, 25 * day, "ends on"},
		{40 * time.Minute, 20 * time.Minute, ""}, {50 * time.Minute, 10 * time.Minute, "ends on"},
		{3 * day, -time.Minute, "has ended on"},
	} {
		text, key := authority.IssueUntil(now.Add(-test.passed), now.Add(test.left), "gateway")
		pair, err := tls.X509KeyPair([]byte(text), []byte(key))
		if err != nil {
			t.Fatal(err)
		}
		due := secret.Due(&pair, now)
		if (due == nil) != (test.due == "") || due != nil && !strings.Contains(due.Error(), test.due) {
			t.Errorf("after %s, with %s left: %v", test.passed, test.left, due)
		}
	}
}
