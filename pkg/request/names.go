package request

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/problem"
)

// The headers of the W3C trace context, in the form of http.Header's keys.
const (
	parentHeader = "Traceparent"
	stateHeader  = "Tracestate"
)

const (
	longestID    = 128
	longestState = 512
)

// Names name a request over all processes that it passes.
type Names struct {
	// ID is the request id; responses carry it as X-Request-Id.
	ID string
	// Parent and State are traceparent and tracestate; empty where the request came without.
	Parent, State string
}

// ReadNames takes the names of a request from its headers. An id that is missing, long or odd is replaced by a new one; a
// malformed trace context is dropped.
func ReadNames(header http.Header) *Names {
	r := &Names{ID: header.Get(problem.RequestIDHeader)}
	if !saneID(r.ID) {
		r.ID = uuid.NewString()
	}
	if parent := header[parentHeader]; len(parent) == 1 && saneParent(parent[0]) {
		r.Parent = parent[0]
		if state := strings.Join(header[stateHeader], ","); len(state) <= longestState {
			r.State = state
		}
	}
	return r
}

// Write sets the headers of a request that is made on behalf of this one. A nil Names sets none.
func (r *Names) Write(header http.Header) {
	if r == nil {
		return
	}
	header[problem.RequestIDHeader] = []string{r.ID}
	delete(header, parentHeader)
	delete(header, stateHeader)
	if r.Parent != "" {
		header[parentHeader] = []string{r.Parent}
	}
	if r.State != "" {
		header[stateHeader] = []string{r.State}
	}
}

type namesKey struct{}

// WithNames returns a context that carries the request's names.
func WithNames(ctx context.Context, r *Names) context.Context {
	return context.WithValue(ctx, namesKey{}, r)
}

// NamesFrom returns the names that the context carries, nil where it carries none.
func NamesFrom(ctx context.Context) *Names {
	r, _ := ctx.Value(namesKey{}).(*Names)
	return r
}

// saneID lets pass what can stand in logs, headers and problem documents as it is.
func saneID(id string) bool {
	if id == "" || len(id) > longestID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', c == '-', c == '_', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}

// saneParent checks the form of version 00, with which later versions begin: version, trace id, parent id and flags in
// lower-case hexadecimal, the ids not all zero.
func saneParent(parent string) bool {
	const length = 2 + 1 + 32 + 1 + 16 + 1 + 2
	if len(parent) < length || (len(parent) > length && (parent[:2] == "00" || parent[length] != '-')) || parent[:2] == "ff" {
		return false
	}
	for i := range length {
		c := parent[i]
		if i == 2 || i == 35 || i == 52 {
			if c != '-' {
				return false
			}
		} else if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return strings.Trim(parent[3:35], "0") != "" && strings.Trim(parent[36:52], "0") != ""
}
