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

// runningExchange is a running exchange with all services in one process, and a client of it.
type runningExchange struct {
	*child
	*client
	// admin is the address of its metrics.
	admin string
	// served is the time from its start until the first response with status 200, ready the time until /readyz responded
	// with 200.
	served, ready time.Duration
}

// startExchange starts the exchange on a folder of data and waits until it has responded and is ready.
func startExchange(ctx context.Context, command, data string, connections int) (*runningExchange, error) {
	token, err := exec.CommandContext(ctx, command, "token", "--new-keys", "--data", data, "--lifetime", "24h").Output()
	if err != nil {
		return nil, fmt.Errorf("%s token: %w", command, err)
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
	process, err := start(ctx, nil, command, "run", "--data", data, "--addr", "127.0.0.1:0", "--admin-addr", admin, "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	e := &runningExchange{child: process, admin: admin, client: dial(process.address, strings.TrimSpace(string(token)), connections)}
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
	e.served = time.Since(process.began)
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

// server returns the exchange as a side of a row.
func (e *runningExchange) server() *server {
	return &server{client: e.client, processes: []*child{e.child}, admins: []string{e.admin}}
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
