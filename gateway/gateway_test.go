package gateway_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/service"
)

const largestBody = 100

// table has one resource of each shape that the interface knows.
var table = []routes.Route{
	{Service: "coverage", Resource: "vehicle", Collection: []string{"GET", "HEAD", "POST"}, Item: []string{"GET", "HEAD", "PUT"}},
	{
		Service: "coverage", Resource: "motorCoverage", Collection: []string{"GET", "POST"}, Item: []string{"GET", "PUT"},
		Actions: []string{"endorse", "cancel", "renew"},
	},
	{
		Service: "coverage", Resource: "travelCoverage", Collection: []string{"GET", "POST"}, Item: []string{"GET", "PUT"},
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
	credentials auth.Credentials
}

// open makes a door in front of one service behind every route.
func open(t testing.TB, transport http.RoundTripper, address string, change func(*gateway.Config)) door {
	t.Helper()
	signer, err := auth.OpenSigner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var tokens auth.Settings
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	tokens.Register(flags)
	tokens.KeyFile = signer.PublicFile()
	log := slog.New(slog.DiscardHandler)
	verifier, err := auth.NewVerifier(t.Context(), tokens, log)
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := auth.NewCredentials([]string{"a-secret-of-the-exchange"})
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	config := gateway.Config{
		Routes: table, Upstreams: map[string]gateway.Upstream{}, Verifier: verifier, Credentials: credentials,
		LargestBody: largestBody, Log: log,
	}
	for _, route := range config.Routes {
		config.Upstreams[route.Service] = gateway.Upstream{URL: base, Transport: transport}
	}
	if change != nil {
		change(&config)
	}
	engine := service.NewEngine(service.EngineConfig{
		Log: log, Metrics: prometheus.NewRegistry(), Timeout: time.Second, LargestBody: largestBody,
	})
	handler, err := gateway.New(engine, config)
	if err != nil {
		t.Fatal(err)
	}
	d := door{httptest.NewServer(handler), handler, signer, credentials}
	t.Cleanup(d.Close)
	return d
}

// overEach runs a test with the service behind HTTP and in memory: both must behave alike.
func overEach(t *testing.T, h http.Handler, change func(*gateway.Config), test func(t *testing.T, d door)) {
	t.Run("http", func(t *testing.T) {
		server := httptest.NewServer(h)
		defer server.Close()
		test(t, open(t, peer.NewTransport(), server.URL, change))
	})
	t.Run("memory", func(t *testing.T) { test(t, open(t, peer.Handler(h), "http://coverage", change)) })
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

// isProblem asserts that the answer is a problem document of the status.
func isProblem(t testing.TB, response *http.Response, body string, status int) {
	t.Helper()
	var document struct {
		Status   int
		Instance string
	}
	if err := json.Unmarshal([]byte(body), &document); err != nil {
		t.Fatalf("status %d, body %q: %v", response.StatusCode, body, err)
	}
	if response.StatusCode != status || document.Status != status || response.Header.Get("Content-Type") != problem.ContentType {
		t.Fatalf("status %d, %s, %s; want a problem of status %d", response.StatusCode, response.Header.Get("Content-Type"), body, status)
	}
	if document.Instance == "" || document.Instance != response.Header.Get("X-Request-Id") {
		t.Fatalf("instance %q, request id %q", document.Instance, response.Header.Get("X-Request-Id"))
	}
}

var reached = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Reached", r.Method+" "+r.URL.RequestURI())
})

func TestPathsAndMethodsComeBeforeTheToken(t *testing.T) {
	d := open(t, peer.Handler(reached), "http://coverage", nil)
	for _, test := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/", 404, ""},
		{"GET", "/nothing", 404, ""},
		{"GET", "/vehicle/", 404, ""},
		{"GET", "//vehicle", 404, ""},
		{"GET", "/vehicle/7/more", 404, ""},
		{"GET", "/vehicle/..", 404, ""},
		{"GET", "/vehicle/%2e%2e", 404, ""},
		{"GET", "/vehicle/..%2Finternal%2Fpolicies", 404, ""},
		{"GET", "/internal", 404, ""},
		{"GET", "/internal/policies/M1", 404, ""},
		{"POST", "/internal/policies/M1:lapse", 404, ""},
		{"GET", "/Internal/policies", 404, ""},
		{"POST", "/motorCoverage/7:unknown", 404, ""},
		{"DELETE", "/motorCoverage/7:unknown", 404, ""},
		{"POST", "/travelCoverage/7:renew", 404, ""},
		{"POST", "/motorCoverage/:cancel", 404, ""},
		{"POST", "/vehicle/7:cancel", 404, ""},
		{"GET", "/productCatalog/7", 404, ""},
		{"POST", "/claim/7/settle", 404, ""},
		{"DELETE", "/vehicle", 405, "GET, HEAD, POST"},
		{"BREW", "/vehicle", 405, "GET, HEAD, POST"},
		{"POST", "/vehicle/7", 405, "GET, HEAD, PUT"},
		{"PUT", "/claimsBordereau/7", 405, "GET, HEAD"},
		{"POST", "/productCatalog", 405, "GET, HEAD"},
		{"GET", "/motorCoverage/7:cancel", 405, "POST"},
		{"GET", "/claim/7/documents", 405, "POST"},
		{"GET", "/vehicle", 401, ""},
		{"POST", "/motorCoverage/7:cancel", 401, ""},
	} {
		for _, token := range []string{"", d.token(t, gateway.ScopeAdmin, gateway.ScopeDeveloper)} {
			if test.status == 401 && token != "" {
				continue
			}
			request := d.request(t, test.method, test.path, nil)
			request.Header.Set("Authorization", token)
			if token == "" {
				request.Header.Del("Authorization")
			}
			response, body := do(t, request)
			isProblem(t, response, body, test.status)
			if got := response.Header.Get("Allow"); got != test.allow {
				t.Errorf("%s %s: Allow %q, want %q", test.method, test.path, got, test.allow)
			}
		}
	}
}

