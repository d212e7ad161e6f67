package gateway

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"insurance.example/exchange/contracts/routes"
	"insurance.example/exchange/pkg/near"
	"insurance.example/exchange/pkg/pathtable"
)

// endpoint is a path of the interface and its methods.
type endpoint struct {
	service string
	// template is the path with {id} in place of an identifier, for metrics.
	template string
	methods  []string
	// reads are the methods for which the scope for reading is enough.
	reads []string
	// largest is the largest size of a body by its method, where that is not what the setting says.
	largest map[string]int64
}

// scope returns the scope that a request with the method needs: std.developer to read, std.admin for everything else.
func (e *endpoint) scope(method string) string {
	if slices.Contains(e.reads, method) {
		return ScopeDeveloper
	}
	return ScopeAdmin
}

// table holds the endpoints: those of resources by the first segment of their paths, extensions by their template.
type table struct {
	resources  map[string]*resource
	extensions *pathtable.Table[*endpoint]
	// beyond are the templates of the extensions.
	beyond []string
}

type resource struct {
	collection, item *endpoint
	actions, subs    map[string]*endpoint
}

// newTable builds a table. It fails if a resource is given twice or is internal.
func newTable(all []routes.Route, extensions []routes.Extension) (table, error) {
	t := table{resources: map[string]*resource{}, extensions: new(pathtable.Table[*endpoint])}
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
		of, err := t.extensions.At(x.Path)
		switch {
		case err != nil:
			return t, fmt.Errorf("gateway: %w", err)
		case *of == nil:
			*of = &endpoint{service: x.Service, template: x.Path, largest: map[string]int64{}}
			t.beyond = append(t.beyond, x.Path)
		case (*of).service != x.Service:
			return t, fmt.Errorf("gateway: the extension %q is in two services", x.Path)
		}
		(*of).add(x.Method)
		if x.Largest > 0 {
			(*of).largest[x.Method] = x.Largest
		}
		if !x.Writes {
			(*of).reads = append((*of).reads, x.Method)
		}
	}
	return t, nil
}

// newEndpoint returns an endpoint, or nil if the path has no methods and therefore does not exist.
func newEndpoint(service, template string, methods []string) *endpoint {
	if len(methods) == 0 {
		return nil
	}
	e := &endpoint{service: service, template: template}
	for _, method := range methods {
		e.add(method)
	}
	return e
}

// add adds a method, and HEAD with GET, which both only read.
func (e *endpoint) add(method string) {
	if slices.Contains(e.methods, method) {
		return
	}
	e.methods = append(e.methods, method)
	if method == http.MethodGet {
		e.reads = append(e.reads, method, http.MethodHead)
		e.methods = append(e.methods, http.MethodHead)
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

// findExtension returns the endpoint of a path that begins with extensionPrefix.
func (t table) findExtension(path string) *endpoint {
	match, _ := t.extensions.Find(path)
	return match.Value
}

// like returns paths that are similar to one that there is not. pages are the paths of the pages.
func (t table) like(path string, pages []string) []string {
	if rest, beyond := strings.CutPrefix(path, extensionPrefix); beyond {
		return t.likeBeyond(rest)
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if r := t.resources[name]; r != nil {
		return r.like(rest)
	}
	names := slices.Clone(pages)
	for resource := range t.resources {
		names = append(names, "/"+resource)
	}
	slices.Sort(names)
	if similar := near.Names("/"+name, names); len(similar) > 0 || name != "docs" && name != "problems" {
		return similar
	}
	return near.Names(path, names)
}

// likeBeyond returns the templates of extensions that are similar to a path in their first segment, and of those the
// ones that are similar in their second; the first by name if none is. The path stands here without its beginning.
func (t table) likeBeyond(path string) []string {
	sought, rest, _ := strings.Cut(path, "/")
	second, _, _ := strings.Cut(rest, "/")
	below := map[string]map[string]string{} // the templates by their first two segments
	for _, template := range t.beyond {
		first, rest, _ := strings.Cut(strings.TrimPrefix(template, extensionPrefix), "/")
		if below[first] == nil {
			below[first] = map[string]string{}
		}
		next, _, _ := strings.Cut(rest, "/")
		below[first][next] = template
	}
	var like []string
	for _, first := range near.Names(sought, slices.Sorted(maps.Keys(below))) {
		names := near.Names(second, slices.Sorted(maps.Keys(below[first])))
		if len(names) == 0 {
			names = slices.Sorted(maps.Keys(below[first]))[:1]
		}
		for _, name := range names {
			like = append(like, below[first][name])
		}
	}
	return like
}

// like returns the paths of a resource that are similar to what stands after its name: its collection if nothing does,
// and all of its actions if none is similar.
func (r *resource) like(rest string) []string {
	if rest == "" && r.collection != nil {
		return []string{r.collection.template}
	}
	id, sub, hasSub := strings.Cut(rest, "/")
	_, action, _ := strings.Cut(id, ":")
	if hasSub {
		action = sub
	}
	templates := map[string]string{} // by the name of the action
	for _, all := range []map[string]*endpoint{r.actions, r.subs} {
		for name, e := range all {
			templates[name] = e.template
		}
	}
	names := slices.Sorted(maps.Keys(templates))
	if similar := near.Names(action, names); len(similar) > 0 {
		names = similar
	}
	var like []string
	for _, name := range names {
		like = append(like, templates[name])
	}
	if len(like) == 0 && r.item != nil {
		like = append(like, r.item.template)
	}
	return like
}
