package document

import (
	_ "embed"

	"github.com/goccy/go-yaml"
)

// Example is a request that works, after those before it in the list.
type Example struct {
	// Operation is the method and the path as the document has it, such as "POST /receipt/{id}:refund".
	Operation string `yaml:"operation"`
	// On is the issued value that stands for {id} in the path.
	On   string         `yaml:"on"`
	Body map[string]any `yaml:"body"`
	// Issues are members of the answer and the values that later examples have in their place.
	Issues map[string]string `yaml:"issues"`
}

//go:embed examples.yaml
var examples []byte

// Examples answers the examples in the order in which they work.
func Examples() ([]Example, error) {
	var all []Example
	err := yaml.UnmarshalWithOptions(examples, &all, yaml.Strict())
	return all, err
}
