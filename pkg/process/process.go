package process

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/audit"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/edge"
	"insurance.example/exchange/pkg/load"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/secret"
	"insurance.example/exchange/pkg/tracing"
)

// Process is a running process: its listeners, its loops, and what is closed when it ends. One goroutine sets it up and
// then calls Serve.
type Process struct {
	Settings Settings
	Log      *slog.Logger
	Registry *prometheus.Registry

	// budget is what all requests of the process may have in work.
	budget  *load.Budget
	tracing *tracing.Tracing
	health  health
	// listen makes the listener of a setting.
	listen   func(name, address string) (net.Listener, error)
	requests net.Listener
	admin    *edge.Server
	adminAt  string
	loops    []loop
	closers  []func() error
	stdout   io.Writer
	audit    *audit.Log
	unset    unset
	release  sync.Once
	// stopping is closed when the process begins to stop.
	stopping chan struct{}
	// credentials are nil until they are asked for.
	credentials *request.Credentials
	// serving secures requests; nil without TLS. callers decides whose certificates are accepted; nil if callers need
	// none.
	serving *tls.Config
	callers *secret.Callers
	// calling returns how the next connection to a peer is secured, and transports are those that lead to peers.
	calling    func() *tls.Config
	transports []*peer.Transport
}

type loop struct {
	name string
	run  func(context.Context) error
}

// NewProcess returns a process that logs to log.
func NewProcess(settings Settings, log *slog.Logger) *Process {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerBuild(registry)
	p := &Process{Settings: settings, Log: log, Registry: registry, stdout: os.Stdout, stopping: make(chan struct{}),
		listen: listen, budget: load.NewBudget(settings.work())}
	p.budget.Register(registry)
	p.tracing = tracing.Open(settings.Tracing, CurrentBuild().Version, log, registry)
	// What is added later is closed before, so that its spans are sent as well.
	p.OnClose(p.tracing.Close)
	return p
}

// Metrics returns a registerer that labels every metric with the name of a service.
func (p *Process) Metrics(service string) prometheus.Registerer {
	return prometheus.WrapRegistererWith(prometheus.Labels{"service": service}, p.Registry)
}

// Tracer returns the tracer of a service, which records nothing if nothing is traced.
func (p *Process) Tracer(service string) trace.Tracer { return p.tracing.Tracer(service) }

// Engine returns a new router for a service, which other processes of the exchange call. It comes after Listen, which
// reads whose certificates are accepted.
func (p *Process) Engine(service string) *gin.Engine {
	return p.newEngine(p.engine(service))
}

// Entrance returns a new router for the requests of callers outside of the exchange. Its handlers admit requests, with
// an Admission for each service that they forward requests to, and charge callers for what they forward to another
// process.
func (p *Process) Entrance(service string) *gin.Engine {
	config := p.engine(service)
	config.Forwards = true
	config.Tracer = p.tracing.EntranceTracer(service)
	return p.newEngine(config)
}

func (p *Process) newEngine(config EngineConfig) *gin.Engine {
	engine := NewEngine(config)
	if p.callers != nil {
		engine.Use(p.refuseFormer)
	}
	return engine
}

func (p *Process) engine(service string) EngineConfig {
	return EngineConfig{
		Log: p.Log.With("service", service), Metrics: p.Metrics(service),
		Timeout: p.Settings.RequestTimeout, LargestBody: p.Settings.LargestBody, Tracer: p.Tracer(service),
		AccessLog: p.Settings.AccessLog, Service: service, Audit: p.audit,
		Budget: p.budget,
	}
}

// Background adds a loop that runs while the process serves, until its context ends. If it returns before, Serve ends.
func (p *Process) Background(name string, run func(context.Context) error) {
	p.loops = append(p.loops, loop{name, run})
}

// Ready adds a check to /readyz. The check fails while the process cannot serve.
func (p *Process) Ready(name string, check func(context.Context) error) { p.health.add(name, check) }

// OnClose adds a function that is called at the end, after all requests and loops. The last one added is called first.
func (p *Process) OnClose(closer func() error) { p.closers = append(p.closers, closer) }

// AddStore adds the store of a service to /readyz, and closes it when the process ends.
func (p *Process) AddStore(service string, store docstore.Store) {
	p.Ready(service+" store", store.Ping)
	p.OnClose(store.Close)
}

// Peer returns how a peer in another process is reached, by the address in the settings. Errors name the setting.
func (p *Process) Peer(name string) (peer.Config, error) {
	base, transport, err := p.Reach(name)
	if err != nil {
		return peer.Config{}, err
	}
	return peer.Config{Address: base.String(), Transport: transport}, nil
}

// close closes what is still open. It may be called more than once.
func (p *Process) close() {
	p.release.Do(func() {
		for _, closer := range slices.Backward(p.closers) {
			if err := closer(); err != nil {
				p.Log.Error("closing failed", "cause", err)
			}
		}
		if p.requests != nil {
			_ = p.requests.Close() // closed already, unless the start failed
		}
		if p.admin != nil {
			_ = p.admin.Close()
		}
	})
}

// runLoops starts the loops. ended receives an error for each loop that returns by itself. stop ends the others, and
// waits for them until its context ends.
func (p *Process) runLoops() (ended <-chan error, stop func(ctx context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	failures := make(chan error, len(p.loops))
	var group sync.WaitGroup
	for _, l := range p.loops {
		group.Go(func() {
			err := l.run(ctx)
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				err = errors.New("it returned without an error")
			}
			failures <- fmt.Errorf("background loop %s ended: %w", l.name, err)
		})
	}
	return failures, func(patience context.Context) error {
		cancel()
		done := make(chan struct{})
		go func() { group.Wait(); close(done) }()
		select {
		case <-done:
			return nil
		case <-patience.Done():
			return errors.New("background loops did not end in time")
		}
	}
}
