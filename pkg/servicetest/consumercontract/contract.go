// Package consumercontract tests that a service and those who call it agree. What a consumer relies on is a file, its
// contract: requests, and of each response the status and the members that the consumer reads. The consumer's own
// tests take it as a stub of the provider (NewStub), and the provider's own tests replay it (Replay). So neither has
// the other's code, and whichever of them moves away from the contract sees its own tests fail.
package consumercontract

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Contract is what one consumer relies on at one provider.
type Contract struct {
	// Provider and Consumer are the names of services.
	Provider string `json:"provider"`
	Consumer string `json:"consumer"`
	// Interactions are the requests that the consumer sends. No two are the same.
	Interactions []Interaction `json:"interactions"`
}

// Interaction is a request, and what the consumer relies on in the response.
type Interaction struct {
	// Given is the state of the provider that the request finds. The provider's tests bring it about by this name.
	Given   string  `json:"given"`
	Request Request `json:"request"`
	// Response is what the stub responds with, and what the provider must respond with as far as the consumer relies
	// on it.
	Response Response `json:"response"`
}

// Request is a request.
type Request struct {
	Method string `json:"method"`
	// Path has its parameters in braces, as in /internal/claim/{claimNumber}.
	Path string `json:"path"`
	// Organisation is the one in whose name the consumer sends the request, where organisations share the exchange;
	// empty for a request that does not depend on it.
	Organisation string `json:"organisation,omitempty"`
	// Parameters are the values that the consumer sends. The provider's tests replay the request with values of their
	// own.
	Parameters map[string]string `json:"parameters,omitempty"`
	// Body is the body that the consumer sends, with its parameters in braces as in the path; nil for none.
	Body map[string]any `json:"body,omitempty"`
}

// Response is a response as far as the consumer relies on it.
type Response struct {
	Status int `json:"status"`
	// Body holds the members that the consumer reads, and nothing else. The provider's have the same JSON types, and
	// where a text here is an instant or an id (UUID), the provider's is one as well.
	Body map[string]any `json:"body,omitempty"`
	// Exactly are the members of the body that must be equal in the provider's.
	Exactly []string `json:"exactly,omitempty"`
	// Absent are the members that the provider's must not have, because the consumer takes their absence for a fact.
	Absent []string `json:"absent,omitempty"`
}

// Read reads a contract. It returns an error for a file that has members unknown here, or that says nothing.
func Read(path string) (*Contract, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c Contract
	if err = json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &c, nil
}

// check returns what is wrong with the contract itself.
func (c *Contract) check() error {
	if c.Provider == "" || c.Consumer == "" || len(c.Interactions) == 0 {
		return errors.New("a contract names its provider and consumer, and has an interaction")
	}
	var failures []error
	sent := map[string]bool{}
	for _, i := range c.Interactions {
		path, text := i.Request.path(i.Request.Parameters), i.Request.text(i.Request.Parameters)
		request := i.Request.Method + " " + path + text
		switch {
		case i.Given == "" || i.Request.Method == "" || i.Response.Status == 0:
			failures = append(failures, fmt.Errorf("%q: an interaction has a state, a method and a status", i.Given))
		case sent[request]:
			failures = append(failures, fmt.Errorf("%q: another interaction sends %s as well", i.Given, request))
		case strings.ContainsAny(path, "{}"), strings.Contains(text, `"{`):
			failures = append(failures, fmt.Errorf("%q: a parameter of %s has no value", i.Given, i.Request.Path))
		}
		for _, name := range i.Response.Exactly {
			if _, has := i.Response.Body[name]; !has {
				failures = append(failures, fmt.Errorf("%q: the body has no %s, which must be equal", i.Given, name))
			}
		}
		for _, name := range i.Response.Absent {
			if _, has := i.Response.Body[name]; has {
				failures = append(failures, fmt.Errorf("%q: the body has %s, which must be absent", i.Given, name))
			}
		}
		sent[request] = true
	}
	return errors.Join(failures...)
}

// text returns the body as JSON, with values of the parameters; empty if there is none.
func (r Request) text(values map[string]string) string {
	if r.Body == nil {
		return ""
	}
	body, _ := json.Marshal(r.Body, json.Deterministic(true)) // it has been read as JSON
	text := string(body)
	for name, value := range values {
		quoted, _ := json.Marshal(value)
		text = strings.ReplaceAll(text, `"{`+name+`}"`, string(quoted))
	}
	return text
}

// path returns the path with values of its parameters.
func (r Request) path(values map[string]string) string {
	path := r.Path
	for name, value := range values {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	return path
}

// names reports whether a URL has the path of the request, and the query parameters that the contract has. One that is
// a parameter of the contract may have any value.
func (r Request) names(of *url.URL) bool {
	is, err := url.Parse(r.path(r.Parameters))
	if err != nil || is.EscapedPath() != of.EscapedPath() {
		return false
	}
	_, query, _ := strings.Cut(r.Path, "?")
	wanted, err := url.ParseQuery(query)
	sent := of.Query()
	for name, values := range wanted {
		if !strings.HasPrefix(values[0], "{") && !slices.Equal(values, sent[name]) {
			return false
		}
	}
	return err == nil
}
