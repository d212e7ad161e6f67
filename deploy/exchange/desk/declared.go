package desk

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/deploy/exchange/client"
)

//go:embed commands.yaml
var commands []byte

// declared is a command of commands.yaml.
type declared struct {
	Use, Short, Long, Example string
	Below                     []declared
	Flags                     []flag
	// Get, Put and Post are the path that is asked, and File says what the file is that is put.
	Get, Put, Post, File string
	// Says says what is being done while it lasts.
	Says string
	// List is the member that has the records of a page, and Next the parameter by which the next one is asked for.
	List, Next      string
	Columns, Claims columns
	Paged           bool
	// Live says that "live" stands in the place of a version for what it would be now.
	Live bool
	// Tables are what is shown of a response, before the closing words, with a note on standard error.
	Tables        []shown
	Closing, Note string
	// Hints are what to do about a problem.
	Hints map[string]string
}

type flag struct{ Name, Means, Default, Wanted string }

// columns are the heads of columns with what each has.
type columns = yaml.MapSlice

// shown is a table of the records in a member, or of the response itself. Some says that it is only there with records.
type shown struct {
	Of      string
	Some    bool
	Columns columns
}

// call is a run of a command.
type call struct {
	*office
	declared
	named map[string]string // the arguments
	flags map[string]*string
}

// command returns the command that is declared.
func (d declared) command(around client.Surroundings) *cobra.Command {
	c := &cobra.Command{Use: d.Use, Short: d.Short, Long: d.Long, Example: d.Example}
	if d.Below != nil {
		var below []*cobra.Command
		for _, b := range d.Below {
			below = append(below, b.command(around))
		}
		return group(c, below...)
	}
	ask := special((*call).ask)
	if of, is := specials[c.Name()]; is {
		ask = of(c)
	}
	flags := map[string]*string{}
	for _, f := range d.Flags {
		flags[f.Name] = c.Flags().String(f.Name, f.Default, f.Means)
	}
	return command(around, c, func(o *office, ctx context.Context, args []string) error {
		of := &call{o, d, map[string]string{}, flags}
		for i, word := range strings.Fields(d.Use)[1:] {
			if i < len(args) {
				of.named[strings.Trim(word, "[]")] = args[i]
			}
		}
		for _, f := range d.Flags {
			if f.Wanted != "" && *flags[f.Name] == "" {
				return client.Misuse("--" + f.Name + " is wanted: " + f.Wanted)
			}
		}
		if d.List != "" {
			return of.list(ctx)
		}
		body, err := ask(of, ctx)
		for slug, hint := range d.Hints {
			if client.Refused(err, slug) {
				return client.Hinted(err, hint)
			}
		}
		if err != nil || body == nil {
			return err
		}
		return of.show(body)
	})
}

// ask sends what the command declares.
func (c *call) ask(ctx context.Context) (body []byte, err error) {
	r := client.Request{Method: http.MethodGet, Query: c.query()}
	if r.Path, err = c.path(ctx, c.Get+c.Put+c.Post); err != nil {
		return nil, err
	}
	file, given := c.named["FILE"]
	switch {
	case c.Post != "":
		r.Method, r.Query = http.MethodPost, nil
		if r.Body, err = json.Marshal(c.flags); err != nil {
			return nil, err
		}
		return c.waiting(always(c.Says), func() ([]byte, error) { return c.exchange(ctx, r) })
	case given:
		if r.Body, err = c.text(file); err != nil {
			return nil, client.Misuse(fmt.Sprintf("%s: %v", c.File, err))
		}
		r.Method = http.MethodPut
	case c.Put != "":
		r.Method = http.MethodPut
	}
	return c.exchange(ctx, r)
}

// query returns the flags that are given as parameters.
func (c *call) query() url.Values {
	query := url.Values{}
	for name, value := range c.flags {
		if *value != "" {
			query.Set(name, *value)
		}
	}
	return query
}

// path returns a path with the arguments in it.
func (c *call) path(ctx context.Context, of string) (string, error) {
	if strings.Contains(of, "{version}") {
		version, err := c.version(ctx)
		if err != nil {
			return "", err
		}
		of = strings.Replace(of, "{version}", version, 1)
	}
	of = strings.Replace(of, "{period}", "/x/bordereau/{CONTRACT}/{KIND}/{PERIOD}", 1)
	for name, value := range c.named {
		of = strings.Replace(of, "{"+name+"}", url.PathEscape(value), 1)
	}
	return of, nil
}

