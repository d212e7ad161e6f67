package service

import (
	"log/slog"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/auth"
	"insurance.example/exchange/pkg/setting"
)

// Settings are those of every process of the exchange.
type Settings struct {
	// Listen is the address that requests come in on; Admin that of metrics and health, none where empty.
	Listen, Admin string
	// Profiling opens pprof on the admin address.
	Profiling bool
	LogLevel  slog.Level
	// LogFormat is auto, text or json.
	LogFormat string
	// RequestTimeout is the longest time that a request may take.
	RequestTimeout time.Duration
	// DrainDelay is how long a stopping process goes on taking requests after it has said that it is not ready.
	DrainDelay time.Duration
	// DrainTimeout is how long a stopping process waits for the requests under way.
	DrainTimeout time.Duration
	// LargestBody is the size in bytes beyond which a request body is refused.
	LargestBody int64
	// Secrets are shared by the gateway and the services: the first is sent, all are accepted.
	Secrets []string
	// Peers are the base URLs of the other services, by name.
	Peers map[string]string
}

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	flags.StringVar(&s.Listen, "addr", ":8080", "address to listen on")
	flags.StringVar(&s.Admin, "admin-addr", ":9090", "address of /metrics, /livez and /readyz; empty: none")
	flags.BoolVar(&s.Profiling, "profiling", false, "serve /debug/pprof/ on the admin address")
	flags.TextVar(&s.LogLevel, "log-level", slog.LevelInfo, "least level that is logged: debug, info, warn or error")
	s.LogFormat = "auto"
	setting.ChoiceVar(flags, &s.LogFormat, "log-format", []string{"auto", "text", "json"}, "auto (text on a terminal, else json), text or json")
	setting.DurationVar(flags, &s.RequestTimeout, "request-timeout", 15*time.Second, time.Millisecond, "longest time that a request may take")
	setting.DurationVar(flags, &s.DrainDelay, "drain-delay", 0, 0, "time between being not ready and taking no more requests, when stopping")
	setting.DurationVar(flags, &s.DrainTimeout, "drain-timeout", 20*time.Second, 0, "time that requests under way are given when stopping")
	flags.Int64Var(&s.LargestBody, "max-body", 1<<20, "largest request body, in bytes")
	flags.StringSliceVar(&s.Secrets, "credential", nil, "secrets shared by the gateway and the services: the first is sent, all are accepted")
	setting.AddressesVar(flags, &s.Peers, "peer", "base URL of another service, as name=URL; may be repeated")
}

// Backing is the storage and the messaging of a service.
type Backing struct {
	Store StoreURL
	// Brokers are the addresses of Kafka; messages wait in the store where there are none.
	Brokers []string
}

// Register declares the settings, with a store to use where none is given.
func (b *Backing) Register(flags *pflag.FlagSet, store StoreURL) {
	b.Store = store
	flags.Var(&b.Store, "store", "where records are kept: sqlite:FILE or mongodb://HOST")
	flags.StringSliceVar(&b.Brokers, "brokers", nil, "addresses of Kafka, as host:port")
}

// sharedNames are the names of all settings that this module declares. Every process knows them, so that processes can
// share an environment or a file although one of them has no use for, say, the address of Kafka.
func sharedNames() []string {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(Settings).Register(all)
	new(Backing).Register(all, "")
	new(auth.Settings).Register(all)
	return setting.Names(all)
}
