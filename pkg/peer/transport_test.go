package peer_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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
func (w *world) transport() *peer.Transport { return w.dialing(w.network.Dial) }

// dialing returns a transport that makes its connections by a function.
func (w *world) dialing(dial func(ctx context.Context, network, address string) (net.Conn, error)) *peer.Transport {
	transport := peer.NewTransport(nil)
	transport.DialBy(dial)
	w.Cleanup(transport.Renew) // closes the connections
	return transport
}

// Nothing listens at this address of a world.
const vacant = "127.0.0.2:80"

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
	response, err := transport.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

// TestADialErrorIsRepeated: nothing of the request was sent, so that it does not matter what it is.
func TestADialErrorIsRepeated(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for name, body := range map[string]func() (io.Reader, string){
		"none":              func() (io.Reader, string) { return nil, "" },
		"short":             func() (io.Reader, string) { return strings.NewReader("{}"), "{}" },
		"long":              func() (io.Reader, string) { return strings.NewReader(long), long },
		"of unknown length": func() (io.Reader, string) { return io.MultiReader(strings.NewReader("{}")), "{}" },
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, func(w *world) {
				up, dials := w.newReplica(echo), 0
				transport := w.dialing(func(ctx context.Context, network, address string) (net.Conn, error) {
					if dials++; dials < 3 {
						address = vacant
					}
					return w.network.Dial(ctx, network, address)
				})
				content, want := body()
				status, text, err := send(w.T, transport, http.MethodPost, up.host(), content)
				if err != nil || status != http.StatusOK || text != want || dials != 3 {
					w.Errorf("status %d, error %v, %d bytes came back after %d dials", status, err, len(text), dials)
				}
			})
		})
	}
}

// TestWhatMayHaveBeenReceivedIsNotRepeated has a replica cut the connection, also one that was good before. A read is
// repeated.
func TestWhatMayHaveBeenReceivedIsNotRepeated(t *testing.T) {
	for method, repeated := range map[string]bool{
		http.MethodPost: false, http.MethodPut: false, http.MethodDelete: false, http.MethodGet: true,
		http.MethodHead: true,
	} {
		for _, warm := range []bool{false, true} {
			inMemory(t, func(w *world) {
				var good atomic.Bool
				up := w.newReplica(func(w http.ResponseWriter, r *http.Request) {
					if !good.Load() {
						cut(w, r)
					}
				})
				transport := w.transport()
				if good.Store(warm); warm {
					if _, _, err := send(w.T, transport, http.MethodPost, up.host(), nil); err != nil {
						w.Fatal(err)
					}
					synctest.Wait()
				}
				good.Store(false)
				up.requests.Store(0)
				if _, _, err := send(w.T, transport, method, up.host(), nil); err == nil {
					w.Errorf("%s: no error", method)
				}
				if got := up.requests.Load(); repeated != (got > 1) || got > 3 {
					w.Errorf("%s was sent %d times, on a connection that was good before: %v", method, got, warm)
				}
			})
		}
	}
}

func TestAReadIsRepeated(t *testing.T) {
	inMemory(t, func(w *world) {
		var asked atomic.Int64
		up := w.newReplica(func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == 1 {
				cut(w, r)
			}
		})
		if status, _, err := send(w.T, w.transport(), http.MethodGet, up.host(), nil); err != nil ||
			status != http.StatusOK {
			w.Errorf("status %d, error %v", status, err)
		}
	})
}

// TestANewReplicaGetsWork keeps some connections to one replica in use all the time, while the platform sends new ones
// to another. Half a minute later every request reaches the other one. Those under way end where they are.
func TestANewReplicaGetsWork(t *testing.T) {
	inMemory(t, func(w *world) {
		const took = 100 * time.Millisecond
		slow := func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(took)
			echo(w, r)
		}
		former, added := w.newReplica(slow), w.newReplica(slow)
		var to atomic.Pointer[replica]
		to.Store(former)
		transport := w.dialing(func(ctx context.Context, network, _ string) (net.Conn, error) {
			return w.network.Dial(ctx, network, to.Load().host())
		})
		var callers sync.WaitGroup
		end := time.Now().Add(time.Minute)
		for range 3 {
			callers.Go(func() {
				for time.Now().Before(end) {
					_, _, err := send(w.T, transport, http.MethodPost, "coverage", strings.NewReader("{}"))
					if err != nil {
						w.Error(err)
					}
				}
			})
		}
		time.Sleep(time.Second)
		to.Store(added)
		time.Sleep(10 * time.Second)
		if n := added.requests.Load(); n > 0 {
			w.Errorf("%d requests on new connections, although there are others", n)
		}
		time.Sleep(20*time.Second + took)
		before := former.requests.Load()
		callers.Wait()
		if n := former.requests.Load() - before; n > 0 {
			w.Errorf("the former replica got %d requests after half a minute", n)
		}
		if n := added.requests.Load(); n < 3*250 {
			w.Errorf("the new replica got %d requests in half a minute", n)
		}
	})
}

// TestRenewClosesConnections: one that is idle at once, and one with a request under way when that ends.
func TestRenewClosesConnections(t *testing.T) {
	inMemory(t, func(w *world) {
		leave := make(chan struct{})
		up := w.newReplica(func(_ http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				<-leave
			}
		})
		var opened []*watched
		transport := w.dialing(func(ctx context.Context, network, address string) (net.Conn, error) {
			connection, err := w.network.Dial(ctx, network, address)
			opened = append(opened, &watched{Conn: connection})
			return opened[len(opened)-1], err
		})
		ended := make(chan error, 1)
		go func() {
			_, _, err := send(w.T, transport, http.MethodPost, up.host(), nil)
			ended <- err
		}()
		synctest.Wait()
		if _, _, err := send(w.T, transport, http.MethodGet, up.host(), nil); err != nil {
			w.Fatal(err)
		}
		synctest.Wait()
		transport.Renew()
		synctest.Wait()
		if len(opened) != 2 || opened[0].closed.Load() || !opened[1].closed.Load() {
			w.Errorf("%d connections; want that the idle one is closed alone", len(opened))
		}
		close(leave)
		if err := <-ended; err != nil {
			w.Error(err)
		}
		synctest.Wait()
		if !opened[0].closed.Load() {
			w.Error("the connection of the former request stays open")
		}
	})
}

// watched is a connection that knows whether it was closed.
type watched struct {
	net.Conn
	closed atomic.Bool
}

func (w *watched) Close() error {
	w.closed.Store(true)
	return w.Conn.Close()
}

func TestNobodyThere(t *testing.T) {
	inMemory(t, func(w *world) {
		if status, _, err := send(w.T, w.transport(), http.MethodPost, vacant, strings.NewReader("{}")); err == nil {
			w.Errorf("nothing listens: status %d", status)
		}
	})
	if status, _, err := send(t, peer.NewTransport(nil), http.MethodPost, "absent.invalid:8080",
		strings.NewReader("{}")); err == nil {
		t.Errorf("no such name: status %d", status)
	}
}
