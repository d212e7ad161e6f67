package kafka

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Attempts times attempts at something, by their outcome.
type Attempts struct{ seconds *prometheus.HistogramVec }

// NewAttempts registers the metric of attempts.
func NewAttempts(with promauto.Factory, name, help string) Attempts {
	return Attempts{with.NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help,
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"outcome"})}
}

// Observe adds an attempt that began at an instant and has ended now. It has failed if there is an error.
func (a Attempts) Observe(began time.Time, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	a.seconds.WithLabelValues(outcome).Observe(time.Since(began).Seconds())
}

type consumerMetrics struct {
	inHand      prometheus.Gauge
	lag         prometheus.Gauge
	lagSeconds  prometheus.Gauge
	handled     prometheus.Counter
	coalesced   prometheus.Counter
	retries     prometheus.Counter
	left        prometheus.Counter
	deadLetters prometheus.Counter
	attempts    Attempts
}

func newConsumerMetrics(registerer prometheus.Registerer, topic, group string) consumerMetrics {
	labels := prometheus.Labels{"topic": topic, "group": group}
	with := promauto.With(prometheus.WrapRegistererWith(labels, registerer))
	return consumerMetrics{
		inHand: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_consumer_in_hand",
			Help: "Messages fetched and not yet handled.",
		}),
		lag: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_consumer_lag_messages",
			Help: "Messages in the partitions of this consumer that are not handled yet.",
		}),
		lagSeconds: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_consumer_lag_seconds",
			Help: "Age of the oldest message fetched and not yet handled; 0 if there is none.",
		}),
		handled: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_handled_total",
			Help: "Messages done with: handled, coalesced, left, or in the dead-letter topic.",
		}),
		coalesced: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_coalesced_total",
			Help: "Messages handled by the handling of one alike.",
		}),
		retries: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_retries_total",
			Help: "Attempts at handling a message that failed and were to be repeated.",
		}),
		left: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_left_total",
			Help: "Messages whose handling has failed several times, and that are left to the sweep.",
		}),
		deadLetters: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_dead_letters_total",
			Help: "Messages that can never be handled, written to the dead-letter topic.",
		}),
		attempts: NewAttempts(with, "bus_consumer_handle_duration_seconds", "Time of an attempt to handle a message."),
	}
}
