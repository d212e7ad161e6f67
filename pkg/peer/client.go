package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/tracing"
)

// largestResponse is the size in bytes beyond which a response is refused.
const largestResponse = 16 << 20

// Config describes a peer and how it is called.
type Config struct {
	// Name is the name of the service, for errors and metrics.
	Name string
	// Address is the base URL of the peer, such as http://coverage:8080.
	Address string
	// Transport sends the calls to another process: NewTransport.
	Transport http.RoundTripper
	// Handler is the peer itself, if it is in the same process. It gets the calls without sockets, and learns from
	// their contexts what headers tell another process.
	Handler http.Handler
	// Credentials prove to the peer that the call comes from within the exchange.
	Credentials request.Credentials
	// OpenAfter is how many calls must fail in a row for the circuit breaker to open; 5 if zero.
	OpenAfter uint
	// Metrics is where the calls are counted and timed; nil if they are not.
	Metrics prometheus.Registerer
}

// Client calls one peer. It is safe for concurrent use. A service has one client for each peer, because the client
// holds the circuit breaker.
type Client struct {
	config        Config
	reads, writes failsafe.Executor[Reply]
	// seconds times the calls, by method and status code.
	seconds *prometheus.HistogramVec
}

// New returns the client of a peer. It fails if the address is not an http or https URL without a path.
func New(config Config) (*Client, error) {
	base, err := ParseAddress(config.Address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.Name, err)
	}
	config.Address = base.String()
	breaker := newBreaker(config)
	return &Client{
		config:  config,
		reads:   failsafe.With[Reply](newRetry(), breaker),
		writes:  failsafe.With[Reply](breaker),
		seconds: register(config, breaker),
	}, nil
}

// Refusal is the error of a peer that understood a call and refused it (4xx).
type Refusal struct {
	Peer   string
	Status int
	// Document is the peer's problem document.
	Document []byte
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("peer %s refuses with status %d: %s", r.Peer, r.Status, r.Document)
}

// Facts are what a request takes for facts that are not there yet: records that are to be written before the one which
// it asks about. They are responses by the paths that are asked for: a record by /{resource}/{id}, and what a service
// says about it to others by the path of an internal operation.
type Facts map[string]jsontext.Value

type factsKey struct{}

// Assume returns a context in which the facts are assumed: Get, and the resources of package rest, return them in place
// of looking them up. The caller may add facts to the map between two uses of the context.
func Assume(ctx context.Context, facts Facts) context.Context {
	return context.WithValue(ctx, factsKey{}, facts)
}

// Assumed returns what is assumed in a context; nil if nothing is.
func Assumed(ctx context.Context) Facts {
	facts, _ := ctx.Value(factsKey{}).(Facts)
	return facts
}

// Get reads the JSON at a path, which includes an escaped query, into a value. found is false if the peer responds with
// 404. What the context assumes about a path is taken for the response. The error is a *Refusal for any other 4xx,
// problem.Overloaded if the peer has too much in work, else problem.Outage.
func Get[T any](ctx context.Context, c *Client, path string) (value T, found bool, err error) {
	// What is assumed is of records that are not made yet, and so the same at each instant that a query asks for.
	of, _, _ := strings.Cut(path, "?")
	if fact, is := Assumed(ctx)[of]; is {
		err := json.Unmarshal(fact, &value)
		return value, err == nil, err
	}
	got, err := c.Do(ctx, Call{Method: http.MethodGet, Path: path})
	if err != nil || got.Status == http.StatusNotFound {
		return value, false, err
	}
	err = c.decode(got, &value)
	return value, err == nil, err
}

// Post sends a value as JSON and reads the response into another value, which stays zero if the response has no body.
// It is never retried, because after an outage it is unknown whether the peer acted. The error is a *Refusal for a
// 4xx, problem.Overloaded if the peer has too much in work, else problem.Outage.
func Post[T any](ctx context.Context, c *Client, path string, body any) (value T, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return value, fmt.Errorf("peer %s: body of a call: %w", c.config.Name, err)
	}
	got, err := c.Do(ctx, Call{Method: http.MethodPost, Path: path, Body: text})
	if err == nil {
		err = c.decode(got, &value)
	}
	return value, err
}

// Call is a request to a peer whose response is read as it is.
type Call struct {
	// Path includes an escaped query.
	Method, Path string
	// Header holds headers of the call, if it has any.
	Header http.Header
	// Body is a JSON text; nil for none.
	Body []byte
}

