package peer

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// newSeconds registers the metric of the calls to a peer.
func newSeconds(config Config) *prometheus.HistogramVec {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"peer": config.Name}, config.Metrics))
	return with.NewHistogramVec(prometheus.HistogramOpts{
		Name: "peer_request_duration_seconds", Help: "Time of a call of another service, each attempt by itself.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"method", "code"})
}

// observe times an attempt. status is 0 if there was no response.
func (c *Client) observe(method string, status int, began time.Time) {
	if c.seconds == nil {
		return
	}
	code := "none"
	if http.StatusText(status) != "" {
		code = strconv.Itoa(status)
	}
	c.seconds.WithLabelValues(method, code).Observe(time.Since(began).Seconds())
}
