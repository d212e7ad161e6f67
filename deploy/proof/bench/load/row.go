package load

import (
	"context"
	"net/http"
	"sync/atomic"
)

// Row is one line of the table: a kind of request, and what part of the bare handler's rate it is to reach.
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
	// Perform does what takes the place of the nth request, where there is none.
	Perform func(ctx context.Context, n uint64) error
	count   atomic.Uint64
}

// Title returns the name of the row.
func (r *Row) Title() string { return r.Name }

// Next returns the next request.
func (r *Row) Next() Call { return r.Call(r.count.Add(1)) }

// Get returns the calls that read what the names end the path of.
func Get(names []string, path string) func(uint64) Call {
	return func(n uint64) Call { return Call{http.MethodGet, path + Pick(names, n), nil} }
}

// Pick returns the nth of the names in a mixed order, so that consecutive calls are about distant records in the store.
func Pick(names []string, n uint64) string { return names[n*7919%uint64(len(names))] }
