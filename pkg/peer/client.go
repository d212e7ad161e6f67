// Package peer calls other services of the exchange: over HTTP, or, where they run in the same process, in memory.
//
// A call carries on what it belongs to: the request's id and trace context, its caller, and what is left of its time.
// Reads are retried; a peer that keeps failing is left alone for a moment; and whatever keeps a peer from answering is
// the problem of an outage, never an internal error.
package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// largestAnswer is the size in bytes beyond which an answer is refused.
const largestAnswer = 16 << 20

// Config describes a peer.
type Config struct {
	// Name is the peer's service name, for errors.
	Name string
	// Address is the peer's base URL, such as http://coverage:8080.
	Address string
	// Transport carries the calls: one of NewTransport, or Handler for a peer in the same process.
	Transport http.RoundTripper
	// Credentials prove to the peer that the call comes from within the exchange.
	Credentials request.Credentials
	// OpenAfter is how many calls must fail one after another for the breaker to open; 5 where zero.
	OpenAfter uint
	// OpenFor is how long the breaker then refuses calls before it tries one; 1 s where zero.
	OpenFor time.Duration
}

// Client calls one peer. It is safe for concurrent use; a process has one for each peer, because it holds the breaker.
type Client struct {
	config Config
	reads  failsafe.Executor[answer]
	writes failsafe.Executor[answer]
}

// New makes the client of a peer.
func New(config Config) (*Client, error) {
	base, err := url.Parse(config.Address)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") || (base.Path != "" && base.Path != "/") {
		return nil, fmt.Errorf("address %q of peer %s is no http URL of a host", config.Address, config.Name)
	}
	config.Address = base.Scheme + "://" + base.Host
	c := &Client{config: config}
	breaker := newBreaker(config)
	c.reads = failsafe.With[answer](newRetry(), breaker)
	c.writes = failsafe.With[answer](breaker)
	return c, nil
}

// Refusal is the answer of a peer that understood a call and refused it (4xx).
type Refusal struct {
	Peer   string
	Status int
	// Document is the peer's problem document.
	Document []byte
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("peer %s refuses with status %d: %s", r.Peer, r.Status, r.Document)
}

// Get reads the JSON at a path (with its query, escaped) into a value. Found is false where the peer answers 404.
// Errors: the problem of an outage, *Refusal.
func Get[T any](ctx context.Context, c *Client, path string) (value T, found bool, err error) {
	a, err := c.call(ctx, c.reads, http.MethodGet, path, nil)
	if err != nil {
		return value, false, err
	}
	if a.status == http.StatusNotFound {
		return value, false, nil
	}
	err = c.decode(a, &value)
	return value, err == nil, err
}

// Post sends a value as JSON and reads the answer into another; an answer without body leaves it zero. It is never
// retried: after an outage it is unknown whether the peer acted. Errors: the problem of an outage, *Refusal.
func Post[T any](ctx context.Context, c *Client, path string, body any) (value T, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return value, fmt.Errorf("peer %s: body of %s: %w", c.config.Name, path, err)
	}
	a, err := c.call(ctx, c.writes, http.MethodPost, path, text)
	if err == nil {
		err = c.decode(a, &value)
	}
	return value, err
}

// answer is what a peer said, read whole.
type answer struct {
	status int
	body   []byte
}

func (c *Client) call(ctx context.Context, executor failsafe.Executor[answer], method, path string, body []byte) (answer, error) {
	a, err := executor.WithContext(ctx).Get(func() (answer, error) { return c.attempt(ctx, method, path, body) })
	if err != nil {
		return a, problem.Outage(fmt.Errorf("peer %s: %s %s: %w", c.config.Name, method, path, err))
	}
	// 401 means that the processes do not share a credential, which their operator mends as any other outage.
	if a.status >= 500 || a.status == http.StatusUnauthorized || a.status == http.StatusTooManyRequests {
		return a, problem.Outage(fmt.Errorf("peer %s: %s %s: status %d", c.config.Name, method, path, a.status))
	}
	return a, nil
}

func (c *Client) attempt(ctx context.Context, method, path string, body []byte) (answer, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	call, err := http.NewRequestWithContext(ctx, method, c.config.Address+path, content)
	if err != nil {
		return answer{}, err
	}
	if body != nil {
		call.Header["Content-Type"] = []string{"application/json"}
	}
	request.NamesFrom(ctx).Write(call.Header)
	c.config.Credentials.Identify(call.Header, request.CallerFrom(ctx))
	request.WriteTimeout(ctx, call.Header)

	response, err := c.config.Transport.RoundTrip(call)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	if err == nil && len(text) > largestAnswer {
		err = errors.New("the answer is too large")
	}
	return answer{response.StatusCode, text}, err
}

func (c *Client) decode(a answer, value any) error {
	if a.status >= 400 {
		return &Refusal{Peer: c.config.Name, Status: a.status, Document: a.body}
	}
	if len(a.body) == 0 {
		return nil
	}
	if err := json.Unmarshal(a.body, value); err != nil {
		return problem.Outage(fmt.Errorf("peer %s: answer with status %d: %w", c.config.Name, a.status, err))
	}
	return nil
}
