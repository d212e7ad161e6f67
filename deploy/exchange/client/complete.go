package client

import (
	"strings"

	"github.com/spf13/cobra"

	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/setting"
)

// choice declares a flag that is one of some words, which a shell completes. What p holds is the default.
func choice(command *cobra.Command, p *string, name, letter string, words []string, usage string) {
	setting.ChoiceVarP(command.Flags(), p, name, letter, words, usage)
	complete(command, name, words...)
}

// complete offers the values of a flag to a shell.
func complete(command *cobra.Command, flag string, values ...string) {
	completeWith(command, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func completeWith(command *cobra.Command, flag string, values cobra.CompletionFunc) {
	// It fails only if the flag does not exist or has a completion already.
	if err := command.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err)
	}
}

// completeResource completes the first argument with the resources for which offers returns true. then completes the
// arguments after it.
func (p *program) completeResource(
	offers func(resource.Resource) bool, then cobra.CompletionFunc,
) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return p.resources(offers), cobra.ShellCompDirectiveNoFileComp
		case then != nil:
			return then(command, args, typed)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeAction offers the actions on a record, once its resource and identifier are there.
func (p *program) completeAction(
	_ *cobra.Command, args []string, _ string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if r, known := p.catalog().Find(args[0]); known && len(args) == 2 {
		return r.ActionNames(), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeMember offers the members of the resource that is the first argument.
func (p *program) completeMember(
	_ *cobra.Command, args []string, _ string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if r, known := p.catalog().Find(args[0]); known && len(args) == 1 {
		return r.MemberNames(), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeFilter offers the filters of the resource that is the first argument, and after the equals sign the values
// that the filter may have.
func (p *program) completeFilter(filtersOf func(resource.Resource) []resource.Filter) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		r, _ := p.catalog().Find(args[0])
		name, _, valued := strings.Cut(typed, "=")
		var offered []string
		for _, f := range filtersOf(r) {
			switch {
			case !valued:
				offered = append(offered, f.Name+"=")
			case f.Name == name:
				for _, value := range f.Values {
					offered = append(offered, name+"="+value)
				}
			}
		}
		if !valued {
			return offered, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return offered, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeColumns completes the last name in a list that commas separate. It offers the members of the resource that is
// the first argument.
func (p *program) completeColumns(
	command *cobra.Command, args []string, typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	names, _ := p.completeMember(command, args[:1], "")
	for i := range names {
		names[i] = before + names[i]
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeFile leaves the second argument to the shell.
func completeFile(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
