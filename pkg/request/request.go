// Package request holds what a request carries from process to process: its id and trace context, its caller, the
// credential that proves that it comes from within the exchange, and the time that is left for it.
//
// The propagator of OpenTelemetry would read the trace context, in place of thirty lines. It writes what it has read
// anew, with the version and the flags that it knows; here a process that does not trace passes on what came.
package request

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/pkg/problem"
)

// Caller is the party that a request is made for.
type Caller struct {
	// Subject is the caller's name, from its token.
	Subject string
	// Issuer is who issued the token; empty if the exchange is not shared by organisations.
	Issuer string
	// Client is the program that acts for the subject, from its token; empty if the token names none.
	Client string
	// Scopes holds the scopes of the token, in its order.
	Scopes []string
	// Organisation is the one that the caller acts for, from its token.
	Organisation organisation.ID
	// Reason is why an operator reads, in its words. It is empty for everybody else.
	Reason string
}

// Has reports whether the caller has a scope.
func (c Caller) Has(scope string) bool { return slices.Contains(c.Scopes, scope) }

// Key returns what is the same for two callers only if they are the same: the subject, and in an exchange that
// organisations share the organisation and the issuer as well.
func (c Caller) Key() string {
	if c.Organisation.Operates() {
		return operatorKey + " " + strconv.Quote(c.Issuer) + " " + c.Subject
	}
	if c.Organisation.Name() == "" {
		return c.Subject
	}
	return c.Organisation.Name() + " " + strconv.Quote(c.Issuer) + " " + c.Subject
}

// operatorKey stands for the organisation of an operator. No organisation can have it as its name.
const operatorKey = "!"

// Account returns in whose name the requests of a caller take memory and turns: that of its organisation if it has a
// name, so that no organisation gets more by having many callers, else its subject.
func (c Caller) Account() string {
	if c.Organisation.Operates() {
		return c.Key()
	}
	if name := c.Organisation.Name(); name != "" {
		return name
	}
	return c.Subject
}

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerFrom returns the caller that the context carries, or the zero Caller.
func CallerFrom(ctx context.Context) Caller {
	caller, _ := callerFrom(ctx)
	return caller
}

func callerFrom(ctx context.Context) (caller Caller, carried bool) {
	caller, carried = ctx.Value(callerKey{}).(Caller)
	return caller, carried
}

// OrganisationFrom returns the organisation for which the caller in the context acts. It is nobody's without a
// caller, and then every store refuses the call.
func OrganisationFrom(ctx context.Context) organisation.ID {
	return CallerFrom(ctx).Organisation
}

// ForExchange returns a context for what the exchange does of its own accord: its work in the background and when it
// starts.
func ForExchange(ctx context.Context) context.Context {
	return WithCaller(ctx, Caller{Organisation: organisation.Exchange()})
}

// ForOwner returns a context for what the exchange does of its own accord in the name of the organisation that owns
// what it works on; the only one has the empty name. Errors: organisation.ErrName.
func ForOwner(ctx context.Context, name string) (context.Context, error) {
	who, err := organisation.Owner(name)
	if err != nil {
		return nil, err
	}
	return WithCaller(ctx, Caller{Organisation: who}), nil
}

// Sought is a name as an organisation looks it up. It is the key of what a process remembers: what one organisation has
// found is not there for another.
type Sought struct {
	by   organisation.ID
	name string
}

// SoughtBy returns a name as the organisation looks it up for which the caller in the context acts.
func SoughtBy(ctx context.Context, name string) Sought { return Sought{OrganisationFrom(ctx), name} }

// Account is what a request takes memory from. Package load has the accounts of a process.
type Account interface {
	// Charge takes the bytes that a request costs besides its body, unless it has as many, and says in whose name the
	// request takes from now on. It is called when nothing is waited for any more, and before the body is read. Its
	// error says that the caller, or all together, have too much in work.
	Charge(caller string, bytes int64) error
	// Rest gives back what the request costs besides its body, until Resume takes it again, which may be refused.
	Rest()
	Resume() error
}

type accountKey struct{}

// WithAccount returns a context that carries the account of a request.
func WithAccount(ctx context.Context, account Account) context.Context {
	return context.WithValue(ctx, accountKey{}, account)
}

// AccountFrom returns the account that the context carries, or nil.
func AccountFrom(ctx context.Context) Account {
	account, _ := ctx.Value(accountKey{}).(Account)
	return account
}

// Rest gives back what a request costs besides its body, if it takes from an account: it waits for something, and has
// nothing in memory meanwhile.
func Rest(ctx context.Context) {
	if account := AccountFrom(ctx); account != nil {
		account.Rest()
	}
}

// Resume takes again what Rest has given back. Its error is that of Charge.
func Resume(ctx context.Context) error {
	if account := AccountFrom(ctx); account != nil {
		return account.Resume()
	}
	return nil
}

// Charge charges a caller for the bytes that a request costs besides its body, if it takes from an account.
func Charge(ctx context.Context, caller string, bytes int64) error {
	if account := AccountFrom(ctx); account != nil {
		return account.Charge(caller, bytes)
	}
	return nil
}

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

// WriteTimeout sets TimeoutHeader to the time until the deadline of ctx, less a fiftieth: whoever waits for another
// process in vain says so before its own caller gives up. Without a deadline it does nothing.
func WriteTimeout(ctx context.Context, header http.Header) {
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Until(deadline).Milliseconds()*49/50, 1)
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
