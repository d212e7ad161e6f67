package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/gateway"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
)

func TestIdentityCannotBeSmuggled(t *testing.T) {
	var seen http.Header
	var known request.Caller
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen, known = r.Header.Clone(), request.CallerFrom(r.Context())
	})
	// smuggle sends a request that names another caller in every way. It is written by hand, so that nothing tidies it.
	smuggle := func(t *testing.T, d door) {
		t.Helper()
		connection, err := net.Dial("tcp", d.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		fmt.Fprintf(connection, "GET /vehicle HTTP/1.1\r\nHost: exchange\r\nAuthorization: %s\r\n"+
			"x-exchange-caller: admin\r\nX-EXCHANGE-CALLER: admin\r\nX-Exchange-Scopes: "+
			"std.admin\r\nX-Exchange-Credential: guess\r\n"+
			"X-Exchange-Timeout: 1\r\nX-Exchange-Anything: x\r\nX-Forwarded-For: 1.2.3.4\r\nForwarded: for=1.2.3.4\r\n"+
			"Connection: close, X-Exchange-Credential, X-Exchange-Caller, X-Odd\r\nX-Odd: x\r\nUpgrade: websocket\r\n"+
			"Proxy-Authorization: x\r\nX-Request-Id: order-7\r\n\r\n", d.token(t, gateway.ScopeDeveloper))
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Fatalf("status %d", response.StatusCode)
		}
	}
	wants := func(t *testing.T, headers map[string]string) {
		t.Helper()
		for name, want := range headers {
			if got := strings.Join(seen[name], "|"); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	overHTTP(t, h, nil, func(t *testing.T, d door) {
		smuggle(t, d)
		wants(t, map[string]string{
			request.CallerHeader: "broker-1", request.ScopesHeader: gateway.ScopeDeveloper,
			request.CredentialHeader: "a-secret-of-the-exchange",
			"X-Request-Id":           "order-7", "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "exchange",
			"X-Forwarded-Proto":   "http",
			"X-Exchange-Anything": "", "Authorization": "", "Forwarded": "", "X-Odd": "", "Upgrade": "",
			"Proxy-Authorization": "",
		})
		if left := seen.Get(request.TimeoutHeader); left == "" || left == "1" {
			t.Errorf("%s is %q, want the gateway's own", request.TimeoutHeader, left)
		}
	})
	smuggle(t, open(t, within(h), nil))
	wants(t, map[string]string{
		request.CallerHeader: "", request.ScopesHeader: "", request.CredentialHeader: "", request.TimeoutHeader: "",
		"X-Exchange-Anything": "", "Authorization": "", "X-Request-Id": "order-7",
	})
	if known.Subject != "broker-1" || !slices.Equal(known.Scopes, []string{gateway.ScopeDeveloper}) {
		t.Errorf("the service in the process sees the caller %v", known)
	}
}

// TestServicesKnowTheCaller has a service that only the gateway may call.
func TestServicesKnowTheCaller(t *testing.T) {
	credentials, err := request.NewCredentials([]string{"a-secret-of-the-exchange"})
	if err != nil {
		t.Fatal(err)
	}
	engine := gin.New()
	engine.GET("/vehicle", request.RequireGateway(request.Trust{Credentials: credentials}), func(c *gin.Context) {
		c.String(http.StatusOK, "%v", request.CallerFrom(c.Request.Context()))
	})
	overEach(t, engine, nil, func(t *testing.T, d door) {
		if response, text := do(t, d.request(t, "GET", "/vehicle", nil)); response.StatusCode != http.StatusOK ||
			text != "{broker-1   [std.admin std.developer] (the only one) }" {
			t.Errorf("status %d, %s", response.StatusCode, text)
		}
	})
}

func TestResponsesAreForwardedUnchanged(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if id := r.Header.Get("X-Request-Id"); id != "" {
			w.Header().Set("X-Request-Id", id)
		}
		w.Header().Set("Link", `</vehicle?cursor=a>; rel="next"`)
		problem.Write(w, problem.New(problem.Invalid, string(body)).WithHeader("Retry-After", "7"))
	})
	overEach(t, h, nil, func(t *testing.T, d door) {
		response, body := do(t, d.request(t, "POST", "/vehicle", strings.NewReader("sent")))
		isProblem(t, response, body, http.StatusBadRequest)
		if !strings.Contains(body, `"detail":"sent"`) || response.Header.Get(
			"Link") != `</vehicle?cursor=a>; rel="next"` || response.Header.Get("Retry-After") != "7" {
			t.Errorf("%v %s", response.Header, body)
		}
		if len(response.Header["X-Request-Id"]) != 1 {
			t.Errorf("headers %v", response.Header)
		}
	})
}

