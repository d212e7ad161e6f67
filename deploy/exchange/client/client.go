package client

import (
	_ "embed"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/deploy/exchange/texts"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/setting"
)

// Surroundings are what the commands get from the process that runs them.
type Surroundings struct {
	// Environ holds EXCHANGE_URL, EXCHANGE_TOKEN, EXCHANGE_DATA, EXCHANGE_ORG and EXCHANGE_PATIENCE, in the form of
	// os.Environ.
	Environ []string
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	// IssueToken returns a token that is valid for an hour, for the exchange that keeps its data in a folder on this
	// machine. It names an organisation unless that is empty. It is "" if no exchange has ever used the folder.
	IssueToken func(data, organisation string) (token string, err error)
}

func (s *Surroundings) variable(name string) string { return setting.Lookup(s.Environ, name) }

// Terminal reports whether w is a terminal.
func Terminal(w io.Writer) bool {
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
	// catalog returns the resources with which this program was built. An exchange may have other value sets in
	// force. It reads the document when it is first called, so that a command that does not need it does not pay for
	// it.
	catalog func() *resource.Catalog
}

// Commands returns the commands: get, list, search, describe, create, put, action, import, export and seed. Their
// errors are for Report.
func Commands(around Surroundings) []*cobra.Command {
	p := newProgram(around)
	return []*cobra.Command{
		p.get(), p.list(), p.search(), p.describe(), p.create(), p.put(), p.action(), p.imports(), p.exports(),
		p.seed(),
	}
}

//go:embed commands.yaml
var commands []byte

// described makes a command with its texts.
var described = texts.Of(commands)

// command returns a command with its texts in commands.yaml.
func command(name string, args cobra.PositionalArgs, completes cobra.CompletionFunc) *cobra.Command {
	c := described(name)
	c.Args, c.ValidArgsFunction = args, completes
	return c
}

func newProgram(around Surroundings) *program {
	return &program{Surroundings: around, catalog: published}
}

// published returns the resources of the published document.
var published = sync.OnceValue(func() *resource.Catalog {
	built, err := resource.Read(openapi.Published())
	if err != nil {
		// The document is part of the program, and a test reads it.
		panic(err)
	}
	return built
})

// arguments returns the check of a command line. It must have a resource for which offers returns true, and n further
// arguments.
func (p *program) arguments(n int, offers func(resource.Resource) bool) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if len(args) != n+1 {
			return usage("%s takes %d arguments, not %d: %s", command.Name(), n+1, len(args), command.UseLine())
		}
		r, known := p.catalog().Find(args[0])
		if !known {
			return usage("there is no resource %q%s; there are %s", args[0],
				didYouMean(args[0], p.resources(anyResource)),
				strings.Join(p.resources(anyResource), ", "))
		}
		if !offers(r) {
			return usage("%s is not offered for %s; it is for %s", command.Name(), args[0],
				strings.Join(p.resources(offers), ", "))
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

// NoArguments refuses a command line with arguments.
func NoArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no arguments: %s", command.Name(), command.UseLine())
	}
	return nil
}

// resource returns the resource with a name that arguments has checked.
func (p *program) resource(name string) resource.Resource {
	r, _ := p.catalog().Find(name)
	return r
}

func (p *program) resources(offers func(resource.Resource) bool) []string {
	var names []string
	for _, r := range p.catalog().All() {
		if offers(r) {
			names = append(names, r.Name)
		}
	}
	return names
}

// What a resource may offer.
func anyResource(resource.Resource) bool   { return true }
func readable(r resource.Resource) bool    { return r.Readable }
func creatable(r resource.Resource) bool   { return r.Creatable }
func replaceable(r resource.Resource) bool { return r.Replaceable }
func searchable(r resource.Resource) bool  { return len(r.Search) > 0 }
func actionable(r resource.Resource) bool  { return len(r.Actions) > 0 }

// Resolve gives the flags of a command that works on the data of an exchange the values of the environment and of the
// file of settings, by the rules of the processes of the exchange: what is wrong or misspelt is a Misuse, and another
// variable that is no setting is ignored with a line on notes.
func Resolve(flags *pflag.FlagSet, environ []string, notes io.Writer) error {
	ignored, err := setting.Resolve(flags, environ, slices.Concat(process.SharedSettings(), settings.All()))
	if err != nil {
		return Misuse(err.Error())
	}
	for _, one := range ignored {
		fmt.Fprintln(notes, "exchange:", one)
	}
	return nil
}
