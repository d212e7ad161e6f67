package document

import (
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/pkg/problem"
)

// answer describes a successful response with headers by name; no body where schema is nil.
func answer(description string, schema *openapi3.SchemaRef, headers ...string) *openapi3.ResponseRef {
	response := openapi3.NewResponse().WithDescription(description)
	if schema != nil {
		response.WithContent(openapi3.NewContentWithJSONSchemaRef(schema))
	}
	response.Headers = openapi3.Headers{}
	for _, name := range headers {
		response.Headers[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name}
	}
	return &openapi3.ResponseRef{Value: response}
}

func body(schema *openapi3.SchemaRef, required bool) *openapi3.RequestBodyRef {
	return &openapi3.RequestBodyRef{Value: openapi3.NewRequestBody().
		WithRequired(required).WithContent(openapi3.NewContentWithJSONSchemaRef(schema))}
}

// refuse adds a response for each status of the problems. It names the problems that can be its type.
func (b *builder) refuse(op *openapi3.Operation, refused []problem.Kind) {
	byStatus := map[int][]problem.Kind{}
	for _, k := range refused {
		byStatus[k.Status()] = append(byStatus[k.Status()], k)
	}
	for status, list := range byStatus {
		if len(list) > 1 {
			op.Responses.Set(strconv.Itoa(status), &openapi3.ResponseRef{Value: refusal(list)})
			continue
		}
		slug := list[0].Slug()
		b.doc.Components.Responses[slug] = &openapi3.ResponseRef{Value: refusal(list)}
		op.Responses.Set(strconv.Itoa(status), &openapi3.ResponseRef{Ref: "#/components/responses/" + slug})
	}
}

func refusal(list []problem.Kind) *openapi3.Response {
	var titles, types []string
	for _, k := range list {
		titles, types = append(titles, k.Title()), append(types, problem.URI(k))
	}
	slices.Sort(types)
	schema := openapi3.NewAllOfSchema()
	schema.AllOf = openapi3.SchemaRefs{
		{Ref: schemaRef + "Problem"},
		{Value: &openapi3.Schema{Properties: openapi3.Schemas{"type": {Value: enumeration(types)}}}},
	}
	response := openapi3.NewResponse().WithDescription(strings.Join(titles, "; "))
	response.Content = openapi3.NewContentWithSchema(schema, []string{problem.ContentType})
	response.Headers = openapi3.Headers{"X-Request-Id": {Ref: "#/components/headers/X-Request-Id"}}
	for name, status := range map[string]int{"WWW-Authenticate": 401, "Retry-After": 503} {
		if list[0].Status() == status {
			response.Headers[name] = &openapi3.HeaderRef{Ref: "#/components/headers/" + name}
		}
	}
	return response
}

func enumeration(values []string) *openapi3.Schema {
	schema := openapi3.NewStringSchema()
	for _, value := range values {
		schema.Enum = append(schema.Enum, value)
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

// The parameters that operations share, by the name of the component.
func sharedParameters() openapi3.ParametersMap {
	shared := openapi3.ParametersMap{}
	add := func(name string, p *openapi3.Parameter, schema *openapi3.Schema, description string) {
		shared[name] = &openapi3.ParameterRef{Value: p.WithSchema(schema).WithDescription(description)}
	}
	add("id", openapi3.NewPathParameter("id"), openapi3.NewStringSchema(),
		"The id of the record. One that is no UUID names nothing.")
	add("limit", openapi3.NewQueryParameter("limit"), openapi3.NewIntegerSchema().WithMin(1).WithMax(200).WithDefault(50),
		"The greatest number of records in the page.")
	add("cursor", openapi3.NewQueryParameter("cursor"), openapi3.NewStringSchema(),
		"Where the page begins, as the Link header of the page before says.")
	add("skip", openapi3.NewQueryParameter("skip"), openapi3.NewIntegerSchema().WithMin(0).WithMax(1_000_000),
		"How many records are left out before the page. Follow the Link header rather than counting.")
	add("IdempotencyKey", openapi3.NewHeaderParameter("Idempotency-Key"), openapi3.NewStringSchema().WithMinLength(1).WithMaxLength(255),
		"Names the request, so that it can be sent again without being done twice. It belongs to the caller and the operation.")
	add("IfMatch", openapi3.NewHeaderParameter("If-Match"), openapi3.NewStringSchema(),
		"Entity tags of which the record must have one; 412 where it has changed.")
	add("IfNoneMatch", openapi3.NewHeaderParameter("If-None-Match"), openapi3.NewStringSchema(),
		"Entity tags that the caller knows; 304 where the record has one of them.")
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
		{"Idempotency-Replayed", "true: nothing was done again.", false},
		{"Link", `The next page: <...>; rel="next" (RFC 8288). Absent on the last.`, false},
		{"WWW-Authenticate", "What the token lacks (RFC 6750).", true},
		{"Retry-After", "Seconds to wait before the request is sent again.", true},
	} {
		shared[h.name] = &openapi3.HeaderRef{Value: &openapi3.Header{Parameter: openapi3.Parameter{
			Description: h.description, Required: h.required, Schema: openapi3.NewStringSchema().NewRef(),
		}}}
	}
	return shared
}

func problemSchema() *openapi3.Schema {
	violation := openapi3.NewObjectSchema().WithRequired([]string{"reason"}).
		WithProperty("pointer", text("JSON pointer into the body.")).
		WithProperty("parameter", text("Name of a query parameter.")).
		WithProperty("reason", text("What is wrong there."))
	count := openapi3.NewIntegerSchema().WithMin(1)
	count.Description = "How many more errors there are than the document lists."
	schema := openapi3.NewObjectSchema().WithRequired([]string{"type", "title", "status", "instance"}).
		WithProperty("type", text("A stable URI reference; it leads to a page about the problem.").WithFormat("uri-reference")).
		WithProperty("title", text("The same for every occurrence.")).
		WithProperty("status", openapi3.NewIntegerSchema().WithMin(400).WithMax(599)).
		WithProperty("detail", text("What is wrong with this request.")).
		WithProperty("instance", text("The X-Request-Id of the answer.")).
		WithProperty("existingId", text("On a conflict: the record that is there already.").WithFormat("uuid")).
		WithProperty("state", text("On a transition that is not listed: the state of the record.")).
		WithProperty("errors", openapi3.NewArraySchema().WithItems(violation).WithMaxItems(problem.MaxViolations)).
		WithProperty("moreErrors", count)
	schema.Description = "A problem document (RFC 7807)."
	return schema.WithAnyAdditionalProperties()
}

func text(description string) *openapi3.Schema {
	schema := openapi3.NewStringSchema()
	schema.Description = description
	return schema
}
