package comparison

import (
	"context"
	"errors"
	"fmt"

	"github.com/valyala/fasthttp"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/measurement"
	"insurance.example/exchange/deploy/proof/bench/process"
	"insurance.example/exchange/deploy/proof/bench/report"
	"insurance.example/exchange/deploy/proof/bench/sides"
)

// compareWithBare measures the exchange and a bare handler that gives the same responses. If the exchange is separate
// processes, so is the other side: the bare handler, and a proxy in front of it.
func compareWithBare(ctx context.Context, run *measurement.Run, rows []*load.Row) ([]report.Result, error) {
	var responses []sides.Response
	for _, r := range rows {
		canned, err := sample(run.Exchange.Client, r)
		if err != nil {
			return nil, err
		}
		responses = append(responses, canned)
	}
	handler, err := sides.StartBare(ctx, responses)
	if err != nil {
		return nil, err
	}
	defer handler.Stop()
	exchange := run.Exchange.Server()
	bare := &load.Server{Client: load.Dial(handler.Address, run.Exchange.Token, run.Connections), Processes: []*process.Child{handler}}
	if run.Processes {
		proxy, err := sides.StartProxy(ctx, handler.Address)
		if err != nil {
			return nil, err
		}
		defer proxy.Stop()
		bare.Client, bare.Processes = load.Dial(proxy.Address, run.Exchange.Token, run.Connections), append(bare.Processes, proxy)
	}
	var results []report.Result
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
func inTurn(ctx context.Context, run *measurement.Run, r, others *load.Row, exchange, bare *load.Server) (measured report.Result, err error) {
	defer func() {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
	}()
	measured.Row = r
	if err := exchange.Calibrate(ctx); err != nil {
		return measured, err
	}
	for turn := range 1 + measurement.Turns {
		one, err := exchange.Measure(ctx, r, run.Slice())
		if err != nil {
			return measured, err
		}
		other, err := bare.Measure(ctx, others, run.Slice())
		if err != nil {
			return measured, err
		}
		if turn > 0 {
			measured.Exchange, measured.Bare = append(measured.Exchange, one), append(measured.Bare, other)
		}
	}
	return measured, nil
}

// sample sends one request of the row and returns the response, which the bare handler will give.
func sample(c *load.Client, r *load.Row) (sides.Response, error) {
	var request fasthttp.Request
	var response fasthttp.Response
	to := r.Next()
	if err := c.Send(to, &request, &response); err != nil {
		return sides.Response{}, err
	}
	if response.StatusCode() != r.Status {
		return sides.Response{}, fmt.Errorf("%s: status %d: %s", r.Name, response.StatusCode(), response.Body())
	}
	canned := sides.Response{Method: to.Method, Route: r.Route, Status: r.Status, Header: map[string]string{}, Body: response.Body()}
	for name, value := range response.Header.All() {
		switch string(name) {
		case "Date", "Content-Length": // the server sets them
		default:
			canned.Header[string(name)] = string(value)
		}
	}
	return canned, nil
}
