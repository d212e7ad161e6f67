package problems

import (
	_ "embed"

	"github.com/goccy/go-yaml"
)

// Text says of a problem what a person wants to know who has met it.
type Text struct {
	// Row is where the interface has the problem; empty for a Type, which has its own.
	Row string `yaml:"row"`
	// Means is what has happened, Mend what to do about it.
	Means string `yaml:"means"`
	Mend  string `yaml:"mend"`
}

//go:embed texts.yaml
var texts []byte

// Texts answers the text of every problem by its slug, of the types and of the problems that HTTP itself knows.
func Texts() (map[string]Text, error) {
	var all map[string]Text
	err := yaml.UnmarshalWithOptions(texts, &all, yaml.Strict())
	return all, err
}