// version returns the path of the version that the arguments name, or without a number of the last one of the period.
// That is read from the work list, because a read of the period computes all of its lines.
func (c *call) version(ctx context.Context) (path string, err error) {
	switch number, given := c.named["VERSION"]; {
	case given && number == "live" && c.Live:
		return "{period}", nil
	case given:
		return "{period}/versions/" + url.PathEscape(number), nil
	}
	query := url.Values{"contract": {c.named["CONTRACT"]}, "kind": {c.named["KIND"]}}
	err = c.pages(ctx, "/x/bordereau", query, "after", "periods", func(page []jsontext.Value) error {
		for _, record := range page {
			period, err := decoded(record)
			if err != nil {
				return err
			}
			if number := at(period, "versions.last.number"); number != "" && at(period, "period") == c.named["PERIOD"] {
				path = "{period}/versions/" + number
			}
		}
		return nil
	})
	if err == nil && path == "" {
		err = client.Misuse("the period has no version yet; prepare makes one")
	}
	return path, err
}

// pages reads a list, and calls do with the records of each page. next is the parameter by which a page names the one
// after it.
func (o *office) pages(
	ctx context.Context, path string, query url.Values, next, list string, do func(records []jsontext.Value) error,
) error {
	query.Set("limit", "200")
	for more := true; more; {
		body, err := o.exchange(ctx, client.Request{Method: http.MethodGet, Path: path, Query: query})
		if err != nil {
			return err
		}
		var page struct {
			Next any                       `json:"next"`
			Rest map[string]jsontext.Value `json:",embed"`
		}
		var records []jsontext.Value
		if err := json.Unmarshal(body, &page); err != nil {
			return err
		}
		if listed := page.Rest[list]; listed != nil {
			if err := json.Unmarshal(listed, &records); err != nil {
				return err
			}
		}
		if err := do(records); err != nil {
			return err
		}
		if more = page.Next != nil; more {
			query.Set(next, fmt.Sprint(page.Next))
		}
	}
	return nil
}

// list prints the records of a list, page after page.
func (c *call) list(ctx context.Context) error {
	path, err := c.path(ctx, c.Get)
	if err != nil {
		return err
	}
	list, columns := c.List, c.Columns
	if c.Claims != nil && c.named["KIND"] == desk.Claims {
		list, columns = "claims", c.Claims
	}
	rows := [][]string{heads(columns)}
	flush := func() error {
		if c.form != asTable {
			return nil
		}
		whole := rows
		rows = nil
		return c.table(whole)
	}
	err = c.pages(ctx, path, c.query(), c.Next, list, func(page []jsontext.Value) error {
		for _, record := range page {
			if c.form != asTable {
				if err := c.each(record); err != nil {
					return err
				}
				continue
			}
			value, err := decoded(record)
			if err != nil {
				return err
			}
			row, err := cells(columns, value)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		if c.Paged {
			return flush()
		}
		return nil
	})
	if err != nil || c.Paged {
		return err
	}
	return flush()
}

// show prints a response, as tables where it has them.
func (c *call) show(body []byte) error {
	if c.form != asTable || c.Tables == nil {
		return c.print(body)
	}
	value, err := decoded(body)
	if err != nil {
		return err
	}
	for i, t := range c.Tables {
		records := []any{value}
		if t.Of != "" {
			records, _ = member(value, t.Of).([]any)
		}
		if counts, is := member(value, t.Of).(map[string]any); is && t.Of != "" {
			for _, name := range reconciliation.Outcomes {
				records = append(records, map[string]any{"name": name, "items": cmp.Or(at(counts, name), "0")})
			}
		}
		rows := [][]string{heads(t.Columns)}
		for _, record := range records {
			row, err := cells(t.Columns, record)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		if t.Some && len(records) == 0 {
			continue
		}
		if i > 0 {
			fmt.Fprintln(c.Out)
		}
		if err := c.table(rows); err != nil {
			return err
		}
	}
	note, err := cell(c.Note, value)
	if note != "" {
		fmt.Fprintln(c.Err, note)
	}
	if err != nil {
		return err
	}
	closing, err := cell(c.Closing, value)
	if closing != "" {
		fmt.Fprintf(c.Out, "\n%s\n", closing)
	}
	return err
}
