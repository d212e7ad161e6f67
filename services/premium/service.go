package premium

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/share"
	"insurance.example/exchange/pkg/setting"
)

// Service returns the service.
func Service() rest.Service {
	var rules rules
	return rest.Service{
		Name: "premium", Summary: "The receipts and the premium bordereau of the Insurance Exchange Service",
		Told:    []string{settings.RefundReceiptType, settings.BordereauPeriod},
		Foreign: settings.All(), Peers: []string{"coverage", "claims"},
		Sets:  func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Flags: rules.register,
		Declare: func(s *rest.Server, deps process.Deps) (rest.Parts, error) {
			e, err := declare(s, deps, rules)
			return rest.Parts{
				Open:       func(ctx context.Context) error { return e.access.Open(ctx) },
				Internal:   e.mountInternal,
				Background: func() (map[string]func(context.Context) error, error) { return e.background(deps) },
				Ready:      map[string]func(context.Context) error{"kafka": e.trafficFlows, "rows": e.rowsComputed},
				Examine:    func(ctx context.Context, x inspect.Examination) error { return e.examine(ctx, x) },
			}, err
		},
	}
}

// rules are the settings of the service.
type rules struct {
	refundReceiptType string
	period            period
	topic             kafka.Topic
	sessionTimeout    time.Duration
}

func (r *rules) register(flags *pflag.FlagSet) {
	r.topic.Name = events.BordereauTopic
	flags.StringVar(&r.refundReceiptType, settings.RefundReceiptType, "",
		"receiptType of a refund that names none; if not set, each refund must name one")
	flags.Var(&r.period, settings.BordereauPeriod,
		"period by which receipts are aggregated: month or quarter; if not set, they are not aggregated")
	setting.IntVar(flags, &r.topic.Partitions, settings.TopicPartitions, 8, 1, 10_000,
		"number of partitions of the Kafka topic, if it is created")
	setting.DurationVar(flags, &r.sessionTimeout, settings.SessionTimeout, 10*time.Second, time.Second,
		"how long Kafka waits for a process that died before another one takes over")
	setting.IntVar(flags, &r.topic.Replication, settings.TopicReplication, -1, -1, 100,
		"number of copies of each partition of the Kafka topic, if it is created; -1 leaves it to the brokers")
}

// environment is what the declarations and the aggregation use: settings, value sets, the services that are called,
// and the records.
type environment struct {
	rules
	sets rest.Sets
	// zone is that of the exchange.
	zone             *time.Location
	coverage, claims *peer.Client
	known            *known
	receipts         *rest.Records[*premium.Receipt]
	rows             *rest.Records[*premium.Bordereau]
	access           *share.Lists
	now              func() time.Time
	// traffic carries the news of receipts to the aggregation; nil without a period.
	traffic *traffic
}

func declare(s *rest.Server, deps process.Deps, r rules) (*environment, error) {
	if err := r.check(s.Sets); err != nil {
		return nil, err
	}
	r.reportUnset(deps.Unset)
	known, err := newKnown()
	if err != nil {
		return nil, err
	}
	e := &environment{
		rules: r, sets: s.Sets, zone: s.Zone, now: deps.Now, known: known, coverage: deps.Peer("coverage"),
		claims: deps.Peer("claims"),
	}
	e.receipts = rest.Add(s, e.receipt())
	e.rows = rest.Add(s, e.bordereau())
	e.access = share.New(deps, e.receipts.Stored, e.rows.Stored)
	return e, nil
}
