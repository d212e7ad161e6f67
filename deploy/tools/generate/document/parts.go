package document

import (
	"reflect"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

var violations = reflect.TypeFor[[]problem.Violation]()

// succeed describes a successful response with headers by name. It has no body if schema is nil, and no example if
// example is nil.
func succeed(description string, schema *openapi3.SchemaRef, example any, names ...string) *openapi3.ResponseRef {
	response := openapi3.NewResponse().WithDescription(description)
	if schema != nil {
		response.WithContent(openapi3.NewContentWithJSONSchemaRef(schema))
		response.Content["application/json"].Example = example
	}
	response.Headers = headers(names...)
	return &openapi3.ResponseRef{Value: response}
}

func headers(names ...string) openapi3.Headers {
	all := openapi3.Headers{}
	for _, name := range names {
		all[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name}
	}
	return all
}

func body(schema *openapi3.SchemaRef, required bool) *openapi3.RequestBodyRef {
	return &openapi3.RequestBodyRef{Value: openapi3.NewRequestBody().
		WithRequired(required).WithContent(openapi3.NewContentWithJSONSchemaRef(schema))}
}

// file returns a body that is a file of one of some media types.
func file(media []string) *openapi3.RequestBodyRef {
	content := openapi3.Content{}
	for _, of := range media {
		content[of] = binary()
	}
	return &openapi3.RequestBodyRef{Value: openapi3.NewRequestBody().WithRequired(true).WithContent(content)}
}

func binary() *openapi3.MediaType {
	return openapi3.NewMediaType().WithSchema(openapi3.NewStringSchema().WithFormat("binary"))
}

func enumeration[T ~string](values []T) *openapi3.Schema {
	schema := openapi3.NewStringSchema()
	for _, value := range values {
		schema.Enum = append(schema.Enum, string(value))
	}
	return schema
}

func parameters(names ...string) openapi3.Parameters {
	var all openapi3.Parameters
	for _, name := range names {
		all = append(all, &openapi3.ParameterRef{Ref: "#/components/parameters/" + name})
	}
	return all
}

// sharedParameters returns the parameters that operations share, by the name of the component.
func sharedParameters() openapi3.ParametersMap {
	shared := openapi3.ParametersMap{}
	add := func(name string, p *openapi3.Parameter, schema *openapi3.Schema, description string) {
		shared[name] = &openapi3.ParameterRef{Value: p.WithSchema(schema).WithDescription(description)}
	}
	for name, means := range map[string]string{
		"id":           "The id of the record. One that is no UUID names nothing.",
		"policyNumber": "The number of the policy.",
		"organisation": "The name of the organisation that shares.",
		"name":         "The name of the webhook: 1 to 64 letters, digits, points, hyphens and underscores.",
		"contract":     "The reference of the contract: 1 to 64 letters, digits, points, hyphens and underscores.",
		"kind":         "The kind of bordereau: premium.",
		"period":       "The period: a month such as 2026-01, or a quarter such as 2026-Q1 or 2026-02-3M.",
		"number":       "The number of the version among those of the period, from 1.",
		"lineId":       "The id of the line: that of its receipt or claim.",
		"finding":      "The id of the finding.",
		"profile":      "The name of the profile: 1 to 64 letters, digits, points, hyphens and underscores.",
		"statementId":  "The id of the statement.",
		"view":         "The name of the view: 1 to 100 visible characters, no slash and no colon.",
		"runId":        "The id of the run.",
		"importId":     "The id of the import.",
		"template":     "The name of the workbook, such as motor.xlsx.",
		"item":         "The number of the item within its run, from 1.",
	} {
		add(name, openapi3.NewPathParameter(name), openapi3.NewStringSchema(), means)
	}
	add("limit", openapi3.NewQueryParameter("limit"),
		openapi3.NewIntegerSchema().WithMin(1).WithMax(rest.MaxLimit).WithDefault(rest.DefaultLimit),
		"The greatest number of records, or of events, in the page.")
	add("cursor", openapi3.NewQueryParameter("cursor"), openapi3.NewStringSchema(),
		"Where the page begins, as the Link header of the page before says.")
	add("skip", openapi3.NewQueryParameter("skip"), openapi3.NewIntegerSchema().WithMin(0).WithMax(rest.MaxSkip),
		"How many records are left out before the page. Follow the Link header rather than counting.")
	add("at", openapi3.NewQueryParameter("at").WithRequired(true), openapi3.NewDateTimeSchema(),
		"The instant, from the creation of the record until now. A + in it is written %2B.")
	add("effective", openapi3.NewQueryParameter("effective"), openapi3.NewDateTimeSchema(),
		"The instant of which the version that counts is returned. It, or at, is required. A + in it is written %2B.")
	add("knownAt", openapi3.NewQueryParameter("at"), openapi3.NewDateTimeSchema(),
		"The instant, from the creation of the record until now, at which the version was known; now if effective is "+
			"sent alone. A + in it is written %2B.")
	add("IdempotencyKey", openapi3.NewHeaderParameter("Idempotency-Key"),
		openapi3.NewStringSchema().WithMinLength(1).WithMaxLength(request.MaxKey),
		"Names the request, so that it can be sent again without being done twice. It belongs to the caller and "+
			"the operation.")
	add("IfMatch", openapi3.NewHeaderParameter("If-Match"), openapi3.NewStringSchema(),
		"Entity tags. If the record has none of them, because it has changed, the response is 412. They are "+
			"compared strongly; without a strong one and without `*` it is 400.")
	add("IfNoneMatch", openapi3.NewHeaderParameter("If-None-Match"), openapi3.NewStringSchema(),
		"Entity tags that the caller knows, or `*`. Where the record has one of them, a GET is 304 and a change 412. "+
			"They are compared weakly. A change with none, and without `*`, is 400.")
	add("Prefer", openapi3.NewHeaderParameter("Prefer"), openapi3.NewStringSchema(),
		"With `handling=strict` (RFC 7240) a member of the body that no field names is refused with 400. Without it "+
			"such a member is kept, with a warning where its name is like that of a field.")
	return shared
}

func sharedHeaders() openapi3.Headers {
	shared := openapi3.Headers{}
	for _, h := range []struct {
		name, description string
		required          bool
	}{
		{"X-Request-Id", "Names the request: the caller's own, or one that the exchange has made.", true},
		{"ETag", "The version of the record.", true},
		{"Location", "The path of the new record.", true},
		{"Idempotency-Replayed", "The value true says that nothing was done again.", false},
		{"Link", `The next page: <...>; rel="next" (RFC 8288). Absent on the last page.`, false},
		{"WWW-Authenticate", "What the token lacks (RFC 6750).", true},
		{"Retry-After", "Seconds to wait before the request is sent again.", true},
	} {
		shared[h.name] = &openapi3.HeaderRef{Value: &openapi3.Header{Parameter: openapi3.Parameter{
			Description: h.description, Required: h.required, Schema: openapi3.NewStringSchema().NewRef(),
		}}}
	}
	return shared
}

func text(description string) *openapi3.Schema {
	schema := openapi3.NewStringSchema()
	schema.Description = description
	return schema
}
