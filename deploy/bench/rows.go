package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

// row is one line of the table: a kind of request, and what part of the bare handler's rate it is to reach.
type row struct {
	name   string
	route  string // of Gin
	status int
	target float64
	// await waits until what the requests lead to after their responses is done, and returns how many times it asked the server for
	// metrics; nil if they lead to nothing.
	await func(context.Context, *server) (polls int, err error)
	// call returns the nth request.
	call func(n uint64) call
	// perform does what takes the place of the nth request, where there is none.
	perform func(ctx context.Context, n uint64) error
	count   atomic.Uint64
}

func (r *row) title() string { return r.name }

func (r *row) next() call { return r.call(r.count.Add(1)) }

// rowsOf returns the rows of the table, reads first, on a book.
func rowsOf(b *book) []*row {
	return []*row{
		readVehicle(b),
		findClaim(b),
		listVehicles(b),
		createVehicle(),
		createClaim(b),
		{
			name: "POST /receipt", route: "/receipt", status: http.StatusCreated, target: 0.25, await: awaitRows,
			call: func(n uint64) call { return call{http.MethodPost, "/receipt", newReceipt(pick(b.policies, n))} },
		},
	}
}

// separateRowsOf returns the rows that are measured with separate processes.
func separateRowsOf(b *book) []*row { return []*row{readVehicle(b), createVehicle(), createClaim(b)} }

// readsOf returns the rows that are measured before and after a load of vehicles and policies.
func readsOf(b *book) []*row {
	return []*row{
		readVehicle(b),
		{
			name: "GET /motorCoverage?policyNumber=", route: "/motorCoverage", status: http.StatusOK,
			call: get(b.policies, "/motorCoverage?policyNumber="),
		},
		listVehicles(b),
	}
}

func readVehicle(b *book) *row {
	return &row{
		name: "GET /vehicle/{id}", route: "/vehicle/:id", status: http.StatusOK, target: 0.6,
		call: get(b.vehicles, "/vehicle/"),
	}
}

func findClaim(b *book) *row {
	return &row{
		name: "GET /claim?policyNumber=", route: "/claim", status: http.StatusOK, target: 0.45,
		call: get(b.policies, "/claim?policyNumber="),
	}
}

func listVehicles(b *book) *row {
	return &row{
		name: "GET /vehicle?limit=50", route: "/vehicle", status: http.StatusOK, target: 0.4,
		call: get(b.pages, "/vehicle?"),
	}
}

func createVehicle() *row {
	return &row{
		name: "POST /vehicle", route: "/vehicle", status: http.StatusCreated, target: 0.35,
		call: func(uint64) call { return call{http.MethodPost, "/vehicle", newVehicle()} },
	}
}

func createClaim(b *book) *row {
	return &row{
		name: "POST /claim", route: "/claim", status: http.StatusCreated, target: 0.2,
		call: func(n uint64) call { return call{http.MethodPost, "/claim", newClaim(pick(b.policies, n))} },
	}
}

func get(names []string, path string) func(uint64) call {
	return func(n uint64) call { return call{http.MethodGet, path + pick(names, n), nil} }
}

// pick returns the nth of the names in a mixed order, so that consecutive calls are about distant records in the store.
func pick(names []string, n uint64) string { return names[n*7919%uint64(len(names))] }

// chosen returns the rows of a table whose titles match an expression; all of them if it is nil.
func chosen[R interface{ title() string }](all []R, only *regexp.Regexp) []R {
	return slices.DeleteFunc(all, func(r R) bool { return only != nil && !only.MatchString(r.title()) })
}

// sample sends one request of the row and returns the response, which the bare handler will give.
func (c *client) sample(r *row) (cannedResponse, error) {
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
