package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"insurance.example/exchange/gateway"
)

const portal = "https://portal.example"

func TestBrowsersOfAllowedOrigins(t *testing.T) {
	d := open(t, within(reached), func(c *gateway.Config) { c.Origins = []string{portal} })
	preflight := func(origin string) *http.Response {
		request := d.request(t, http.MethodOptions, "/motorCoverage/7:cancel", nil)
		request.Header.Del("Authorization")
		request.Header.Set("Origin", origin)
		request.Header.Set("Access-Control-Request-Method", "POST")
		request.Header.Set("Access-Control-Request-Headers", "authorization,content-type,idempotency-key,if-match")
		response, _ := do(t, request)
		return response
	}
	allowed := preflight(portal)
	if allowed.StatusCode != http.StatusNoContent || allowed.Header.Get("Access-Control-Allow-Origin") != portal ||
		allowed.Header.Get("Access-Control-Allow-Methods") != "POST" ||
		!strings.Contains(allowed.Header.Get("Access-Control-Allow-Headers"), "if-match") {
		t.Errorf("preflight: %d %v", allowed.StatusCode, allowed.Header)
	}
	if other := preflight("https://evil.example"); other.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight of another origin: %v", other.Header)
	}

	request := d.request(t, http.MethodGet, "/vehicle/7", nil)
	request.Header.Set("Origin", portal)
	response, _ := do(t, request)
	if response.StatusCode != http.StatusOK || response.Header.Get("Access-Control-Allow-Origin") != portal ||
		!strings.Contains(strings.ToLower(response.Header.Get("Access-Control-Expose-Headers")), "etag") {
		t.Errorf("request: %d %v", response.StatusCode, response.Header)
	}
	// A page must be able to read why it was refused.
	request.Header.Del("Authorization")
	if response, body := do(t, request); response.Header.Get("Access-Control-Allow-Origin") != portal {
		t.Errorf("refusal: %v", response.Header)
	} else {
		isProblem(t, response, body, http.StatusUnauthorized)
	}
	// OPTIONS that is not a preflight is a method like any other.
	options, body := do(t, d.request(t, http.MethodOptions, "/vehicle", nil))
	isProblem(t, options, body, http.StatusMethodNotAllowed)
}

func TestBrowsersWithoutConfiguredOrigins(t *testing.T) {
	d := open(t, within(reached), nil)
	request := d.request(t, http.MethodOptions, "/vehicle", nil)
	request.Header.Set("Origin", portal)
	request.Header.Set("Access-Control-Request-Method", "POST")
	response, body := do(t, request)
	isProblem(t, response, body, http.StatusMethodNotAllowed)
	if response.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("headers %v", response.Header)
	}
}

func TestOriginsAreChecked(t *testing.T) {
	for _, origin := range []string{"portal.example", "https://portal.example/", "https://portal.example/app",
		"ftp://portal.example", "https://", "null"} {
		var stderr strings.Builder
		status := gateway.Program().Execute(t.Context(), append(everyPeer("http://127.0.0.1:1"),
			"--addr", "127.0.0.1:0", "--admin-addr", "", "--cors-origins", origin), nil, io.Discard, &stderr)
		if status != 1 || !strings.Contains(stderr.String(), "setting cors-origins") ||
			!strings.Contains(stderr.String(), "https://portal.example") {
			t.Errorf("%s: status %d, stderr %q", origin, status, stderr.String())
		}
	}
}
