package e2e_test

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/contracts/conformance"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/secret/certificatetest"
)

// TestMutualTLS runs seven processes that know each other by their certificates, without a shared credential.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	e, volumes := runWithCertificates(t)
	c := client(t, e, "tester", trial.Developer, trial.Admin)
	t.Run("story", func(t *testing.T) { runStory(t, c) })
	t.Run("handshake", func(t *testing.T) { refuseHandshakes(t, e, volumes, c) })
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestRulesWithMutualTLS tries every rule at a gateway that serves TLS. It is no part of make test (CONTRIBUTING.md).
func TestRulesWithMutualTLS(t *testing.T) {
	t.Parallel()
	e, volumes := runWithCertificates(t)
	conformOverTLS(t, e, volumes)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// runWithCertificates starts seven processes that have certificates of one authority.
func runWithCertificates(t *testing.T) (*trial.Exchange, *trial.Volumes) {
	t.Helper()
	authority := certificatetest.NewAuthority(t)
	volumes := trial.NewVolumes(t, t.TempDir(), authority)
	for _, process := range apart {
		volumes.Issue(process, authority)
	}
	e, err := commands.RunComposed(t.TempDir(), trial.Composition{Volumes: volumes})
	trial.EndWith(t, e, err)
	return e, volumes
}

// conformOverTLS tries every rule at a gateway that serves TLS.
func conformOverTLS(t *testing.T, e *trial.Exchange, volumes *trial.Volumes) {
	options := conformance.Options{
		Base: e.Base, Patience: trial.Patience, Timeout: trial.Patience,
		Transport: trial.Checked(twoProtocols(volumes)),
	}
	for scope, to := range map[string]*string{trial.Admin: &options.AdminToken,
		trial.Developer: &options.DeveloperToken} {
		authorization := client(t, e, "tester", scope).Authorization()
		*to = strings.TrimPrefix(authorization, "Bearer ")
	}
	wantConforming(t, conformance.Run(t.Context(), options), len(conformance.Rules()))
}

// refuseHandshakes calls services directly. They accept connections only from the processes that call them.
func refuseHandshakes(t *testing.T, e *trial.Exchange, volumes *trial.Volumes, c *trial.Client) {
	another := certificatetest.NewAuthority(t)
	pair := func(authority *certificatetest.Authority, names ...string) tls.Certificate {
		made, err := tls.X509KeyPair(pem(authority.Issue(names...)))
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	direct := c.At(e.URL("coverage"))
	for _, process := range []string{"gateway", "claims", "premium"} {
		direct.Through(volumes.Transport(volumes.Pair(process))).Get(t, "/vehicle").Want(t, http.StatusOK)
	}
	for who, certificates := range map[string][]tls.Certificate{
		"without a certificate":                            nil,
		"with a certificate of another authority":          {pair(another, "gateway")},
		"with the certificate of a service that calls not": {volumes.Pair("parties")},
	} {
		wantNoHandshake(t, who, direct.Through(volumes.Transport(certificates...)), "/vehicle", "X-Exchange-Credential",
			trial.Credential)
	}
	plain, err := http.Get("http://" + e.Address("coverage") + "/vehicle")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Body.Close()
	if plain.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS: status %d", plain.StatusCode)
	}
}

func pem(certificate, key string) ([]byte, []byte) { return []byte(certificate), []byte(key) }

// wantNoHandshake sends a request, and fails the test unless TLS refuses the connection.
func wantNoHandshake(t *testing.T, who string, c *trial.Client, path string, headers ...string) {
	t.Helper()
	a, err := c.Send(t.Context(), http.MethodGet, path, nil, headers...)
	if err == nil || !strings.Contains(err.Error(), "remote error: tls: ") {
		t.Errorf("%s: status %d, error %v", who, a.Status, err)
	}
}

// twoProtocols returns a transport to the gateway that speaks HTTP/2.
func twoProtocols(volumes *trial.Volumes) *http.Transport {
	transport := volumes.Transport()
	transport.ForceAttemptHTTP2 = true
	return transport
}
