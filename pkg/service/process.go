package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/request"
)

// Process is a running process: its listeners, loops and what is to be closed at its end. One goroutine sets it up;
// Serve then runs it.
type Process struct {
	Settings Settings
	Log      *slog.Logger
	Registry *prometheus.Registry

	health   health
	requests net.Listener
	admin    *http.Server
	adminAt  string
	loops    []loop
	closers  []func() error
	unset    unset
	release  sync.Once
}

type loop struct {
	name string
	run  func(context.Context) error
}

// NewProcess makes a process that logs to log.
func NewProcess(settings Settings, log *slog.Logger) *Process {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return &Process{Settings: settings, Log: log, Registry: registry}
}

// Credentials answers what the settings' shared secrets make. Errors name the setting.
func (p *Process) Credentials() (request.Credentials, error) {
	credentials, err := request.NewCredentials(p.Settings.Secrets)
	if err != nil {
		return credentials, fmt.Errorf("setting credential: %w; give --credential or EXCHANGE_CREDENTIAL", err)
	}
	return credentials, nil
}

// Metrics answers the registry under the name of one service.
func (p *Process) Metrics(service string) prometheus.Registerer {
	return prometheus.WrapRegistererWith(prometheus.Labels{"service": service}, p.Registry)
}

// Engine makes the router of one service.
func (p *Process) Engine(service string) *gin.Engine {
	return NewEngine(EngineConfig{
		Log: p.Log.With("service", service), Metrics: p.Metrics(service),
		Timeout: p.Settings.RequestTimeout, LargestBody: p.Settings.LargestBody,
	})
}

// Background runs a loop while the process serves. It ends when its context does; if it ends before, so does the process.
func (p *Process) Background(name string, run func(context.Context) error) {
	p.loops = append(p.loops, loop{name, run})
}

// Ready adds a check to /readyz: an error means that the process cannot serve for the moment.
func (p *Process) Ready(name string, check func(context.Context) error) { p.health.add(name, check) }

// OnClose runs closer at the very end, after all requests and loops. The last one added runs first.
func (p *Process) OnClose(closer func() error) { p.closers = append(p.closers, closer) }

// OpenStore opens a store that the process looks after: /readyz tells of it, and it is closed at the end.
func (p *Process) OpenStore(ctx context.Context, u StoreURL, service string) (docstore.Store, error) {
	store, err := OpenStore(ctx, u, service)
	if err != nil {
		return nil, err
	}
	p.Ready(service+" store", store.Ping)
	p.OnClose(store.Close)
	return store, nil
}

// Dial makes the client of a peer by the address in the settings.
func (p *Process) Dial(name string) (*peer.Client, error) {
	address, ok := p.Settings.Peers[name]
	if !ok {
		return nil, fmt.Errorf("setting peer: the address of %s is missing; give --peer %s=http://host:port", name, name)
	}
	credentials, err := p.Credentials()
	if err != nil {
		return nil, err
	}
	client, err := peer.New(peer.Config{Name: name, Address: address, Transport: peer.NewTransport(), Credentials: credentials})
	if err != nil {
		return nil, fmt.Errorf("setting peer: %w", err)
	}
	return client, nil
}

// close closes what is left open. It is safe to call more than once.
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

// runLoops starts the loops. ended gets an error for each that ends by itself; stop ends the others and waits for them
// until ctx ends.
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
				err = errors.New("it has no more to do")
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
