package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"syscall"
	"time"

	"insurance.example/exchange/pkg/edge"
	"insurance.example/exchange/pkg/setting"
)

// loopPatience is how long a stopping process waits for its background loops.
const loopPatience = 10 * time.Second

// Listen listens on the addresses of the settings. It comes first, so that a process whose addresses are taken ends
// before it does anything else. /livez succeeds from now on, /readyz once Serve runs.
func (p *Process) Listen() error {
	requests, err := p.listen("addr", p.Settings.Listen)
	if err != nil {
		return err
	}
	p.requests = requests
	if err := p.readSecurity(); err != nil {
		return err
	}
	return p.ListenAdmin()
}

// ListenAdmin listens on the address of metrics and health only, for a program whose requests are not served by Serve.
func (p *Process) ListenAdmin() error {
	if p.Settings.Admin == "" {
		return nil
	}
	admin, err := p.listen("admin-addr", p.Settings.Admin)
	if err != nil {
		return err
	}
	p.adminAt = admin.Addr().String()
	p.admin = edge.NewServer(edge.Config{
		Listener: admin, Handler: adminHandler(&p.health, p.Registry, p.Settings.Profiling),
		MostConnections: adminConnections, ClientTimeout: adminPatience,
		Log: p.Log,
	})
	go func() { _ = p.admin.Serve() }()
	p.Log.Info("metrics and health", "address", p.adminAt)
	return nil
}

const (
	// adminConnections is the greatest number of connections to the admin address: probes, a few Prometheus and a
	// person need a handful.
	adminConnections = 64
	// adminPatience is how long a client of the admin address has at first to read a response. How long a response
	// takes to be made is not bounded: a profile takes as long as it was asked for.
	adminPatience = 10 * time.Second
)

// Await makes the process ready and returns when ctx ends, after what was opened is closed. It takes the place of
// Serve in a program that serves its requests itself.
func (p *Process) Await(ctx context.Context) {
	p.health.serving.Store(true)
	<-ctx.Done()
	p.health.serving.Store(false)
	p.close()
}

// Address returns the address of requests, as host:port.
func (p *Process) Address() string { return p.requests.Addr().String() }

// URL returns the URL of requests, without a slash at its end.
func (p *Process) URL() string {
	if p.serving != nil {
		return "https://" + p.Address()
	}
	return "http://" + p.Address()
}

// AdminAddress returns the address of metrics and health, as host:port; empty if there is none.
func (p *Process) AdminAddress() string { return p.adminAt }

// Serve handles requests until ctx or a background loop ends. Then the process is no longer ready, accepts no new
// requests, finishes those under way, ends the loops, and closes what was opened. Serve returns nil if ctx ended, else
// why it stopped.
func (p *Process) Serve(ctx context.Context, handler http.Handler) error {
	server := edge.NewServer(edge.Config{
		Listener: p.requests, Handler: handler, TLS: p.serving, MostConnections: p.Settings.connections(),
		RequestTimeout: p.Settings.RequestTimeout, ClientTimeout: p.Settings.ClientTimeout,
		Metrics: p.Registry, Log: p.Log,
	})
	ended, stopLoops := p.runLoops()
	broken := make(chan error, 1)
	p.health.serving.Store(true)
	go func() { broken <- server.Serve() }()
	p.unset.say(p.Log)
	p.Log.Info("listening", "address", p.Address(), "url", p.URL())
	// What only the start needed.
	debug.FreeOSMemory()
	if err := releaseProgram(); err != nil {
		p.Log.Debug("the pages of the program stay in memory", "cause", err)
	}

	var cause error
	select {
	case <-ctx.Done():
	case cause = <-ended:
	case err := <-broken:
		cause = fmt.Errorf("listening on %s: %w", p.Address(), err)
	}
	server.AnnounceEnd()
	p.health.serving.Store(false)
	close(p.stopping)
	p.Log.Info("stopping; a second signal ends the process at once")
	if cause == nil {
		p.linger()
	}
	drain, cancel := context.WithTimeout(context.Background(), p.Settings.DrainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		p.Log.Warn("requests did not end within drain-timeout and are cut off", "cause", err)
		_ = server.Close()
	}
	patience, cancelPatience := context.WithTimeout(context.Background(), loopPatience)
	defer cancelPatience()
	if err := stopLoops(patience); err != nil {
		p.Log.Warn("stopping although background work has not ended", "cause", err)
	}
	p.close()
	p.Log.Info("stopped")
	return cause
}

// linger keeps serving while load balancers notice that the process is not ready and while clients close their
// connections: each response says so (Connection: close), and clients of the exchange close idle connections within
// peer.IdleTimeout.
func (p *Process) linger() {
	if p.Settings.DrainDelay > 0 {
		<-time.After(p.Settings.DrainDelay)
	}
}

func listen(name, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err == nil {
		return listener, nil
	}
	advice := "give an address such as :8080 or 127.0.0.1:8080 with --" + name
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		advice = "another process listens there; end it, or choose another address with --" + name + " or " +
			setting.Variable(name)
	case errors.Is(err, syscall.EACCES):
		advice = "this user may not use that port; choose one above 1023 with --" + name
	}
	return nil, fmt.Errorf("setting %s: cannot listen on %s: %w; %s", name, address, err, advice)
}
