package trial

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/contractcheck"
	"insurance.example/exchange/pkg/peer"
)

// Client calls an exchange as one caller. It is safe for concurrent use. It checks every response against the rules
// of all responses and against the OpenAPI document.
type Client struct {
	base, authorization string
	sender              *http.Client
}

// With returns a client that sends another Authorization header, or none if it is empty.
func (c *Client) With(authorization string) *Client { return &Client{c.base, authorization, c.sender} }

// Authorization returns the Authorization header that it sends.
func (c *Client) Authorization() string { return c.authorization }

// At returns a client of another address, http://host:port.
func (c *Client) At(base string) *Client { return &Client{base, c.authorization, c.sender} }

// Through returns a client that sends its requests through a transport.
func (c *Client) Through(transport http.RoundTripper) *Client {
	return &Client{c.base, c.authorization, &http.Client{Transport: Checked(transport), Timeout: Patience}}
}

var sender = &http.Client{Transport: Checked(Connections()), Timeout: Patience}

// Connections returns a transport for HTTP/1.1. As all clients of the exchange do, it closes a connection without a
// request before the server does: a POST that is sent while the server closes has no response, and is not repeated.
func Connections() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 128, IdleConnTimeout: peer.IdleTimeout}
}

// Checked returns a transport that returns an error instead of a response that breaks the OpenAPI document or a rule
// of all responses.
func Checked(next http.RoundTripper) http.RoundTripper {
	return contractcheck.Strict(next, func(request *http.Request, response *http.Response, body []byte) error {
		return Response{Status: response.StatusCode, Header: response.Header, Body: body}.conforms(request.Method)
	})
}

// Send sends a request and returns the response. body is sent as it is if it is []byte, string or io.Reader (without
// a length), not at all if it is nil, and otherwise as JSON. headers are names and values in turn; the Content-Type
// of a body is application/json unless they say otherwise. Send returns an error if there is no response or if it
// breaks a rule of all responses.
func (c *Client) Send(ctx context.Context, method, path string, body any, headers ...string) (Response, error) {
	noteCommands()
	content, err := reader(body)
	if err != nil {
		return Response{}, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return Response{}, err
	}
	if c.authorization != "" {
		request.Header.Set("Authorization", c.authorization)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if request.Header.Del(headers[i]); headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	response, err := c.sender.Do(request)
	if err != nil {
		return Response{}, err
	}
	defer func() { _ = response.Body.Close() }()
	received := Response{Status: response.StatusCode, Header: response.Header}
	received.Body, err = io.ReadAll(response.Body)
	return received, err
}

func reader(body any) (io.Reader, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case []byte:
		return bytes.NewReader(body), nil
	case string:
		return bytes.NewReader([]byte(body)), nil
	case io.Reader:
		return body, nil
	default:
		text, err := json.Marshal(body)
		return bytes.NewReader(text), err
	}
}

// Do is Send within a test, which ends if there is an error.
func (c *Client) Do(t testing.TB, method, path string, body any, headers ...string) Response {
	t.Helper()
	response, err := c.Send(t.Context(), method, path, body, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// Get sends a GET request.
func (c *Client) Get(t testing.TB, path string, headers ...string) Response {
	t.Helper()
	return c.Do(t, http.MethodGet, path, nil, headers...)
}

// Post sends a POST request.
func (c *Client) Post(t testing.TB, path string, body any, headers ...string) Response {
	t.Helper()
	return c.Do(t, http.MethodPost, path, body, headers...)
}

// Put sends a PUT request.
func (c *Client) Put(t testing.TB, path string, body any, headers ...string) Response {
	t.Helper()
	return c.Do(t, http.MethodPut, path, body, headers...)
}

// Create posts a record and returns it. It ends the test unless the status is 201. A request that is refused for a
// while (503) is repeated with the same Idempotency-Key, as clients do; so body is no io.Reader.
func (c *Client) Create(t testing.TB, resource string, body any, headers ...string) Record {
	t.Helper()
	if !slices.Contains(headers, "Idempotency-Key") {
		headers = append(slices.Clone(headers), "Idempotency-Key", rand.Text())
	}
	return c.patient(t, http.MethodPost, "/"+resource, body, headers...).Want(t, http.StatusCreated).Record(t)
}

// Read returns the record at a path. It ends the test unless the status is 200. A request that is refused for a while
// (503) is repeated.
func (c *Client) Read(t testing.TB, path string) Record {
	t.Helper()
	return c.patient(t, http.MethodGet, path, nil).Want(t, http.StatusOK).Record(t)
}

// patient sends a request until it is not refused for a while, or until Patience ends.
func (c *Client) patient(t testing.TB, method, path string, body any, headers ...string) (response Response) {
	t.Helper()
	for deadline := time.Now().Add(Patience); ; {
		response = c.Do(t, method, path, body, headers...)
		after, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if response.Status != http.StatusServiceUnavailable || err != nil || time.Now().After(deadline) {
			return response
		}
		time.Sleep(time.Duration(after) * time.Second)
	}
}
