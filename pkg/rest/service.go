package rest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/changes"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/setting"
)

// Service is a service whose resources are declared with this package.
type Service struct {
	Name, Summary string
	// Peers are the services that this one calls.
	Peers []string
	// Storeless says that the service has no resources, and is given no store.
	Storeless bool
	// Flags declares the settings that are the service's own, if any.
	Flags func(*pflag.FlagSet)
	// Told are the names of those of them whose values callers may learn, beside those that every service has.
	Told []string
	// Foreign are names of settings of other services that share the environment.
	Foreign []string
	// Sets returns the value sets, as the file at a path amends them; an empty path amends nothing.
	Sets func(path string) (Sets, error)
	// Declare declares the resources on a server. It must open nothing, because it also runs without a store and peers,
	// where only the declarations are asked for.
	Declare func(s *Server, deps process.Deps) (Parts, error)
}

// Parts are the parts of a service that are not resources.
type Parts struct {
	// Open opens the collections of documents that are no records, if there are any, after those of the resources.
	Open func(ctx context.Context) error
	// Logged returns the collections of documents that are no records and have entries in the log of changes, by name,
	// if there are any. It is called after Open.
	Logged func() map[string]changes.Source
	// Internal adds the operations for other services to a router, if there are any.
	Internal func(gin.IRouter)
	// LookedUp returns what the internal operations say about a record, and the path that it is asked for by; an empty
	// path if nobody asks. The trial of a creation has it assumed of a record that is not written.
	LookedUp func(docstore.Document) (path string, fact any, err error)
	// Background returns loops by name, if there are any. It is called once the collections are open.
	Background func() (map[string]func(context.Context) error, error)
	// Ready holds readiness checks by name, if there are any.
	Ready map[string]func(context.Context) error
	// Examine looks for faults in stored records beyond those that the declarations imply, if there are any.
	Examine func(ctx context.Context, x inspect.Examination) error
}

// The settings that every such service has.
const (
	valueSetsFlag    = "value-sets"
	keyRetentionFlag = "key-retention"
	maxRecordFlag    = "max-record"
)

// Definition returns the service, ready to be run.
func (s Service) Definition() process.Definition {
	var valueSets *string
	var keyRetention *time.Duration
	var maxRecord *int
	var amounts func() setting.Amounts
	var zone func() *time.Location
	var given *pflag.FlagSet
	return process.Definition{
		Name: s.Name, Summary: s.Summary, Foreign: s.Foreign, Peers: s.Peers, Storeless: s.Storeless,
		Flags: func(flags *pflag.FlagSet) {
			given = flags
			valueSets = setting.SharedString(flags, valueSetsFlag,
				"YAML file that replaces or extends value sets; the published ones where not given")
			keyRetention = setting.SharedDuration(flags, keyRetentionFlag,
				"how long an Idempotency-Key is remembered; as long as its record where not given")
			maxRecord = setting.SharedInt(flags, maxRecordFlag, UsualRecord, 1, docstore.MaxSize,
				"largest size of a record as JSON, in bytes; every change of a record reads and writes all of it")
			amounts, zone = setting.SharedAmounts(flags), setting.SharedZone(flags)
			if s.Flags != nil {
				s.Flags(flags)
			}
		},
		New: func(ctx context.Context, deps process.Deps) (*process.Instance, error) {
			says, err := s.about(given)
			if err != nil {
				return nil, err
			}
			return s.open(ctx, deps, *valueSets, says,
				Config{
					KeyRetention: *keyRetention, LargestRecord: *maxRecord, AmountUnit: amounts().Unit,
					Currency: amounts().Currency, Zone: zone(),
				})
		},
	}
}

