package webhook

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics say how far the webhooks are. There are Most names at most.
type metrics struct {
	lag, paused *prometheus.GaugeVec
	failures    *prometheus.CounterVec
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	m := &metrics{
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "exchange_webhook_lag_seconds",
			Help: "How long ago the event happened that a webhook delivers, or waits to deliver; 0 if there is none " +
				"to deliver. Absent while another replica delivers, or a caller has paused the webhook.",
		}, []string{"webhook"}),
		paused: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "exchange_webhook_paused", Help: "Whether a webhook is paused.",
		}, []string{"webhook"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "exchange_webhook_failures_total", Help: "Attempts to deliver an event that were not accepted.",
		}, []string{"webhook"}),
	}
	registerer.MustRegister(m.lag, m.paused, m.failures)
	return m
}

// shows shows a webhook as it is stored, at an instant. self is this replica. The age of an event that waits is stored,
// so that all replicas show it. While one delivers, only that one knows the age, and no other shows any.
func (m *metrics) shows(e *endpoint, self string, now time.Time) {
	paused := 0.0
	if e.Why != "" {
		paused = 1
	}
	m.paused.WithLabelValues(e.Name).Set(paused)
	m.failures.WithLabelValues(e.Name).Add(0)
	switch {
	case e.Holder == self:
	case e.Holder != "":
		m.lag.DeleteLabelValues(e.Name)
	case !e.Waiting.IsZero():
		m.lags(e.Name, now.Sub(e.Waiting))
	case e.Why == "":
		m.lags(e.Name, 0)
	default:
		m.lag.DeleteLabelValues(e.Name)
	}
}

// lags shows how old the event is that is to be delivered next.
func (m *metrics) lags(name string, age time.Duration) {
	m.lag.WithLabelValues(name).Set(age.Seconds())
}

// forget removes the series of a webhook that is no more.
func (m *metrics) forget(name string) {
	for _, v := range []interface{ DeleteLabelValues(...string) bool }{m.lag, m.paused, m.failures} {
		v.DeleteLabelValues(name)
	}
}
