// Package examples holds requests that work one after the other, with what the exchange returns. The OpenAPI document
// shows them, and they refer to each other.
package examples

import (
	_ "embed"
	"net/url"
	"strings"

	"github.com/goccy/go-yaml"
)

// Example is a request that works after those before it.
type Example struct {
	// Operation is the method and the path as the document has it, such as "POST /receipt/{id}:refund".
	Operation string `yaml:"operation"`
	// On has what stands for the parameters of the path, and those of the query, as earlier examples issue or make it.
	On map[string]string `yaml:"on"`
	// Headers are sent with the request, beyond those of every one.
	Headers map[string]string `yaml:"headers"`
	// Body is the body of the request.
	Body map[string]any `yaml:"body"`
	// CSV is the body where it is a file.
	CSV string `yaml:"csv"`
	// Issues are the members of the response that the exchange sets, with values that stand for what it sets. Later
	// examples refer to the values.
	Issues map[string]any `yaml:"issues"`
	// Returns is the response, where it is not a record.
	Returns any `yaml:"returns"`
}

//go:embed examples.yaml
var examples []byte

// Load returns the examples in the order in which they work.
func Load() ([]Example, error) {
	var all []Example
	err := yaml.UnmarshalWithOptions(examples, &all, yaml.Strict())
	return all, err
}

// Target returns the method of the request, and the path with the query.
func (e Example) Target() (method, target string) {
	method, target, _ = strings.Cut(e.Operation, " ")
	query := url.Values{}
	for name, value := range e.On {
		if parameter := "{" + name + "}"; strings.Contains(target, parameter) {
			target = strings.Replace(target, parameter, value, 1)
		} else {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return method, target
}
