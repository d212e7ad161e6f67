package kafka_test

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/kafka/kafkatest"
	"insurance.example/exchange/pkg/outbox"
)

// relayFixture is a relay that publishes to the topic of the consumers.
type relayFixture struct {
	*outbox.Relay
	log *kafkatest.Journal
}

func newRelay(cluster kafka.Cluster) relayFixture {
	log := &kafkatest.Journal{}
	return relayFixture{outbox.NewRelay(outbox.RelayConfig{
		Cluster: cluster,
		Topic:   kafka.Topic{Name: "receipts", Partitions: 3},
		Message: func(doc docstore.Document) (kafka.Message, error) {
			return kafka.Message{Key: doc.Body, Value: []byte(doc.ID.String())}, nil
		},
		Log:     log.Logger(),
		Metrics: prometheus.NewRegistry(),
	}), log}
}

// send sends messages about n new documents.
func (r relayFixture) send(n int) {
	for i := range n {
		r.Send(docstore.Document{ID: uuid.Must(uuid.NewV7()), Body: fmt.Appendf(nil, "document %d", i)})
	}
}
