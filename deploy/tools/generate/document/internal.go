package document

import (
	"errors"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/external"
)

// internalScheme names the security scheme of internal operations.
const internalScheme = "credential"

// Internal returns the OpenAPI document of the operations that one service offers to others. root is as for Build.
// Internal returns an error for a type or a member without a description, and for a type without a schema.
func Internal(c internalapi.Contract, root string) (*openapi3.T, error) {
	refused, err := sharedResponses(false)
	if err != nil {
		return nil, err
	}
	b := &builder{
		doc: &openapi3.T{
			OpenAPI: "3.1.0",
			Info: &openapi3.Info{
				Title: "Internal operations of " + c.Service, Version: c.Version,
				Description: c.About + " The gateway never routes them.",
				License:     &openapi3.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
			},
			Servers: openapi3.Servers{{URL: "http://" + c.Service,
				Description: "The service, by its address as a peer."}},
			Paths: openapi3.NewPaths(),
			Components: &openapi3.Components{
				Headers: sharedHeaders(), Responses: refused,
				SecuritySchemes: openapi3.SecuritySchemes{internalScheme: {Value: &openapi3.SecurityScheme{
					Type: "apiKey", In: "header", Name: request.CredentialHeader,
					Description: "The secret that the processes of an exchange share.",
				}}},
			},
		},
		schemas: newSchemas(valuesets.Published(), root),
	}
	b.schemas.add("Problem", b.schemas.problem())
	for _, o := range c.Operations {
		b.internalOperation(o)
	}
	b.doc.Components.Schemas = b.schemas.all
	return b.doc, errors.Join(append(b.errs, b.schemas.failure(nil))...)
}

func (b *builder) internalOperation(o internalapi.Operation) {
	op := &openapi3.Operation{
		OperationID: o.ID, Summary: o.Summary, Responses: openapi3.NewResponsesWithCapacity(4),
		Security: &openapi3.SecurityRequirements{{internalScheme: {}}}, Extensions: map[string]any{},
	}
	add := func(p *openapi3.Parameter, schema *openapi3.Schema, means string) {
		op.AddParameter(p.WithSchema(schema).WithDescription(means))
	}
	if o.Parameter != (internalapi.Parameter{}) {
		add(openapi3.NewPathParameter(o.Parameter.Name), openapi3.NewStringSchema(), o.Parameter.Means)
	}
	if len(o.Parts) > 0 {
		add(openapi3.NewQueryParameter("part"), enumeration(o.Parts), "The one part to return; all of them without it.")
		add(openapi3.NewQueryParameter("skip"), openapi3.NewIntegerSchema().WithMin(0).WithMax(internalapi.MostSkipped),
			"How many records of the part to leave out.")
	}
	if o.Takes != nil {
		op.RequestBody = body(b.schemas.of(o.Takes, false), !o.Bare)
	}
	if o.Limited {
		add(openapi3.NewQueryParameter("limit"),
			openapi3.NewIntegerSchema().WithMin(1).WithMax(rest.MaxLimit).WithDefault(rest.DefaultLimit),
			"How many entries to return at most.")
	}
	if o.Recording {
		add(openapi3.NewQueryParameter("records"), enumeration([]string{"true"}),
			"Whether the entries have the records as well; a page then has about a mebibyte of them.")
	}
	if o.Dated {
		add(openapi3.NewQueryParameter("at").WithRequired(true), openapi3.NewDateTimeSchema(),
			"The instant; one that is still to come is now.")
	}
	if o.Effective {
		add(openapi3.NewQueryParameter("at"), openapi3.NewDateTimeSchema(),
			"The instant of which what counts is returned; without it, what was written last.")
	}
	if o.Referring {
		add(openapi3.NewQueryParameter(external.Parameter), openapi3.NewStringSchema(), "The name, or the number.")
	}
	if o.Returns == nil {
		op.Responses.Set("204", succeed("Done.", nil, nil, "X-Request-Id"))
	} else {
		op.Responses.Set("200", succeed("What was looked up.", b.schemas.of(o.Returns, false), nil, "X-Request-Id"))
	}
	refused := []problem.Kind{problem.Unauthorized, problem.Unavailable}
	if o.NotFound != nil {
		refused = append(refused, o.NotFound)
	} else {
		refused = append(refused, problem.NotFound)
	}
	if o.Limited || o.Dated || o.Effective || o.Referring || len(o.Parts) > 0 || o.Parameter.Several {
		refused = append(refused, problem.BadParameter)
	}
	if o.Takes != nil {
		refused = append(refused, problem.Malformed, problem.TooLarge)
	}
	if o.Conflicts {
		refused = append(refused, problem.Transition)
	}
	b.refuse(op, refused)
	item := &openapi3.PathItem{}
	item.SetOperation(o.Method, op)
	path := o.Path
	if o.Parameter != (internalapi.Parameter{}) {
		path += "{" + o.Parameter.Name + "}"
	}
	b.doc.Paths.Set(path, item)
}
