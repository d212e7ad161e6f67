package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/deploy/exchange/client/book"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/resource"
)

// mostConnections is the number of connections that are kept open. It is the number of requests at the same time.
const mostConnections = 64

// How long an exchange that has not responded yet is tried, so that a person gets a message within three seconds.
const (
	// connecting is how long one connection may take, the look-up of the name and TLS each included.
	connecting = 2500 * time.Millisecond
	// firstContact is how long refused connections are tried again, because an exchange may be about to start.
	firstContact = 1500 * time.Millisecond
)

// caller sends requests to an exchange. It is safe for concurrent use.
type caller struct {
	base     *url.URL
	token    func() (string, error)
	client   *http.Client
	retrying failsafe.Executor[response]
	log      *slog.Logger
	notes    io.Writer
	catalog  *resource.Catalog

	started time.Time
	reached atomic.Bool // there was a response
	patient bool        // --retry-for was given, and so counts for the first contact too
	limits  string      // --timeout and --retry-for, in words
	given   string      // the flags with which a further command reaches the same exchange
	fetched fetchedCatalog
}

func newCaller(base *url.URL, token func() (string, error), c *connection, p *program, log *slog.Logger) *caller {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = mostConnections
	transport.DialContext = (&net.Dialer{Timeout: patience.Times(connecting)}).DialContext
	transport.TLSHandshakeTimeout = patience.Times(connecting)
	call := &caller{
		base: base, token: token, log: log, notes: p.Err, catalog: p.catalog(), started: time.Now(),
		patient: c.changed("retry-for"), given: c.given(),
		limits: fmt.Sprintf("--timeout %s, --retry-for %s", c.timeout, c.retryFor),
		client: &http.Client{
			Transport: transport, Timeout: c.timeout,
			// Following a redirect could turn a POST into a GET, whose response would be taken for that of the POST.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	call.retrying = failsafe.With(call.newRetry(c.retryFor))
	return call
}

// newRetry returns a policy that tries again, for some time, if the exchange does not respond or responds that it is
// not available now. If a response says how long to wait, the policy waits that long.
func (c *caller) newRetry(upTo time.Duration) retrypolicy.RetryPolicy[response] {
	builder := retrypolicy.NewBuilder[response]().
		HandleIf(func(got response, err error) bool {
			switch {
			case err == nil:
				return unavailable(got.status) && got.retryAfter() <= upTo
			case c.reached.Load() || c.patient:
				return !hopeless(err)
			default:
				return !hopeless(err) && !unnamed(err) && time.Since(c.started) < firstContact
			}
		}).
		WithBackoff(100*time.Millisecond, 5*time.Second).
		WithDelayFunc(func(attempt failsafe.ExecutionAttempt[response]) time.Duration {
			if wait := attempt.LastResult().retryAfter(); wait > 0 {
				return wait
			}
			return -1 // use the backoff
		}).
		OnRetryScheduled(func(e failsafe.ExecutionScheduledEvent[response]) {
			c.log.Debug("trying again", "in", e.Delay, "status", e.LastResult().status, "cause", e.LastError())
		}).
		ReturnLastFailure()
	if upTo == 0 {
		return builder.WithMaxRetries(0).Build()
	}
	return builder.WithMaxRetries(-1).WithMaxDuration(upTo).Build()
}

// Request is a request to the exchange. A GET is sent again after an outage, and so is what may be repeated.
type Request struct {
	Method, Path string
	Query        url.Values
	// Body is sent if it is not nil.
	Body []byte
	// File is the name of a file whose content is the body. It is not read into memory.
	File string
	// Media is the media type of the body; JSON if it is empty.
	Media string
	// Key is the Idempotency-Key of a POST, empty for none.
	Key string
	// Header has further headers.
	Header map[string]string
	// Repeatable says that the request has the same effect if it is sent twice, as it has with a Key.
	Repeatable bool
	// Into takes the body of a success as it comes, whatever its media type. Without it, the body is JSON.
	Into io.Writer
}

// once reports whether the request is sent once, whatever happens.
func (r *Request) once() bool {
	return r.Into != nil || r.Method != http.MethodGet && !r.Repeatable && r.Key == ""
}

// response is a response of the exchange, with its body.
type response struct {
	status int
	header http.Header
	body   []byte
}

// unavailable reports whether a status means that the exchange may be available again in a moment.
func unavailable(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter returns how long the exchange asks the client to wait, or 0 if it does not say.
func (r response) retryAfter() time.Duration {
	value := r.header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// replayed reports whether the exchange had carried out the request before.
func (r response) replayed() bool { return r.header.Get("Idempotency-Replayed") == "true" }

// send sends a request and returns the response if it is a success. The error is a *refusal, an *unreachable,
// context.Canceled, or that of a token that cannot be read.
func (c *caller) send(ctx context.Context, r Request) (got response, err error) {
	token, err := c.token()
	if err != nil {
		return response{}, fmt.Errorf("the bearer token: %w", err)
	}
	if !c.reached.Load() {
		defer time.AfterFunc(connecting, c.stillWaiting).Stop()
	}
	if r.once() {
		got, err = c.attempt(ctx, r, token)
	} else {
		got, err = c.retrying.WithContext(ctx).Get(func() (response, error) { return c.attempt(ctx, r, token) })
	}
	switch {
	case ctx.Err() != nil:
		return got, ctx.Err()
	case isA[*fileError](err):
		return got, err
	case err != nil:
		return got, c.failed(err)
	case got.status >= 400:
		if bytes.Contains(got.body, []byte("HTTP request to an HTTPS server")) {
			return got, c.failed(errPlain)
		}
		return got, c.refused(ctx, r, got)
	case got.status >= 300:
		return got, c.failed(fmt.Errorf("it sends us on to %q; is --url right?", got.header.Get("Location")))
	case r.Into == nil && !jsontext.Value(got.body).IsValid():
		return got, c.failed(errors.New("the response is not from an exchange; is --url right?"))
	}
	return got, nil
}

// stillWaiting prints that there is no response so far.
func (c *caller) stillWaiting() {
	if !c.reached.Load() {
		fmt.Fprintf(c.notes, "%s has not answered yet; waiting on (%s). Is it an exchange? --url or EXCHANGE_URL "+
			"says where it is; Ctrl-C stops.\n",
			c.base, c.limits)
	}
}

func (c *caller) attempt(ctx context.Context, r Request, token string) (response, error) {
	u := *c.base
	u.RawPath = u.EscapedPath() + r.Path
	path, err := url.PathUnescape(u.RawPath)
	if err != nil {
		return response{}, err
	}
	u.Path, u.RawQuery = path, r.Query.Encode()
	message, err := http.NewRequestWithContext(ctx, r.Method, u.String(), bytes.NewReader(r.Body))
	if err != nil {
		return response{}, err
	}
	if r.Body != nil || r.File != "" {
		message.Header.Set("Content-Type", cmp.Or(r.Media, "application/json"))
	}
	if r.Key != "" {
		message.Header.Set(keyHeader, r.Key)
	}
	for name, value := range r.Header {
		message.Header.Set(name, value)
	}
	if r.File != "" {
		if err := attach(message, r.File); err != nil {
			return response{}, err
		}
	}
	if token != "" {
		message.Header.Set("Authorization", "Bearer "+token)
	}
	received, err := c.client.Do(message)
	if err != nil {
		return response{}, err
	}
	c.reached.Store(true)
	defer received.Body.Close()
	var body []byte
	if r.Into != nil && received.StatusCode < http.StatusMultipleChoices {
		_, err = io.Copy(r.Into, received.Body)
	} else {
		body, err = io.ReadAll(received.Body)
	}
	c.log.Debug("response", "method", r.Method, "url", u.String(), "status", received.StatusCode, "request",
		received.Header.Get("X-Request-Id"))
	return response{received.StatusCode, received.Header, body}, err
}

// fileError is the error of a file that is to be sent and cannot be read.
type fileError struct{ error }

func (e *fileError) Unwrap() error { return e.error }

// attach makes a file the body of a request. The exchange may refuse a large one before it is sent.
func attach(message *http.Request, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return &fileError{err}
	}
	about, err := file.Stat()
	if err == nil && !about.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		return &fileError{errors.Join(err, file.Close())}
	}
	message.Body, message.ContentLength = file, about.Size()
	message.Header.Set("Expect", "100-continue")
	return nil
}

// rows returns the rows of the premium bordereau.
func (c *caller) rows(ctx context.Context) (all []book.Record, err error) {
	for text, err := range c.records(ctx, "/premiumBordereau", url.Values{"limit": {strconv.Itoa(largestPage)}}) {
		if err != nil {
			return nil, err
		}
		row, err := c.record(text)
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}

// readRecord returns what a path has, and nil if there is nothing.
func (c *caller) readRecord(ctx context.Context, path string) (book.Record, error) {
	path, query, _ := strings.Cut(path, "?")
	asked, err := url.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	got, err := c.send(ctx, Request{Method: http.MethodGet, Path: path, Query: asked})
	if refused, is := errors.AsType[*refusal](err); is && refused.status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c.record(got.body)
}

// record returns the record in a JSON text of the exchange.
func (c *caller) record(text []byte) (record book.Record, err error) {
	if err := json.Unmarshal(text, &record); err != nil {
		return nil, c.failed(err)
	}
	return record, nil
}

// sendRecord sends a record, and reports whether the exchange did something. If a party with the same identity exists
// already, it returns that party.
func (c *caller) sendRecord(ctx context.Context, path, key string, body book.Record) (book.Record, bool, error) {
	r := Request{Method: http.MethodPost, Path: path, Key: key}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, false, err
		}
		r.Body = text
	}
	if key == "" {
		r.Method, r.Repeatable = http.MethodPut, true
	}
	got, err := c.send(ctx, r)
	if refused, is := errors.AsType[*refusal](err); is {
		var conflict struct {
			ExistingID string `json:"existingId"`
		}
		if refused.status == http.StatusConflict && json.Unmarshal(refused.problem.Further, &conflict) == nil &&
			conflict.ExistingID != "" {
			got, err = c.send(ctx, Request{Method: http.MethodGet, Path: path + "/" + conflict.ExistingID})
			if err == nil {
				got.header = http.Header{"Idempotency-Replayed": {"true"}}
			}
		}
	}
	if err != nil {
		return nil, false, describeStep(err, r)
	}
	record, err := c.record(got.body)
	return record, err == nil && !got.replayed(), err
}

// makeRecord puts a record at a path where the caller has none, and reports whether there was none.
func (c *caller) makeRecord(ctx context.Context, path string, body book.Record) (bool, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return false, err
	}
	r := Request{
		Method: http.MethodPut, Path: path, Body: text, Header: map[string]string{"If-None-Match": "*"},
		Repeatable: true,
	}
	_, err = c.send(ctx, r)
	if refused, is := errors.AsType[*refusal](err); is && refused.status == http.StatusPreconditionFailed {
		return false, nil
	}
	return err == nil, describeStep(err, r)
}

// sendStatement sends a file as CSV. Sent twice, it is one statement.
func (c *caller) sendStatement(ctx context.Context, profile string, file []byte) (book.Record, error) {
	r := Request{
		Method: http.MethodPost, Path: "/x/reconciliation/statement", Query: url.Values{"profile": {profile}},
		Body: file, Media: "text/csv", Repeatable: true,
	}
	got, err := c.send(ctx, r)
	if err != nil {
		return nil, describeStep(err, r)
	}
	return c.record(got.body)
}

// describeStep adds to an error which request was refused.
func describeStep(err error, r Request) error {
	if !isA[*refusal](err) {
		return err
	}
	return fmt.Errorf("%s %s: %w", r.Method, strings.TrimSuffix(r.Path, "/"), err)
}
