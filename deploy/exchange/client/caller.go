package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/go-json-experiment/json/jsontext"
)

// mostConnections is how many connections are kept open: as many as requests may be under way.
const mostConnections = 64

// caller sends requests to an exchange. It is safe for concurrent use.
type caller struct {
	base     *url.URL
	token    func() (string, error)
	client   *http.Client
	retrying failsafe.Executor[answer]
	log      *slog.Logger
}

func newCaller(base *url.URL, token func() (string, error), c *connection, log *slog.Logger) *caller {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = mostConnections
	return &caller{
		base: base, token: token, log: log, retrying: failsafe.With(newRetry(c.retryFor, log)),
		client: &http.Client{
			Transport: transport, Timeout: c.timeout,
			// Following one could turn a POST into a GET, whose answer would pass for that of the POST.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// newRetry waits for an exchange that does not answer, or says that it cannot now, up to a time; as long as it asks
// for, where it does.
func newRetry(upTo time.Duration, log *slog.Logger) retrypolicy.RetryPolicy[answer] {
	builder := retrypolicy.NewBuilder[answer]().
		HandleIf(func(a answer, err error) bool {
			if err != nil {
				_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
				return !untrusted
			}
			return unavailable(a.status) && a.retryAfter() <= upTo
		}).
		WithBackoff(100*time.Millisecond, 5*time.Second).
		WithDelayFunc(func(attempt failsafe.ExecutionAttempt[answer]) time.Duration {
			if wait := attempt.LastResult().retryAfter(); wait > 0 {
				return wait
			}
			return -1 // the backoff
		}).
		OnRetryScheduled(func(e failsafe.ExecutionScheduledEvent[answer]) {
			log.Debug("trying again", "in", e.Delay, "status", e.LastResult().status, "cause", e.LastError())
		}).
		ReturnLastFailure()
	if upTo == 0 {
		return builder.WithMaxRetries(0).Build()
	}
	return builder.WithMaxRetries(-1).WithMaxDuration(upTo).Build()
}

// request is a request to the exchange. It is sent again after an outage: a POST has an Idempotency-Key for that.
type request struct {
	method, path string
	query        url.Values
	body         []byte
	header       map[string]string
	// once: sending it again would not mean the same.
	once bool
}

// answer is what the exchange said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// unavailable tells whether a status is that of an exchange that may answer otherwise in a moment.
func unavailable(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter answers how long the exchange asks to wait, 0 where it does not say.
func (a answer) retryAfter() time.Duration {
	value := a.header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// replayed tells whether the exchange had done before what it was asked to.
func (a answer) replayed() bool { return a.header.Get("Idempotency-Replayed") == "true" }

// send answers what the exchange said if it is JSON and no problem. Errors: *refusal, *unreachable,
// context.Canceled, and that of reading the token.
func (c *caller) send(ctx context.Context, r request) (answer, error) {
	token, err := c.token()
	if err != nil {
		return answer{}, fmt.Errorf("reading the token: %w", err)
	}
	var a answer
	if r.once {
		a, err = c.attempt(ctx, r, token)
	} else {
		a, err = c.retrying.WithContext(ctx).Get(func() (answer, error) { return c.attempt(ctx, r, token) })
	}
	switch {
	case ctx.Err() != nil:
		return a, ctx.Err()
	case err != nil:
		return a, c.failed(err)
	case a.status >= 400:
		return a, newRefusal(a)
	case a.status >= 300:
		return a, c.failed(fmt.Errorf("it sends us on to %q; is --url right?", a.header.Get("Location")))
	case !jsontext.Value(a.body).IsValid():
		return a, c.failed(errors.New("what answers there is no exchange; is --url right?"))
	}
	return a, nil
}

func (c *caller) failed(err error) error {
	if lost, is := errors.AsType[*url.Error](err); is {
		err = lost.Err
	}
	return &unreachable{c.base.String(), err}
}

func (c *caller) attempt(ctx context.Context, r request, token string) (answer, error) {
	u := *c.base
	u.RawPath = u.EscapedPath() + r.path
	path, err := url.PathUnescape(u.RawPath)
	if err != nil {
		return answer{}, err
	}
	u.Path, u.RawQuery = path, r.query.Encode()
	message, err := http.NewRequestWithContext(ctx, r.method, u.String(), bytes.NewReader(r.body))
	if err != nil {
		return answer{}, err
	}
	for name, value := range r.header {
		message.Header.Set(name, value)
	}
	if r.body != nil {
		message.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		message.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := c.client.Do(message)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	c.log.Debug("answered", "method", r.method, "url", u.String(), "status", response.StatusCode, "request", response.Header.Get("X-Request-Id"))
	return answer{response.StatusCode, response.Header, body}, err
}
