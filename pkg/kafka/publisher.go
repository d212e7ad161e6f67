package kafka

import (
	"context"

	"insurance.example/exchange/pkg/kafka/broker"
)

// Publisher publishes messages to a topic.
type Publisher struct {
	topic  Topic
	client broker.Client
}

// NewPublisher returns a publisher of up to batch messages at once. It does not ask the brokers yet.
func NewPublisher(c Cluster, topic Topic, batch int) *Publisher {
	return &Publisher{topic: topic, client: c.open(nil, batch, topic)}
}

// EnsureTopic creates the topic if it is missing.
func (p *Publisher) EnsureTopic(ctx context.Context) error {
	return explained(p.client.EnsureTopics(ctx))
}

// Publish publishes messages. It returns the indexes of those that are certainly stored, and an error unless all are.
func (p *Publisher) Publish(ctx context.Context, messages ...Message) (stored []int, err error) {
	stored, err = p.client.Publish(ctx, p.topic.Name, records(messages...))
	return stored, explained(err)
}

// Close closes the connections.
func (p *Publisher) Close() error { return p.client.Close() }
