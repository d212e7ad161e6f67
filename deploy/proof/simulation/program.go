package simulation

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"

	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// secret is the shared credential of the processes.
const secret = "the-secret-of-a-simulated-exchange"

// work is the memory budget of a process, in bytes.
const work = 64 << 20

// program is what all processes of a service share and none changes: the definition with its settings. It is made once
// for all seeds, because making it costs more than a process does.
type program struct {
	definition process.Definition
	settings   process.Settings
	trust      request.Trust
	// header is the header of a caller's request.
	header http.Header
	log    *slog.Logger
}

// newProgram returns the program of a service with settings of its own.
func newProgram(s rest.Service, arguments ...string) (*program, error) {
	s.Sets = func(string) (rest.Sets, error) { return sets() }
	p := &program{
		definition: s.Definition(), header: http.Header{"Content-Type": {"application/json"}},
		log: slog.New(slog.DiscardHandler),
	}
	flags := pflag.NewFlagSet(s.Name, pflag.ContinueOnError)
	p.settings.Register(flags)
	p.definition.Flags(flags)
	err := flags.Parse(append([]string{"--credential", secret}, arguments...))
	if err != nil {
		return nil, err
	}
	p.trust.Organisations = p.settings.OrganisationClaim != ""
	if p.trust.Credentials, err = request.NewCredentials(p.settings.Secrets); err != nil {
		return nil, err
	}
	p.trust.Credentials.Identify(p.header, p.caller())
	return p, nil
}

// caller is who asks by default.
func (p *program) caller() request.Caller {
	return request.Caller{Subject: "caller", Scopes: []string{"std.admin", "std.developer"}}
}

type organisationKey struct{}

// forOrganisation returns a context whose requests are sent for an organisation.
func forOrganisation(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, organisationKey{}, name)
}

// headerOf returns the header of a request under a context.
func (p *program) headerOf(ctx context.Context) http.Header {
	header := p.header.Clone()
	if name, is := ctx.Value(organisationKey{}).(string); is {
		caller := p.caller()
		caller.Issuer = "issuer"
		var err error
		if caller.Organisation, err = organisation.Named(name); err != nil {
			panic(err) // a name of the simulation is wrong
		}
		p.trust.Credentials.Identify(header, caller)
	}
	return header
}

// start starts the service as process.Process does, without metrics, traces and the log: these cost most, and the
// result does not depend on them.
func (p *program) start(ctx context.Context, links process.Links) (*process.Instance, error) {
	peers := make(map[string]*peer.Client)
	for _, name := range p.definition.Peers {
		config, err := links.Peer(name)
		if err != nil {
			return nil, err
		}
		config.Name, config.Credentials = name, p.trust.Credentials
		if peers[name], err = peer.New(config); err != nil {
			return nil, err
		}
	}
	store := links.Store
	if p.trust.Organisations {
		store = shared.Of(store, shared.Settings{On: true})
	}
	unseen := prometheus.WrapRegistererWith(nil, nil)
	instance, err := p.definition.New(ctx, process.Deps{
		Store: store, Now: links.Now, Wall: links.Now, Log: p.log,
		Metrics: unseen, Organisations: p.trust.Organisations,
		Peer:  func(name string) *peer.Client { return peers[name] },
		Unset: func(string, string) {},
		Engine: func() *gin.Engine {
			return process.NewEngine(process.EngineConfig{
				Log: p.log, Metrics: unseen, Timeout: p.settings.RequestTimeout, LargestBody: p.settings.LargestBody,
				Budget: load.NewBudget(work),
			})
		},
		Guard: process.Guard(request.RequireGateway(p.trust), process.Admit(load.NewLimiter(load.LimiterConfig{
			Wait: p.settings.OverloadLatency, Most: int(p.settings.OverloadRequests),
			MostWaiting: int(p.settings.OverloadRequests), Log: p.log,
		}))),
	})
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", p.definition.Name, err)
	}
	return instance, nil
}
