package peer_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"insurance.example/exchange/pkg/peer"
)

// replica is a server that counts its requests.
type replica struct {
	*httptest.Server
	requests atomic.Int64
}

func newReplica(t *testing.T, h http.HandlerFunc) *replica {
	t.Helper()
	r := &replica{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.requests.Add(1)
		h(w, request)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *replica) host() string { return r.Listener.Addr().String() }

func echo(w http.ResponseWriter, r *http.Request) {
	content, _ := io.ReadAll(r.Body)
	_, _ = w.Write(content)
}

// cut ends the connection without a response.
func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// vacant returns an address of this machine at which nothing listens.
func vacant(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func send(
	t *testing.T, transport http.RoundTripper, method, host string, body io.Reader,
) (status int, text string, err error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+host+"/vehicle", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Idempotency-Key", "k1") // for which net/http would repeat what may have been received
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

// TestWhatWasNotReceivedGoesToAnotherReplica sends bodies that can be kept, and one that is passed on as it is read.
func TestWhatWasNotReceivedGoesToAnotherReplica(t *testing.T) {
	up := newReplica(t, echo)
	long := strings.Repeat("x", 100<<10)
	for name, body := range map[string]func() (io.Reader, string){
		"none":              func() (io.Reader, string) { return nil, "" },
		"short":             func() (io.Reader, string) { return strings.NewReader("{}"), "{}" },
		"long":              func() (io.Reader, string) { return strings.NewReader(long), long },
		"of unknown length": func() (io.Reader, string) { return io.MultiReader(strings.NewReader("{}")), "{}" },
	} {
		t.Run(name, func(t *testing.T) {
			for range 4 { // whichever is chosen first
				content, want := body()
				status, text, err := send(t, peer.NewTransport(vacant(t), up.host()), http.MethodPost,
					vacant(t), content)
				if err != nil || status != http.StatusOK || text != want {
					t.Fatalf("status %d, error %v, %d bytes came back", status, err, len(text))
				}
			}
		})
	}
}

// TestWhatMayHaveBeenReceivedIsNotRepeated has every replica cut the connection.
func TestWhatMayHaveBeenReceivedIsNotRepeated(t *testing.T) {
	for method, want := range map[string]int64{http.MethodPost: 1, http.MethodPut: 1, http.MethodGet: 3} {
		a, b := newReplica(t, cut), newReplica(t, cut)
		var body io.Reader
		if method != http.MethodGet {
			body = strings.NewReader("{}")
		}
		if _, _, err := send(t, peer.NewTransport(b.host()), method, a.host(), body); err == nil {
			t.Errorf("%s: no error", method)
		}
		if got := a.requests.Load() + b.requests.Load(); got != want {
			t.Errorf("%s was sent %d times, want %d", method, got, want)
		}
	}
}

func TestReadIsRepeatedElsewhere(t *testing.T) {
	broken, up := newReplica(t, cut), newReplica(t, echo)
	transport := peer.NewTransport(up.host())
	for range 10 {
		if status, _, err := send(t, transport, http.MethodGet, broken.host(), nil); err != nil ||
			status != http.StatusOK {
			t.Fatalf("status %d, error %v", status, err)
		}
	}
	if n := broken.requests.Load(); n > 1 {
		t.Errorf("a replica that cuts its connections got %d requests of 10", n)
	}
}

// TestReplicaThatStopsIsAvoided: a response that closes its connection announces it.
func TestReplicaThatStopsIsAvoided(t *testing.T) {
	stopping := newReplica(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	up := newReplica(t, echo)
	transport := peer.NewTransport(up.host())
	for range 20 {
		if _, _, err := send(t, transport, http.MethodPost, stopping.host(), strings.NewReader("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if n := stopping.requests.Load(); n != 1 {
		t.Errorf("the replica that stops got %d requests", n)
	}
	stopping.requests.Store(0)
	alone := peer.NewTransport()
	for range 3 {
		if _, _, err := send(t, alone, http.MethodGet, stopping.host(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := stopping.requests.Load(); n != 3 {
		t.Errorf("the only replica got %d requests of 3", n)
	}
}

// TestBusyReplicaIsSpared holds one request: the others go elsewhere.
func TestBusyReplicaIsSpared(t *testing.T) {
	leave, entered := make(chan struct{}), make(chan struct{}, 1)
	var once atomic.Bool
	hold := func(w http.ResponseWriter, r *http.Request) {
		if once.CompareAndSwap(false, true) {
			entered <- struct{}{}
			<-leave
		}
		echo(w, r)
	}
	a, b := newReplica(t, hold), newReplica(t, hold)
	transport := peer.NewTransport(b.host())
	done := make(chan error, 1)
	go func() {
		_, _, err := send(t, transport, http.MethodGet, a.host(), nil)
		done <- err
	}()
	<-entered
	busy, free := a, b
	if b.requests.Load() == 1 {
		busy, free = b, a
	}
	for range 10 {
		if _, _, err := send(t, transport, http.MethodGet, a.host(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if busy.requests.Load() != 1 || free.requests.Load() != 10 {
		t.Errorf("the busy replica got %d requests, the other one %d", busy.requests.Load(), free.requests.Load())
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestEveryAddressOfANameIsTried: localhost has two addresses on most machines, and this server listens on one.
func TestEveryAddressOfANameIsTried(t *testing.T) {
	up := newReplica(t, echo)
	_, port, _ := net.SplitHostPort(up.host())
	transport := peer.NewTransport()
	for range 5 {
		if status, text, err := send(t, transport, http.MethodPost, "localhost:"+port,
			strings.NewReader("{}")); err != nil || status != http.StatusOK || text != "{}" {
			t.Fatalf("status %d, body %q, error %v", status, text, err)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	for name, host := range map[string]string{"nothing listens": vacant(t), "no such name": "absent.invalid:8080"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+host, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := peer.NewTransport().RoundTrip(request)
		if err == nil {
			response.Body.Close()
			t.Errorf("%s: status %d", name, response.StatusCode)
		}
		cancel()
	}
}

func TestReachRefuses(t *testing.T) {
	for _, addresses := range [][]string{nil, {"coverage:8080"}, {"http://coverage/path"}, {"http://a", "https://b"}} {
		if _, _, err := peer.Reach(addresses, nil); err == nil {
			t.Errorf("%q is accepted", addresses)
		}
	}
	base, _, err := peer.Reach([]string{"http://a:8080/", "http://b:8080"}, nil)
	if err != nil || base.String() != "http://a:8080" {
		t.Errorf("%v, error %v", base, err)
	}
}