func TestHeadersOfAHopEndThere(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "X-Hop")
		w.Header().Set("X-Hop", "x")
	})
	overHTTP(t, h, nil, func(t *testing.T, d door) {
		if response, _ := do(t, d.request(t, "GET", "/vehicle", nil)); response.Header.Get("X-Hop") != "" {
			t.Errorf("headers %v", response.Header)
		}
	})
}

// TestKeysOfWhatIsNotDoneOnceEndHere: for a key, net/http would repeat what a service may have received.
func TestKeysOfWhatIsNotDoneOnceEndHere(t *testing.T) {
	var seen http.Header
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Clone() })
	overHTTP(t, h, nil, func(t *testing.T, d door) {
		for method, want := range map[string]string{http.MethodPost: "k1", http.MethodPut: "", http.MethodGet: ""} {
			path := "/motorCoverage/7"
			if method == http.MethodPost {
				path += ":renew"
			}
			request := d.request(t, method, path, nil)
			request.Header.Set("Idempotency-Key", "k1")
			request.Header.Set("X-Idempotency-Key", "k2")
			if response, body := do(t, request); response.StatusCode != http.StatusOK ||
				seen.Get("Idempotency-Key") != want || seen.Get("X-Idempotency-Key") != "" {
				t.Errorf("%s: status %d %s, headers %v, want the key %q", method, response.StatusCode, body, seen, want)
			}
		}
	})
}

func TestEmptyResponsesStayEmpty(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/vehicle/7" {
			w.WriteHeader(http.StatusNotFound)
		} else {
			w.WriteHeader(http.StatusNoContent)
		}
	})
	overEach(t, h, nil, func(t *testing.T, d door) {
		for path, status := range map[string]int{"/vehicle/7": http.StatusNotFound, "/vehicle": http.StatusNoContent} {
			if response, body := do(t, d.request(t, "GET", path, nil)); response.StatusCode != status || body != "" {
				t.Errorf("%s: status %d, body %q", path, response.StatusCode, body)
			}
		}
	})
}

func TestBodiesAreLimited(t *testing.T) {
	var read int
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		read = len(body)
		if err != nil {
			problem.Write(w, problem.New(problem.Malformed, ""))
		}
	})
	overEach(t, h, nil, func(t *testing.T, d door) {
		if response, _ := do(t, d.request(t, "POST", "/vehicle", strings.NewReader(strings.Repeat("x",
			largestBody)))); response.StatusCode != http.StatusOK || read != largestBody {
			t.Errorf("a body of the limit: status %d, read %d", response.StatusCode, read)
		}
		large := strings.Repeat("x", largestBody+1)
		response, body := do(t, d.request(t, "POST", "/vehicle", strings.NewReader(large)))
		isProblem(t, response, body, http.StatusRequestEntityTooLarge)

		// The token comes first.
		request := d.request(t, "POST", "/vehicle", strings.NewReader(large))
		request.Header.Del("Authorization")
		response, body = do(t, request)
		isProblem(t, response, body, http.StatusUnauthorized)
	})
	t.Run("unknown length", func(t *testing.T) {
		server := httptest.NewServer(h)
		defer server.Close()
		d := open(t, over(t, server.URL), nil)
		response, body := do(t,
			d.request(t, "POST", "/vehicle", io.MultiReader(strings.NewReader(strings.Repeat("x", 2*largestBody)))))
		isProblem(t, response, body, http.StatusRequestEntityTooLarge)
	})
}

