package gateway

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Route is what one resource answers to, and the service that it belongs to.
type Route struct {
	// Resource is the path without its first slash: one segment, or two as in "x/motorCoverage".
	Resource string
	Service  string
	// Collection are the methods of /{resource}, Item those of /{resource}/{id}. HEAD goes where GET goes.
	Collection, Item []string
	// Actions are the names of POST /{resource}/{id}:{action}.
	Actions []string
	// Subs are the methods of /{resource}/{id}/{sub}, by name.
	Subs map[string][]string
}

// endpoint is a path of the interface: one line of the table that a request is looked up in.
type endpoint struct {
	service string
	// template is the path with names for its variable parts, for metrics.
	template string
	methods  []string
	allow    string // methods as in the header Allow
}

// table finds the endpoint of a path.
type table map[string]*resource

type resource struct {
	collection, item *endpoint
	actions, subs    map[string]*endpoint
}

// newTable compiles routes. A resource that is given twice or is internal is an error.
func newTable(routes []Route) (table, error) {
	t := table{}
	for _, r := range routes {
		first, _, _ := strings.Cut(r.Resource, "/")
		switch {
		case r.Resource == "" || strings.Count(r.Resource, "/") > 1 || strings.Trim(r.Resource, "/") != r.Resource:
			return nil, fmt.Errorf("gateway: route %q is not of one or two segments", r.Resource)
		case first == "internal":
			return nil, fmt.Errorf("gateway: route %q: internal operations are never routed", r.Resource)
		case t[r.Resource] != nil:
			return nil, fmt.Errorf("gateway: route %q is given twice", r.Resource)
		}
		base := "/" + r.Resource
		compiled := &resource{
			collection: newEndpoint(r.Service, base, r.Collection),
			item:       newEndpoint(r.Service, base+"/{id}", r.Item),
			actions:    map[string]*endpoint{},
			subs:       map[string]*endpoint{},
		}
		for _, action := range r.Actions {
			compiled.actions[action] = newEndpoint(r.Service, base+"/{id}:"+action, []string{http.MethodPost})
		}
		for _, sub := range slices.Sorted(maps.Keys(r.Subs)) {
			compiled.subs[sub] = newEndpoint(r.Service, base+"/{id}/"+sub, r.Subs[sub])
		}
		t[r.Resource] = compiled
	}
	return t, nil
}

// newEndpoint answers nil for a path without any method: there is no such path.
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
	path = strings.TrimPrefix(path, "/")
	name, rest, deeper := strings.Cut(path, "/")
	r := t[name]
	if r == nil && deeper {
		second, further, more := strings.Cut(rest, "/")
		r, rest, deeper = t[path[:len(name)+1+len(second)]], further, more
	}
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
	if before, action, isAction := strings.Cut(id, ":"); isAction {
		if before == "" {
			return nil
		}
		return r.actions[action]
	}
	return r.item
}
