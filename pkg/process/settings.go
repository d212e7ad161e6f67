package process

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/auth/tokens"
	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/setting"
	"insurance.example/exchange/pkg/tracing"
)

// Settings holds the settings that every process of the exchange has.
type Settings struct {
	// Listen is the address of requests. Admin is the address of metrics and health; if it is empty, there are none.
	Listen, Admin string
	// Profiling serves pprof on the admin address.
	Profiling bool
	// LogLevel is the lowest level that is logged.
	LogLevel slog.Level
	// LogFormat is auto, text or json.
	LogFormat string
	// AccessLog logs every request.
	AccessLog bool
	// AuditLog is where the audit log goes, and AuditFiles how many full files of it are kept.
	AuditLog   string
	AuditFiles int64
	// RequestTimeout is the longest time that a request may take.
	RequestTimeout time.Duration
	// ClientTimeout is how long a client may take to send a body or to read a response, besides a second for each 16
	// KiB of it.
	ClientTimeout time.Duration
	// Patience is how many times as long as usual the process waits for other processes; see package patience.
	Patience int64
	// DrainDelay is how long a stopping process, which is no longer ready, still accepts requests.
	DrainDelay time.Duration
	// DrainTimeout is how long a stopping process waits for the requests under way.
	DrainTimeout time.Duration
	// LargestBody is the largest size of a request body, in bytes.
	LargestBody int64
	// MemoryLimit is the memory that the process is to stay within, and WorkMemory what requests may have in work
	// together, both in MiB; 0 for the defaults.
	MemoryLimit, WorkMemory int64
	// MaxConnections is the greatest number of connections of callers; 0 for connectionsPerMebibyte for each MiB of
	// the memory.
	MaxConnections int64
	// OverloadLatency is how long requests may wait before they are refused because there are too many; none is refused
	// if it is 0. OverloadRequests is the greatest number of requests to one service in work.
	OverloadLatency  time.Duration
	OverloadRequests int64
	// Secrets are shared by the gateway and the services. The first one is sent, and all of them are accepted.
	Secrets []string
	// SecretFile is a file of such secrets, one in each line, which is read again when it changes; in place of Secrets.
	SecretFile string
	// Security says how connections are secured.
	Security Security
	// OrganisationClaim is the claim of a token that names the organisation of its caller; empty if organisations do
	// not share the exchange.
	OrganisationClaim string
	// OrganisationDefault is the name of the organisation that owns the records from before organisations shared the
	// exchange; empty if it is not given.
	OrganisationDefault string
	// Peers holds the base URLs of the other services, by name.
	Peers map[string]string
	// Tracing says whether requests are traced.
	Tracing tracing.Settings
}

// drainDelay is the default of DrainDelay. Load balancers have time to notice that the process is not ready, and the
// clients of the exchange to close idle connections, so that none is closed while a request is on its way on it.
const drainDelay = peer.IdleTimeout + 2*time.Second