// open opens the service. config holds what settings say.
func (s Service) open(
	ctx context.Context, deps process.Deps, valueSets string, told about, config Config,
) (_ *process.Instance, err error) {
	if config.Sets, err = s.Sets(valueSets); err != nil {
		return nil, fmt.Errorf("setting %s: %w", valueSetsFlag, err)
	}
	if config.KeyRetention == 0 {
		deps.Unset(keyRetentionFlag, "an Idempotency-Key is remembered as long as its record")
	}
	config.Store, config.Now = deps.Store, func() time.Time { return deps.Now().UTC() }
	config.Organisations = deps.Organisations
	config.Refused = countRefusals(deps.Metrics)
	server := NewServer(config)
	server.peer = deps.Peer
	parts, err := s.Declare(server, deps)
	if err != nil {
		return nil, err
	}
	server.lookedUp = parts.LookedUp
	ctx = request.ForExchange(ctx)
	if err := server.Open(ctx); err != nil {
		return nil, err
	}
	if parts.Open != nil {
		if err := parts.Open(ctx); err != nil {
			return nil, err
		}
	}
	if parts.Logged != nil {
		server.openLog(parts.Logged())
	}
	engine := deps.Engine()
	if err := server.Mount(engine, deps.Guard); err != nil {
		return nil, err
	}
	if !s.Storeless {
		engine.GET(aboutPath, func(c *gin.Context) {
			serveGuarded(c, deps.Guard, false, func() error { return told.serve(c) })
		})
	}
	if parts.Internal != nil {
		parts.Internal(engine.Group("/", deps.Guard))
	}
	instance := &process.Instance{Handler: engine, Ready: parts.Ready}
	if parts.Background != nil {
		instance.Background, err = parts.Background()
	}
	for name, run := range instance.Background {
		instance.Background[name] = func(ctx context.Context) error { return run(request.ForExchange(ctx)) }
	}
	return instance, err
}

// aboutPath is the path of the internal operation that says what a service is. Its callers know it from the contract of
// the service.
const aboutPath = "/internal/about"

// about is what a service says about itself to callers.
type about struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Settings []told `json:"settings"`
}

// told is a setting in force. Value is empty if it is not given, and what it is about is off.
type told struct {
	Name  string `json:"name"`
	Value string `json:"value,omitzero"`
}

// about returns what the service says about itself, with the settings that were given. Errors: it declares no such
// setting.
func (s Service) about(given *pflag.FlagSet) (about, error) {
	build := process.CurrentBuild()
	says := about{Version: build.Version, Commit: build.Commit, Settings: []told{}}
	names := append([]string{keyRetentionFlag, maxRecordFlag, setting.ZoneFlag}, setting.AmountFlags()...)
	for _, name := range slices.Sorted(slices.Values(append(names, s.Told...))) {
		flag := given.Lookup(name)
		if flag == nil {
			return about{}, fmt.Errorf("service %s tells the setting %s, which it does not declare", s.Name, name)
		}
		value := flag.Value.String()
		if off := flag.Value.Type() == "duration" && value == time.Duration(0).String(); off {
			value = ""
		}
		says.Settings = append(says.Settings, told{name, value})
	}
	return says, nil
}

// serve serves the internal operation.
func (a about) serve(c *gin.Context) error {
	if raw := c.Request.URL.RawQuery; raw != "" {
		return query.None(raw)
	}
	return writeJSON(c, a)
}

// Routes returns the routes of the service's resources, from their declarations alone.
func (s Service) Routes() ([]Route, []Extension, error) {
	server, _, err := s.undialled()
	if err != nil {
		return nil, nil, err
	}
	routes, extensions := server.Routes()
	return routes, extensions, nil
}

// countRefusals returns the counter of the checks that refuse, by resource, check and problem.
func countRefusals(metrics prometheus.Registerer) func(resource, check string, kind problem.Kind) {
	refusals := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "exchange_check_refusals_total", Help: "Records that a check refused, by the check and the problem.",
	}, []string{"resource", "check", "problem"})
	metrics.MustRegister(refusals)
	return func(resource, check string, kind problem.Kind) {
		refusals.WithLabelValues(resource, check, kind.Slug()).Inc()
	}
}
