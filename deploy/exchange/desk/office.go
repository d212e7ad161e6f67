package desk

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client"
	"insurance.example/exchange/deploy/exchange/progress"
)

// The forms of the output.
const (
	asTable  = "table"
	asJSON   = "json"
	asPretty = "pretty" // as records are: indented, where json has each of a list on a line
)

// office is what the commands share.
type office struct {
	client.Surroundings
	exchange client.Exchange
	form     string
}

// Commands returns the commands contract, bordereau, reconcile, clock and book. Their errors are for client.Report.
func Commands(around client.Surroundings) []*cobra.Command {
	var all []declared
	if err := yaml.NewDecoder(bytes.NewReader(commands), yaml.Strict(), yaml.UseOrderedMap()).Decode(&all); err != nil {
		panic("desk: " + err.Error())
	}
	var commands []*cobra.Command
	for _, d := range all {
		commands = append(commands, d.command(around))
	}
	return commands
}

// group completes a command that only has others below it.
func group(c *cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return client.Misuse(fmt.Sprintf("there is no command %s %q; --help lists them", c.Name(), args[0]))
		}
		return nil
	}
	c.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return client.Misuse(err.Error()) })
	c.AddCommand(below...)
	return c
}

// command completes a command: its flags, and how it runs. Use names the arguments; the last one may be left out where
// it is in brackets.
func command(around client.Surroundings, c *cobra.Command, do func(*office, context.Context, []string) error,
) *cobra.Command {
	o := &office{Surroundings: around}
	connect := client.Connect(around, c)
	form := o.Form(c, []string{asJSON, asTable, asPretty}, asTable,
		"form of the output: json, table or pretty (indented JSON)")
	words := strings.Fields(c.Use)[1:]
	owner := new(string)
	if len(words) > 0 && words[0] == "CONTRACT" && c.Name() != "put" {
		owner = c.Flags().String("owner", "", "the organisation whose contract it is, where you see several")
	}
	least := len(words)
	if least > 0 && strings.HasPrefix(words[least-1], "[") {
		least--
	}
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > len(words) {
			return client.Misuse(c.Name() + " takes " + cmp.Or(strings.Join(words, " "), "no arguments"))
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		o.form = *form
		exchange, err := connect()
		if err != nil {
			return err
		}
		o.exchange = func(ctx context.Context, r client.Request) ([]byte, error) {
			if *owner != "" {
				r.Query = maps.Clone(r.Query)
				if r.Query == nil {
					r.Query = url.Values{}
				}
				r.Query.Set("owner", *owner)
			}
			return exchange(ctx, r)
		}
		return do(o, c.Context(), args)
	}
	return c
}

// read returns what a path has.
func (o *office) read(ctx context.Context, path string, query url.Values) (value any, err error) {
	body, err := o.exchange(ctx, client.Request{Method: http.MethodGet, Path: path, Query: query})
	if err != nil {
		return nil, err
	}
	return decoded(body)
}

// print prints a body as JSON.
func (o *office) print(body []byte) error {
	text := jsontext.Value(body)
	if err := text.Indent(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.Out, "%s\n", text)
	return err
}

// each prints a record of a list as JSON: on a line of its own, or indented.
func (o *office) each(record jsontext.Value) error {
	if o.form == asPretty {
		return o.print(record)
	}
	if err := record.Compact(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.Out, "%s\n", record)
	return err
}

// table prints rows, the first of which is the header.
func (o *office) table(rows [][]string) error {
	out := tabwriter.NewWriter(o.Out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = client.Printable(cell) // a tab would begin a new cell
		}
		if _, err := fmt.Fprintln(out, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return out.Flush()
}

// always returns what says the same all the time.
func always(what string) func() string { return func() string { return what } }

// waiting does something that may take a while, and shows what it says of itself by then and for how long it has.
func (o *office) waiting(what func() string, do func() ([]byte, error)) (body []byte, err error) {
	bar := progress.New(o.Err, -1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		body, err = do()
	}()
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for since := time.Now(); ; {
		select {
		case <-ended:
			bar.End()
			return body, err
		case <-every.C:
			bar.At(int64(time.Since(since).Seconds()), fmt.Sprintf("%s, for %s", what(),
				time.Since(since).Round(time.Second)))
		}
	}
}

// lookFor is how long a look at how far work has come may take.
const lookFor = time.Second

// far returns a function that says what is being done and, once the exchange knows it, how far it has come. The
// function reads path, and the member of that is the work under way. looked and made are words for what the work has
// read and made.
func (o *office) far(
	ctx context.Context, what, path string, query url.Values, work, looked, made string,
) func() string {
	return func() string {
		ctx, cancel := context.WithTimeout(ctx, lookFor)
		defer cancel()
		from, err := o.read(ctx, path, query)
		is := member(from, work)
		if err != nil || is == nil {
			return what // the work itself has not failed
		}
		read := at(is, "read")
		if of := at(is, "of"); of != "" && of != "0" {
			read += " of " + of
		}
		return fmt.Sprintf("%s: %s %s read, %s %s made", what, read, looked, cmp.Or(at(is, "made"), "0"), made)
	}
}

// counted counts what is written by now.
type counted struct {
	io.Writer
	bytes, lines atomic.Int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes.Add(int64(n))
	c.lines.Add(int64(bytes.Count(p[:n], []byte("\n"))))
	return n, err
}
