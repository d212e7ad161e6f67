package process

import (
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/load"
)

// Limiter returns a new limiter of the requests that one service of the process, which may be the gateway, takes for
// another one, or for itself; nil if the settings say that nothing is refused.
func (p *Process) Limiter(service, to string) *load.Limiter {
	target := p.Settings.OverloadLatency
	if target == 0 {
		return nil
	}
	limiter := load.NewLimiter(load.LimiterConfig{
		Target: target, Most: int(p.Settings.OverloadRequests), Now: time.Now, Log: p.Log.With("service", service, "to", to),
	})
	registerLimiter(prometheus.WrapRegistererWith(prometheus.Labels{"to": to}, p.Metrics(service)), limiter)
	return limiter
}

// registerLimiter registers the metrics of a limiter, which deploy/README.md describes.
func registerLimiter(registerer prometheus.Registerer, l *load.Limiter) {
	with := promauto.With(registerer)
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_limit", Help: "How many requests may be in work.",
	}, func() float64 { return float64(l.State().Limit) })
	with.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "exchange_admission_in_work", Help: "How many admitted requests are in work.",
	}, func() float64 { return float64(l.State().InWork) })
	for _, class := range load.Classes() {
		of := prometheus.Labels{"class": class.String()}
		with.NewCounterFunc(prometheus.CounterOpts{
			Name: "exchange_admission_admitted_total", Help: "Requests that were admitted.", ConstLabels: of,
		}, func() float64 { return float64(l.State().Admitted[class]) })
		with.NewCounterFunc(prometheus.CounterOpts{
			Name: "exchange_admission_refused_total", Help: "Requests that were refused because there were too many.", ConstLabels: of,
		}, func() float64 { return float64(l.State().Refused[class]) })
	}
}

// internalPrefix begins the paths of the operations that only other services call, for requests that were admitted
// there.
const internalPrefix = "/internal/"

// classOf returns the class of a request to a service. A path that ends in no parameter is that of a list.
func classOf(c *gin.Context) load.Class {
	route := c.FullPath()
	switch {
	case strings.HasPrefix(route, internalPrefix):
		return load.Internal
	case c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead:
		return load.Write
	case strings.Contains(route, "/:"):
		return load.Read
	default:
		return load.List
	}
}

// placed is the response to an admitted request. What the service does for it is done when the response begins: who
// reads it slowly keeps nobody out.
type placed struct {
	gin.ResponseWriter
	place *load.Slot
}

// Write writes a part of the body.
func (w *placed) Write(content []byte) (int, error) {
	w.begin()
	return w.ResponseWriter.Write(content)
}

// WriteString writes a part of the body.
func (w *placed) WriteString(content string) (int, error) {
	w.begin()
	return w.ResponseWriter.WriteString(content)
}

// begin ends the place. A 503 says nothing about how long requests take that are served.
func (w *placed) begin() {
	if w.Status() == http.StatusServiceUnavailable {
		w.place.End()
	} else {
		w.place.Served()
	}
}
