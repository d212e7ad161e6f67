// Package premium is the service that owns receipts and the premium bordereau they are aggregated into.
package premium

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/service"
	"insurance.example/exchange/pkg/setting"
)

// Service returns the service.
func Service() rest.Service {
	var rules rules
	return rest.Service{
		Name: "premium", Summary: "The receipts and the premium bordereau of the Insurance Exchange Service",
		Foreign: settings.All(), Peers: []string{"coverage", "claims"},
		Sets:  func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Flags: rules.register,
		Declare: func(s *rest.Server, deps service.Deps) (rest.Parts, error) {
			e, err := declare(s, deps, rules)
			return rest.Parts{
				Background: func() (map[string]func(context.Context) error, error) { return e.background(deps) },
			}, err
		},
	}
}

// rules are the settings of the service.
type rules struct {
	refundReceiptType string
	period            period
	topic             bus.Topic
	sessionTimeout    time.Duration
}

func (r *rules) register(flags *pflag.FlagSet) {
	r.topic.Name = events.BordereauTopic
	flags.StringVar(&r.refundReceiptType, settings.RefundReceiptType, "", "receiptType of a refund that is asked for without one; it must be asked for with one where not given")
	flags.Var(&r.period, settings.BordereauPeriod, "what receipts are aggregated by: month or quarter, UTC; they are not aggregated where not given")
	setting.IntVar(flags, &r.topic.Partitions, settings.TopicPartitions, 8, 1, 10_000, "number of partitions of the Kafka topic, if it is created")
	setting.DurationVar(flags, &r.sessionTimeout, settings.SessionTimeout, 10*time.Second, time.Second, "how long Kafka waits for an aggregator that died before another one takes over")
	setting.IntVar(flags, &r.topic.Replication, settings.TopicReplication, 1, 1, 100, "number of copies of each partition of the Kafka topic, if it is created")
}

// exchange is what receipts need of the rest of the exchange.
type exchange struct {
	rules
	sets             rest.Sets
	coverage, claims *peer.Client
	known            *known
	receipts         *rest.Records[premium.Receipt]
	rows             *rest.Records[premium.Bordereau]
	// relay publishes a message for each receipt; nil without brokers.
	relay *bus.Relay
}

func declare(s *rest.Server, deps service.Deps, r rules) (*exchange, error) {
	if err := r.check(s.Sets); err != nil {
		return nil, err
	}
	r.tell(deps.Unset)
	known, err := newKnown()
	if err != nil {
		return nil, err
	}
	e := &exchange{rules: r, sets: s.Sets, coverage: deps.Peer("coverage"), claims: deps.Peer("claims"), known: known}
	e.receipts = rest.Add(s, e.receipt())
	e.rows = rest.Add(s, e.bordereau())
	return e, nil
}

// A row is computed once for all of its messages that wait. So the aggregator lets them gather, and works on few rows at
// once: it is the callers who are in a hurry.
const (
	aggregators = 2
	gathering   = 250 * time.Millisecond
)

// background returns the relay, which publishes the receipts over Kafka, and the aggregator, which computes the bordereau
// from them. Without a period there is nothing to aggregate. A period without brokers is an error that ends the start: the
// service would accept receipts that never reach the bordereau, and no waiting would mend the configuration.
func (e *exchange) background(deps service.Deps) (map[string]func(context.Context) error, error) {
	if e.period == "" {
		return nil, nil
	}
	if len(deps.Brokers) == 0 {
		return nil, fmt.Errorf("setting %s: receipts are aggregated by way of Kafka, and no broker is given; give --brokers, or leave %[1]s out",
			settings.BordereauPeriod)
	}
	cluster := bus.Cluster{Brokers: deps.Brokers, ClientID: "premium"}
	e.relay = bus.NewRelay(bus.RelayConfig{
		Cluster: cluster, Topic: e.topic, Collection: e.receipts.Stored(), Message: e.dirtyRow,
		Log: deps.Log, Metrics: deps.Metrics,
	})
	consumer, err := bus.NewConsumer(bus.ConsumerConfig{
		Cluster: cluster, Topic: e.topic, Group: "premium-bordereau", Handle: e.aggregate,
		SessionTimeout: e.sessionTimeout, Log: deps.Log, Metrics: deps.Metrics,
		Workers: aggregators, Linger: gathering,
	})
	return map[string]func(context.Context) error{"relay": e.relay.Run, "aggregator": consumer.Run}, err
}
