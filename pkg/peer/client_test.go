package peer_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

const secret = "a-secret-of-the-exchange"

type policy struct {
	Number string `json:"number"`
}

// overEach runs a test over HTTP and in memory: both must behave alike.
func overEach(t *testing.T, h http.Handler, config peer.Config, test func(t *testing.T, c *peer.Client)) {
	t.Run("http", func(t *testing.T) {
		server := httptest.NewServer(h)
		defer server.Close()
		config := config
		config.Address, config.Transport = server.URL, peer.NewTransport(nil)
		test(t, client(t, config))
	})
	t.Run("memory", func(t *testing.T) {
		config := config
		config.Address, config.Handler = "http://coverage", h
		test(t, client(t, config))
	})
}

func client(t testing.TB, config peer.Config) *peer.Client {
	t.Helper()
	credentials, err := request.NewCredentials([]string{secret})
	if err != nil {
		t.Fatal(err)
	}
	config.Name, config.Credentials = "coverage", credentials
	c, err := peer.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func outage(t *testing.T, err error) {
	t.Helper()
	var p *problem.Error
	if !errors.As(err, &p) || p.Kind != problem.Unavailable || !strings.Contains(err.Error(), "coverage") {
		t.Fatalf("error %v, want an outage that names the peer", err)
	}
}

func TestGetFindsOrNot(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("number") != "M 1" {
			problem.Write(w, problem.New(problem.NotFound, ""))
			return
		}
		_, _ = io.WriteString(w, `{"number":"M 1"}`)
	})
	overEach(t, h, peer.Config{OpenAfter: 1}, func(t *testing.T, c *peer.Client) {
		for range 3 { // 404 must not open the breaker
			if _, found, err := peer.Get[policy](t.Context(), c, "/internal/policies?number=x"); found || err != nil {
				t.Fatalf("found %v, error %v", found, err)
			}
		}
		value, found, err := peer.Get[policy](t.Context(), c, "/internal/policies?number=M+1")
		if err != nil || !found || value.Number != "M 1" {
			t.Fatalf("value %+v, found %v, error %v", value, found, err)
		}
	})
}

