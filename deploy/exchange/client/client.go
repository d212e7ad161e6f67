// Package client holds the commands that speak to an exchange from a command line, over its public HTTP interface and
// nothing else.
package client

import (
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"insurance.example/exchange/contracts/routes"
)

// Surroundings are what the commands have around them.
type Surroundings struct {
	// Environ holds EXCHANGE_URL, EXCHANGE_TOKEN and EXCHANGE_DATA, as os.Environ answers them.
	Environ []string
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	// IssueToken issues a token of an hour for the exchange that keeps its data in a folder on this machine; "" where
	// no exchange ever did.
	IssueToken func(data string) (token string, err error)
}

func (s *Surroundings) variable(name string) string {
	for _, entry := range s.Environ {
		if value, is := strings.CutPrefix(entry, name+"="); is {
			return value
		}
	}
	return ""
}

// terminal tells whether somebody looks at w.
func terminal(w io.Writer) bool {
	file, is := w.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

func newLog(w io.Writer, verbose bool) *slog.Logger {
	level := slog.LevelWarn
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// program is what the commands share.
type program struct {
	Surroundings
	routes []routes.Route
}

// Commands answers the commands: get, list, create, put, action, import and export. Their errors are for Report.
func Commands(around Surroundings) ([]*cobra.Command, error) {
	table, err := routes.Load()
	if err != nil {
		return nil, err
	}
	p := &program{Surroundings: around, routes: table.Resources}
	return []*cobra.Command{p.get(), p.list(), p.create(), p.put(), p.action(), p.imports(), p.exports()}, nil
}

// arguments checks the command line of a command: a resource that answers to it, and n arguments more.
func (p *program) arguments(n int, answers func(routes.Route) bool) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) != n+1 {
			return usage("%s takes %d arguments, not %d: %s", command.Name(), n+1, len(args), command.UseLine())
		}
		route, known := p.route(args[0])
		if !known {
			return usage("there is no resource %q; there are %s", args[0], strings.Join(p.resources(anyRoute), ", "))
		}
		if !answers(route) {
			return usage("%s of %s is not offered; it is of %s", command.Name(), args[0], strings.Join(p.resources(answers), ", "))
		}
		if slices.Contains(args, "") {
			return usage("an argument of %s is empty", command.Name())
		}
		if err := command.ValidateFlagGroups(); err != nil {
			return usage("%v", err)
		}
		return nil
	}
}

func (p *program) route(resource string) (routes.Route, bool) {
	i := slices.IndexFunc(p.routes, func(r routes.Route) bool { return r.Resource == resource })
	if i < 0 {
		return routes.Route{}, false
	}
	return p.routes[i], true
}

func (p *program) resources(answers func(routes.Route) bool) []string {
	var names []string
	for _, r := range p.routes {
		if answers(r) {
			names = append(names, r.Resource)
		}
	}
	return names
}

// What a resource may answer to.
func anyRoute(routes.Route) bool      { return true }
func readable(r routes.Route) bool    { return slices.Contains(r.Item, "GET") }
func creatable(r routes.Route) bool   { return slices.Contains(r.Collection, "POST") }
func replaceable(r routes.Route) bool { return slices.Contains(r.Item, "PUT") }
func actionable(r routes.Route) bool  { return len(r.Actions)+len(r.Subs) > 0 }
