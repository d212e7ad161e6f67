package outbox

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	age, names, failing  prometheus.Gauge
	left, swept, removed prometheus.Counter
	attempts             *prometheus.HistogramVec
}

func newMetrics(registerer prometheus.Registerer, name string) metrics {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"topic": name}, registerer))
	gauge := func(name, help string) prometheus.Gauge {
		return with.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	counter := func(name, help string) prometheus.Counter {
		return with.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	return metrics{
		age:     gauge("bus_outbox_age_seconds", "Age of the oldest unsent document; 0 if there is none."),
		names:   gauge("bus_outbox_names", "What documents lead to that is due, is being done, or was done just now."),
		failing: gauge("bus_outbox_failing", "What documents lead to whose last attempt failed; it is tried again."),
		left: counter("bus_outbox_left_total",
			"Requests for which there was no room; the sweep finds the documents that they are about."),
		swept: counter("bus_outbox_swept_total", "Unsent documents that the sweep has met."),
		removed: counter("bus_outbox_marks_removed_total",
			"Unsent marks removed, because what their documents lead to is stored."),
		attempts: with.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bus_outbox_attempt_duration_seconds", Help: "Time of an attempt at what documents lead to.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"outcome"}),
	}
}

// observe adds an attempt that began at an instant and has ended now.
func (m metrics) observe(began time.Time, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.attempts.WithLabelValues(outcome).Observe(time.Since(began).Seconds())
}