// Reply is the response to a Call, with its whole body. A status of 400 and above comes with a problem document.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// overloaded reports whether the peer has refused the call because it has too much in work.
func (r Reply) overloaded() bool {
	var document struct {
		Type string `json:"type"`
	}
	return r.Status == http.StatusServiceUnavailable && json.Unmarshal(r.Body, &document) == nil &&
		document.Type == problem.URI(problem.Overloaded)
}

// Do makes a call. Only a GET is sent again: whether the peer has acted is unknown after an outage. A connection that
// cannot be made is tried again for every call, because nothing was sent. The error is
// problem.Overloaded if the peer has too much in work, and problem.Outage for any other 5xx, 401, 429 and no response.
// It does not have the path, which may name a record: errors go to the log.
func (c *Client) Do(ctx context.Context, call Call) (Reply, error) {
	method, executor := call.Method, c.writes
	if method == http.MethodGet {
		executor = c.reads
	}
	got, err := executor.WithContext(ctx).Get(func() (Reply, error) { return c.attempt(ctx, call) })
	switch {
	case err != nil:
	case got.Status == http.StatusUnauthorized:
		err = c.config.Credentials.Refused(c.config.Name) // the fault of the installation, not of the caller
	case got.Status >= 500 || got.Status == http.StatusTooManyRequests:
		err = fmt.Errorf("status %d", got.Status)
	}
	if err == nil {
		return got, nil
	}
	err = fmt.Errorf("peer %s: %s: %w", c.config.Name, method, err)
	if got.overloaded() {
		return got, problem.Later(problem.Overloaded,
			"A part of the exchange has as much in work as it can have. Send the request again.").Because(err)
	}
	return got, problem.Outage(err)
}

// attempt makes a call once, and says in its span and its metrics how that went. Without a response its code is none.
func (c *Client) attempt(ctx context.Context, call Call) (Reply, error) {
	ctx, span := tracing.Begin(ctx, call.Method+" "+c.config.Name, trace.SpanKindClient,
		attribute.String("http.request.method", call.Method), attribute.String("peer.service", c.config.Name))
	defer span.End()
	began := time.Now()
	got, err := c.send(ctx, call)
	code := "none"
	if got.Status != 0 {
		code = strconv.Itoa(got.Status)
		span.SetAttributes(attribute.Int("http.response.status_code", got.Status))
	}
	tracing.Observe(span, c.seconds.WithLabelValues(call.Method, code), time.Since(began).Seconds())
	if got.Status == 0 || got.Status >= 500 {
		tracing.Fail(span, code)
	}
	if err == nil && len(got.Body) > largestResponse {
		err = errors.New("the response is too large")
	}
	return got, err
}

// send sends a call. To another process headers carry its context. Of the response it reads one byte more than is
// accepted. The status is 0 without a response.
func (c *Client) send(ctx context.Context, call Call) (Reply, error) {
	sent, err := http.NewRequestWithContext(ctx, call.Method, c.config.Address+call.Path, bytes.NewReader(call.Body))
	if err != nil {
		return Reply{}, err
	}
	maps.Copy(sent.Header, call.Header)
	if call.Body != nil {
		sent.Header["Content-Type"] = []string{"application/json"}
	}
	if c.config.Handler != nil {
		return serve(c.config.Handler, sent)
	}
	request.NamesFrom(ctx).Write(sent.Header)
	tracing.Inject(ctx, sent.Header)
	c.config.Credentials.Identify(sent.Header, request.CallerFrom(ctx))
	request.WriteTimeout(ctx, sent.Header)
	received, err := c.config.Transport.RoundTrip(sent)
	if err != nil {
		return Reply{}, err
	}
	defer received.Body.Close()
	text, err := io.ReadAll(io.LimitReader(received.Body, largestResponse+1))
	return Reply{received.StatusCode, received.Header, text}, err
}

func (c *Client) decode(got Reply, value any) error {
	if got.Status >= 400 {
		return &Refusal{Peer: c.config.Name, Status: got.Status, Document: got.Body}
	}
	if len(got.Body) == 0 {
		return nil
	}
	if err := json.Unmarshal(got.Body, value); err != nil {
		return problem.Outage(fmt.Errorf("peer %s: response with status %d: %w", c.config.Name, got.Status, err))
	}
	return nil
}
