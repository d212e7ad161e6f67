package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/valyala/fasthttp"
)

// compareWithBare measures the exchange and a bare handler that gives the same responses. If the exchange is separate processes, so is the
// other side: the bare handler, and a proxy in front of it.
func compareWithBare(ctx context.Context, run *bench, rows []*row) ([]result, error) {
	var responses []cannedResponse
	for _, r := range rows {
		canned, err := sample(run.exchange.client, r)
		if err != nil {
			return nil, err
		}
		responses = append(responses, canned)
	}
	handler, err := startBare(ctx, responses)
	if err != nil {
		return nil, err
	}
	defer handler.stop()
	exchange := run.exchange.server()
	bare := &server{client: dial(handler.address, run.exchange.token, run.connections), processes: []*child{handler}}
	if run.processes {
		proxy, err := startProxy(ctx, handler.address)
		if err != nil {
			return nil, err
		}
		defer proxy.stop()
		bare.client, bare.processes = dial(proxy.address, run.exchange.token, run.connections), append(bare.processes, proxy)
	}
	var results []result
	for _, r := range rows {
		measured, err := inTurn(ctx, run, r, r, exchange, bare)
		if err != nil {
			return nil, err
		}
		results = append(results, measured)
	}
	return results, nil
}

// inTurn measures both sides of a row, each once to warm up. What is asked of the other side may be another row.
func inTurn(ctx context.Context, run *bench, r, others *row, exchange, bare *server) (measured result, err error) {
	defer func() {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
	}()
	measured.row = r
	if err := exchange.calibrate(ctx); err != nil {
		return measured, err
	}
	for turn := range 1 + turns {
		one, err := exchange.measure(ctx, r, run.slice())
		if err != nil {
			return measured, err
		}
		other, err := bare.measure(ctx, others, run.slice())
		if err != nil {
			return measured, err
		}
		if turn > 0 {
			measured.exchange, measured.bare = append(measured.exchange, one), append(measured.bare, other)
		}
	}
	return measured, nil
}

// sample sends one request of the row and returns the response, which the bare handler will give.
func sample(c *client, r *row) (cannedResponse, error) {
	var request fasthttp.Request
	var response fasthttp.Response
	to := r.next()
	if err := c.send(to, &request, &response); err != nil {
		return cannedResponse{}, err
	}
	if response.StatusCode() != r.status {
		return cannedResponse{}, fmt.Errorf("%s: status %d: %s", r.name, response.StatusCode(), response.Body())
	}
	canned := cannedResponse{Method: to.method, Route: r.route, Status: r.status, Header: map[string]string{}, Body: response.Body()}
	for name, value := range response.Header.All() {
		switch string(name) {
		case "Date", "Content-Length": // the server sets them
		default:
			canned.Header[string(name)] = string(value)
		}
	}
	return canned, nil
}
