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
)

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
