package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"insurance.example/exchange/contracts/routes"
)

// endpoint is a path of the interface: one line of the table that a request is looked up in.
type endpoint struct {
	service string
	// template is the path with names for its variable parts, for metrics.
	template string
	methods  []string
	allow    string // methods as in the header Allow
	// reads: the read scope opens it, whatever the method.
	reads bool
}

// table finds the endpoint of a path: resources by the first segment, extensions by their template.
type table struct {
	resources  map[string]*resource
	extensions map[string]*endpoint
}

type resource struct {
	collection, item *endpoint
	actions, subs    map[string]*endpoint
}

// newTable compiles routes. A resource that is given twice or is internal is an error.
func newTable(all []routes.Route, extensions []routes.Extension) (table, error) {
	t := table{resources: map[string]*resource{}, extensions: map[string]*endpoint{}}
	for _, r := range all {
		switch {
		case r.Resource == "" || strings.Contains(r.Resource, "/"):
			return t, fmt.Errorf("gateway: route %q is not one segment", r.Resource)
		case r.Resource == "internal":
			return t, fmt.Errorf("gateway: route %q: internal operations are never routed", r.Resource)
		case t.resources[r.Resource] != nil:
			return t, fmt.Errorf("gateway: route %q is given twice", r.Resource)
		}
		base, post := "/"+r.Resource, []string{http.MethodPost}
		compiled := &resource{
			collection: newEndpoint(r.Service, base, r.Collection),
			item:       newEndpoint(r.Service, base+"/{id}", r.Item),
			actions:    map[string]*endpoint{},
			subs:       map[string]*endpoint{},
		}
		for _, action := range r.Actions {
			compiled.actions[action] = newEndpoint(r.Service, base+"/{id}:"+action, post)
		}
		for _, sub := range r.Subs {
			compiled.subs[sub] = newEndpoint(r.Service, base+"/{id}/"+sub, post)
		}
		t.resources[r.Resource] = compiled
	}
	for _, x := range extensions {
		if !strings.HasPrefix(x.Path, extensionPrefix) {
			return t, fmt.Errorf("gateway: extension %q is not below %s", x.Path, extensionPrefix)
		}
		endpoint := newEndpoint(x.Service, x.Path, []string{x.Method})
		endpoint.reads = true
		t.extensions[x.Path] = endpoint
	}
	return t, nil
}

// newEndpoint answers nil for a path without any method: there is no such path. HEAD goes where GET goes.
func newEndpoint(service, template string, methods []string) *endpoint {
	if len(methods) == 0 {
		return nil
	}
	methods = slices.Clone(methods)
	if get := slices.Index(methods, http.MethodGet); get >= 0 && !slices.Contains(methods, http.MethodHead) {
		methods = slices.Insert(methods, get+1, http.MethodHead)
	}
	return &endpoint{service: service, template: template, methods: methods, allow: strings.Join(methods, ", ")}
}

// find answers the endpoint of a decoded path; nil for an unknown one.
func (t table) find(path string) *endpoint {
	if strings.HasPrefix(path, extensionPrefix) {
		return t.findExtension(path)
	}
	name, rest, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	r := t.resources[name]
	switch {
	case r == nil:
		return nil
	case !deeper:
		return r.collection
	}
	id, sub, hasSub := strings.Cut(rest, "/")
	if id == "" || id == "." || id == ".." {
		return nil
	}
	if hasSub {
		return r.subs[sub]
	}
	id, action, isAction := strings.Cut(id, ":")
	switch {
	case !isAction:
		return r.item
	case id == "":
		return nil
	default:
		return r.actions[action]
	}
}

// extensionPrefix is where the operations beyond the interface are.
const extensionPrefix = "/x/"

// findExtension answers the endpoint of a path below extensionPrefix: one of just that path, or one whose last segment
// is an identifier.
func (t table) findExtension(path string) *endpoint {
	if exact := t.extensions[path]; exact != nil {
		return exact
	}
	last := strings.LastIndexByte(path, '/')
	if last == len(path)-1 {
		return nil
	}
	return t.extensions[path[:last]+"/{id}"]
}
