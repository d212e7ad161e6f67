package request

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/problem"
)

// The headers of the W3C trace context, in the canonical form of http.Header.
const (
	parentHeader = "Traceparent"
	stateHeader  = "Tracestate"
)

const (
	longestID    = 128
	longestState = 512
)

// Names identifies a request in all processes that it passes through.
type Names struct {
	// ID is the request id; responses carry it as X-Request-Id.
	ID string
	// Parent and State are the headers traceparent and tracestate of the requests that are made as a part of this
	// one. They are those that it came with, unless this process traces it; empty if there are none.
	Parent, State string
}

// IDOf returns the id of a request that came with one: that, or a new one if it is empty, longer than 128 characters,
// or holds other characters than letters, digits and "-_.:".
func IDOf(given string) string {
	if saneID(given) {
		return given
	}
	return uuid.NewString()
}

// ReadNames reads the names of a request from its headers. IDOf says what its id is. A malformed trace context is
// dropped.
func ReadNames(header http.Header) *Names {
	r := &Names{ID: IDOf(header.Get(problem.RequestIDHeader))}
	if parent := header[parentHeader]; len(parent) == 1 && saneParent(parent[0]) {
		r.Parent = parent[0]
		if state := strings.Join(header[stateHeader], ","); len(state) <= longestState {
			r.State = state
		}
	}
	return r
}

// Write sets the headers of a request that is made as a part of this one. It does nothing if r is nil.
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

// TraceID returns the trace id of the trace context; empty if there is none.
func (r *Names) TraceID() string {
	if r == nil || r.Parent == "" {
		return ""
	}
	return r.Parent[3:35]
}

type namesKey struct{}

// WithNames returns a context that carries the request's names.
func WithNames(ctx context.Context, r *Names) context.Context {
	return context.WithValue(ctx, namesKey{}, r)
}

// NamesFrom returns the names that the context carries, or nil.
func NamesFrom(ctx context.Context) *Names {
	r, _ := ctx.Value(namesKey{}).(*Names)
	return r
}

// saneID reports whether an id can be written to logs, headers and problem documents as it is.
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

// saneParent reports whether a traceparent has the form of version 00, with which later versions begin: version,
// trace id, parent id and flags in lower-case hexadecimal, where neither id is all zero.
func saneParent(parent string) bool {
	const length = 2 + 1 + 32 + 1 + 16 + 1 + 2
	if len(parent) < length || (len(parent) > length && (parent[:2] == "00" || parent[length] != '-')) ||
		parent[:2] == "ff" {
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

// TimeoutHeader carries the time that is left for a request, in milliseconds. Unlike a deadline it does not depend on
// the clocks of both processes.
const TimeoutHeader = IdentityPrefix + "Timeout"

// WriteTimeout sets TimeoutHeader to the time until the deadline of ctx. Without a deadline it does nothing.
func WriteTimeout(ctx context.Context, header http.Header) {
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Until(deadline).Milliseconds(), 1)
		header[TimeoutHeader] = []string{strconv.FormatInt(left, 10)}
	}
}

// ReadTimeout returns the time in TimeoutHeader, but no more than longest, which is also the result without the header.
func ReadTimeout(header http.Header, longest time.Duration) time.Duration {
	values := header[TimeoutHeader]
	if len(values) == 0 {
		return longest
	}
	left, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || left <= 0 || left >= longest.Milliseconds() {
		return longest
	}
	return time.Duration(left) * time.Millisecond
}
