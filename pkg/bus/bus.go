// Package bus carries messages between services over Kafka. Every message is delivered at least once; none is lost.
//
// The sender stores a document together with its unsent mark, in one write. A Relay publishes a message for each marked
// document and then removes the mark. The receiver is a Consumer: it calls a handler until the message is handled, and
// only then commits the offset of the message. A crash between any two of these steps repeats messages and does no other
// harm. So a handler must give the same result when messages are repeated or come in another order. A message that only
// names what has changed has this property, because the handler reads the present state. When several equal messages
// wait, the Consumer handles them once.
package bus

import (
	"context"
	"crypto/tls"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
)

// Message is one message. Messages with the same key go to the same partition.
type Message struct {
	Key, Value []byte
	Headers    []Header
}

// Header is a named value of a message, in addition to its key and value.
type Header = kafka.Header

// Cluster says how to reach Kafka. Only Brokers is required.
type Cluster struct {
	// Brokers are the addresses (host:port) of some brokers; these name the others.
	Brokers []string
	// ClientID names this process in the logs and quotas of the brokers.
	ClientID string
	// TLS, if set, is used on every connection.
	TLS *tls.Config
	// SASL, if set, authenticates every connection.
	SASL sasl.Mechanism
}

const (
	// dialTimeout and requestTimeout bound how long to wait for a broker that does not respond, also while stopping.
	dialTimeout    = 3 * time.Second
	requestTimeout = 5 * time.Second
	// metadataAge is how long the transport keeps what it knows of the cluster. It also waits this long before it asks
	// again when no broker responded, so a process that starts before the brokers loses up to this time.
	metadataAge = 2 * time.Second
)

// dialer returns the dialer for the parts of kafka-go that have a connection each: group membership and partition readers.
func (c Cluster) dialer() *kafka.Dialer {
	return &kafka.Dialer{
		ClientID:      c.ClientID,
		Timeout:       dialTimeout,
		DualStack:     true,
		TLS:           c.TLS,
		SASLMechanism: c.SASL,
	}
}

// transport returns the connection pool for creating topics and writing to them.
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

// withGrace returns a context that ends the given time after its parent, so that work in progress can be finished.
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
