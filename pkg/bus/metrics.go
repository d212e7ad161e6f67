package bus

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type relayMetrics struct {
	backlog   prometheus.Gauge
	refused   prometheus.Gauge
	published prometheus.Counter
	failures  *prometheus.CounterVec
}

func newRelayMetrics(registerer prometheus.Registerer, topic string) relayMetrics {
	with := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"topic": topic}, registerer))
	metrics := relayMetrics{
		backlog: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_relay_backlog",
			Help: "Documents that await publication, as last read; a full page means at least so many.",
		}),
		refused: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_relay_refused",
			Help: "Documents that stay unsent because no message can be made of them.",
		}),
		published: with.NewCounter(prometheus.CounterOpts{
			Name: "bus_relay_published_total",
			Help: "Messages that the brokers have confirmed.",
		}),
		failures: with.NewCounterVec(prometheus.CounterOpts{
			Name: "bus_relay_failures_total",
			Help: "Failures by step: making the topic, reading marks, making a message, publishing, taking marks off.",
		}, []string{"step"}),
	}
	// Each counter exists from the start with the value 0, so that the first failure shows as a rate.
	for _, step := range []string{stepTopic, stepRead, stepMessage, stepPublish, stepMark} {
		metrics.failures.WithLabelValues(step)
	}
	return metrics
}

// The steps of a relay, which label the count of its failures.
const (
	stepTopic   = "topic"
	stepRead    = "read"
	stepMessage = "message"
	stepPublish = "publish"
	stepMark    = "mark"
)

type consumerMetrics struct {
	inHand      prometheus.Gauge
	retrying    prometheus.Gauge
	handled     prometheus.Counter
	coalesced   prometheus.Counter
	retries     prometheus.Counter
	deadLetters prometheus.Counter
}

func newConsumerMetrics(registerer prometheus.Registerer, topic, group string) consumerMetrics {
	labels := prometheus.Labels{"topic": topic, "group": group}
	with := promauto.With(prometheus.WrapRegistererWith(labels, registerer))
	return consumerMetrics{
		inHand: with.NewGauge(prometheus.GaugeOpts{
			Name: "bus_consumer_in_hand",
			Help: "Messages fetched and not yet handled.",
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
	}
}
