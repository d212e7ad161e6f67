package gateway_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/auth/tokens"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

const largestBody = 100

// table has one resource of each shape that the interface knows.
var table = []routes.Route{
	{Service: "coverage", Resource: "vehicle", Collection: []string{"GET", "HEAD", "POST"},
		Item: []string{"GET", "HEAD", "PUT"}},
	{
		Service: "coverage", Resource: "motorCoverage", Collection: []string{"GET", "POST"},
		Item:    []string{"GET", "PUT"},
		Actions: []string{"endorse", "cancel", "renew"},
	},
	{
		Service: "coverage", Resource: "travelCoverage", Collection: []string{"GET", "POST"},
		Item:    []string{"GET", "PUT"},
		Actions: []string{"endorse", "cancel"},
	},
	{
		Service: "claims", Resource: "claim", Collection: []string{"GET", "POST"}, Item: []string{"GET", "PUT"},
		Actions: []string{"settle", "reopen"}, Subs: []string{"documents"},
	},
	{Service: "claims", Resource: "claimsBordereau", Collection: []string{"GET", "POST"}, Item: []string{"GET"}},
	{Service: "products", Resource: "productCatalog", Collection: []string{"GET"}},
}

// door is a gateway with one service behind it, and who may issue tokens for it.
type door struct {
	*httptest.Server
	handler     http.Handler
	signer      *auth.Signer
	credentials request.Credentials
	// log has what the door logs about requests at level warning and above. It may be read while the door handles no
	// request.
	log *bytes.Buffer
}

// open makes a door in front of one service behind every route, with more time for each request than any test takes.
func open(t testing.TB, to gateway.Upstream, change func(*gateway.Config)) door {
	t.Helper()
	return openWithin(t, process.EngineConfig{Timeout: time.Minute}, to, change)
}

// openWithin is open with the bounds that a configuration sets.
func openWithin(t testing.TB, bounds process.EngineConfig, to gateway.Upstream, change func(*gateway.Config)) door {
	t.Helper()
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	logged := new(bytes.Buffer)
	log := slog.New(slog.NewTextHandler(logged, &slog.HandlerOptions{Level: slog.LevelWarn}))
	credentials, err := request.NewCredentials([]string{"a-secret-of-the-exchange"})
	if err != nil {
		t.Fatal(err)
	}
	config := gateway.Config{
		Routes: table, Upstreams: map[string]gateway.Upstream{}, Verifier: verifierOf(t, signer, ""),
		Credentials: credentials, LargestBody: largestBody, Log: log,
	}
	for _, route := range config.Routes {
		config.Upstreams[route.Service] = to
	}
	if change != nil {
		change(&config)
	}
	bounds.Log, bounds.Metrics, bounds.LargestBody = log, prometheus.NewRegistry(), largestBody
	handler, err := gateway.New(process.NewEngine(bounds), config)
	if err != nil {
		t.Fatal(err)
	}
	d := door{httptest.NewServer(handler), handler, signer, credentials, logged}
	t.Cleanup(d.Close)
	return d
}

// verifierOf returns what verifies the tokens of a signer, which name the organisation of the caller by a claim.
func verifierOf(t testing.TB, signer *auth.Signer, claim string) *auth.Verifier {
	t.Helper()
	var tokens tokens.Settings
	tokens.Register(pflag.NewFlagSet("", pflag.ContinueOnError))
	tokens.KeyFile, tokens.Organisation = signer.PublicFile(), claim
	verifier, err := auth.NewVerifier(t.Context(), tokens, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}

// over returns a service that is reached by HTTP.
func over(t testing.TB, address string) gateway.Upstream {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return gateway.Upstream{URL: base, Transport: peer.NewTransport(nil)}
}

// within returns a service in the process of the gateway.
func within(h http.Handler) gateway.Upstream { return gateway.Upstream{Handler: h} }

// overEach runs a test with the service behind HTTP and in the process of the gateway: both must behave alike.
func overEach(t *testing.T, h http.Handler, change func(*gateway.Config), test func(t *testing.T, d door)) {
	t.Run("http", func(t *testing.T) { overHTTP(t, h, change, test) })
	t.Run("within", func(t *testing.T) { test(t, open(t, within(h), change)) })
}

func overHTTP(t *testing.T, h http.Handler, change func(*gateway.Config), test func(t *testing.T, d door)) {
	server := httptest.NewServer(h)
	defer server.Close()
	test(t, open(t, over(t, server.URL), change))
}

func (d door) token(t testing.TB, scopes ...string) string {
	t.Helper()
	token, err := d.signer.Issue(auth.Grant{Subject: "broker-1", Scopes: scopes, Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return "Bearer " + token
}

// request makes a request with a token of both scopes.
func (d door) request(t testing.TB, method, path string, body io.Reader) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, d.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", d.token(t, gateway.ScopeAdmin, gateway.ScopeDeveloper))
	return request
}

// requestOf makes a request of a caller to read.
func (d door) requestOf(t testing.TB, caller, path string) *http.Request {
	t.Helper()
	token, err := d.signer.Issue(auth.Grant{Subject: caller, Scopes: []string{gateway.ScopeDeveloper},
		Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	request := d.request(t, "GET", path, nil)
	request.Header.Set("Authorization", "Bearer "+token)
	return request
}

func do(t testing.TB, request *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// isProblem asserts that the response is a problem document of the status.
func isProblem(t testing.TB, response *http.Response, body string, status int) {
	t.Helper()
	var document struct {
		Status   int
		Instance string
	}
	if err := json.Unmarshal([]byte(body), &document); err != nil {
		t.Fatalf("status %d, body %q: %v", response.StatusCode, body, err)
	}
	if response.StatusCode != status || document.Status != status ||
		response.Header.Get("Content-Type") != problem.ContentType {
		t.Fatalf("status %d, %s, %s; want a problem of status %d", response.StatusCode,
			response.Header.Get("Content-Type"), body, status)
	}
	if document.Instance == "" || document.Instance != response.Header.Get("X-Request-Id") {
		t.Fatalf("instance %q, request id %q", document.Instance, response.Header.Get("X-Request-Id"))
	}
}

var reached = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Reached", r.Method+" "+r.URL.RequestURI())
})
