// Package sides has what is measured, the exchange, and what it is measured against, each in processes of its own: a
// bare handler, a proxy in front of it, PocketBase, and MongoDB with its driver.
package sides

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/process"
)

// Exchange is a running exchange, and a client of it: all of it in one process, or the gateway.
type Exchange struct {
	*process.Child
	*load.Client
	// Admin is the address of its metrics.
	Admin string
	// services are those that are processes of their own.
	services []*service
	// Served is the time from its start until the first response with status 200, Ready the time until /readyz
	// responded with 200.
	Served, Ready time.Duration
}

// StartExchange starts the exchange on a folder of data, with more settings if there are any, and waits until it has
// responded and is ready.
func StartExchange(ctx context.Context, command, data string, connections int, settings ...string) (*Exchange, error) {
	token, err := newToken(ctx, command, data)
	if err != nil {
		return nil, err
	}
	admin, err := freeAddress()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	readied := make(chan time.Duration, 1)
	polling, stopPolling := context.WithCancel(ctx)
	defer stopPolling()
	go func() {
		if untilReady(polling, admin) == nil {
			readied <- time.Since(began)
		}
	}()
	args := append([]string{"run", "--data", data, "--addr", "127.0.0.1:0", "--admin-addr", admin, "--log-level", "warn"}, settings...)
	started, err := process.Start(ctx, nil, command, args...)
	if err != nil {
		return nil, err
	}
	e := &Exchange{Child: started, Admin: admin, Client: load.Dial(started.Address, token, connections)}
	var request fasthttp.Request
	var response fasthttp.Response
	// The exchange listens before it prints its address, so a call waits for its response and is not refused.
	if err := e.Send(load.Call{Method: http.MethodGet, Path: "/vehicle?limit=1"}, &request, &response); err != nil {
		e.Stop()
		return nil, err
	}
	if response.StatusCode() != http.StatusOK {
		e.Stop()
		return nil, fmt.Errorf("the response to the first call has status %d: %s", response.StatusCode(), response.Body())
	}
	e.Served = time.Since(started.Began)
	select {
	case e.Ready = <-readied:
		return e, nil
	case <-time.After(process.StartPatience):
		err = fmt.Errorf("/readyz was not 200 within %v", process.StartPatience)
	case <-ctx.Done():
		err = ctx.Err()
	}
	e.Stop()
	return nil, err
}

// newToken returns a token that the keys of a data folder sign. It makes the keys if there are none.
func newToken(ctx context.Context, command, data string) (string, error) {
	token, err := exec.CommandContext(ctx, command, "token", "--new-keys", "--data", data, "--lifetime", "24h").Output()
	if err != nil {
		return "", fmt.Errorf("%s token: %w", command, err)
	}
	return strings.TrimSpace(string(token)), nil
}

// Server returns the exchange as a side of a row.
func (e *Exchange) Server() *load.Server {
	s := &load.Server{Client: e.Client, Processes: []*process.Child{e.Child}, Admins: []string{e.Admin}}
	for _, of := range e.services {
		s.Processes, s.Admins = append(s.Processes, of.Child), append(s.Admins, of.admin)
	}
	return s
}

// Stop ends all processes, the gateway first, and waits for their end.
func (e *Exchange) Stop() {
	if e.Child != nil { // the gateway starts last
		e.Child.Stop()
	}
	for _, of := range e.services {
		of.Stop()
	}
}

// Resident returns the memory of all processes.
func (e *Exchange) Resident() process.Resident {
	total := e.Child.Resident()
	for _, of := range e.services {
		total = total.Plus(of.Resident())
	}
	return total
}

// freeAddress returns an address of this machine that nobody listens on, host:port.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// untilReady asks for /readyz until it is 200 or ctx ends.
func untilReady(ctx context.Context, admin string) error {
	const pause = time.Millisecond
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/readyz", nil)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Rest waits until a process that has been started has next to nothing left to do: it was ready before it had
// collected what only the start needed. One that is never at rest is taken as it is after restPatience.
func (e *Exchange) Rest(ctx context.Context) {
	const pause, atRest = 100 * time.Millisecond, 0.02 // of a core
	before := e.CPUSeconds()
	for range restPatience / pause {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		now := e.CPUSeconds()
		if now-before < atRest*pause.Seconds() {
			return
		}
		before = now
	}
}

// restPatience is how long a process is waited for that is never at rest.
const restPatience = 2 * time.Second
