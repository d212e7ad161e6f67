package document

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// The problems that operations of every resource may return.
var (
	ofAll = []problem.Kind{
		problem.Unauthorized, problem.Unavailable, problem.Overloaded, problem.ShareUsedUp, problem.RateExceeded,
	}
	ofBodies = []problem.Kind{
		problem.SlowBody, problem.Malformed, problem.Invalid, problem.TooLarge, problem.RecordTooLarge,
		problem.MediaType, problem.BadHeader, problem.BadParameter,
	}
	ofKeys    = []problem.Kind{problem.KeyReused}
	ofQueries = []problem.Kind{problem.BadParameter}
	// ofStored are the problems of operations on a stored record and its former versions.
	ofStored = []problem.Kind{problem.NotFound, problem.Changed, problem.Altered}
	// ofReads and ofWrites are the problems of an operator, who must give a reason for each read and may not write.
	ofReads  = []problem.Kind{problem.BadHeader}
	ofWrites = []problem.Kind{problem.RightMissing}
)

// resource is a resource with its schemas.
type resource struct {
	rest.Description
	tag string
	// record is the schema of a record in responses, result that of the response to a creation, and input that of a
	// record in requests.
	record, result, input *openapi3.SchemaRef
}

func (b *builder) operation(of resource, id, summary, scope string) *openapi3.Operation {
	return &openapi3.Operation{
		OperationID: id, Summary: summary, Tags: []string{of.tag}, Responses: openapi3.NewResponsesWithCapacity(8),
		Security:   &openapi3.SecurityRequirements{{openapi.Bearer: {}}},
		Extensions: map[string]any{openapi.ScopeExtension: scope},
	}
}

func (b *builder) fixedList(of resource) *openapi3.Operation {
	op := b.operation(of, "list"+upper(of.Resource), "List all of "+of.Resource, openapi.ScopeDeveloper)
	op.Description = b.schemas.words.of(of.Record)
	op.Parameters = parameters("limit", "cursor", "skip")
	op.Responses.Set("200", succeed("All of them, whatever the paging parameters say.", listOf(of.record), nil,
		"X-Request-Id"))
	b.refuse(op, kinds(ofAll, ofQueries), ofReads...)
	return op
}

func (b *builder) list(of resource) *openapi3.Operation {
	op := b.operation(of, "list"+upper(of.Resource), "List "+of.Resource+" records, in order of creation",
		openapi.ScopeDeveloper)
	op.Description = "A page of the records that meet all filters. The Link header has the URL of the next page."
	op.Parameters = parameters("limit", "cursor", "skip")
	for _, p := range of.Parameters {
		op.AddParameter(queryParameter(p).WithDescription("Only records by " + p.Means + "."))
	}
	op.Responses.Set("200", succeed("A page of records.", listOf(of.record), b.examples.page(of.Resource), "Link",
		"X-Request-Id"))
	b.refuse(op, kinds(ofAll, ofQueries), ofReads...)
	return op
}

// queryParameter returns a parameter of a query with its schema.
func queryParameter(p rest.Parameter) *openapi3.Parameter {
	schema := openapi3.NewStringSchema().WithMinLength(1)
	switch p.Format {
	case "int64":
		schema = openapi3.NewInt64Schema()
	case "date", "uuid":
		schema = openapi3.NewStringSchema().WithFormat(p.Format)
	case "decimal":
		schema.WithPattern(`^-?[0-9]+(\.[0-9]+)?$`)
	}
	switch {
	case p.Most > 0:
		schema = openapi3.NewArraySchema().WithItems(schema).WithMinItems(1).WithMaxItems(int64(p.Most))
	case len(p.Values) > 0:
		schema = enumeration(p.Values)
	}
	described := openapi3.NewQueryParameter(p.Name).WithSchema(schema)
	described.Deprecated = p.Deprecated
	return described
}

func (b *builder) read(of resource) *openapi3.Operation {
	op := b.operation(of, "get"+upper(of.Resource), "Read one "+of.Resource, openapi.ScopeDeveloper)
	op.Description = b.schemas.words.of(of.Record)
	op.Parameters = parameters("id", "IfMatch", "IfNoneMatch")
	op.Responses.Set("200", succeed("The record.", of.record, b.examples.record(of.Resource), "ETag", "X-Request-Id"))
	op.Responses.Set("304", unchanged())
	b.refuse(op, kinds(ofAll, ofQueries, []problem.Kind{problem.NotFound, problem.Changed}), ofReads...)
	return op
}

func unchanged() *openapi3.ResponseRef {
	return succeed("The record is still the one that If-None-Match names.", nil, nil, "ETag", "X-Request-Id")
}

func (b *builder) create(of resource) *openapi3.Operation {
	op := b.operation(of, "create"+upper(of.Resource), "Create one "+of.Resource, openapi.ScopeAdmin)
	op.Description = b.schemas.words.of(of.Record)
	if len(of.Checks) > 0 {
		op.Description += "\n\nThe checks, in this order; the first that fails decides the response:\n\n" +
			checkTable(of.Description, pageLink)
	}
	op.Parameters = parameters("IdempotencyKey", "Prefer")
	op.RequestBody = body(of.input, true)
	op.Responses.Set("201", succeed("The new record.", of.result, nil, "Location", "ETag", "X-Request-Id"))
	op.Responses.Set("200",
		succeed("The same Idempotency-Key came with the same request before: the record that it made, as it is now.",
			of.result, nil, "Idempotency-Replayed", "ETag", "X-Request-Id"))
	b.refuse(op, kinds(ofAll, ofBodies, ofKeys, checksRefuse(of.Description), of.Taken, of.WriteRefuses), ofWrites...)
	return op
}

func (b *builder) replace(of resource) *openapi3.Operation {
	op := b.operation(of, "replace"+upper(of.Resource), "Replace one "+of.Resource, openapi.ScopeAdmin)
	schema := of.input
	op.Description = "The body is the whole record: what a creation requires is required. A member that the " +
		"exchange issues may be " +
		"left out or sent as it is."
	if of.Merge {
		schema = b.schemas.changes(of.Description)
		op.Description = "The members that are sent replace those of the record; the others stay. A member that " +
			"the exchange issues may " +
			"be left out or sent as it is."
	}
	op.Parameters = parameters("id", "IfMatch", "IfNoneMatch", "Prefer")
	op.RequestBody = body(schema, true)
	result := of.record
	if mayWarn(of.Description) {
		result = of.result
	}
	op.Responses.Set("200", succeed("The record as it is now.", result, nil, "ETag", "X-Request-Id"))
	b.refuse(op, kinds(ofAll, ofBodies, ofStored, checksRefuse(of.Description),
		of.ReplaceRefuses, of.Taken, of.WriteRefuses), ofWrites...)
	return op
}

func checksRefuse(r rest.Description) []problem.Kind {
	var all []problem.Kind
	for _, list := range [][]rest.CheckDescription{r.Checks, r.Rules} {
		for _, c := range list {
			all = kinds(all, c.Refuses)
			if len(c.Requires) > 0 {
				all = kinds(all, []problem.Kind{problem.Required})
			}
		}
	}
	return all
}

// requires returns the members that a creation needs, in the order of its checks.
func requires(r rest.Description) []string {
	var all []string
	for _, list := range [][]rest.CheckDescription{r.Checks, r.Rules} {
		for _, c := range list {
			all = append(all, c.Requires...)
		}
	}
	return all
}

func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
