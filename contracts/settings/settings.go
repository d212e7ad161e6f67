// Package settings names the rules of the exchange that a deployer configures. There is no hidden default: a rule that
// is not set does not run, and its service says so when it starts. Every process knows all the names, so that services
// can share an environment.
package settings

// The settings, as the flags are named.
const (
	ValueSets         = "value-sets"
	KeyRetention      = "key-retention"
	ReportingWindow   = "reporting-window"
	RefundReceiptType = "refund-receipt-type"
	BordereauPeriod   = "bordereau-period"
	TripLength        = "trip-length"
	AnnualLength      = "annual-length"
	TopicPartitions   = "topic-partitions"
	TopicReplication  = "topic-replication"
	SessionTimeout    = "session-timeout"
	AdminMayRead      = "admin-may-read"
	Data              = "data"
)

// What the command-line client takes from an environment that it may share with the processes: where the exchange
// answers, and the bearer token.
const (
	URL   = "url"
	Token = "token"
)

// All answers every name.
func All() []string {
	return []string{
		ValueSets, KeyRetention, ReportingWindow, RefundReceiptType, BordereauPeriod, TripLength, AnnualLength, TopicPartitions, TopicReplication, SessionTimeout,
		AdminMayRead, Data, URL, Token,
	}
}
