package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"insurance.example/exchange/contracts/routes"
)

// endpoint is a path of the interface and its methods.
type endpoint struct {
	service string
	// template is the path with {id} in place of an identifier, for metrics.
	template string
	methods  []string
	allow    string // the methods as the value of the header Allow
	// reads reports whether the scope for reading is enough, whatever the method.
	reads bool
}

// scope returns the scope that a request with the method needs: std.developer to read, std.admin for everything else.
func (e *endpoint) scope(method string) string {
	if e.reads || method == http.MethodGet || method == http.MethodHead {
		return ScopeDeveloper
	}
	return ScopeAdmin
}

// table holds the endpoints: those of resources by the first segment of their paths, extensions by their template.
type table struct {
	resources  map[string]*resource
	extensions map[string]*endpoint
}

type resource struct {
	collection, item *endpoint
	actions, subs    map[string]*endpoint
}

// newTable builds a table. It fails if a resource is given twice or is internal.
func newTable(all []routes.Route, extensions []routes.Extension) (table, error) {
	t := table{resources: map[string]*resource{}, extensions: map[string]*endpoint{}}
	for _, r := range all {
		switch {
		case r.Resource == "" || strings.Contains(r.Resource, "/"):
			return t, fmt.Errorf("gateway: route %q is not one segment", r.Resource)
		case r.Resource == "internal":
			return t, fmt.Errorf("gateway: route %q: internal operations are not routed", r.Resource)
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

// newEndpoint returns an endpoint, or nil if the path has no methods and therefore does not exist. HEAD is added to
// GET.
func newEndpoint(service, template string, methods []string) *endpoint {
	if len(methods) == 0 {
		return nil
	}
	methods = slices.Clone(methods)
	if get := slices.Index(methods, http.MethodGet); get >= 0 && !slices.Contains(methods, http.MethodHead) {
		methods = slices.Insert(methods, get+1, http.MethodHead)
	}
	return &endpoint{
		service: service, template: template, methods: methods, allow: strings.Join(methods, ", "),
	}
}

// find returns the endpoint of a decoded path, or nil if the path is unknown.
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

// extensionPrefix begins the paths of operations that the interface does not have.
const extensionPrefix = "/x/"

// findExtension returns the endpoint of a path that begins with extensionPrefix: one whose template is the path, or one
// whose template ends in /{id}.
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