func TestServiceThatIsDownIsAnOutage(t *testing.T) {
	server := httptest.NewServer(reached)
	server.Close()
	d := open(t, over(t, server.URL), nil)
	response, body := do(t, d.request(t, "POST", "/vehicle", strings.NewReader("{}")))
	isProblem(t, response, body, http.StatusServiceUnavailable)
	if response.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// TestGatewayThatIsNotAcceptedIsAnOutage makes a service refuse the gateway's credential. The caller's token was
// accepted, so the caller cannot mend it and gets 503.
func TestGatewayThatIsNotAcceptedIsAnOutage(t *testing.T) {
	credentials, err := request.NewCredentials([]string{"a-secret-of-another-exchange"})
	if err != nil {
		t.Fatal(err)
	}
	engine := gin.New()
	engine.NoRoute(request.RequireGateway(request.Trust{Credentials: credentials}), gin.WrapH(reached))
	for setting, change := range map[string]func(*gateway.Config){
		"credential-file": nil,
		// known by its certificate
		"tls-client-names": func(c *gateway.Config) { c.Credentials = request.Credentials{} },
	} {
		overHTTP(t, engine, change, func(t *testing.T, d door) {
			// Without a connection the log is whole once there is a response.
			recorder := httptest.NewRecorder()
			d.handler.ServeHTTP(recorder, d.request(t, "POST", "/vehicle", strings.NewReader("{}")))
			response, body := recorder.Result(), recorder.Body.String()
			isProblem(t, response, body, http.StatusServiceUnavailable)
			if response.Header.Get("Retry-After") == "" || response.Header.Get("WWW-Authenticate") != "" ||
				strings.Contains(body, "credential") {
				t.Errorf("headers %v, body %s; want Retry-After, no challenge, and nothing about the installation",
					response.Header, body)
			}
			line := d.log.String()
			if strings.Count(line, "\n") != 1 || !strings.Contains(line, setting) ||
				!strings.Contains(line, "coverage does not accept") ||
				!strings.Contains(line, "request="+response.Header.Get("X-Request-Id")) {
				t.Errorf("the log is %q, want one line with the request, the service and the setting %s", line, setting)
			}
		})
	}
}

func TestServiceThatIsSlowIsAnOutage(t *testing.T) {
	leave := make(chan struct{})
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-leave:
		}
	})
	server := httptest.NewServer(h)
	defer server.Close()
	defer close(leave)
	d := openWithin(t, process.EngineConfig{Timeout: 100 * time.Millisecond}, over(t, server.URL), nil)
	response, body := do(t, d.request(t, "GET", "/vehicle", nil))
	isProblem(t, response, body, http.StatusServiceUnavailable)
}

func TestTruncatedResponseIsNotTakenForWhole(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	server := httptest.NewServer(h)
	defer server.Close()
	d := open(t, over(t, server.URL), nil)
	response, err := http.DefaultTransport.RoundTrip(d.request(t, "GET", "/vehicle", nil))
	if err != nil {
		return // cut before its headers
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("body %q came to a regular end", body)
	}
}

func BenchmarkForward(b *testing.B) {
	text := []byte(`{"id":"0190a1b2-0000-7000-8000-000000000000","plateNumber":"ABC 123"}`)
	d := open(b, within(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	})), nil)
	template := d.request(b, "GET", "/vehicle/0190a1b2-0000-7000-8000-000000000000", nil)
	request := httptest.NewRequest(http.MethodGet, template.URL.Path, nil)
	request.Header = template.Header
	request.Body = http.NoBody
	b.ReportAllocs()
	for b.Loop() {
		response := httptest.NewRecorder()
		if d.handler.ServeHTTP(response, request); response.Code != http.StatusOK {
			b.Fatal(response.Code)
		}
	}
}
