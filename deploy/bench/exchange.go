package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// exchange is a running exchange, all services in one process.
type exchange struct {
	*child
	*client
	// served is how long it took from its start until the first answer of 200.
	served time.Duration
}

// startExchange starts the exchange on a folder of data and waits for its first answer.
func startExchange(ctx context.Context, command, data string, connections int) (*exchange, error) {
	token, err := exec.CommandContext(ctx, command, "token", "--data", data, "--lifetime", "24h").Output()
	if err != nil {
		return nil, fmt.Errorf("%s token: %w", command, err)
	}
	process, err := start(ctx, nil, command, "run", "--data", data, "--addr", "127.0.0.1:0", "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	e := &exchange{child: process, client: dial(process.address, strings.TrimSpace(string(token)), connections)}
	var request fasthttp.Request
	var response fasthttp.Response
	// The address is taken before it is printed, so that a call waits for its answer rather than being refused.
	if err := e.send(call{http.MethodGet, "/vehicle?limit=1", nil}, &request, &response); err != nil {
		e.stop()
		return nil, err
	}
	if response.StatusCode() != http.StatusOK {
		e.stop()
		return nil, fmt.Errorf("the first call is answered with status %d: %s", response.StatusCode(), response.Body())
	}
	e.served = time.Since(process.began)
	return e, nil
}
