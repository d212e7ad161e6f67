package simulation

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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

// wire connects a process to the processes of another service, at one address behind which each request goes to one
// that runs, as where a platform balances.
type wire struct {
	from    *replica
	service string
	hosts   []*host
}

// peers returns how a process of the host calls other services.
func (h *host) peers(p *replica) func(service string) (peer.Config, error) {
	return func(service string) (peer.Config, error) {
		config := peer.Config{Address: "http://" + service, Handler: h.stubs[service]}
		if hosts := h.replicas(service); len(hosts) > 0 {
			config.Handler, config.Transport = nil, &wire{p, service, hosts}
		}
		return config, nil
	}
}

// choose returns one of the processes that run; nil if none does.
func (w *wire) choose() *replica {
	var running []*replica
	for _, host := range w.hosts {
		if !host.current.dead.Load() {
			running = append(running, host.current)
		}
	}
	if len(running) == 0 {
		return nil
	}
	return running[w.from.world.random.IntN(len(running))]
}

// RoundTrip takes a request to a process. That process goes on when its caller has given up. While it is silent, it
// keeps the request, and handles it later.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
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
	_, err := call(ctx, w.from, "calls "+w.service, asIs, func() (struct{}, error) {
		to := w.choose()
		if to == nil {
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
