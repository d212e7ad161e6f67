package main

import (
	"context"
	"net/http"
	"sync/atomic"
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

func get(names []string, path string) func(uint64) call {
	return func(n uint64) call { return call{http.MethodGet, path + pick(names, n), nil} }
}

// pick returns the nth of the names in a mixed order, so that consecutive calls are about distant records in the store.
func pick(names []string, n uint64) string { return names[n*7919%uint64(len(names))] }
