package client

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"insurance.example/exchange/pkg/resource"
)

func (p *program) describe() *cobra.Command {
	command := command("describe", nil, p.completeResource(anyResource, p.completeMember))
	command.Args = func(command *cobra.Command, args []string) error {
		if len(args) == 2 {
			args = args[:1]
		}
		return p.arguments(0, anyResource)(command, args)
	}
	connect := p.registerConnection(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		catalog, err := c.inForce(command.Context())
		if err != nil {
			return err
		}
		r, known := catalog.Find(args[0])
		if !known {
			return fmt.Errorf("that exchange has no %s", args[0])
		}
		if len(args) == 2 {
			return describeMember(p.Out, r, args[1])
		}
		return describeResource(p.Out, r)
	}
	return command
}

func describeMember(w io.Writer, r resource.Resource, name string) error {
	m, known := r.Member(name)
	if !known {
		names := r.MemberNames()
		return usage("%s has no member %q%s; it has %s", r.Name, name, didYouMean(name, names),
			strings.Join(names, ", "))
	}
	if len(m.Values) == 0 {
		_, err := fmt.Fprintln(w, typeWords[m.Kind])
		return err
	}
	_, err := fmt.Fprintln(w, strings.Join(m.Values, "\n"))
	return err
}

var typeWords = map[resource.Kind]string{
	resource.Free: "any value", resource.Text: "text", resource.Number: "number", resource.Flag: "true or false",
	resource.List: "list of texts", resource.Date: "day (YYYY-MM-DD)", resource.DateTime: "date and time (RFC 3339)",
}

func describeResource(w io.Writer, r resource.Resource) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "%s\n", r.Name)
	if len(r.Required) > 0 {
		fmt.Fprintf(out, "\nRequired to create one: %s\n", strings.Join(r.Required, ", "))
	}
	fmt.Fprintf(out, "\nMembers:\n")
	for _, m := range r.Members {
		fmt.Fprintf(out, "  %s\t%s\t%s\n", m.Path, typeWords[m.Kind], valueWords(m.Values))
	}
	var others []string
	for _, m := range r.Sent {
		if !slices.Contains(r.MemberNames(), m.Path) {
			others = append(others, m.Path)
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(out, "\nOther names that may be sent: %s\n", strings.Join(others, ", "))
	}
	if len(r.Filters) > 0 {
		fmt.Fprintf(out, "\nFilters:\n")
		for _, f := range r.Filters {
			fmt.Fprintf(out, "  %s\t%s\n", f.Name, valueWords(f.Values))
		}
	}
	if len(r.Actions) > 0 {
		fmt.Fprintf(out, "\nActions: %s\n", strings.Join(r.ActionNames(), ", "))
	}
	return out.Flush()
}

func valueWords(values []string) string {
	if len(values) > mostShown {
		return fmt.Sprintf("%s, ... (%d values)", strings.Join(values[:3], ", "), len(values))
	}
	return strings.Join(values, ", ")
}
