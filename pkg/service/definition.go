// Package service is what every process of the exchange is made of: settings, log, metrics, health, the handling of
// requests, and an orderly start and stop.
//
// A service is a Definition. Its command is Main(definition); several definitions run in one process by way of
// Process.Start.
package service

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
)

// Definition is a service, ready to be run alone or with others in one process. A service package answers its own from
// a function whose variables hold the values of its flags until New reads them:
//
//	func Service() service.Definition {
//		var s settings
//		return service.Definition{
//			Name:  "claims",
//			Peers: []string{"coverage"},
//			Flags: s.register,
//			New: func(ctx context.Context, deps service.Deps) (*service.Instance, error) {
//				return open(ctx, deps, s)
//			},
//		}
//	}
type Definition struct {
	// Name is the service's name, also that of its database.
	Name, Summary string
	// Flags declares the settings of the service, if any. Their names are unique over all services, so that all can be
	// declared in one process; a wrong value is refused by the flag itself.
	Flags func(*pflag.FlagSet)
	// Foreign are names of settings of other services that share the environment.
	Foreign []string
	// Peers are the services that this one calls.
	Peers []string
	// New makes the service. ctx bounds the making only.
	New func(ctx context.Context, deps Deps) (*Instance, error)
}

// Deps is what a service is given.
type Deps struct {
	Store   docstore.Store
	Log     *slog.Logger
	Metrics prometheus.Registerer
	// Peer answers the client of one of Definition.Peers, the same at each call; nil for any other name.
	Peer func(name string) *peer.Client
	Now  func() time.Time
	// Unset takes note that a setting is not given and what follows; the process says so when it starts.
	Unset func(setting, effect string)
	// Brokers are the addresses of Kafka; empty where there is none.
	Brokers []string
	// Engine makes the router of the service. Routes that speak for a caller stand behind Guard.
	Engine func() *gin.Engine
	// Guard lets only the gateway and other services pass and puts the caller into the request's context.
	Guard gin.HandlerFunc
}

// Instance is a running service.
type Instance struct {
	Handler http.Handler
	// Background are loops by name. They end with their context; one that ends before ends the process.
	Background map[string]func(context.Context) error
	// Ready are readiness checks by name.
	Ready map[string]func(context.Context) error
}

// Links connect a service to the rest of the exchange.
type Links struct {
	Store   docstore.Store
	Brokers []string
	// Dial makes the client of a peer. It is called once for each.
	Dial func(name string) (*peer.Client, error)
	Now  func() time.Time
}

// Main runs one service as a command and ends the process.
func Main(d Definition) { d.Program().Main() }

// Program answers the command that runs the service alone.
func (d Definition) Program() Program {
	var backing Backing
	return Program{
		Name: d.Name, Summary: d.Summary, Foreign: d.Foreign,
		Flags: func(flags *pflag.FlagSet) {
			backing.Register(flags, StoreURL("sqlite:"+d.Name+".db"))
			if d.Flags != nil {
				d.Flags(flags)
			}
		},
		Run: func(ctx context.Context, p *Process) error {
			if err := p.Listen(); err != nil {
				return err
			}
			store, err := p.OpenStore(ctx, backing.Store, d.Name)
			if err != nil {
				return err
			}
			handler, err := p.Start(ctx, d, Links{Store: store, Brokers: backing.Brokers, Dial: p.Dial, Now: time.Now})
			if err != nil {
				return err
			}
			return p.Serve(ctx, handler)
		},
	}
}

// Start makes a service within the process, takes on its loops and checks, and answers its handler.
func (p *Process) Start(ctx context.Context, d Definition, links Links) (http.Handler, error) {
	credentials, err := p.Credentials()
	if err != nil {
		return nil, err
	}
	peers := map[string]*peer.Client{}
	for _, name := range d.Peers {
		if peers[name], err = links.Dial(name); err != nil {
			return nil, err
		}
	}
	instance, err := d.New(ctx, Deps{
		Store: links.Store, Brokers: links.Brokers, Now: links.Now,
		Log: p.Log.With("service", d.Name), Metrics: p.Metrics(d.Name),
		Peer:   func(name string) *peer.Client { return peers[name] },
		Unset:  p.unset.note,
		Engine: func() *gin.Engine { return p.Engine(d.Name) },
		Guard:  request.RequireGateway(credentials),
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
