package kafka

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"

	"insurance.example/exchange/pkg/kafka/cluster"
)

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
	// Dial, if set, opens the connections in place of the network of the system.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// NewCluster returns the cluster that settings describe. clientID names this process to the brokers. Its errors name
// the setting that is wrong. It does not ask the brokers, which may be down.
func NewCluster(s cluster.Settings, clientID string) (Cluster, error) {
	c := Cluster{Brokers: s.Brokers, ClientID: clientID, Dial: s.Dial}
	err := s.Check()
	if err != nil {
		return c, err
	}
	if c.TLS, err = s.TLSConfig(); err != nil {
		return c, err
	}
	if s.SASL != "" {
		mechanism := &passwordFile{mechanism: s.SASL, user: s.User, path: s.PasswordFile}
		if _, err := mechanism.read(); err != nil {
			return c, err
		}
		c.SASL = mechanism
	}
	return c, nil
}

const (
	// connectTimeout bounds how long to wait for a connection to one address. It is short, because another broker can
	// be asked instead. dialTimeout bounds the whole of reaching a broker, TLS and authentication included.
	connectTimeout = time.Second
	dialTimeout    = 3 * time.Second
	// requestTimeout bounds how long to wait for the response of a broker, also while stopping.
	requestTimeout = 3 * time.Second
	// metadataAge is how long at most the transport caches the metadata of the cluster. So it may use a partition's old
	// leader for that long after a change of leaders. It also waits up to this long before it asks again when no broker
	// has responded.
	metadataAge = time.Second
)

// dialer returns the dialer for the parts of kafka-go that have a connection each: group membership and partition
// readers.
func (c Cluster) dialer() *kafka.Dialer {
	return &kafka.Dialer{
		ClientID:      c.ClientID,
		Timeout:       dialTimeout,
		DialFunc:      c.connect,
		TLS:           c.TLS,
		SASLMechanism: c.SASL,
	}
}

// transport returns the connection pool for creating topics and writing to them.
func (c Cluster) transport(topics ...Topic) *kafka.Transport {
	return &kafka.Transport{
		ClientID:       c.ClientID,
		Dial:           c.connect,
		DialTimeout:    dialTimeout,
		MetadataTTL:    metadataAge,
		MetadataTopics: names(topics),
		TLS:            c.TLS,
		SASL:           c.SASL,
	}
}

// connect opens a connection.
func (c Cluster) connect(ctx context.Context, network, address string) (net.Conn, error) {
	if c.Dial != nil {
		return c.Dial(ctx, network, address)
	}
	dialer := net.Dialer{Timeout: connectTimeout}
	return dialer.DialContext(ctx, network, address)
}

// client returns a client that uses the connections of a transport.
func (c Cluster) client(transport *kafka.Transport) *kafka.Client {
	return &kafka.Client{Addr: kafka.TCP(c.Brokers...), Timeout: requestTimeout, Transport: transport}
}
