package document

import (
	"errors"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// internalScheme names the security scheme of internal operations.
const internalScheme = "credential"

// Internal returns the OpenAPI document of the operations that one service offers to others. root is as for Build.
// Internal returns an error for a type or a member without a description, and for a type without a schema.
func Internal(c internalapi.Contract, root string) (*openapi3.T, error) {
	refused, err := sharedResponses()
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
	op.AddParameter(openapi3.NewPathParameter(o.Parameter).WithSchema(openapi3.NewStringSchema()).WithDescription(
		o.ParameterMeans))
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
	if o.Conflicts {
		refused = append(refused, problem.Transition)
	}
	b.refuse(op, refused)
	item := &openapi3.PathItem{}
	item.SetOperation(o.Method, op)
	b.doc.Paths.Set(o.Path+"{"+o.Parameter+"}", item)
}
