// Package bus carries messages between services over Kafka, at least once and never lost.
//
// On the sending side a document and the duty to speak of it are one write: the document is stored with its unsent
// mark, and a Relay publishes a message for each marked document and then takes the mark off. On the receiving side a
// Consumer hands over each message until it is handled, and only then commits its offset. A crash between any two of
// these steps repeats messages and does nothing else, so a handler must be indifferent to repetition and to order. A
// message that only names what has changed, to be read again from where it is kept, is of that kind; such messages are
// also worth handling once where several that are alike wait, and the Consumer does so.
package bus

import (
	"context"
	"crypto/tls"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
)

// Message is what travels. Messages of one key keep to one partition.
type Message struct {
	Key, Value []byte
	Headers    []Header
}

// Header is a named value beside a message.
type Header = kafka.Header

// Cluster tells how to reach Kafka. Only Brokers is required.
type Cluster struct {
	// Brokers are addresses (host:port) to begin with; the others are learnt from them.
	Brokers []string
	// ClientID names this process in the logs and quotas of the brokers.
	ClientID string
	// TLS, if set, is used on every connection.
	TLS *tls.Config
	// SASL, if set, authenticates every connection.
	SASL sasl.Mechanism
}

const (
	// dialTimeout and requestTimeout bound what a broker that does not answer can cost, also at the stop.
	dialTimeout    = 3 * time.Second
	requestTimeout = 5 * time.Second
	// metadataAge is how long the transport keeps what it knows of the cluster. It keeps as long that it knows nothing, so
	// this is also what a start before the brokers costs.
	metadataAge = 2 * time.Second
)

// dialer serves the parts of kafka-go that keep a connection each: group membership and partition readers.
func (c Cluster) dialer() *kafka.Dialer {
	return &kafka.Dialer{
		ClientID:      c.ClientID,
		Timeout:       dialTimeout,
		DualStack:     true,
		TLS:           c.TLS,
		SASLMechanism: c.SASL,
	}
}

// transport serves the parts that share a pool of connections, the making and the writing of topics.
func (c Cluster) transport(topics ...Topic) *kafka.Transport {
	return &kafka.Transport{
		ClientID:       c.ClientID,
		DialTimeout:    dialTimeout,
		MetadataTTL:    metadataAge,
		MetadataTopics: names(topics),
		TLS:            c.TLS,
		SASL:           c.SASL,
	}
}

// withGrace answers a context that lives on for a while after its parent has ended, so that work in hand can be
// finished.
func withGrace(parent context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	detach := context.AfterFunc(parent, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	return ctx, func() {
		detach()
		cancel()
	}
}
