package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"syscall"
	"time"

	"insurance.example/exchange/pkg/setting"
)

// loopPatience is how long the background loops are given to end.
const loopPatience = 10 * time.Second

// Listen takes the addresses of the settings, so that a process that cannot have them ends before it does anything
// else. /livez answers from now on, /readyz once Serve runs.
func (p *Process) Listen() error {
	requests, err := listen("addr", p.Settings.Listen)
	if err != nil {
		return err
	}
	p.requests = requests
	if p.Settings.Admin == "" {
		return nil
	}
	admin, err := listen("admin-addr", p.Settings.Admin)
	if err != nil {
		return err
	}
	p.adminAt = admin.Addr().String()
	p.admin = p.server(adminHandler(&p.health, p.Registry, p.Settings.Profiling))
	p.admin.WriteTimeout = 0 // a profile takes as long as it was asked for
	go func() { _ = p.admin.Serve(admin) }()
	p.Log.Info("metrics and health", "address", p.adminAt)
	return nil
}

// Address answers where requests come in, as host:port.
func (p *Process) Address() string { return p.requests.Addr().String() }

// AdminAddress answers where metrics and health are, as host:port; empty where they are nowhere.
func (p *Process) AdminAddress() string { return p.adminAt }

// Serve answers requests until ctx ends or a background loop does, and then stops: it is no longer ready, takes no new
// requests, finishes those under way, ends the loops, and closes what was opened. It answers why it stopped, nil for
// ctx.
func (p *Process) Serve(ctx context.Context, handler http.Handler) error {
	server := p.server(handler)
	ended, stopLoops := p.runLoops()
	broken := make(chan error, 1)
	go func() { broken <- server.Serve(p.requests) }()
	p.health.serving.Store(true)
	p.unset.say(p.Log)
	p.Log.Info("listening", "address", p.Address())
	debug.FreeOSMemory() // what the start needed, the service does not

	var cause error
	select {
	case <-ctx.Done():
	case cause = <-ended:
	case err := <-broken:
		cause = fmt.Errorf("listening on %s: %w", p.Address(), err)
	}
	p.health.serving.Store(false)
	p.Log.Info("stopping")
	if cause == nil {
		p.linger()
	}
	drain, cancel := context.WithTimeout(context.Background(), p.Settings.DrainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		p.Log.Warn("requests under way are cut off", "cause", err)
		_ = server.Close()
	}
	patience, cancelPatience := context.WithTimeout(context.Background(), loopPatience)
	defer cancelPatience()
	if err := stopLoops(patience); err != nil {
		p.Log.Warn("stopping all the same", "cause", err)
	}
	p.close()
	p.Log.Info("stopped")
	return cause
}

// linger goes on serving while load balancers learn that the process is not ready.
func (p *Process) linger() {
	if p.Settings.DrainDelay > 0 {
		<-time.After(p.Settings.DrainDelay)
	}
}

func (p *Process) server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		// Room for the request's own time and for a slow reader.
		WriteTimeout: p.Settings.RequestTimeout + 30*time.Second,
		// Longer than the clients' (peer.NewTransport), so that they are the ones to close.
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 32 << 10,
		ErrorLog:       slog.NewLogLogger(p.Log.Handler(), slog.LevelDebug),
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
		advice = "another process listens there: end it, or choose another address with --" + name + " or " + setting.Variable(name)
	case errors.Is(err, syscall.EACCES):
		advice = "this user may not: choose a port above 1023 with --" + name
	}
	return nil, fmt.Errorf("setting %s: cannot listen on %s: %w; %s", name, address, err, advice)
}
