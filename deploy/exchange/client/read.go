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
)

func (p *program) get() *cobra.Command {
	command := &cobra.Command{
		Use: "get RESOURCE ID", Short: "Read one record",
		Example: `  exchange get vehicle $ID
  exchange get claim $ID -o pretty
  exchange get product $ID --etag`,
		Args: p.arguments(1, readable), ValidArgsFunction: p.completeResource(readable, nil),
	}
	connect, form := p.registerConnection(command), p.registerForm(command, asPretty)
	etag := command.Flags().Bool("etag", false, "write the record's entity tag instead, for put --if-match")
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := validForm(*form); err != nil {
			return err
		}
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		got, err := c.send(command.Context(), request{method: http.MethodGet, path: recordPath(args[0], args[1])})
		if err != nil {
			return err
		}
		if *etag {
			_, err := fmt.Fprintln(p.Out, got.header.Get("ETag"))
			return err
		}
		return p.printOne(*form, args[0], got)
	}
	return command
}

// printOne prints the record of a response.
func (p *program) printOne(form, resource string, got response) error {
	out := p.printer(form, p.resource(resource))
	if err := out.print(got, got.body); err != nil {
		return err
	}
	out.end()
	return nil
}

func recordPath(resource, id string) string { return "/" + resource + "/" + url.PathEscape(id) }

func (p *program) list() *cobra.Command {
	command := &cobra.Command{
		Use: "list RESOURCE", Short: "List records, in the order of their creation",
		Long: `List records, in the order of their creation: as a table on a terminal, elsewhere as JSON with a record on each line.`,
		Example: `  exchange list productCatalog
  exchange list claim --filter policyNumber=$POLICY
  exchange list receipt --filter receiptDateFrom=2026-01-01 --filter receiptDateTo=2026-03-31 --all
  exchange list product --filter currency=GBP -o table
  exchange list vehicle --limit 500 -o json | grep plateNumber`,
		Args: p.arguments(0, anyResource), ValidArgsFunction: p.completeResource(anyResource, nil),
	}
	connect, form := p.registerConnection(command), p.registerForm(command, asTable)
	filters := p.registerFilters(command)
	all := command.Flags().Bool("all", false, "list all records, page by page")
	limit := command.Flags().Int("limit", 50, "how many records to list")
	command.MarkFlagsMutuallyExclusive("all", "limit")
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := validForm(*form); err != nil {
			return err
		}
		if *limit < 1 {
			return usage("--limit must be greater than 0")
		}
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		most := *limit
		if *all {
			most = 0
		}
		return p.listUpTo(command.Context(), c, listing{args[0], *form, *filters, most})
	}
	return command
}

func (p *program) registerFilters(command *cobra.Command) *[]string {
	filters := command.Flags().StringArray("filter", nil,
		"name=value: only records with this value; may be given several times")
	completeWith(command, "filter", p.completeFilter)
	return filters
}

// listing says what to list. most is the greatest number of records, where 0 means all.
type listing struct {
	resource, form string
	filters        []string
	most           int
}

func (p *program) listUpTo(ctx context.Context, c *caller, l listing) error {
	size := p.pageSize(l.resource, l.most)
	values, err := query(l.filters, size)
	if err != nil {
		return err
	}
	out := p.printer(l.form, p.resource(l.resource))
	listed := 0
	for page, err := range c.pages(ctx, l.resource, values) {
		if err != nil {
			return err
		}
		records := page.records
		if size > 0 && l.most > 0 {
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

// pages returns the pages of a list in order. An error, as of send, ends them.
func (c *caller) pages(ctx context.Context, resource string, values url.Values) iter.Seq2[page, error] {
	return func(yield func(page, error) bool) {
		for {
			got, err := c.send(ctx, request{method: http.MethodGet, path: "/" + resource, query: values})
			if err != nil {
				yield(page{}, err)
				return
			}
			p := page{response: got}
			if err := json.Unmarshal(got.body, &p.records); err != nil {
				yield(page{}, c.failed(fmt.Errorf("the list of %s is no list: %w", resource, err)))
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
