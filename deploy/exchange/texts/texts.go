// Package texts reads what --help says of commands.
package texts

import (
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
)

// Of returns what makes a command with its texts, which are in YAML by the names of commands. The YAML is a part of the
// program, and is read when the first command is made.
func Of(commands []byte) func(name string) *cobra.Command {
	read := sync.OnceValue(func() (of map[string]struct{ Use, Short, Long, Example string }) {
		if err := yaml.UnmarshalWithOptions(commands, &of, yaml.Strict()); err != nil {
			panic("texts: " + err.Error())
		}
		return of
	})
	return func(name string) *cobra.Command {
		of := read()[name]
		if of.Use == "" {
			panic("texts: there is none of " + name)
		}
		return &cobra.Command{Use: of.Use, Short: of.Short, Long: of.Long, Example: of.Example}
	}
}
