package outbox

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"insurance.example/exchange/pkg/kafka"
)

type relayMetrics struct {
	backlog   prometheus.Gauge
	left      prometheus.Counter
	published prometheus.Counter
	failures  *prometheus.CounterVec
	batches   kafka.Attempts
}

func newRelayMetrics(registerer prometheus.Registerer, topic string) relayMetrics {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"topic": topic}, registerer))
	metrics := relayMetrics{
		backlog: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_relay_backlog",
			Help: "Messages that await publication.",
		}),
		left: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_relay_left_total",
			Help: "Messages that were left unpublished because too many awaited publication; the sweep handles " +
				"what they are about.",
		}),
		published: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_relay_published_total",
			Help: "Messages that the brokers have confirmed.",
		}),
		failures: with.NewCounterVec(prometheus.CounterOpts{
			Name: "bus_relay_failures_total",
			Help: "Failures by step: making the topic, making a message, publishing.",
		}, []string{"step"}),
		batches: kafka.NewAttempts(with, "bus_relay_publish_duration_seconds",
			"Time until the brokers have confirmed a batch of messages, or it has failed."),
	}
	// Each counter exists from the start with the value 0, so that the first failure shows as a rate.
	for _, step := range []string{stepTopic, stepMessage, stepPublish} {
		metrics.failures.WithLabelValues(step)
	}
	return metrics
}

// The steps of a relay, which label the count of its failures.
const (
	stepTopic   = "topic"
	stepMessage = "message"
	stepPublish = "publish"
)

type sweepMetrics struct {
	age     prometheus.Gauge
	handled prometheus.Counter
	failing prometheus.Gauge
}

func newSweepMetrics(registerer prometheus.Registerer, topic string) sweepMetrics {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"topic": topic}, registerer))
	return sweepMetrics{
		age: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_outbox_age_seconds",
			Help: "Age of the oldest unsent document; 0 if there is none.",
		}),
		handled: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_sweep_handled_total",
			Help: "Unsent documents that the sweep handled because no message had brought that about.",
		}),
		failing: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_sweep_failing",
			Help: "Messages due about unsent documents whose handling fails; each is tried again.",
		}),
	}
}

type marksMetrics struct{ removed prometheus.Counter }

func newMarksMetrics(registerer prometheus.Registerer, topic string) marksMetrics {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"topic": topic}, registerer))
	return marksMetrics{removed: with.NewCounter(prometheus.CounterOpts{
		Name: "bus_marks_removed_total",
		Help: "Unsent marks removed, because what their documents lead to is stored.",
	})}
}
