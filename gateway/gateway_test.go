package gateway_test

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/process"
)

func TestPathsAndMethodsComeBeforeTheToken(t *testing.T) {
	d := open(t, within(reached), nil)
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
		{"POST", "/claim/7%2Fdocuments", 404, ""},
		{"GET", "/vehicle%2f7", 404, ""},
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
		{"OPTIONS", "/vehicle", 405, "GET, HEAD, POST"},
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
	d := open(t, within(reached), nil)
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
			t.Errorf("%s %s: status %d, the service saw %q, want %q", test.method, test.path,
				response.StatusCode, got, want)
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
		d := open(t, within(reached), func(c *gateway.Config) { c.AdminMayRead = test.admin })
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
		if response.StatusCode != http.StatusUnauthorized ||
			!strings.Contains(challenge, `error="insufficient_scope", scope="`+test.lacks+`"`) {
			t.Errorf("%s with %q: status %d, challenge %s, want 401 for want of %s", test.method, test.scopes,
				response.StatusCode, challenge, test.lacks)
		}
	}
}

func TestPagesArePublic(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "page "+r.URL.Path)
	})
	d := open(t, within(reached), func(c *gateway.Config) {
		c.Pages = map[string]http.Handler{"/": page, "/problems/not-found": page}
	})
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/problems/not-found", 200},
		{"HEAD", "/problems/not-found", 200},
		{"POST", "/problems/not-found", 405},
		{"GET", "/", 200},
		{"HEAD", "/", 200},
		{"DELETE", "/", 405},
		{"GET", "//", 404},
		{"POST", "//vehicle", 404},
		{"GET", "/problems", 404},
		{"POST", "/problems/not-found/more", 404},
	} {
		request := d.request(t, test.method, test.path, nil)
		request.Header.Del("Authorization")
		response, body := do(t, request)
		if test.status >= 400 {
			isProblem(t, response, body, test.status)
		} else if response.StatusCode != test.status || (test.method == "GET" && body != "page "+test.path) {
			t.Errorf("%s %s: status %d, body %q", test.method, test.path, response.StatusCode, body)
		}
		if allow := response.Header.Get("Allow"); (test.status == 405) != (allow == "GET, HEAD") {
			t.Errorf("%s %s: Allow %q", test.method, test.path, allow)
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
		engine := process.NewEngine(process.EngineConfig{Log: slog.New(slog.DiscardHandler),
			Metrics: prometheus.NewRegistry()})
		_, err := gateway.New(engine,
			gateway.Config{Routes: routes, Upstreams: map[string]gateway.Upstream{"coverage": {}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// TestUnknownPathsNameThoseLikeThem asks for what is misspelt, and with methods that a path does not take.
func TestUnknownPathsNameThoseLikeThem(t *testing.T) {
	d := open(t, within(reached), func(c *gateway.Config) {
		for _, path := range []string{"/x/search", "/x/search/personal", "/x/search/claim", "/x/history/pet/{id}"} {
			c.Extensions = append(c.Extensions,
				routes.Extension{Service: c.Routes[0].Service, Path: path, Method: http.MethodGet})
		}
	})
	for _, test := range []struct{ method, path, want, not string }{
		{"GET", "/vehicles", "There is no path /vehicles. Is /vehicle meant?", ""},
		{"GET", "/VEHICLE/7", "Is /vehicle meant?", ""},
		{"POST", "/motorCoverage/7:cancle", "Is /motorCoverage/{id}:cancel meant?", "renew"},
		{"POST", "/claim/7/document", "Is /claim/{id}/documents meant?", ":settle"},
		{"POST", "/claim/7:pay", "/claim/{id}:settle", ""},
		{"GET", "/motorCoverage/", "Is /motorCoverage meant?", ":cancel"},
		{"GET", "/x/search/nothing", "Is /x/search meant?", "personal"},
		{"GET", "/x/search/claims", "Is /x/search/claim meant?", "personal"},
		{"GET", "/x/serach/claim", "Is /x/search/claim meant?", "personal"},
		{"GET", "/x/history/pets/7", "Is /x/history/pet/{id} meant?", "search"},
		{"GET", "/zzzzzzzzzzzzzz", "There is no path /zzzzzzzzzzzzzz.", "meant"},
		{"GET", "/" + strings.Repeat("v", 5000), "There is no path /vvv", "meant"},
		{"DELETE", "/vehicle", "This path takes GET, HEAD, POST, and not DELETE.", ""},
		{"PUT", "/claimsBordereau/7", "This path takes GET, HEAD, and not PUT.", ""},
	} {
		response, body := do(t, d.request(t, test.method, test.path, nil))
		if !strings.Contains(body, test.want) || test.not != "" && strings.Contains(body, test.not) {
			t.Errorf("%s %.40s: %d %s, want %q and not %q", test.method, test.path, response.StatusCode, body,
				test.want, test.not)
		}
	}
}
