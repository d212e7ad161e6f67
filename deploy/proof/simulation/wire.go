package simulation

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"time"

	"insurance.example/exchange/pkg/peer"
)

// stubs take the place of services of the core that a seed does not simulate.
var stubs = map[string]http.Handler{
	"coverage": found(`{"policyNumber":%q,"policyholderId":"h","inceptionDate":"2026-01-01T00:00:00Z"}`),
	"parties":  found(`{"id":%q,"resource":"personal"}`),
	"claims":   http.NotFoundHandler(),
}

// found responds to a look-up with a document about any id.
func found(document string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, document, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
	})
}

// wire connects a process to the processes of another service.
type wire struct {
	from    *replica
	service string
	// hosts are those of the service, by their addresses.
	hosts map[string]*host
	// unheard counts the requests in a row that each address has left without a response, and heard is when the last
	// response of it came.
	unheard map[string]int
	heard   map[string]time.Time
}

// peers returns how a process of the host calls other services. The address of a replica is its number.
func (h *host) peers(p *replica) func(service string) (peer.Config, error) {
	return func(service string) (peer.Config, error) {
		config := peer.Config{Address: "http://" + service, Handler: h.stubs[service]}
		w := &wire{p, service, map[string]*host{}, map[string]int{}, map[string]time.Time{}}
		var addresses []string
		for i, host := range h.replicas(service) {
			addresses = append(addresses, fmt.Sprintf("10.0.0.%d:80", i+1))
			w.hosts[addresses[i]] = host
		}
		if len(addresses) > 0 {
			config = peer.Config{Address: "http://" + addresses[0],
				Transport: peer.NewTransportOver(w, addresses[1:]...)}
		}
		return config, nil
	}
}

// silentAfter is how many requests in a row a replica leaves without a response until it is known to be silent, and
// giveUp is how long a request waits for one that is.
const (
	silentAfter = 3
	giveUp      = time.Second
)

// RoundTrip sends a request to one of the processes of the service, and notes if it waits for a process that is known
// to be silent for longer than that is worth. The request by which the caller learns that the process responds again is
// a HEAD.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	at, began := r.URL.Host, time.Now()
	known := w.unheard[at] >= silentAfter
	response, err := w.carry(r)
	took := time.Since(began)
	switch {
	case r.Method != http.MethodHead && known && w.unheard[at] >= silentAfter && took > giveUp+10*time.Millisecond:
		w.from.world.late = append(w.from.world.late, fmt.Sprintf(
			"a request of %s waited %s for %s of %s, which is silent", w.from.label, took, at, w.service))
	case err == nil:
		w.unheard[at], w.heard[at] = 0, time.Now()
	case took >= giveUp && r.Method != http.MethodHead && w.heard[at].Before(began):
		w.unheard[at]++
	}
	return response, err
}

// carry takes a request to a process. That process goes on when its caller has given up. While it is silent, it keeps
// the request, and handles it later.
func (w *wire) carry(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	ctx, header := r.Context(), r.Header.Clone()
	response := make(chan *httptest.ResponseRecorder, 1)
	if trace := httptrace.ContextClientTrace(ctx); trace != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	_, err := call(ctx, w.from, "calls "+w.service, asIs, func() (struct{}, error) {
		to := w.hosts[r.URL.Host].current
		if to.dead.Load() {
			return struct{}{}, errFault
		}
		// Each call at an instant of its own.
		silence := time.Until(to.silent) + time.Duration(to.world.random.IntN(1_000_000))
		go func() {
			defer close(response)
			if silence > time.Millisecond && !to.await(silence) {
				return
			}
			got := to.serve(as(to.ctx, actor(ctx)), r.Method, r.URL.RequestURI(), string(body), header)
			if !to.dead.Load() {
				response <- got
			}
		}()
		return struct{}{}, nil
	})
	if err != nil {
		return nil, err
	}
	select {
	case got, is := <-response:
		if !is {
			return nil, errFault
		}
		heard := got.Result()
		heard.Request = r
		return heard, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