func TestRequestsReachTheirService(t *testing.T) {
	d := open(t, peer.Handler(reached), "http://coverage", nil)
	for _, test := range []struct{ method, path, want string }{
		{"GET", "/vehicle?limit=2&limit=%zz;x", ""},
		{"HEAD", "/vehicle/7", ""},
		{"POST", "/vehicle", ""},
		{"PUT", "/vehicle/7", ""},
		{"POST", "/motorCoverage/7:cancel", ""},
		{"POST", "/motorCoverage/7%3Acancel", "POST /motorCoverage/7:cancel"},
		{"POST", "/claim/7/documents", ""},
		{"GET", "/productCatalog", ""},
		{"GET", "/vehicle/a%20b%3Fc", ""},
	} {
		want := test.want
		if want == "" {
			want = test.method + " " + test.path
		}
		response, _ := do(t, d.request(t, test.method, test.path, nil))
		if got := response.Header.Get("X-Reached"); response.StatusCode != http.StatusOK || got != want {
			t.Errorf("%s %s: status %d, the service saw %q, want %q", test.method, test.path, response.StatusCode, got, want)
		}
	}
}

func TestScopes(t *testing.T) {
	both := []string{gateway.ScopeAdmin, gateway.ScopeDeveloper}
	for _, test := range []struct {
		method string
		scopes []string
		admin  bool // std.admin may read
		lacks  string
	}{
		{"GET", []string{gateway.ScopeDeveloper}, false, ""},
		{"HEAD", []string{gateway.ScopeDeveloper}, false, ""},
		{"GET", []string{gateway.ScopeAdmin}, false, gateway.ScopeDeveloper},
		{"HEAD", []string{gateway.ScopeAdmin}, false, gateway.ScopeDeveloper},
		{"GET", []string{gateway.ScopeAdmin}, true, ""},
		{"GET", both, false, ""},
		{"GET", nil, false, gateway.ScopeDeveloper},
		{"GET", []string{"std.developers", "std"}, true, gateway.ScopeDeveloper},
		{"PUT", []string{gateway.ScopeAdmin}, false, ""},
		{"PUT", []string{gateway.ScopeDeveloper}, false, gateway.ScopeAdmin},
		{"PUT", []string{gateway.ScopeDeveloper}, true, gateway.ScopeAdmin},
		{"PUT", nil, false, gateway.ScopeAdmin},
	} {
		d := open(t, peer.Handler(reached), "http://coverage", func(c *gateway.Config) { c.AdminMayRead = test.admin })
		request := d.request(t, test.method, "/vehicle/7", nil)
		request.Header.Set("Authorization", d.token(t, test.scopes...))
		response, _ := do(t, request)
		if test.lacks == "" {
			if response.StatusCode != http.StatusOK {
				t.Errorf("%s with %q: status %d", test.method, test.scopes, response.StatusCode)
			}
			continue
		}
		challenge := response.Header.Get("WWW-Authenticate")
		if response.StatusCode != http.StatusUnauthorized || !strings.Contains(challenge, `error="insufficient_scope", scope="`+test.lacks+`"`) {
			t.Errorf("%s with %q: status %d, challenge %s, want 401 for want of %s", test.method, test.scopes, response.StatusCode, challenge, test.lacks)
		}
	}
}

func TestPagesArePublic(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) })
	d := open(t, peer.Handler(reached), "http://coverage", func(c *gateway.Config) {
		c.Pages = map[string]http.Handler{"openapi.json": page, "problems": page}
	})
	for method, status := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405} {
		request := d.request(t, method, "/problems/not-found", nil)
		request.Header.Del("Authorization")
		response, body := do(t, request)
		if response.StatusCode != status || (method == "GET" && body != "page /problems/not-found") {
			t.Errorf("%s: status %d, body %q", method, response.StatusCode, body)
		}
	}
}

func TestRoutesAreChecked(t *testing.T) {
	for want, routes := range map[string][]routes.Route{
		"internal":    {{Resource: "internal", Service: "coverage"}},
		"twice":       {{Resource: "vehicle", Service: "coverage"}, {Resource: "vehicle", Service: "coverage"}},
		"one segment": {{Resource: "x/vehicle", Service: "coverage"}},
		"no upstream": {{Resource: "vehicle", Service: "elsewhere"}},
	} {
		engine := service.NewEngine(service.EngineConfig{Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
		_, err := gateway.New(engine, gateway.Config{Routes: routes, Upstreams: map[string]gateway.Upstream{"coverage": {}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
