package premium

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/outbox"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
)

// aggregation is the consumer group of the processes that compute rows.
const aggregation = "premium-bordereau"

// traffic carries the news of receipts to the computation of their rows: within the process, or by Kafka, where several
// processes share the work.
type traffic struct {
	// rows computes the rows that are due.
	rows *outbox.Outbox
	// publisher and consumer are nil without brokers.
	publisher *kafka.Publisher
	consumer  *kafka.Consumer
}

// background returns the loops of the aggregation; nil without a period, because then nothing is aggregated.
func (e *environment) background(deps process.Deps) (map[string]func(context.Context) error, error) {
	if e.period == "" {
		return nil, nil
	}
	t := &traffic{rows: outbox.New(outbox.Config{
		Name: e.topic.Name, Collection: e.receipts.Stored(), Of: rowOf, Do: e.aggregate,
		Log: deps.Log, Metrics: deps.Metrics, Tracer: deps.Tracer,
	})}
	loops := map[string]func(context.Context) error{"rows": t.rows.Run}
	e.traffic = t
	if len(deps.Kafka.Brokers) == 0 {
		return loops, nil
	}
	cluster, err := kafka.NewCluster(deps.Kafka, "premium")
	if err != nil {
		return nil, err
	}
	t.publisher = kafka.NewPublisher(cluster, e.topic, deps.Log, deps.Metrics)
	t.consumer, err = kafka.NewConsumer(kafka.ConsumerConfig{
		Cluster: cluster, Topic: e.topic, Group: aggregation, Handle: t.receive, SessionTimeout: e.sessionTimeout,
		Log: deps.Log, Metrics: deps.Metrics,
	})
	loops["publisher"], loops["consumer"] = t.publisher.Run, t.consumer.Run
	return loops, err
}

// announce says that a receipt is stored, so that its row is computed soon.
func (t *traffic) announce(doc docstore.Document) {
	key, trace := rowOf(doc)
	if t.publisher == nil {
		t.rows.Due(key, trace)
		return
	}
	if of, err := parseRow(key); err == nil { // the sweep reports what names no row
		t.publisher.Send(message(of, trace))
	}
}

// message returns the message that a row is due.
func message(of row, trace string) kafka.Message {
	value, err := json.Marshal(events.BordereauDirty(of))
	if err != nil {
		panic(err) // it has texts alone
	}
	return kafka.Message{Key: []byte(of.PolicyNumber), Value: value, Trace: trace}
}

// receive takes note of the row that a message names.
func (t *traffic) receive(m kafka.Message) error {
	var dirty events.BordereauDirty
	if err := json.Unmarshal(m.Value, &dirty); err != nil {
		return fmt.Errorf("no bordereau message: %w", err)
	}
	if dirty.Period == "" || dirty.PolicyNumber == "" || dirty.TransactionType == "" {
		return errors.New("the message names no bordereau row")
	}
	t.rows.Due(row(dirty).index(), m.Trace)
	return nil
}

// rowOf returns the key of the row that includes a receipt, and the trace in which the receipt was recorded. For what
// names no row it returns an id, which no row has: computing that fails, and is reported.
func rowOf(receipt docstore.Document) (key, trace string) {
	origin, err := rest.OriginOf(receipt)
	if err != nil || origin.Pinned[rowIndex] == "" {
		return receipt.ID.String(), ""
	}
	return origin.Pinned[rowIndex], origin.Trace
}

// trafficFlows returns why the news of receipts do not arrive, if they do not. The service is ready nevertheless:
// receipts are recorded, and the sweep finds them.
func (e *environment) trafficFlows(ctx context.Context) error {
	if e.traffic == nil || e.traffic.publisher == nil {
		return nil
	}
	if err := e.traffic.publisher.Check(ctx); err != nil {
		return process.Degraded(err)
	}
	return process.Degraded(e.traffic.consumer.Check(ctx))
}

// rowsComputed returns why rows cannot be computed, if they cannot. The service is ready nevertheless: receipts are
// recorded, and each row is tried again until it is right.
func (e *environment) rowsComputed(context.Context) error {
	if e.traffic == nil {
		return nil
	}
	return process.Degraded(e.traffic.rows.Check())
}
