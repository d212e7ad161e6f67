package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// roundTrip is a request and its response, for the report.
type roundTrip struct {
	method, path string
	body         []byte
	response     response
}

// The lengths at which the report cuts a request and a response, in bytes.
const (
	requestShown  = 400
	responseShown = 600
)

func (x *roundTrip) short() (request, got string) {
	request = strings.TrimSpace(x.method + " " + cut(x.path, requestShown) + " " + cut(string(x.body), requestShown))
	return request, fmt.Sprintf("%d %s", x.response.status, cut(string(x.response.body), responseShown))
}

func cut(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return strings.ToValidUTF8(text[:most], "\ufffd") + "..."
}

// beyond is the beginning of the paths beyond the interface. These operations only read, also with the method POST, but
// for those whose paths begin as writing says, and for the payment of a claim.
const beyond = "/x/"

var writing = []string{
	"/x/access", "/x/batch", "/x/bordereau", "/x/clock", "/x/contract", "/x/import", "/x/reconciliation",
	"/x/supplement", "/x/view", "/x/webhook",
}

// reads reports whether the scope for reading opens an operation.
func reads(method, path string) bool {
	return method == http.MethodGet || method == http.MethodHead ||
		strings.HasPrefix(path, beyond) && !strings.HasSuffix(path, ":pay") &&
			!slices.ContainsFunc(writing, func(begins string) bool { return strings.HasPrefix(path, begins) })
}

// none is the value of a header that must not be sent.
const none = "\x00"

// send sends a request and returns the response. body is nil, a string that is sent as it is, or a value that is sent
// as JSON. headers are names and values in turn; a name may be there twice. Without a header Authorization the request
// has the token that the interface requires. An implementation that has too much in work for one caller (429 with
// Retry-After) is asked again, because many rules are tried at the same time.
func (p *probe) send(method, path string, body any, headers ...string) (response, error) {
	for {
		got, err := p.sendOnce(method, path, body, headers...)
		if err != nil || got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			return got, err
		}
		pause, err := time.ParseDuration(got.header.Get("Retry-After") + "s")
		if err != nil {
			return got, fmt.Errorf("%s %s: Retry-After: %w", method, path, err)
		}
		select {
		case <-time.After(pause):
		case <-p.ctx.Done():
			return got, nil
		}
	}
}

func (p *probe) sendOnce(method, path string, body any, headers ...string) (response, error) {
	text, err := encode(body)
	if err != nil {
		return response{}, err
	}
	req, err := http.NewRequestWithContext(p.ctx, method, p.Base+path, bytes.NewReader(text))
	if err != nil {
		return response{}, err
	}
	if _, is := body.(chunked); is {
		req.ContentLength = -1
	}
	token := p.AdminToken
	if reads(method, path) {
		token = p.DeveloperToken
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Del(headers[i])
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != none {
			req.Header.Add(headers[i], headers[i+1])
		}
	}
	x := &roundTrip{method: method, path: path, body: text}
	p.mu.Lock()
	p.last = x
	p.mu.Unlock()
	resp, err := p.http.Do(req)
	if err != nil {
		return response{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return response{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	x.response = response{
		status: resp.StatusCode, header: resp.Header, body: got, request: method + " " + cut(path, requestShown),
	}
	return x.response, nil
}

// chunked is a body that is sent without its length.
type chunked string

func encode(body any) ([]byte, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case string:
		return []byte(body), nil
	case chunked:
		return []byte(body), nil
	default:
		return json.Marshal(body)
	}
}

// written returns a value as JSON text.
func (p *probe) written(v any) string {
	text, err := encode(v)
	p.must(err)
	return string(text)
}

// do is send, but an error fails the rule.
func (p *probe) do(method, path string, body any, headers ...string) response {
	a, err := p.send(method, path, body, headers...)
	p.must(err)
	return a
}

func (p *probe) get(path string, headers ...string) response {
	return p.do(http.MethodGet, path, nil, headers...)
}

func (p *probe) post(path string, body any, headers ...string) response {
	return p.do(http.MethodPost, path, body, headers...)
}

func (p *probe) put(path string, body any, headers ...string) response {
	return p.do(http.MethodPut, path, body, headers...)
}

// create creates a record and returns it. It fails the rule unless the status is 201.
func (p *probe) create(resource string, body any, headers ...string) record {
	r, err := p.created(resource, body, headers...)
	p.must(err)
	return r
}

func (p *probe) created(resource string, body any, headers ...string) (record, error) {
	a, err := p.send(http.MethodPost, "/"+resource, body, headers...)
	if err != nil {
		return nil, err
	}
	r, err := a.record(http.StatusCreated)
	if err == nil && !uuid.MatchString(r.text("id")) {
		err = fmt.Errorf("%s returns the id %q, which is no UUID in lower case", a.request, r.text("id"))
	}
	return r, err
}

// read returns the record at a path. It fails the rule unless the status is 200.
func (p *probe) read(path string) record { return p.wants(http.StatusOK, p.get(path)) }

// wants returns the record of a response. It fails the rule unless the response has the status.
func (p *probe) wants(status int, a response) record {
	r, err := a.record(status)
	p.must(err)
	return r
}

// refused returns the problem document of a response. It fails the rule unless the response has the status and the
// problem has the title words, where "" means any.
func (p *probe) refused(status int, words string, a response) record {
	r, err := a.problem(status, words)
	p.must(err)
	return r
}
