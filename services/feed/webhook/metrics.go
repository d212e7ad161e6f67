package webhook

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics say how far the webhooks are. Webhooks of several organisations that have one name share its series, which
// show the worst of them: none hides what another lacks, and no organisation is a label. It is safe for concurrent use.
type metrics struct {
	lag, paused *prometheus.GaugeVec
	failures    *prometheus.CounterVec

	mu sync.Mutex
	// of is what is known of the webhooks of each name, by their owners.
	of map[string]map[string]*standing
}

// standing is what the metrics say of one webhook.
type standing struct {
	paused bool
	// lags says whether a lag is shown, and lag is it, in seconds.
	lags bool
	lag  float64
}

func newMetrics(registerer prometheus.Registerer) *metrics {
	m := &metrics{
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "exchange_webhook_lag_seconds",
			Help: "How long ago the event happened that a webhook delivers, or waits to deliver; 0 if there is none " +
				"to deliver. Absent while another replica delivers, or a caller has paused the webhook. Of several " +
				"organisations' webhooks of one name, the longest.",
		}, []string{"webhook"}),
		paused: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "exchange_webhook_paused", Help: "Whether a webhook is paused; of several organisations' webhooks " +
				"of one name, whether any is.",
		}, []string{"webhook"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "exchange_webhook_failures_total", Help: "Attempts to deliver an event that were not accepted.",
		}, []string{"webhook"}),
		of: map[string]map[string]*standing{},
	}
	registerer.MustRegister(m.lag, m.paused, m.failures)
	return m
}

// shows shows a webhook as it is stored, at an instant. self is this replica. The age of an event that waits is stored,
// so that all replicas show it. While one delivers, only that one knows the age, and no other shows any.
func (m *metrics) shows(e *endpoint, self string, now time.Time) {
	m.change(e.key(), func(s *standing) {
		s.paused = e.Why != ""
		switch {
		case e.Holder == self:
		case e.Holder != "":
			s.lags = false
		case !e.Waiting.IsZero():
			s.lags, s.lag = true, now.Sub(e.Waiting).Seconds()
		default:
			s.lags, s.lag = e.Why == "", 0
		}
	})
}

// delays shows how old the event is that is to be delivered next.
func (m *metrics) delays(of key, age time.Duration) {
	m.change(of, func(s *standing) { s.lags, s.lag = true, age.Seconds() })
}

// fails counts an attempt that was not accepted.
func (m *metrics) fails(of key) { m.failures.WithLabelValues(of.name).Inc() }

func (m *metrics) change(of key, how func(*standing)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := m.of[of.name]
	if same == nil {
		same = map[string]*standing{}
		m.of[of.name] = same
	}
	if same[of.owner] == nil {
		same[of.owner] = &standing{}
	}
	how(same[of.owner])
	m.show(of.name)
}

// show shows the worst of the webhooks of a name.
func (m *metrics) show(name string) {
	var worst standing
	for _, s := range m.of[name] {
		worst.paused = worst.paused || s.paused
		if s.lags {
			worst.lags, worst.lag = true, max(worst.lag, s.lag)
		}
	}
	paused := 0.0
	if worst.paused {
		paused = 1
	}
	m.paused.WithLabelValues(name).Set(paused)
	m.failures.WithLabelValues(name).Add(0)
	if worst.lags {
		m.lag.WithLabelValues(name).Set(worst.lag)
	} else {
		m.lag.DeleteLabelValues(name)
	}
}

// forget removes what is known of a webhook that is no more, and the series of its name if no other has it.
func (m *metrics) forget(of key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of[of.name], of.owner)
	if len(m.of[of.name]) > 0 {
		m.show(of.name)
		return
	}
	delete(m.of, of.name)
	for _, v := range []interface{ DeleteLabelValues(...string) bool }{m.lag, m.paused, m.failures} {
		v.DeleteLabelValues(of.name)
	}
}
