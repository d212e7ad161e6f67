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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/desk/underway"
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

// Commands returns the commands contract, bordereau, reconcile and clock. Their errors are for client.Report.
func Commands(around client.Surroundings) []*cobra.Command {
	return []*cobra.Command{contract(around), bordereau(around), reconcile(around), clock(around)}
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
	o := &office{Surroundings: around, form: asJSON}
	if client.Terminal(around.Out) {
		o.form = asTable
	}
	connect := client.Connect(around, c)
	c.Flags().StringVarP(&o.form, "output", "o", o.form, "form of the output: json, table or pretty (indented JSON)")
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
		if !slices.Contains([]string{asJSON, asTable, asPretty}, o.form) {
			return client.Misuse(fmt.Sprintf("--output %q is not json, table or pretty", o.form))
		}
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

func read[T any](ctx context.Context, o *office, path string, query url.Values) (value T, body []byte, err error) {
	if body, err = o.exchange(ctx, client.Request{Method: http.MethodGet, Path: path, Query: query}); err == nil {
		err = json.Unmarshal(body, &value)
	}
	return value, body, err
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

// each prints each of some records as JSON: on a line of its own, or indented.
func each[T any](o *office, records []T) error {
	for _, record := range records {
		if o.form == asPretty {
			text, err := json.Marshal(record)
			if err := orPrint(o, text, err); err != nil {
				return err
			}
			continue
		}
		if err := json.MarshalWrite(o.Out, record); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(o.Out); err != nil {
			return err
		}
	}
	return nil
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

// pages prints the records of a list, page after page. next reads the page that the query asks for, has the query ask
// for the following one, and reports whether there is one; row is a record as a row of the table that header begins.
func pages[T any](o *office, header []string, next func() (page []T, more bool, err error), row func(T) []string,
) error {
	rows := [][]string{header}
	for more := true; more; {
		page, following, err := next()
		if err != nil {
			return err
		}
		if o.form == asTable {
			for _, record := range page {
				rows = append(rows, row(record))
			}
		} else if err := each(o, page); err != nil {
			return err
		}
		more = following
	}
	if o.form != asTable {
		return nil
	}
	return o.table(rows)
}

func orPrint(o *office, body []byte, err error) error {
	if err != nil {
		return err
	}
	return o.print(body)
}

// always returns what says the same all the time.
func always(what string) func() string { return func() string { return what } }

// waiting does something that may take a while, and shows what it says of itself by then and for how long it has.
func (o *office) waiting(what func() string, do func() ([]byte, error)) (body []byte, err error) {
	shown := progress.New(o.Err, -1)
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
			return body, cmp.Or(err, shown.End())
		case <-every.C:
			// What is shown beside the work does not stop it.
			_ = shown.At(int64(time.Since(since).Seconds()), fmt.Sprintf("%s, for %s", what(),
				time.Since(since).Round(time.Second)))
		}
	}
}

// lookFor is how long a look at how far work has come may take.
const lookFor = time.Second

// far returns a function that says what is being done and, once the exchange knows it, how far it has come. The
// function reads path, and of returns the work under way of what was read. looked and made are words for what the work
// has read and made.
func far[T any](
	ctx context.Context, o *office, what, path string, query url.Values, of func(T) *underway.WorkUnderWay,
	looked, made string,
) func() string {
	return func() string {
		ctx, cancel := context.WithTimeout(ctx, lookFor)
		defer cancel()
		from, _, err := read[T](ctx, o, path, query)
		if err != nil {
			return what // the work itself has not failed
		}
		work := of(from)
		switch {
		case work == nil:
			return what
		case work.Of > 0:
			return fmt.Sprintf("%s: %d of %d %s read, %d %s made", what, work.Read, work.Of, looked, work.Made, made)
		}
		return fmt.Sprintf("%s: %d %s read, %d %s made", what, work.Read, looked, work.Made, made)
	}
}

// post sends what is asked for, and prints the response. With a key it is sent again after an outage. What is being
// done is shown while it lasts.
func (o *office) post(ctx context.Context, what func() string, path, key string, asked any) error {
	body, err := json.Marshal(asked)
	if err == nil {
		sent := client.Request{Method: http.MethodPost, Path: path, Body: body, Key: key}
		body, err = o.waiting(what, func() ([]byte, error) { return o.exchange(ctx, sent) })
	}
	return orPrint(o, body, err)
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

// write writes a file, which appears only once it is complete, and says what it has; - is the standard output.
func (o *office) write(file string, do func(io.Writer) error, what string) error {
	if file == "-" {
		return do(o.Out)
	}
	out, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) // nothing is left of it once it has its name
	err = do(out)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(out.Name(), file); err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "%s: %s.\n", file, what)
	return nil
}
