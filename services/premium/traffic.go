package premium

import (
	"context"
	"fmt"
	"time"

	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/outbox"
	"insurance.example/exchange/pkg/process"
)

// A row is to be right within a second of its last receipt, and is computed once for all messages of a batch. A message
// waits for three things: the batch before it, the gathering of its own batch, and the computation of that batch. A
// computation mostly waits for the write of its row, and a store commits writes together that wait at the same time.
// With fewer computations at once, receipts of many policies would be accepted faster than their rows are written.
const (
	aggregators = 32
	gathering   = 100 * time.Millisecond
)

// aggregation is the consumer group of the aggregators.
const aggregation = "premium-bordereau"

// traffic is what carries the news of receipts to the aggregation.
type traffic struct {
	// relay publishes a message for each new receipt, and aggregator computes the rows that messages name.
	relay      *outbox.Relay
	aggregator *kafka.Consumer
	// marks removes the unsent marks of the receipts that their rows include, and sweep computes the rows of the
	// receipts that keep theirs.
	marks *outbox.Marks
	sweep *outbox.Sweep
}

// background returns the loops of the aggregation. It returns nil without a period, because then nothing is
// aggregated. A period without brokers is an error that ends the start, because the service would accept receipts
// that never reach the bordereau.
func (e *environment) background(deps process.Deps) (map[string]func(context.Context) error, error) {
	if e.period == "" {
		return nil, nil
	}
	if len(deps.Kafka.Brokers) == 0 {
		return nil, fmt.Errorf("setting %s: receipts are aggregated through Kafka, and no broker is set; set "+
			"--brokers, or leave %[1]s out",
			settings.BordereauPeriod)
	}
	cluster, err := kafka.NewCluster(deps.Kafka, "premium")
	if err != nil {
		return nil, err
	}
	receipts := e.receipts.Stored()
	aggregator, err := kafka.NewConsumer(kafka.ConsumerConfig{
		Cluster: cluster, Topic: e.topic, Group: aggregation, Handle: e.aggregate,
		SessionTimeout: e.sessionTimeout, Log: deps.Log, Metrics: deps.Metrics, Tracer: deps.Tracer,
		Workers: aggregators, Linger: gathering,
	})
	if err != nil {
		return nil, err
	}
	e.traffic = &traffic{
		relay: outbox.NewRelay(outbox.RelayConfig{Cluster: cluster, Topic: e.topic, Message: e.dirtyRow,
			Log: deps.Log, Metrics: deps.Metrics, Tracer: deps.Tracer}),
		aggregator: aggregator,
		marks:      outbox.NewMarks(e.topic.Name, receipts, deps.Log, deps.Metrics),
		sweep: outbox.NewSweep(outbox.SweepConfig{
			Topic: e.topic.Name, Collection: receipts, Message: e.dirtyRow, Handle: e.aggregate, Busy: aggregator.Busy,
			Workers: aggregators,
			Log:     deps.Log, Metrics: deps.Metrics, Tracer: deps.Tracer,
		}),
	}
	e.included = e.traffic.marks.Remove
	return map[string]func(context.Context) error{
		"relay": e.traffic.relay.Run, "aggregator": aggregator.Run, "marks": e.traffic.marks.Run,
		"sweep": e.traffic.sweep.Run,
	}, nil
}

// trafficFlows returns why Kafka does not carry messages, if it does not. The service is ready nevertheless: receipts
// are recorded, and the sweep computes their rows.
func (e *environment) trafficFlows(ctx context.Context) error {
	if e.traffic == nil {
		return nil
	}
	if err := e.traffic.relay.Check(ctx); err != nil {
		return process.Degraded(err)
	}
	return process.Degraded(e.traffic.aggregator.Check(ctx))
}
