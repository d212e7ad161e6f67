package peer_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/servicetest/memory"
)

// world is a network in memory, and the replicas on it. It is in a bubble, whose clock goes on while all wait.
type world struct {
	*testing.T
	network memory.Network
}

// inMemory runs a test in a bubble.
func inMemory(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(&world{T: t}) })
}

// transport returns a transport over the network of the world.
func (w *world) transport(others ...string) *peer.Transport {
	transport := peer.NewTransport(others...)
	transport.DialBy(w.network.Dial)
	w.Cleanup(transport.CloseIdleConnections)
	return transport
}

// Nothing listens at these addresses of a world.
const vacant, alsoVacant = "127.0.0.2:80", "127.0.0.3:80"

// replica is a server that counts its requests.
type replica struct {
	*httptest.Server
	requests atomic.Int64
}

// newReplica starts a replica in memory, which ends with the test.
func (w *world) newReplica(h http.HandlerFunc) *replica {
	w.Helper()
	listener, err := w.network.Listen("127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	r := &replica{}
	r.Server = &httptest.Server{
		Listener: listener,
		Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			r.requests.Add(1)
			h(w, request)
		})},
	}
	r.Start()
	w.Cleanup(r.Close)
	return r
}

func (r *replica) host() string { return r.Listener.Addr().String() }

func echo(w http.ResponseWriter, r *http.Request) {
	content, _ := io.ReadAll(r.Body)
	_, _ = w.Write(content)
}

// cut ends the connection without a response.
func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

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
	long := strings.Repeat("x", 100<<10)
	for name, body := range map[string]func() (io.Reader, string){
		"none":              func() (io.Reader, string) { return nil, "" },
		"short":             func() (io.Reader, string) { return strings.NewReader("{}"), "{}" },
		"long":              func() (io.Reader, string) { return strings.NewReader(long), long },
		"of unknown length": func() (io.Reader, string) { return io.MultiReader(strings.NewReader("{}")), "{}" },
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, func(w *world) {
				up := w.newReplica(echo)
				for range 4 { // whichever is chosen first
					content, want := body()
					status, text, err := send(w.T, w.transport(alsoVacant, up.host()), http.MethodPost, vacant, content)
					if err != nil || status != http.StatusOK || text != want {
						w.Fatalf("status %d, error %v, %d bytes came back", status, err, len(text))
					}
				}
			})
		})
	}
}

// TestWhatMayHaveBeenReceivedIsNotRepeated has every replica cut the connection.
func TestWhatMayHaveBeenReceivedIsNotRepeated(t *testing.T) {
	inMemory(t, func(w *world) {
		for method, want := range map[string]int64{http.MethodPost: 1, http.MethodPut: 1, http.MethodGet: 3} {
			a, b := w.newReplica(cut), w.newReplica(cut)
			var body io.Reader
			if method != http.MethodGet {
				body = strings.NewReader("{}")
			}
			if _, _, err := send(w.T, w.transport(b.host()), method, a.host(), body); err == nil {
				w.Errorf("%s: no error", method)
			}
			if got := a.requests.Load() + b.requests.Load(); got != want {
				w.Errorf("%s was sent %d times, want %d", method, got, want)
			}
		}
	})
}

func TestReadIsRepeatedElsewhere(t *testing.T) {
	inMemory(t, func(w *world) {
		broken, up := w.newReplica(cut), w.newReplica(echo)
		transport := w.transport(up.host())
		for range 10 {
			if status, _, err := send(w.T, transport, http.MethodGet, broken.host(), nil); err != nil ||
				status != http.StatusOK {
				w.Fatalf("status %d, error %v", status, err)
			}
		}
		if n := broken.requests.Load(); n > 1 {
			w.Errorf("a replica that cuts its connections got %d requests of 10", n)
		}
	})
}

// TestReplicaThatStopsIsAvoided: a response that closes its connection announces it.
func TestReplicaThatStopsIsAvoided(t *testing.T) {
	inMemory(t, func(w *world) {
		stopping := w.newReplica(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
		up := w.newReplica(echo)
		transport := w.transport(up.host())
		for range 20 {
			_, _, err := send(w.T, transport, http.MethodPost, stopping.host(), strings.NewReader("{}"))
			if err != nil {
				w.Fatal(err)
			}
		}
		if n := stopping.requests.Load(); n != 1 {
			w.Errorf("the replica that stops got %d requests", n)
		}
		stopping.requests.Store(0)
		alone := w.transport()
		for range 3 {
			if _, _, err := send(w.T, alone, http.MethodGet, stopping.host(), nil); err != nil {
				w.Fatal(err)
			}
		}
		if n := stopping.requests.Load(); n != 3 {
			w.Errorf("the only replica got %d requests of 3", n)
		}
	})
}

// TestBusyReplicaIsSpared holds one request: the others go elsewhere.
func TestBusyReplicaIsSpared(t *testing.T) {
	inMemory(t, func(w *world) {
		leave, entered := make(chan struct{}), make(chan struct{}, 1)
		var once atomic.Bool
		hold := func(w http.ResponseWriter, r *http.Request) {
			if once.CompareAndSwap(false, true) {
				entered <- struct{}{}
				<-leave
			}
			echo(w, r)
		}
		a, b := w.newReplica(hold), w.newReplica(hold)
		transport := w.transport(b.host())
		done := make(chan error, 1)
		go func() {
			_, _, err := send(w.T, transport, http.MethodGet, a.host(), nil)
			done <- err
		}()
		<-entered
		busy, free := a, b
		if b.requests.Load() == 1 {
			busy, free = b, a
		}
		for range 10 {
			if _, _, err := send(w.T, transport, http.MethodGet, a.host(), nil); err != nil {
				w.Fatal(err)
			}
		}
		if busy.requests.Load() != 1 || free.requests.Load() != 10 {
			w.Errorf("the busy replica got %d requests, the other one %d", busy.requests.Load(), free.requests.Load())
		}
		close(leave)
		if err := <-done; err != nil {
			w.Error(err)
		}
	})
}

// TestEveryAddressOfANameIsTried: localhost has two addresses on most machines, and this server listens on one.
func TestEveryAddressOfANameIsTried(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(echo))
	defer up.Close()
	_, port, _ := net.SplitHostPort(up.Listener.Addr().String())
	transport := peer.NewTransport()
	for range 5 {
		if status, text, err := send(t, transport, http.MethodPost, "localhost:"+port,
			strings.NewReader("{}")); err != nil || status != http.StatusOK || text != "{}" {
			t.Fatalf("status %d, body %q, error %v", status, text, err)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	inMemory(t, func(w *world) {
		if status, _, err := send(w.T, w.transport(), http.MethodPost, vacant, strings.NewReader("{}")); err == nil {
			w.Errorf("nothing listens: status %d", status)
		}
	})
	if status, _, err := send(t, peer.NewTransport(), http.MethodPost, "absent.invalid:8080",
		strings.NewReader("{}")); err == nil {
		t.Errorf("no such name: status %d", status)
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
