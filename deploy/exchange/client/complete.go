package client

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/routes"
)

// complete offers the values of a flag to a shell.
func complete(command *cobra.Command, flag string, values ...string) {
	// It fails only for a flag that is not there, or is completed already.
	if err := command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// oneOf is an error where a flag has none of its values.
func oneOf(flag, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return usage("--%s is %s, not %q", flag, strings.Join(values, " or "), value)
}

// completeResource offers the resources that answer to a command, and then what comes after the first argument.
func (p *program) completeResource(answers func(routes.Route) bool, then cobra.CompletionFunc) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return p.resources(answers), cobra.ShellCompDirectiveNoFileComp
		case then != nil:
			return then(command, args, typed)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeAction offers the actions on a record, once its resource and identifier are there.
func (p *program) completeAction(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if route, known := p.route(args[0]); known && len(args) == 2 {
		return actions(route), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeFile leaves the second argument to the shell.
func completeFile(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func actions(route routes.Route) []string { return slices.Concat(route.Actions, route.Subs) }
