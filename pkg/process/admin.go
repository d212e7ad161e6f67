package process

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/singleflight"

	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// adminHandler serves metrics and health, and profiles if profiling is set. Metrics in the format OpenMetrics carry
// examples of traces (exemplars).
func adminHandler(h *health, metrics prometheus.Gatherer, profiling bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", reading(oneAtATime(promhttp.HandlerFor(metrics,
		promhttp.HandlerOpts{EnableOpenMetrics: true}))))
	mux.Handle("/livez", reading(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})))
	mux.Handle("/readyz", reading(readiness(h)))
	if profiling {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuseReading(w, r, problem.New(problem.NotFound, "There are /metrics, /livez and /readyz."))
	})
	return mux
}

// refuseReading responds with a problem to a request that no router has.
func refuseReading(w http.ResponseWriter, r *http.Request, p *problem.Error) {
	w.Header().Set(problem.RequestIDHeader, request.IDOf(r.Header.Get(problem.RequestIDHeader)))
	problem.Write(w, p)
}

// reading refuses all methods but GET and HEAD.
func reading(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			refuseReading(w, r, problem.New(problem.MethodNotAllowed, "").WithHeader("Allow", "GET, HEAD"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readiness responds with the report. Requests that come while it is made share it: its checks ask databases.
func readiness(h *health) http.Handler {
	var flight singleflight.Group
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		made, _, _ := flight.Do("", func() (any, error) { return h.report(context.WithoutCancel(r.Context())), nil })
		report := made.(report)
		w.Header().Set("Content-Type", "application/json")
		if !report.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(report)
	})
}

// turnPatience is how long a request waits for its turn.
const turnPatience = 2 * time.Second

// oneAtATime has a handler make one response at a time, because it takes as much work as many requests of callers.
// Clients that read slowly keep no one waiting.
func oneAtATime(next http.Handler) http.Handler {
	turn := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), patience.Times(turnPatience))
		defer cancel()
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			refuseReading(w, r, problem.New(problem.Overloaded, "Others ask for the same. Send the request again.").
				WithHeader("Retry-After", "1"))
			return
		}
		response := kept{header: w.Header(), status: http.StatusOK}
		func() {
			defer func() { <-turn }()
			next.ServeHTTP(&response, r)
		}()
		w.WriteHeader(response.status)
		_, _ = w.Write(response.body.Bytes())
	})
}

// kept is a response that is made as a whole before it is sent.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header                  { return k.header }
func (k *kept) WriteHeader(status int)               { k.status = status }
func (k *kept) Write(text []byte) (n int, err error) { return k.body.Write(text) }
