// Package examples holds requests that work one after the other, with what the exchange returns. The OpenAPI document
// shows them, and they refer to each other.
package examples

import (
	_ "embed"

	"github.com/goccy/go-yaml"
)

// Example is a request that works after those before it.
type Example struct {
	// Operation is the method and the path as the document has it, such as "POST /receipt/{id}:refund".
	Operation string `yaml:"operation"`
	// On is the id that stands for {id} in the path, as an earlier example issues it.
	On string `yaml:"on"`
	// Headers are sent with the request, beyond those of every one.
	Headers map[string]string `yaml:"headers"`
	// Body is the body of the request.
	Body map[string]any `yaml:"body"`
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
