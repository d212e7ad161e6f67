package problems

import (
	_ "embed"

	"github.com/goccy/go-yaml"
)

// Text explains a problem to a person who has met it.
type Text struct {
	// Row is where the interface has the problem. It is empty for a Type, which has its own.
	Row string `yaml:"row"`
	// Means is what has happened, Mend what the caller does about it. A word between backquotes is a member of the
	// problem document.
	Means string `yaml:"means"`
	Mend  string `yaml:"mend"`
	// Example is one occurrence of the problem.
	Example *Example `yaml:"example"`
}

// Example is what one occurrence of a problem says beyond its type, title and status.
type Example struct {
	// Detail is a sentence for people. Where it is empty, the problem document says its first error.
	Detail string  `yaml:"detail"`
	Errors []Fault `yaml:"errors"`
	// Members are further members of the document, such as existingId.
	Members map[string]any `yaml:"members"`
}

// Fault is one thing that is wrong with a request: where (a JSON pointer into the body, or the name of a query
// parameter) and why.
type Fault struct {
	Pointer   string `yaml:"pointer"`
	Parameter string `yaml:"parameter"`
	Reason    string `yaml:"reason"`
}

//go:embed texts.yaml
var texts []byte

// Texts returns the text of every problem by its slug: of the types of this package, and of the problems that HTTP
// itself knows.
func Texts() (map[string]Text, error) {
	var all map[string]Text
	err := yaml.UnmarshalWithOptions(texts, &all, yaml.Strict())
	return all, err
}
