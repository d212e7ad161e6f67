package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"insurance.example/exchange/deploy/exchange/client/book"
	"insurance.example/exchange/pkg/resource"
)

func (p *program) get() *cobra.Command {
	command := command("get", p.arguments(1, readable), p.completeResource(readable, nil))
	connect, form := p.registerConnection(command), p.registerForm(command, asPretty)
	etag := command.Flags().Bool("etag", false, "write the record's entity tag instead, for put --if-match")
	command.RunE = func(command *cobra.Command, args []string) error {
		c, err := p.call(connect)
		if err != nil {
			return err
		}
		path, err := c.recordPath(command.Context(), p.resource(args[0]), args[1])
		if err != nil {
			return err
		}
		got, err := c.send(command.Context(), Request{Method: http.MethodGet, Path: path})
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

// recordPath returns the path of a record that is given by its id, or by a number that the resource can be filtered by.
// What names nothing is left for the exchange to refuse.
func (c *caller) recordPath(ctx context.Context, r resource.Resource, given string) (string, error) {
	id := given
	if uuid.Validate(given) != nil {
		for _, number := range []string{"claimNumber", "policyNumber"} {
			if !slices.ContainsFunc(r.Filters, func(f resource.Filter) bool { return f.Name == number }) {
				continue
			}
			ids, err := c.idsBy(ctx, r.Name, number, given)
			if err != nil {
				return "", err
			}
			if len(ids) > 1 {
				return "", usage("several records of %s have the %s %s; give one of their ids, such as %s",
					r.Name, number, given, strings.Join(ids, " or "))
			}
			if len(ids) == 1 {
				id = ids[0]
				break
			}
		}
	}
	return "/" + r.Name + "/" + url.PathEscape(id), nil
}

// idsBy returns the ids of the first records that have a number.
func (c *caller) idsBy(ctx context.Context, name, number, value string) (ids []string, err error) {
	got, err := c.send(ctx, Request{
		Method: http.MethodGet, Path: "/" + name, Query: url.Values{number: {value}, "limit": {"2"}},
	})
	if err != nil {
		return nil, err
	}
	var records []book.Record
	if err := json.Unmarshal(got.body, &records); err != nil {
		return nil, c.failed(err)
	}
	for _, r := range records {
		ids = append(ids, r.Text("id"))
	}
	return ids, nil
}
