package document

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/edge"
	"insurance.example/exchange/pkg/jsonobject"
	"insurance.example/exchange/pkg/rest"
)

// Service holds the declarations of one service.
type Service struct {
	Resources  []rest.Description
	Extensions []rest.Extension
}

// Build returns the document. root is the folder of the repository, from which the comments of the structs are read.
// Build returns an error for a resource or a member without a description for callers, an example of an operation
// that does not exist, a type without a schema, and schemas whose names differ only in case.
func Build(services []Service, root string) (*openapi3.T, error) {
	shown, err := newExamples(services)
	if err != nil {
		return nil, err
	}
	refused, err := sharedResponses(true)
	if err != nil {
		return nil, err
	}
	texts, err := problems.Texts()
	if err != nil {
		return nil, err
	}
	b := &builder{
		doc: &openapi3.T{
			OpenAPI: "3.1.0", Info: info(),
			Servers: openapi3.Servers{{URL: "/", Description: "The exchange that serves this document."}},
			Paths:   openapi3.NewPaths(),
			Components: &openapi3.Components{
				Parameters: sharedParameters(), Headers: sharedHeaders(), SecuritySchemes: securitySchemes(),
				Responses: refused,
			},
		},
		schemas: newSchemas(valuesets.Published(), root), examples: shown, texts: texts,
	}
	problem := b.schemas.problem()
	problem.Description = "A problem document (RFC 7807)."
	b.schemas.add("Problem", problem)
	for _, s := range services {
		for _, r := range s.Resources {
			b.resource(r)
		}
		for _, x := range s.Extensions {
			if x.Action == "" {
				b.extension(x)
			}
		}
	}
	b.schemas.checkNames()
	b.doc.Components.Schemas = b.schemas.all
	slices.SortFunc(b.doc.Tags, func(x, y *openapi3.Tag) int { return cmp.Compare(x.Name, y.Name) })
	return b.doc, errors.Join(append(b.errs, b.schemas.failure(services), b.examples.unused())...)
}

// failure returns what is wrong with the schemas and their descriptions.
func (s *schemas) failure(services []Service) error {
	public := map[string]bool{}
	for name := range s.all {
		public[name] = true
	}
	for _, service := range services {
		for _, r := range service.Resources {
			for _, field := range members(r.Record) {
				public[jsonName(field)] = true
			}
		}
	}
	return errors.Join(append(s.errs, s.words.proofread(public))...)
}

// builder collects the document.
type builder struct {
	doc      *openapi3.T
	schemas  *schemas
	examples *examples
	// texts are those of the problems, where each response names the problems that it may have.
	texts map[string]problems.Text
	errs  []error
}

func info() *openapi3.Info {
	return &openapi3.Info{
		Title: "Insurance Exchange Service", Version: "1.0.0",
		Contact: &openapi3.Contact{Name: "The operator of this exchange"},
		Description: conventions +
			"\n\nWhat the interface leaves open, and how it is settled here: [the register](/docs/register).",
		License: &openapi3.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
	}
}

// conventions is the text about what holds for every resource.
var conventions = fmt.Sprintf(
	"The HTTP interface through which insurers, brokers and client applications exchange insurance records.\n\n"+
		"**Access.** Every operation needs a bearer token: `std.developer` opens GET, `std.admin` everything else. "+
		"Where organisations share the exchange, a token with `exchange.operate` is an operator's: it reads the "+
		"records of all of them, says why in the header `Exchange-Reason` (1 to 200 characters, else 400), and writes nothing "+
		"(403).\n\n"+
		"**Errors.** Every error is a problem document (RFC 7807) whose `type` is the URI of a page that says how "+
		"to mend it.\n\n"+
		"**Members.** Those that a record does not name are kept and returned as sent; null is the same as absent. "+
		"The value sets are those in force.\n\n"+
		"**Numbers.** Amounts are JSON numbers and keep their digits. A number of the format `decimal` may have "+
		"more digits than "+
		"a binary float holds, and an `int64` more than the 53 bits of a JavaScript number: read them from the "+
		"text of the JSON "+
		"where every digit counts. The interface does not say the currency or the unit of an amount.\n\n"+
		"**Limits.** A request line and a header of %d KiB together, a body of 1 MiB and a record of %d MiB (the "+
		"operator may move both), a string of %d KiB in UTF-8, %d levels of nesting, a number of %d "+
		"characters, a list of %d elements, %d members of all objects and %d elements of all lists of a body "+
		"together, a page of %d records (it ends early where it would be larger than %d MiB; follow its `next` "+
		"link), a `skip` of %d. Beyond is 431 for the header, on every operation, 413 for the body and "+
		"the record, and 400 for the rest.",
	edge.MaxHeader>>10, rest.UsualRecord>>20, jsonobject.MaxString/1024, jsonobject.MaxDepth, jsonobject.MaxNumber,
	jsonobject.MaxElements, jsonobject.MaxMembers, jsonobject.MaxAllElements,
	rest.MaxLimit, rest.MaxPage>>20, rest.MaxSkip)

// tag returns the group of a resource in the document. It is named after the package of the resource's struct.
func (b *builder) tag(record reflect.Type) string {
	name, description := b.schemas.words.group(record)
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
	of := resource{Description: r, tag: b.tag(r.Record), record: b.schemas.record(r)}
	if r.Static {
		b.put("/"+r.Resource, "GET", b.fixedList(of))
		return
	}
	of.input, of.result = b.schemas.input(r), b.schemas.result(r)
	b.put("/"+r.Resource, "GET", b.list(of))
	b.put("/"+r.Resource, "POST", b.create(of))
	item := "/" + r.Resource + "/{id}"
	b.put(item, "GET", b.read(of))
	if slices.Contains(r.Item, "PUT") {
		b.put(item, "PUT", b.replace(of))
	}
	for _, a := range r.Actions {
		b.put(actionPath(r, a), "POST", b.action(of, a))
	}
}

func actionPath(r rest.Description, a rest.ActionDescription) string {
	separator := ":"
	if a.Sub {
		separator = "/"
	}
	path := "/" + r.Resource + "/{id}" + separator + a.Name
	if a.Beyond {
		return rest.ExtensionPrefix + path
	}
	return path
}

// put adds an operation, with the examples of its body and its responses if there are any.
func (b *builder) put(path, method string, op *openapi3.Operation) {
	b.examples.show(method+" "+path, op)
	item := b.doc.Paths.Value(path)
	if item == nil {
		item = &openapi3.PathItem{}
		b.doc.Paths.Set(path, item)
	}
	item.SetOperation(method, op)
}
