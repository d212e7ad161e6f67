package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// runningExchange is a running exchange, and a client of it: all of it in one process, or the gateway.
type runningExchange struct {
	*child
	*client
	// admin is the address of its metrics.
	admin string
	// services are those that are processes of their own.
	services []*serviceProcess
	// served is the time from its start until the first response with status 200, ready the time until /readyz responded
	// with 200.
	served, ready time.Duration
}

// startExchange starts the exchange on a folder of data, with more settings if there are any, and waits until it has responded and is ready.
func startExchange(ctx context.Context, command, data string, connections int, settings ...string) (*runningExchange, error) {
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
	started, err := start(ctx, nil, command, args...)
	if err != nil {
		return nil, err
	}
	e := &runningExchange{child: started, admin: admin, client: dial(started.address, token, connections)}
	var request fasthttp.Request
	var response fasthttp.Response
	// The exchange listens before it prints its address, so a call waits for its response and is not refused.
	if err := e.send(call{http.MethodGet, "/vehicle?limit=1", nil}, &request, &response); err != nil {
		e.stop()
		return nil, err
	}
	if response.StatusCode() != http.StatusOK {
		e.stop()
		return nil, fmt.Errorf("the response to the first call has status %d: %s", response.StatusCode(), response.Body())
	}
	e.served = time.Since(started.began)
	select {
	case e.ready = <-readied:
		return e, nil
	case <-time.After(startPatience):
		err = fmt.Errorf("/readyz was not 200 within %v", startPatience)
	case <-ctx.Done():
		err = ctx.Err()
	}
	e.stop()
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

// server returns the exchange as a side of a row.
func (e *runningExchange) server() *server {
	s := &server{client: e.client, processes: []*child{e.child}, admins: []string{e.admin}}
	for _, of := range e.services {
		s.processes, s.admins = append(s.processes, of.child), append(s.admins, of.admin)
	}
	return s
}

// stop ends all processes, the gateway first, and waits for their end.
func (e *runningExchange) stop() {
	if e.child != nil { // the gateway starts last
		e.child.stop()
	}
	for _, of := range e.services {
		of.stop()
	}
}

// resident returns the memory of all processes.
func (e *runningExchange) resident() resident {
	total := e.child.resident()
	for _, of := range e.services {
		total = total.plus(of.resident())
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

// rest waits until a process that has been started has next to nothing left to do: it was ready before it had collected what only the start
// needed. One that is never at rest is taken as it is after restPatience.
func (e *runningExchange) rest(ctx context.Context) {
	const pause, atRest = 100 * time.Millisecond, 0.02 // of a core
	before := e.cpuSeconds()
	for range restPatience / pause {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		now := e.cpuSeconds()
		if now-before < atRest*pause.Seconds() {
			return
		}
		before = now
	}
}

// restPatience is how long a process is waited for that is never at rest.
const restPatience = 2 * time.Second
