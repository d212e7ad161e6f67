package process

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/observed"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/kafka/cluster"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
)

// Definition describes a service that can run alone or with others in one process. A service package returns its
// definition from a function. The function's variables hold the values of the flags until New reads them:
//
//	func Service() process.Definition {
//		var s settings
//		return process.Definition{
//			Name:  "claims",
//			Peers: []string{"coverage"},
//			Flags: s.register,
//			New: func(ctx context.Context, deps process.Deps) (*process.Instance, error) {
//				return open(ctx, deps, s)
//			},
//		}
//	}
type Definition struct {
	// Name is the name of the service and of its database.
	Name string
	// Summary describes the service in one line of --help.
	Summary string
	// Flags declares the settings of the service; nil if it has none. Their names are unique over all services,
	// because one process may declare all of them. A flag refuses wrong values itself.
	Flags func(*pflag.FlagSet)
	// Foreign holds the names of other services' settings, which may occur in a shared environment.
	Foreign []string
	// Peers holds the names of the services that this one calls.
	Peers []string
	// Storeless says that the service keeps no records: it is given no store.
	Storeless bool
	// New starts the service. ctx ends with the start, not with the service.
	New func(ctx context.Context, deps Deps) (*Instance, error)
}

// Deps holds what a service is given at its start.
type Deps struct {
	Store   docstore.Store
	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Tracer records what is done in the background, if something is traced.
	Tracer trace.Tracer
	// Peer returns the client of one of Definition.Peers, the same one at each call, and nil for any other name.
	Peer func(name string) *peer.Client
	// Now returns the current time of the exchange, which a test clock shows if there is one.
	Now func() time.Time
	// Wall returns the time of the machine, which no test clock moves: for what others compare with clocks of their
	// own, and for the age of what is kept in memory.
	Wall func() time.Time
	// Stopping is closed when the process begins to stop. A request that waits for something ends its wait then.
	Stopping <-chan struct{}
	// Organisations says that organisations share the exchange.
	Organisations bool
	// Unset reports that a setting is not given and what follows. The process logs it when it starts.
	Unset func(setting, effect string)
	// Kafka says how to reach the brokers that carry messages; it names none if there are none.
	Kafka cluster.Settings
	// Engine returns a new router for the service. Routes that act for a caller must have Guard before their handler.
	Engine func() *gin.Engine
	// Guard refuses requests that come neither from the gateway nor from another service with 401, and puts the caller
	// into the request's context.
	Guard gin.HandlerFunc
}

// Undialled returns dependencies for a service that is only asked for its declarations: without a store, peers and
// brokers.
func Undialled() Deps {
	return Deps{
		Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(), Now: time.Now,
		Wall: time.Now, Unset: func(string, string) {},
		Peer: func(string) *peer.Client { return nil },
	}
}

// Instance is a running service.
type Instance struct {
	Handler http.Handler
	// Background holds loops by name. A loop runs until its context ends. The process ends if one returns before.
	Background map[string]func(context.Context) error
	// Ready holds readiness checks by name. Each fails while the service cannot serve.
	Ready map[string]func(context.Context) error
}

// Links connects a service to the rest of the exchange.
type Links struct {
	Store docstore.Store
	// Kafka says how to reach the brokers that carry messages; it names none if there are none.
	Kafka cluster.Settings
	// Peer returns the address and the transport of a peer. It is called once for each of Definition.Peers.
	Peer func(name string) (peer.Config, error)
	// Now returns the current time of the exchange.
	Now func() time.Time
}

// Main runs one service as a command, with the store that open opens. It does not return.
func Main(d Definition, open OpenStore) { d.Program(open).Main() }

// Program returns the program that runs the service alone, with the store that open opens.
func (d Definition) Program(open OpenStore) Program {
	var backing Backing
	return Program{
		Name: d.Name, Summary: d.Summary, Foreign: d.Foreign,
		Flags: func(flags *pflag.FlagSet) {
			if !d.Storeless {
				backing.Register(flags, StoreURL("sqlite:"+d.Name+".db"))
			}
			if d.Flags != nil {
				d.Flags(flags)
			}
		},
		Run: func(ctx context.Context, p *Process) error {
			if err := p.Listen(); err != nil {
				return err
			}
			if err := p.KeepAudit(""); err != nil {
				return err
			}
			var store docstore.Store
			if !d.Storeless {
				var err error
				if store, err = open(ctx, backing.Store, d.Name, p.Log); err != nil {
					return p.WithoutStore(ctx, err)
				}
				p.AddStore(d.Name, store)
			}
			handler, err := p.Start(ctx, d, Links{Store: store, Kafka: backing.Kafka, Peer: p.Peer, Now: time.Now})
			if err != nil && ctx.Err() != nil {
				return p.WithoutStore(ctx, err)
			}
			if err != nil {
				return err
			}
			return p.Serve(ctx, handler)
		},
	}
}

// WithoutStore returns the error with which a process ends if its store could not be opened: nil if ctx has ended. The
// error of another setting than the URL of the store names that setting already.
func (p *Process) WithoutStore(ctx context.Context, cause error) error {
	select {
	case <-ctx.Done():
		p.Log.Info("stopped before the store was there", "cause", cause)
		return nil
	default:
	}
	if strings.HasPrefix(cause.Error(), "setting") {
		return cause
	}
	return fmt.Errorf("setting store: %w", cause)
}

// Start starts a service within the process and returns its handler. Its loops start with Serve, and its readiness
// checks become those of the process.
func (p *Process) Start(ctx context.Context, d Definition, links Links) (http.Handler, error) {
	trust, err := p.trust()
	if err != nil {
		return nil, err
	}
	peers := map[string]*peer.Client{}
	for _, name := range d.Peers {
		config, err := links.Peer(name)
		if err != nil {
			return nil, err
		}
		config.Name, config.Credentials, config.Metrics = name, trust.Credentials, p.Metrics(d.Name)
		if peers[name], err = peer.New(config); err != nil {
			return nil, fmt.Errorf("setting peer: %w", err)
		}
	}
	store := links.Store
	if store != nil {
		store = shared.Of(store, shared.Settings{On: trust.Organisations, Default: p.Settings.OrganisationDefault})
		seen := observed.New(store, p.Metrics(d.Name), p.Log.With("service", d.Name))
		p.Ready(d.Name+" migrations", seen.Migrating)
		store = seen
	}
	instance, err := d.New(ctx, Deps{
		Store: store, Kafka: links.Kafka, Now: links.Now, Wall: time.Now, Stopping: p.stopping,
		Log: p.Log.With("service", d.Name), Metrics: p.Metrics(d.Name), Tracer: p.Tracer(d.Name),
		Peer:          func(name string) *peer.Client { return peers[name] },
		Organisations: trust.Organisations,
		Unset:         p.unset.note,
		Engine:        func() *gin.Engine { return p.Engine(d.Name) },
		Guard:         Guard(request.RequireGateway(trust), p.Admission(d.Name, d.Name, false)),
	})
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", d.Name, err)
	}
	for name, run := range instance.Background {
		p.Background(d.Name+" "+name, run)
	}
	for name, check := range instance.Ready {
		p.Ready(d.Name+" "+name, check)
	}
	return instance.Handler, nil
}
