package load

import (
	"context"
	"net/http"
	"sync/atomic"
)

// Row is one line of the table: a kind of request, and what part of the other side's rate it is to reach.
type Row struct {
	Name   string
	Route  string // of Gin
	Status int
	Target float64
	// Await waits until what the requests lead to after their responses is done, and returns how many times it asked
	// the server for metrics; nil if they lead to nothing.
	Await func(context.Context, *Server) (polls int, err error)
	// Call returns the nth request.
	Call func(n uint64) Call
	// Perform takes the place of the nth request where no Call can say it, and returns the status; 0 if it fails. The
	// context ends with the plan.
	Perform func(ctx context.Context, n uint64) (status int)
	count   atomic.Uint64
}

// Next returns the next request.
func (r *Row) Next() Call { return r.Call(r.count.Add(1)) }

// Get returns the calls that read paths, each with one of the names at its end.
func Get(names []string, path string) func(uint64) Call {
	return func(n uint64) Call { return Call{Method: http.MethodGet, Path: path + Pick(names, n)} }
}

// Post returns the calls that send a body to a path, which may be another one each time.
func Post(path string, body func(n uint64) []byte) func(uint64) Call {
	return func(n uint64) Call { return Call{Method: http.MethodPost, Path: path, Body: body(n)} }
}

// Pick returns the nth of the names in a mixed order, so that consecutive calls are about distant records in the store.
func Pick(names []string, n uint64) string { return names[n*7919%uint64(len(names))] }
