package exchange

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/oapi-codegen/runtime"
)

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config generate.yaml ../../contracts/openapi/openapi.json

// Version is the version of this client. Its major version is the one of the interface.
const Version = "1.0.0"

// largestReply is how much of a response is read, in bytes. A page of the exchange has at most about 1 MiB of records.
const largestReply = 16 << 20

// Client sends requests to one exchange. It may be used by any number of goroutines.
type Client struct {
	base  string
	token func(context.Context) (string, error)
	// HTTP sends the requests; it is http.DefaultClient unless another one is set.
	HTTP *http.Client
}

// New returns a client of the exchange at an address such as https://exchange.example. token returns the bearer token
// of a request; it is asked for each, so that it can return a fresh one.
func New(base string, token func(context.Context) (string, error)) *Client {
	return &Client{base: strings.TrimSuffix(base, "/"), token: token, HTTP: http.DefaultClient}
}

// Reply is the response to a request that the exchange has not refused.
type Reply[T any] struct {
	Value  T
	Status int
	Header http.Header
}

// ETag returns the version of the record, for the If-Match of a change.
func (r *Reply[T]) ETag() string { return r.Header.Get("ETag") }

// Replayed reports whether the exchange has returned the record that an earlier request with this Idempotency-Key made.
func (r *Reply[T]) Replayed() bool { return r.Header.Get("Idempotency-Replayed") == "true" }

// NextCursor returns the cursor of the next page of a list, or "" after the last one.
func (r *Reply[T]) NextCursor() string {
	for _, link := range strings.Split(r.Header.Get("Link"), ",") {
		target, parameters, _ := strings.Cut(link, ";")
		if !strings.Contains(parameters, `rel="next"`) {
			continue
		}
		next, err := url.Parse(strings.Trim(target, " <>"))
		if err != nil {
			return ""
		}
		return next.Query().Get("cursor")
	}
	return ""
}

// Refusal is the error of a request that the exchange has refused.
type Refusal struct {
	Status  int
	Header  http.Header
	Problem Problem // its Title is the text of the status if the response has no problem document
}

// Error returns the status and the words of the problem.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("%d %s", r.Status, r.Problem.Title)
	if r.Problem.Detail != nil {
		text += ": " + *r.Problem.Detail
	}
	return text
}

// IsProblem reports whether an error is a refusal with this type of problem, such as "/problems/not-found".
func IsProblem(err error, kind string) bool {
	var refusal *Refusal
	return errors.As(err, &refusal) && refusal.Problem.Type == kind
}

// request is a request in the making. Its first error is returned by send.
type request struct {
	method, path string
	queries      []string
	headers      http.Header
	body         any
	err          error
}

func newRequest(method, path string) *request {
	return &request{method: method, path: path, headers: http.Header{}}
}

func (r *request) segment(name string, value any) {
	text, err := runtime.StyleParamWithOptions("simple", false, name, value,
		runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationPath})
	r.path, r.err = strings.Replace(r.path, "{"+name+"}", text, 1), cmp.Or(r.err, err)
}

func query[T any](r *request, name string, value *T) {
	if value == nil {
		return
	}
	text, err := runtime.StyleParamWithOptions("form", true, name, *value,
		runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationQuery})
	r.queries, r.err = append(r.queries, text), cmp.Or(r.err, err)
}

func header[T any](r *request, name string, value *T) {
	if value == nil {
		return
	}
	text, err := runtime.StyleParamWithOptions("simple", false, name, *value,
		runtime.StyleParamOptions{ParamLocation: runtime.ParamLocationHeader})
	r.headers.Set(name, text)
	r.err = cmp.Or(r.err, err)
}

// send sends a request and reads its reply. Errors: *Refusal; those of the token and of the connection.
func send[T any](ctx context.Context, c *Client, r *request) (*Reply[T], error) {
	if r.err != nil {
		return nil, r.err
	}
	response, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, largestReply+1))
	if err != nil {
		return nil, err
	}
	if len(content) > largestReply {
		return nil, fmt.Errorf("the response to %s %s is larger than %d bytes", r.method, r.path, largestReply)
	}
	if response.StatusCode >= http.StatusBadRequest {
		refusal := &Refusal{Status: response.StatusCode, Header: response.Header}
		if json.Unmarshal(content, &refusal.Problem) != nil || refusal.Problem.Title == "" {
			refusal.Problem.Title = http.StatusText(response.StatusCode)
		}
		return nil, refusal
	}
	reply := &Reply[T]{Status: response.StatusCode, Header: response.Header}
	if len(content) == 0 {
		return reply, nil
	}
	return reply, json.Unmarshal(content, &reply.Value)
}

func (c *Client) do(ctx context.Context, r *request) (*http.Response, error) {
	target := c.base + r.path
	if len(r.queries) > 0 {
		target += "?" + strings.Join(r.queries, "&")
	}
	var body io.Reader
	if r.body != nil {
		content, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(content)
		r.headers.Set("Content-Type", "application/json")
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, target, body)
	if err != nil {
		return nil, err
	}
	token, err := c.token(ctx)
	if err != nil {
		return nil, fmt.Errorf("no token: %w", err)
	}
	r.headers.Set("Authorization", "Bearer "+token)
	sent.Header = r.headers
	return c.HTTP.Do(sent)
}
