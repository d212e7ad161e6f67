package check

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
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/process"
)

const (
	// longestRead is how long a service may take to read a page of its database.
	longestRead = time.Minute
	// readMemory is how much memory a request of it may take, in bytes.
	readMemory = 64 << 20
)

// peers are services that only read their databases, in this process. Each starts when it is asked for.
type peers struct {
	databases []database
	started   map[string]*peer.Client
}

// of returns the client of a service; nil if there is no database of it.
func (p *peers) of(ctx context.Context, service string) (*peer.Client, error) {
	if client, known := p.started[service]; known {
		return client, nil
	}
	p.started[service] = nil
	for _, d := range p.databases {
		if d.name != service {
			continue
		}
		handler, err := p.start(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("%w: service %s: %w", docstore.ErrUnavailable, service, err)
		}
		client, err := peer.New(peer.Config{Name: service, Address: "http://" + service, Handler: handler})
		p.started[service] = client
		return client, err
	}
	return nil, nil
}

// start starts a service on its database. It writes nothing, calls no other service, and has nothing in the background.
func (p *peers) start(ctx context.Context, d database) (http.Handler, error) {
	definition, log := d.declared.Definition(), slog.New(slog.DiscardHandler)
	definition.Flags(pflag.NewFlagSet(d.name, pflag.ContinueOnError))
	away, err := peer.New(peer.Config{Name: d.name, Address: "http://" + d.name, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { problem.Write(w, problem.New(problem.Unavailable, "")) })})
	if err != nil {
		return nil, err
	}
	deps := process.Undialled()
	deps.Peer = func(string) *peer.Client { return away } // whom it calls is not asked for records
	deps.Store = d
	deps.Engine = func() *gin.Engine {
		return process.NewEngine(process.EngineConfig{Log: log, Metrics: prometheus.NewRegistry(), Timeout: longestRead,
			LargestBody: readMemory, Budget: load.NewBudget(2 * readMemory)})
	}
	deps.Guard = func(*gin.Context) {} // the callers are in this process
	instance, err := definition.New(ctx, deps)
	if err != nil {
		return nil, err
	}
	return instance.Handler, nil
}
