// Package document makes the OpenAPI document of the exchange from the declarations of its services and the structs of
// the contracts: nothing in it is written twice.
package document

import (
	"cmp"
	"errors"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// Service is what one service declares.
type Service struct {
	Resources  []rest.Description
	Extensions []rest.Extension
}

// Build answers the document. root is the folder of the repository, where the comments of the structs are read. Errors:
// a comment or an example that cannot be read, a type that has no schema.
func Build(services []Service, root string) (*openapi3.T, error) {
	examples, err := Examples()
	if err != nil {
		return nil, err
	}
	b := &builder{
		doc: &openapi3.T{
			OpenAPI: "3.1.0", Info: info(), Servers: openapi3.Servers{{URL: "/"}}, Paths: openapi3.NewPaths(),
			Components: &openapi3.Components{
				Parameters: sharedParameters(), Headers: sharedHeaders(), SecuritySchemes: securitySchemes(),
				Responses: openapi3.ResponseBodies{},
			},
		},
		schemas:  newSchemas(valuesets.Published(), root),
		examples: map[string]map[string]any{},
	}
	for _, e := range examples {
		b.examples[e.Operation] = e.Body
	}
	b.schemas.add("Problem", problemSchema())
	for _, s := range services {
		for _, r := range s.Resources {
			b.resource(r)
		}
		for _, x := range s.Extensions {
			b.extension(x)
		}
	}
	b.doc.Components.Schemas = b.schemas.all
	slices.SortFunc(b.doc.Tags, func(x, y *openapi3.Tag) int { return cmp.Compare(x.Name, y.Name) })
	return b.doc, errors.Join(b.schemas.err, b.schemas.words.err)
}

// builder collects the document.
type builder struct {
	doc      *openapi3.T
	schemas  *schemas
	examples map[string]map[string]any // of request bodies, by operation
}

func info() *openapi3.Info {
	return &openapi3.Info{
		Title: "Insurance Exchange Service", Version: "1.0.0",
		Description: "The HTTP interface through which insurers, brokers and client applications exchange insurance records.\n\n" +
			"Every operation needs a bearer token: `std.developer` opens GET, `std.admin` everything else. Every error is a " +
			"problem document (RFC 7807) whose `type` leads to a page that says how to mend it. Members that a record does " +
			"not name are kept and returned as sent; null is the same as absent. The value sets are those in force.\n\n" +
			"What the interface leaves open, and how it is settled here: [the register](/docs/register).",
		License: &openapi3.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
	}
}

func securitySchemes() openapi3.SecuritySchemes {
	return openapi3.SecuritySchemes{bearer: {Value: &openapi3.SecurityScheme{
		Type: "http", Scheme: "bearer", BearerFormat: "JWT",
		Description: "A signed token of the identity provider with the scopes `std.developer` (reads) or `std.admin` (writes).",
	}}}
}

const bearer = "token"

// The scopes of the interface.
var (
	reads  = &openapi3.SecurityRequirements{{bearer: {"std.developer"}}}
	writes = &openapi3.SecurityRequirements{{bearer: {"std.admin"}}}
)

// tag answers the group of a resource: the package of its struct in the contracts.
func (b *builder) tag(r rest.Description) string {
	name, description := b.schemas.words.group(r.Record)
	b.addTag(name, description)
	return name
}

func (b *builder) addTag(name, description string) {
	if b.doc.Tags.Get(name) == nil {
		b.doc.Tags = append(b.doc.Tags, &openapi3.Tag{Name: name, Description: description})
	}
}

// resource adds the operations of one resource.
func (b *builder) resource(r rest.Description) {
	of := described{Description: r, tag: b.tag(r)}
	of.record = b.schemas.record(r)
	if r.Static {
		b.put("/"+r.Resource, "GET", b.fixedList(of))
		return
	}
	of.input = b.schemas.input(r)
	b.put("/"+r.Resource, "GET", b.list(of))
	b.put("/"+r.Resource, "POST", b.create(of))
	item := "/" + r.Resource + "/{id}"
	b.put(item, "GET", b.read(of))
	if slices.Contains(r.Item, "PUT") {
		b.put(item, "PUT", b.replace(of))
	}
	for _, a := range r.Actions {
		separator := ":"
		if a.Sub {
			separator = "/"
		}
		b.put(item+separator+a.Name, "POST", b.action(of, a))
	}
}

// described is a resource on its way into the document.
type described struct {
	rest.Description
	tag string
	// record and input are the schemas of a record as it is answered and as it may be sent.
	record, input *openapi3.SchemaRef
}

// put adds an operation, with its example if there is one.
func (b *builder) put(path, method string, op *openapi3.Operation) {
	if body, ok := b.examples[method+" "+path]; ok && op.RequestBody != nil {
		op.RequestBody.Value.Content["application/json"].Example = body
	}
	item := b.doc.Paths.Value(path)
	if item == nil {
		item = &openapi3.PathItem{}
		b.doc.Paths.Set(path, item)
	}
	item.SetOperation(method, op)
}

// kinds joins lists of problems, each problem once.
func kinds(lists ...[]problem.Kind) []problem.Kind {
	var all []problem.Kind
	for _, list := range lists {
		for _, k := range list {
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}
