package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/peterhellberg/link"
	"github.com/spf13/cobra"

	"insurance.example/exchange/pkg/resource"
)

func (p *program) list() *cobra.Command {
	command := command("list", p.arguments(0, anyResource), p.completeResource(anyResource, nil))
	p.lists(command, "/", filtersOfList)
	return command
}

func filtersOfList(r resource.Resource) []resource.Filter { return r.Filters }

func (p *program) search() *cobra.Command {
	command := command("search", p.arguments(0, searchable), p.completeResource(searchable, nil))
	newest := command.Flags().Bool("newest", false, "the newest records first")
	expand := command.Flags().StringSlice("expand", nil,
		"the records to embed, with commas between them, as GET /x/search names them; -o json shows them")
	run := p.lists(command, "/x/search/", func(r resource.Resource) []resource.Filter { return r.Search })
	command.RunE = func(command *cobra.Command, args []string) error {
		further := url.Values{}
		if *newest {
			further.Set("order", "newest")
		}
		if len(*expand) > 0 {
			further.Set("expand", strings.Join(*expand, ","))
		}
		return run(command, args[0], further)
	}
	return command
}

// lists makes a command list records from the paths that begin with a prefix and end with a resource. The function that
// it returns does so with parameters in addition.
func (p *program) lists(
	command *cobra.Command, prefix string, filtersOf func(resource.Resource) []resource.Filter,
) func(command *cobra.Command, name string, also url.Values) error {
	connect, form := p.registerConnection(command), p.registerForm(command, asTable)
	filters := p.registerFilters(command, filtersOf)
	all := command.Flags().Bool("all", false, "list all records, page by page")
	limit := command.Flags().Int("limit", 50, "how many records to list")
	columns := command.Flags().StringSlice("columns", nil,
		"the columns of a table, with commas between them; those that fit on the screen if not given")
	completeWith(command, "columns", p.completeColumns)
	command.MarkFlagsMutuallyExclusive("all", "limit")
	run := func(command *cobra.Command, name string, also url.Values) error {
		if *limit < 1 {
			return usage("--limit must be greater than 0")
		}
		of := p.resource(name)
		if err := validColumns(*columns, *form, of); err != nil {
			return err
		}
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		most := *limit
		if *all {
			most = 0
		}
		values, err := query(*filters, p.pageSize(name, most))
		if err != nil {
			return err
		}
		for parameter := range also {
			values.Set(parameter, also.Get(parameter))
		}
		out := p.printer(*form, of)
		if out.table != nil {
			out.table.header = *columns
		}
		return p.listUpTo(command.Context(), c, listing{prefix + name, values, most}, out)
	}
	command.RunE = func(command *cobra.Command, args []string) error { return run(command, args[0], nil) }
	return run
}

// validColumns refuses columns that the records of a resource cannot have, and columns of what is no table.
func validColumns(columns []string, form string, of resource.Resource) error {
	if len(columns) > 0 && form != asTable {
		return usage("--columns is for tables; give -o table too")
	}
	for _, column := range columns {
		if !of.Names(column) {
			return usage("--columns: %s has no member %q%s; exchange describe %s shows its members", of.Name, column,
				didYouMean(column, of.MemberNames()), of.Name)
		}
	}
	return nil
}

// registerFilters registers the flag --filter. filtersOf returns the filters of a resource, for completion.
func (p *program) registerFilters(
	command *cobra.Command, filtersOf func(resource.Resource) []resource.Filter,
) *[]string {
	filters := command.Flags().StringArray("filter", nil,
		"name=value: only records with this value; may be given several times")
	completeWith(command, "filter", p.completeFilter(filtersOf))
	return filters
}

// listing says what to list. most is the greatest number of records, where 0 means all.
type listing struct {
	path   string
	values url.Values
	most   int
}

func (p *program) listUpTo(ctx context.Context, c *caller, l listing, out *printer) error {
	listed := 0
	for page, err := range c.pages(ctx, l.path, l.values) {
		if err != nil {
			return err
		}
		records := page.records
		if l.values.Has("limit") && l.most > 0 {
			records = records[:min(len(records), l.most-listed)]
		}
		if err := out.print(page.response, records...); err != nil {
			return err
		}
		listed += len(records)
		if l.most > 0 && listed >= l.most && (!page.last || len(records) < len(page.records)) {
			out.end()
			fmt.Fprintf(p.Err, "These are the first %d; --all lists all of them.\n", listed)
			return nil
		}
	}
	out.end()
	return nil
}

// largestPage is the greatest number of records in one response.
const largestPage = 200

// query returns the query parameters for filters (name=value) and a page size. With the size 0 the exchange chooses it.
func query(filters []string, page int) (url.Values, error) {
	values := url.Values{}
	for _, filter := range filters {
		name, value, is := strings.Cut(filter, "=")
		if !is || name == "" {
			return nil, usage("--filter %q is not of the form name=value", filter)
		}
		values.Add(name, value)
	}
	if page > 0 {
		values.Set("limit", strconv.Itoa(page))
	}
	return values, nil
}

// pageSize returns how many records to ask for at a time if at most a number of records is wanted, where 0 means all.
// It returns 0 for a list without pages, which is one whose records cannot be read one by one.
func (p *program) pageSize(resource string, most int) int {
	switch {
	case !p.resource(resource).Readable:
		return 0
	case most == 0:
		return largestPage
	default:
		return min(most, largestPage)
	}
}

// page is a part of a list.
type page struct {
	response
	records []jsontext.Value
	last    bool
}

// records returns the records of the list at a path in order. An error, as of send, ends them.
func (c *caller) records(ctx context.Context, path string, values url.Values) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		for page, err := range c.pages(ctx, path, values) {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, record := range page.records {
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}

// pages returns the pages of the list at a path in order. An error, as of send, ends them.
func (c *caller) pages(ctx context.Context, path string, values url.Values) iter.Seq2[page, error] {
	return func(yield func(page, error) bool) {
		for {
			got, err := c.send(ctx, Request{Method: http.MethodGet, Path: path, Query: values})
			if err != nil {
				yield(page{}, err)
				return
			}
			p := page{response: got}
			if err := json.Unmarshal(got.body, &p.records); err != nil {
				yield(page{}, c.failed(fmt.Errorf("%s is no list: %w", path, err)))
				return
			}
			next := link.ParseHeader(got.header)["next"]
			p.last = next == nil
			if !yield(p, nil) || p.last {
				return
			}
			// Only the query of the link is used. The rest is known, and a proxy before the exchange may have a path
			// of its own in front of it.
			following, err := url.Parse(next.URI)
			if err != nil {
				yield(page{}, c.failed(fmt.Errorf("the link to the next page: %w", err)))
				return
			}
			values = following.Query()
		}
	}
}