// Register declares the settings.
func (s *Settings) Register(flags *pflag.FlagSet) {
	flags.StringVar(&s.Listen, "addr", ":8080", "address to listen on")
	flags.StringVar(&s.Admin, "admin-addr", "127.0.0.1:9090",
		"address of /metrics, /livez and /readyz, which anybody who reaches it may read; empty for none")
	flags.BoolVar(&s.Profiling, "profiling", false, "serve /debug/pprof/ on the admin address")
	setting.LevelVar(flags, &s.LogLevel, "log-level", slog.LevelInfo, "lowest level that is logged")
	s.LogFormat = "auto"
	setting.ChoiceVar(flags, &s.LogFormat, "log-format", []string{"auto", "text", "json"},
		"form of the log; auto is text on a terminal and json elsewhere")
	flags.BoolVar(&s.AccessLog, "access-log", false, "log a line for each request, at level info")
	flags.StringVar(&s.AuditLog, auditLog, auditAuto,
		"`file` of lines that say who read or changed which record, stdout, or off; auto is stdout, in exchange run "+
			"audit.log in the data folder")
	setting.IntVar(flags, &s.AuditFiles, "audit-files", 10, 0, 1<<20,
		"full files of the audit log, of 100 MiB each, that are kept beside it; 0 for all")
	setting.DurationVar(flags, &s.RequestTimeout, "request-timeout", 15*time.Second, time.Millisecond,
		"longest time that a request may take")
	setting.DurationVar(flags, &s.ClientTimeout, "client-timeout", 10*time.Second, time.Millisecond,
		"longest time that a client may take to send a body or to read a response, besides a second for each 16 "+
			"KiB of it")
	setting.IntVar(flags, &s.Patience, patience.Setting, 1, 1, patience.Most,
		"for slow machines: how many times as long as usual another process, and what /readyz looks at, is waited for "+
			"before it counts as away")
	setting.DurationVar(flags, &s.DrainDelay, "drain-delay", drainDelay, 0,
		"when stopping: how long requests are still accepted after /readyz fails")
	setting.DurationVar(flags, &s.DrainTimeout, "drain-timeout", 20*time.Second, 0,
		"when stopping: how long requests under way may take to end")
	setting.IntVar(flags, &s.LargestBody, "max-body", 1<<20, 1, 1<<30, "largest size of a request body, in bytes")
	setting.IntVar(flags, &s.MemoryLimit, "memory-limit", 0, 0, 1<<20,
		"memory that the process is to stay within, in MiB; 0 for 256, or for what its control group has if that "+
			"is less")
	setting.IntVar(flags, &s.WorkMemory, "work-memory", 0, 0, 1<<20,
		"memory that requests may have in work together, in MiB, of which one caller may have half; each takes ten "+
			"times its body and 1 MiB; beyond it they are refused (503, 429); 0 for half of memory-limit")
	setting.IntVar(flags, &s.MaxConnections, "max-connections", 0, 0, 1<<20,
		"greatest number of connections of callers; requests on further ones are refused (503); 0 for 20 for each MiB "+
			"of memory-limit")
	setting.DurationVar(flags, &s.OverloadLatency, "overload-latency", 500*time.Millisecond, 0,
		"how long requests may wait, by turns over callers, before they are refused (503, 429) because there are too "+
			"many; 0 to refuse none")
	setting.IntVar(flags, &s.OverloadRequests, "overload-requests", 256, 1, 1<<20,
		"greatest number of requests to one service in work, and three for each 8 MiB of work-memory where they are "+
			"not forwarded to another process; beyond it they wait")
	flags.StringSliceVar(&s.Secrets, "credential", nil,
		"secrets shared by the gateway and the services; the first is sent, all are accepted")
	flags.StringVar(&s.SecretFile, credentialFile, "",
		"file of such secrets, one in each line, which is read again when it changes; in place of credential")
	s.Security.register(flags)
	flags.StringVar(&s.OrganisationClaim, orgClaim, "",
		"claim of a token that names the organisation of its caller; organisations do not share the exchange if it is "+
			"not given")
	flags.StringVar(&s.OrganisationDefault, orgDefault, "",
		"organisation that owns the records from before organisations shared the exchange; it cannot be changed later")
	setting.AddressesVar(flags, &s.Peers, "peer",
		"base URL of another service, as name=URL; may be repeated for others")
	s.Tracing.Register(flags)
}

// The names of the settings of an exchange that organisations share.
const (
	orgClaim   = "org-claim"
	orgDefault = "org-default"
)

// checkOrganisations returns an error that names a wrong setting of an exchange that organisations share.
func (s *Settings) checkOrganisations() error {
	if s.OrganisationDefault == "" {
		return nil
	}
	if s.OrganisationClaim == "" {
		return errors.New("setting " + orgDefault + ": organisations share the exchange only with " + orgClaim +
			"; give that too, or neither")
	}
	if _, err := organisation.Named(s.OrganisationDefault); err != nil {
		return fmt.Errorf("setting %s: %q: %w", orgDefault, s.OrganisationDefault, err)
	}
	return nil
}

// Backing holds the settings of storage and messaging, which every service has and the gateway has not.
type Backing struct {
	Store StoreSettings
	// Kafka says how to reach Kafka, if it has brokers.
	Kafka cluster.Settings
}

// Register declares the settings. store is the default of the store.
func (b *Backing) Register(flags *pflag.FlagSet, store StoreURL) {
	b.Store.Register(flags, store)
	b.Kafka.Register(flags)
}

// SharedSettings returns the names of all settings that this module declares. Every program accepts them, so that
// programs can share an environment or a file although one of them has no use for, say, the addresses of Kafka.
func SharedSettings() []string {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(Settings).Register(all)
	new(Backing).Register(all, "")
	new(tokens.Settings).Register(all)
	return setting.Names(all)
}