func TestCallsCarryWhatTheyBelongTo(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	var header http.Header
	var within context.Context
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, within = r.Header.Clone(), r.Context()
		_, _ = io.WriteString(w, "{}")
	})
	call := func(c *peer.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		ctx = request.WithCaller(ctx, request.Caller{Subject: "broker-1", Scopes: []string{"std.admin"}})
		ctx = request.WithNames(ctx, &request.Names{ID: "request-7", Parent: parent})
		if _, _, err := peer.Get[policy](ctx, c, "/"); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(h)
	defer server.Close()
	call(client(t, peer.Config{Address: server.URL, Transport: peer.NewTransport(nil)}))
	for name, want := range map[string]string{
		"X-Request-Id": "request-7", "Traceparent": parent,
		request.CallerHeader: "broker-1", request.ScopesHeader: "std.admin", request.CredentialHeader: secret,
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if left, err := strconv.Atoi(header.Get(request.TimeoutHeader)); err != nil || left <= 0 || left > 60_000 {
		t.Errorf("%s is %q, want what is left of a minute", request.TimeoutHeader, header.Get(request.TimeoutHeader))
	}

	call(client(t, peer.Config{Address: "http://coverage", Handler: h}))
	names, caller := request.NamesFrom(within), request.CallerFrom(within)
	if _, limited := within.Deadline(); !limited || names == nil || names.ID != "request-7" || names.Parent != parent ||
		!caller.Has("std.admin") {
		t.Errorf("in memory: names %v, caller %v, limited %v", names, caller, limited)
	}
	if header.Get(request.CredentialHeader) != "" {
		t.Error("in memory: the credential is sent")
	}
}

// TestPeersTrustCalls has a peer that only processes of the exchange may call.
func TestPeersTrustCalls(t *testing.T) {
	credentials, err := request.NewCredentials([]string{secret})
	if err != nil {
		t.Fatal(err)
	}
	engine := gin.New()
	engine.Use(request.RequireGateway(request.Trust{Credentials: credentials}))
	engine.GET("/", func(c *gin.Context) {
		c.JSON(http.StatusOK, policy{request.CallerFrom(c.Request.Context()).Subject})
	})
	overEach(t, engine, peer.Config{}, func(t *testing.T, c *peer.Client) {
		for _, subject := range []string{"broker-1", ""} {
			ctx := t.Context()
			if subject != "" {
				ctx = request.WithCaller(ctx, request.Caller{Subject: subject})
			}
			if seen, found, err := peer.Get[policy](ctx, c, "/"); err != nil || !found || seen.Number != subject {
				t.Errorf("caller %q: seen %q, found %v, error %v", subject, seen.Number, found, err)
			}
		}
	})
}

func TestReadsAreRetriedAndWritesAreNot(t *testing.T) {
	var asked atomic.Int64
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"number":"M1"}`)
	})
	overEach(t, h, peer.Config{}, func(t *testing.T, c *peer.Client) {
		asked.Store(0)
		if value, _, err := peer.Get[policy](t.Context(), c, "/"); err != nil || value.Number != "M1" {
			t.Fatalf("value %+v, error %v, want the third try to succeed", value, err)
		}
		asked.Store(0)
		_, err := peer.Post[policy](t.Context(), c, "/", policy{})
		outage(t, err)
		if asked.Load() != 1 {
			t.Fatalf("the write was sent %d times", asked.Load())
		}
	})
}

func TestPostReturnsTheResponseOrTheRefusal(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var p policy
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		switch p.Number {
		case "lapsed":
			problem.Write(w, problem.New(problem.KeyReused, "It has lapsed."))
		case "quiet":
			w.WriteHeader(http.StatusNoContent)
		default:
			_ = json.NewEncoder(w).Encode(p)
		}
	})
	overEach(t, h, peer.Config{OpenAfter: 1}, func(t *testing.T, c *peer.Client) {
		if p, err := peer.Post[policy](t.Context(), c, "/", policy{"M1"}); err != nil || p.Number != "M1" {
			t.Fatalf("response %+v, error %v", p, err)
		}
		if _, err := peer.Post[policy](t.Context(), c, "/", policy{"quiet"}); err != nil {
			t.Fatalf("a response without a body: %v", err)
		}
		_, err := peer.Post[policy](t.Context(), c, "/", policy{"lapsed"})
		var refusal *peer.Refusal
		if !errors.As(err, &refusal) || refusal.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(string(refusal.Document), "lapsed") {
			t.Fatalf("error %v, want the refusal with its document", err)
		}
	})
}

func TestBreakerOpensAndCloses(t *testing.T) {
	var ill atomic.Bool
	var asked atomic.Int64
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if ill.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, "{}")
	})
	inMemory(t, func(w *world) {
		f := w.newReplica(h)
		for name, config := range map[string]peer.Config{
			"http": {Address: f.URL, Transport: w.transport()}, "memory": {Address: "http://coverage", Handler: h},
		} {
			config.OpenAfter = 3
			c := client(w, config)
			ill.Store(true)
			asked.Store(0)
			for range 10 {
				_, _, err := peer.Get[policy](w.Context(), c, "/")
				outage(w.T, err)
			}
			if asked.Load() != 3 {
				w.Fatalf("%s: the ill peer was asked %d times, want 3 and then peace", name, asked.Load())
			}
			ill.Store(false)
			_, _, err := peer.Get[policy](w.Context(), c, "/")
			outage(w.T, err)
			time.Sleep(time.Second)
			for range 5 {
				if _, _, err := peer.Get[policy](w.Context(), c, "/"); err != nil {
					w.Fatalf("%s: after it has closed: %v", name, err)
				}
			}
		}
	})
}

// TestOverloadDoesNotOpenTheBreaker has a peer that refuses calls because it has too much in work: it is not asked
// again for the same call, and it is asked for the next one.
func TestOverloadDoesNotOpenTheBreaker(t *testing.T) {
	var asked atomic.Int64
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		problem.Write(w, problem.New(problem.Overloaded, "").WithHeader("Retry-After", "1"))
	})
	overEach(t, h, peer.Config{OpenAfter: 1}, func(t *testing.T, c *peer.Client) {
		asked.Store(0)
		const calls = 5
		for range calls {
			_, _, err := peer.Get[policy](t.Context(), c, "/")
			var p *problem.Error
			if !errors.As(err, &p) || p.Kind != problem.Overloaded || p.Header.Get("Retry-After") == "" {
				t.Fatalf("error %v, want that the peer has too much in work", err)
			}
		}
		if asked.Load() != calls {
			t.Errorf("the peer was asked %d times for %d calls", asked.Load(), calls)
		}
	})
}

func TestCallersWhoGiveUpDoNotOpenTheBreaker(t *testing.T) {
	arrived := make(chan struct{}, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			arrived <- struct{}{}
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, "{}")
	})
	overEach(t, h, peer.Config{OpenAfter: 1}, func(t *testing.T, c *peer.Client) {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		_, _, _ = peer.Get[policy](ctx, c, "/slow")
		if _, _, err := peer.Get[policy](t.Context(), c, "/"); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTheBreakerOpensForASilentPeer has a peer respond to nothing: after several calls none is made.
func TestTheBreakerOpensForASilentPeer(t *testing.T) {
	inMemory(t, func(w *world) {
		silent := w.newReplica(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		c := client(w, peer.Config{Address: silent.URL, Transport: w.transport(), OpenAfter: 5})
		for range 10 {
			ctx, cancel := context.WithTimeout(w.Context(), time.Second)
			_, _, err := peer.Get[policy](ctx, c, "/")
			cancel()
			outage(w.T, err)
		}
		if asked := silent.requests.Load(); asked != 5 {
			w.Errorf("a silent peer gets %d requests", asked)
		}
	})
}

func TestUnreachablePeerIsAnOutage(t *testing.T) {
	inMemory(t, func(w *world) {
		c := client(w, peer.Config{Address: "http://" + vacant, Transport: w.transport()})
		_, _, err := peer.Get[policy](w.Context(), c, "/")
		outage(w.T, err)
	})
}

func TestForeignCredentialIsAnOutage(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	overEach(t, h, peer.Config{}, func(t *testing.T, c *peer.Client) {
		_, _, err := peer.Get[policy](t.Context(), c, "/")
		outage(t, err)
		if !strings.Contains(err.Error(), "credential-file") {
			t.Errorf("error %v, want the setting in it", err)
		}
	})
}

func TestResponseThatIsNoJSONIsAnOutage(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })
	overEach(t, h, peer.Config{}, func(t *testing.T, c *peer.Client) {
		_, found, err := peer.Get[policy](t.Context(), c, "/")
		outage(t, err)
		if found {
			t.Fatal("found together with an error")
		}
	})
}

func TestAddressMustBeAHost(t *testing.T) {
	for _, address := range []string{"", "coverage:8080", "http://", "ftp://coverage", "http://coverage/base"} {
		if _, err := peer.New(peer.Config{Name: "coverage", Address: address}); err == nil {
			t.Errorf("address %q is accepted", address)
		}
	}
}
