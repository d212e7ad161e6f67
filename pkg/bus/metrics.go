package bus

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type relayMetrics struct {
	backlog   prometheus.Gauge
	left      prometheus.Counter
	published prometheus.Counter
	failures  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
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
			Help: "Messages that were left unpublished because too many awaited publication; the sweep handles what they are about.",
		}),
		published: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_relay_published_total",
			Help: "Messages that the brokers have confirmed.",
		}),
		failures: with.NewCounterVec(prometheus.CounterOpts{
			Name: "bus_relay_failures_total",
			Help: "Failures by step: making the topic, making a message, publishing.",
		}, []string{"step"}),
		seconds: with.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bus_relay_publish_duration_seconds", Help: "Time until the brokers have confirmed a batch of messages, or it has failed.",
			Buckets: durations,
		}, []string{"outcome"}),
	}
	// Each counter exists from the start with the value 0, so that the first failure shows as a rate.
	for _, step := range []string{stepTopic, stepMessage, stepPublish} {
		metrics.failures.WithLabelValues(step)
	}
	return metrics
}

// durations are the bounds of the histograms, in seconds.
var durations = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// The outcomes that label the histograms.
const (
	outcomeOK     = "ok"
	outcomeFailed = "failed"
)

func observe(seconds *prometheus.HistogramVec, began time.Time, err error) {
	outcome := outcomeOK
	if err != nil {
		outcome = outcomeFailed
	}
	seconds.WithLabelValues(outcome).Observe(time.Since(began).Seconds())
}

// observe times the publication of a batch.
func (m *relayMetrics) observe(began time.Time, err error) { observe(m.seconds, began, err) }

// observe times an attempt to handle a message.
func (m *consumerMetrics) observe(began time.Time, err error) { observe(m.seconds, began, err) }

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

type consumerMetrics struct {
	inHand      prometheus.Gauge
	lag         prometheus.Gauge
	lagSeconds  prometheus.Gauge
	retrying    prometheus.Gauge
	handled     prometheus.Counter
	coalesced   prometheus.Counter
	retries     prometheus.Counter
	deadLetters prometheus.Counter
	seconds     *prometheus.HistogramVec
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
		retrying: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_consumer_retrying",
			Help: "Messages whose handling has failed and is tried again.",
		}),
		handled: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_handled_total",
			Help: "Messages handled, coalesced ones and dead letters included.",
		}),
		coalesced: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_coalesced_total",
			Help: "Messages handled by the handling of one alike.",
		}),
		retries: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_retries_total",
			Help: "Attempts at handling a message that failed and were to be repeated.",
		}),
		deadLetters: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_consumer_dead_letters_total",
			Help: "Messages that can never be handled, written to the dead-letter topic.",
		}),
		seconds: with.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bus_consumer_handle_duration_seconds", Help: "Time of an attempt to handle a message.",
			Buckets: durations,
		}, []string{"outcome"}),
	}
}
