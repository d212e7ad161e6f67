// Package settings holds the names of the settings that not every process has. There are no hidden defaults: a rule
// whose setting is not given is off, and its service logs that when it starts. Every process accepts all of the
// names, so that processes can share an environment.
package settings

// The settings of the processes, by the names of their flags.
const (
	ValueSets         = "value-sets"
	KeyRetention      = "key-retention"
	MaxRecord         = "max-record"
	ReportingWindow   = "reporting-window"
	ClaimDocuments    = "claim-documents"
	RefundReceiptType = "refund-receipt-type"
	BordereauPeriod   = "bordereau-period"
	TripLength        = "trip-length"
	AnnualLength      = "annual-length"
	TopicPartitions   = "topic-partitions"
	TopicReplication  = "topic-replication"
	SessionTimeout    = "session-timeout"
	AdminMayRead      = "admin-may-read"
	CORSOrigins       = "cors-origins"
	TokenURL          = "token-url"
	TokenCommand      = "token-command"
	PublicURL         = "public-url"
	ConsoleClient     = "console-client"
	RateLimit         = "rate-limit"
	RateBurst         = "rate-burst"
	OrganisationRate  = "org-rate"
	OrganisationBurst = "org-burst"
	EventsRetention   = "events-retention"
	WebhookPrivate    = "webhook-private-addresses"
	Data              = "data"
	AmountUnit        = "amount-unit"
	Currency          = "currency"
	TimeZone          = "time-zone"
	BookFile          = "book-file"
)

// The settings of the command-line client, which may share an environment with the processes: the URL of the exchange
// and the bearer token.
const (
	URL   = "url"
	Token = "token"
)

// All returns every name.
func All() []string {
	return []string{
		ValueSets, KeyRetention, MaxRecord, ReportingWindow, ClaimDocuments, RefundReceiptType, BordereauPeriod,
		TripLength, AnnualLength, TopicPartitions, TopicReplication, SessionTimeout,
		AdminMayRead, CORSOrigins, TokenURL, TokenCommand, PublicURL, ConsoleClient, RateLimit, RateBurst,
		OrganisationRate, OrganisationBurst, EventsRetention, WebhookPrivate, Data, AmountUnit, Currency, TimeZone,
		BookFile,
		URL, Token,
	}
}
