package process

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageColumns is how wide what --help says of flags is.
const usageColumns = 120

// listed is where the usage of cobra lists the flags of a command.
const listed = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"

// WrapUsage has --help of a command, and of those below it, list flags in lines of at most 120 columns.
func WrapUsage(command *cobra.Command) {
	command.SetUsageTemplate(strings.ReplaceAll(command.UsageTemplate(), ".FlagUsages |",
		fmt.Sprintf(".FlagUsagesWrapped %d |", usageColumns)))
}

// FlagGroup is a heading in --help, with the names of the flags below it. A name that ends in "*" stands for all that
// begin so.
type FlagGroup struct {
	Title string
	Names []string
}

func (g FlagGroup) has(name string) bool {
	return slices.ContainsFunc(g.Names, func(pattern string) bool {
		start, isPrefix := strings.CutSuffix(pattern, "*")
		return name == pattern || isPrefix && strings.HasPrefix(name, start)
	})
}

// GroupUsage has --help of a command list its flags by group, and last, as Flags, those of no group. The commands
// below it keep the usage that they have.
func GroupUsage(command *cobra.Command, groups []FlagGroup) {
	command.InitDefaultHelpFlag()
	command.InitDefaultVersionFlag()
	sets := map[string]*pflag.FlagSet{}
	titled := append(slices.Clone(groups), FlagGroup{Title: "Flags", Names: []string{"*"}})
	command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		g := titled[slices.IndexFunc(titled, func(g FlagGroup) bool { return g.has(flag.Name) })]
		if sets[g.Title] == nil {
			sets[g.Title] = pflag.NewFlagSet(g.Title, pflag.ContinueOnError)
		}
		sets[g.Title].AddFlag(flag)
	})
	var text strings.Builder
	for _, g := range titled {
		if flags := sets[g.Title]; flags != nil {
			fmt.Fprintf(&text, "%s:\n%s\n", g.Title, flags.FlagUsagesWrapped(usageColumns))
		}
	}
	for _, below := range command.Commands() {
		WrapUsage(below)
	}
	plain := command.UsageTemplate()
	command.SetUsageTemplate(strings.Replace(plain, listed, strings.TrimSpace(text.String()), 1))
}
