package query

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"insurance.example/exchange/pkg/request"
)

// Cursors seals the cursors of lists where organisations share the exchange. Each is good for the organisation that it
// was given to, for the list and for the filters. A nil Cursors leaves cursors as they are.
type Cursors struct{ seal Seal }

// NewCursors returns cursors that a seal closes.
func NewCursors(seal Seal) *Cursors { return &Cursors{seal} }

// cursor is the name of the parameter.
const cursor = "cursor"

// noCursor is what a list is given in place of a cursor that cannot be opened. No list has it as a cursor.
const noCursor = "!"

// Given returns the query of a request for a list with the cursor as the list has written it. The list refuses noCursor
// as it does any text that is none of its cursors.
func (c *Cursors) Given(r *http.Request) (raw string) {
	if c == nil || r.URL.RawQuery == "" {
		return r.URL.RawQuery
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(values[cursor]) != 1 {
		return r.URL.RawQuery // the list refuses it, or there is no cursor
	}
	plain, err := c.seal.Open(values.Get(cursor), bound(r.Context(), r.URL.Path, values))
	if err != nil {
		plain = []byte(noCursor)
	}
	values.Set(cursor, string(plain))
	return values.Encode()
}

// Next returns the query for the next page of the list with a path, whose parameters have the cursor as the list has
// written it.
func (c *Cursors) Next(ctx context.Context, path string, values url.Values) (raw string) {
	if c != nil {
		values.Set(cursor, c.seal.Close([]byte(values.Get(cursor)), bound(ctx, path, values)))
	}
	return values.Encode()
}

// bound says what a cursor is good for. How many records a page has may change from page to page.
func bound(ctx context.Context, path string, values url.Values) string {
	filters := url.Values{}
	for name, all := range values {
		if name != cursor && name != "limit" && name != "skip" {
			filters[name] = all
		}
	}
	return strings.Join([]string{
		"exchange list 1", request.OrganisationFrom(ctx).Name(), strings.ToLower(path), filters.Encode(),
	}, "\n")
}
