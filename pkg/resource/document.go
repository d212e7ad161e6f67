package resource

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Catalog is the resources of an exchange, by name.
type Catalog struct {
	resources []Resource
	text      []byte
}

// Text returns the document. It must not be changed.
func (c *Catalog) Text() []byte { return c.text }

// All returns the resources, sorted by name.
func (c *Catalog) All() []Resource { return c.resources }

// Find returns the resource with a name, and reports whether there is one.
func (c *Catalog) Find(name string) (Resource, bool) {
	i, found := slices.BinarySearchFunc(c.resources, name, func(r Resource, name string) int {
		return strings.Compare(r.Name, name)
	})
	if !found {
		return Resource{}, false
	}
	return c.resources[i], true
}

// document is the part of an OpenAPI 3.1 document that describes resources.
type document struct {
	Paths      map[string]map[string]*operation `json:"paths"`
	Components struct {
		Schemas    map[string]*schema    `json:"schemas"`
		Parameters map[string]*parameter `json:"parameters"`
	} `json:"components"`
	Amounts struct {
		Unit     string `json:"unit"`
		Currency string `json:"currency"`
	} `json:"x-amounts"`
}

type operation struct {
	Parameters  []*parameter        `json:"parameters"`
	RequestBody *content            `json:"requestBody"`
	Responses   map[string]*content `json:"responses"`
}

type parameter struct {
	Ref    string  `json:"$ref"`
	In     string  `json:"in"`
	Name   string  `json:"name"`
	Schema *schema `json:"schema"`
}

type content struct {
	Content map[string]struct {
		Schema   *schema        `json:"schema"`
		Example  jsontext.Value `json:"example"`
		Examples map[string]struct {
			Value jsontext.Value `json:"value"`
		} `json:"examples"`
	} `json:"content"`
}

const applicationJSON = "application/json"

// Read reads an OpenAPI document. It returns an error if the text is no JSON or describes no resource.
func Read(text []byte) (*Catalog, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("the OpenAPI document: %w", err)
	}
	c := &Catalog{text: text}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		name := strings.TrimPrefix(path, "/")
		if strings.Contains(name, "/") || d.Paths[path]["get"] == nil {
			continue
		}
		if r := d.resource(name); len(r.Members) > 0 {
			c.resources = append(c.resources, r)
		}
	}
	if len(c.resources) == 0 {
		return nil, fmt.Errorf("the OpenAPI document describes no resource")
	}
	return c, nil
}

func (d *document) resource(name string) Resource {
	collection, item := d.Paths["/"+name], d.Paths["/"+name+"/{id}"]
	r := Resource{
		Name: name, Readable: item["get"] != nil, Replaceable: item["put"] != nil, Creatable: collection["post"] != nil,
		Members:   d.members("", d.flat(d.flat(collection["get"].succeeded()).Items), 0),
		AmountsIn: strings.TrimSpace(d.Amounts.Unit + " " + d.Amounts.Currency),
	}
	if post := collection["post"]; post != nil {
		body := d.flat(post.body())
		r.Sent, r.Required, r.Example = d.members("", body, 0), body.Required, post.example()
	}
	r.Filters = d.filters(r, collection["get"].Parameters)
	if search := d.Paths["/x/search/"+name]["get"]; search != nil {
		r.Search = d.filters(r, search.Parameters)
	}
	trial := "/x/" + name + "/"
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		post := d.Paths[path]["post"]
		if post == nil {
			continue
		}
		ofResource, beyond := strings.CutPrefix(path, "/x")
		if action, is := strings.CutPrefix(ofResource, "/"+name+"/{id}"); is && action != "" {
			r.Actions = append(r.Actions, Action{
				Name: action[1:], Nested: action[0] == '/', Beyond: beyond,
				Members: d.members("", d.flat(post.body()), 0),
				Example: post.example(),
			})
		}
		if rest, is := strings.CutPrefix(path, trial); is && !strings.Contains(rest, "{") {
			r.Trial = path
		}
	}
	return r
}

// noFilters are the parameters of lists and searches that select no records.
var noFilters = []string{"limit", "cursor", "skip", "order", "fields", "expand"}

func (d *document) filters(r Resource, parameters []*parameter) []Filter {
	var all []Filter
	for _, p := range parameters {
		if strings.HasPrefix(p.Ref, "#/") {
			p = d.Components.Parameters[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
		}
		if p == nil || p.In != "query" || slices.Contains(noFilters, p.Name) {
			continue
		}
		f := Filter{Name: p.Name, Values: d.values(d.flat(p.Schema))}
		if m, is := r.Member(p.Name); is && f.Values == nil {
			f.Values = m.Values
		}
		all = append(all, f)
	}
	return all
}

func (o *operation) succeeded() *schema { return o.Responses["200"].schema() }

func (o *operation) body() *schema { return o.RequestBody.schema() }

func (o *operation) example() jsontext.Value {
	if o.RequestBody == nil {
		return nil
	}
	media := o.RequestBody.Content[applicationJSON]
	if media.Example != nil {
		return media.Example
	}
	for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
		return media.Examples[name].Value
	}
	return nil
}

func (c *content) schema() *schema {
	if c == nil {
		return nil
	}
	return c.Content[applicationJSON].Schema
}
