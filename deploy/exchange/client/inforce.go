package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/resource"
)

// fetchedCatalog holds the catalog of the exchange that is called, once it has been requested.
type fetchedCatalog struct {
	mu      sync.Mutex
	catalog *resource.Catalog
}

// inForce returns the resources as the exchange describes them, with the value sets that are in force there. For an
// exchange without an OpenAPI document it returns the published ones. Its errors are those of send.
func (c *caller) inForce(ctx context.Context) (*resource.Catalog, error) {
	c.fetched.mu.Lock()
	defer c.fetched.mu.Unlock()
	if c.fetched.catalog != nil {
		return c.fetched.catalog, nil
	}
	got, err := c.send(ctx, Request{Method: http.MethodGet, Path: "/openapi.json"})
	if r, is := errors.AsType[*refusal](err); is && !r.passing() {
		c.fetched.catalog = c.catalog
		return c.catalog, nil
	}
	if err != nil {
		return nil, err
	}
	catalog, err := resource.Read(got.body)
	if err != nil {
		return nil, c.failed(err)
	}
	c.fetched.catalog = catalog
	return catalog, nil
}

// refused returns the error of a response. If the response says that the value of a member is not allowed, the error
// also lists the allowed values.
func (c *caller) refused(ctx context.Context, r Request, got response) *refusal {
	refused := newRefusal(got)
	if got.status != http.StatusBadRequest || len(refused.problem.Errors) == 0 || r.Path == "/openapi.json" {
		return refused
	}
	catalog, err := c.inForce(ctx)
	if err != nil {
		return refused // the refusal matters more than the error of looking up the allowed values
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	of, known := catalog.Find(name)
	if !known {
		return refused
	}
	members := of.Sent
	if action, is := of.Action(actionName(rest)); is {
		members = action.Members
	}
	for i := range refused.problem.Errors {
		v := &refused.problem.Errors[i]
		v.allowed = memberWords(members, v.Pointer, textAt(r.Body, v.Pointer))
	}
	return refused
}

// actionName returns the name of the action in rest, the part of a path after the resource.
func actionName(rest string) string {
	if cut := strings.LastIndexAny(rest, ":/"); cut >= 0 {
		return rest[cut+1:]
	}
	return ""
}

// memberWords returns in words the values that are allowed for the member at a pointer into a body. It returns "" if
// every value is allowed, or if the one that is given is, because then something else is wrong.
func memberWords(members []resource.Member, pointer, given string) string {
	path, first := "", ""
	for name := range jsontext.Pointer(pointer).Tokens() {
		if first != "" && strings.Trim(name, "0123456789") == "" {
			break // an element of a list
		}
		path = resource.Join(path, name)
		first = cmp.Or(first, path)
	}
	for _, m := range members {
		if (m.Path != path && m.Path != first) || len(m.Values) == 0 {
			continue
		}
		if slices.Contains(m.Values, given) {
			return ""
		}
		return allowedWords(given, m.Values)
	}
	return ""
}

// textAt returns the string at a JSON pointer, or "" if there is none.
func textAt(body []byte, pointer string) string {
	dec := jsontext.NewDecoder(strings.NewReader(string(body)))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return ""
		}
		if string(dec.StackPointer()) == pointer && token.Kind() == jsontext.KindString {
			if kind, n := dec.StackIndex(dec.StackDepth()); kind == jsontext.KindBeginObject && n%2 == 1 {
				continue // the member's name, not its value
			}
			return token.String()
		}
	}
}

// isShared returns an error unless organisations share the exchange.
func (c *caller) isShared(ctx context.Context) error {
	_, err := c.send(ctx, Request{Method: http.MethodGet, Path: "/x/access/POL-00000-00000-0"})
	switch refused, is := errors.AsType[*refusal](err); {
	case is && refused.problem.Type == "/problems/policy-not-found":
		return nil
	case is && refused.status == http.StatusNotFound:
		return &hinted{err, "Organisations do not share this exchange; start it with --org-claim org, on an empty " +
			"folder or with --org-default."}
	}
	return err
}
