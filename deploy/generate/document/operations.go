package document

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// The problems that an operation meets whatever the resource.
var (
	always    = []problem.Kind{problem.Unauthorized, problem.Unavailable}
	ofBodies  = []problem.Kind{problem.Malformed, problem.Invalid, problem.TooLarge, problem.MediaType}
	ofKeys    = []problem.Kind{problem.BadHeader, problem.KeyReused}
	ofQueries = []problem.Kind{problem.BadParameter}
)

func (b *builder) operation(of described, id, summary string, security *openapi3.SecurityRequirements) *openapi3.Operation {
	return &openapi3.Operation{
		OperationID: id, Summary: summary, Tags: []string{of.tag}, Security: security, Responses: openapi3.NewResponsesWithCapacity(8),
	}
}

func (b *builder) fixedList(of described) *openapi3.Operation {
	op := b.operation(of, "list"+upper(of.Resource), "List all of "+of.Resource, reads)
	op.Description = b.schemas.words.of(of.Record)
	op.Parameters = parameters("limit", "cursor", "skip")
	op.Responses.Set("200", answer("All of them, whatever the paging parameters say.", listOf(of.record), "X-Request-Id"))
	b.refuse(op, kinds(always, ofQueries))
	return op
}

func (b *builder) list(of described) *openapi3.Operation {
	op := b.operation(of, "list"+upper(of.Resource), "List "+of.Resource+" records, in order of creation", reads)
	op.Description = "A page of the records that all parameters together leave. The Link header leads to the next page."
	op.Parameters = parameters("limit", "cursor", "skip")
	for _, p := range of.Parameters {
		schema := openapi3.NewStringSchema().WithMinLength(1)
		switch p.Format {
		case "int64":
			schema = openapi3.NewInt64Schema()
		case "date":
			schema = openapi3.NewStringSchema().WithFormat("date")
		}
		op.AddParameter(openapi3.NewQueryParameter(p.Name).WithSchema(schema).WithDescription("Only records by " + p.Means + "."))
	}
	op.Responses.Set("200", answer("A page of records.", listOf(of.record), "Link", "X-Request-Id"))
	b.refuse(op, kinds(always, ofQueries))
	return op
}

func (b *builder) read(of described) *openapi3.Operation {
	op := b.operation(of, "get"+upper(of.Resource), "Read one "+of.Resource, reads)
	op.Description = b.schemas.words.of(of.Record)
	op.Parameters = parameters("id", "IfNoneMatch")
	op.Responses.Set("200", answer("The record.", of.record, "ETag", "X-Request-Id"))
	op.Responses.Set("304", answer("The record is still the one that If-None-Match names.", nil, "ETag", "X-Request-Id"))
	b.refuse(op, kinds(always, ofQueries, []problem.Kind{problem.NotFound}))
	return op
}

func (b *builder) create(of described) *openapi3.Operation {
	op := b.operation(of, "create"+upper(of.Resource), "Create one "+of.Resource, writes)
	op.Description = b.schemas.words.of(of.Record) + rows(of.Description)
	op.Parameters = parameters("IdempotencyKey")
	op.RequestBody = body(b.schemas.requiring(of.Description, requires(of.Description), of.input), true)
	made := b.schemas.answered(of.Description, of.record)
	op.Responses.Set("201", answer("The new record.", made, "Location", "ETag", "X-Request-Id"))
	op.Responses.Set("200", answer("The same Idempotency-Key came with the same request before: the record that it made, as it is now.",
		made, "Idempotency-Replayed", "ETag", "X-Request-Id"))
	b.refuse(op, kinds(always, ofBodies, ofKeys, checksRefuse(of.Description), of.Taken))
	return op
}

func (b *builder) replace(of described) *openapi3.Operation {
	op := b.operation(of, "replace"+upper(of.Resource), "Replace one "+of.Resource, writes)
	op.Description = "The body is the whole record. Only the checks on members that differ run again."
	if of.Merge {
		op.Description = "The members sent replace those of the record; the others stay. Only the checks on members that differ run again."
	}
	op.Parameters = parameters("id", "IfMatch")
	op.RequestBody = body(of.input, true)
	op.Responses.Set("200", answer("The record as it is now.", of.record, "ETag", "X-Request-Id"))
	b.refuse(op, kinds(always, ofBodies, []problem.Kind{problem.NotFound, problem.Changed}, checksRefuse(of.Description), of.ReplaceRefuses, of.Taken))
	return op
}

// action describes POST /{resource}/{id}:{action} and POST /{resource}/{id}/{sub}.
func (b *builder) action(of described, a rest.ActionDescription) *openapi3.Operation {
	op := b.operation(of, a.Name+upper(of.Resource), upper(a.Name)+": "+of.Resource, writes)
	if a.Sub {
		op.OperationID, op.Summary = "add"+upper(of.Resource)+upper(a.Name), "Add to the "+a.Name+" of one "+of.Resource
	}
	op.Description = transitions(a)
	op.Parameters = parameters("id", "IdempotencyKey", "IfMatch")
	op.RequestBody = body(b.schemas.actionBody(a, of.input), len(a.Requires) > 0)
	result := of.record
	if a.WithExtra {
		result = b.schemas.answered(of.Description, of.record)
	}
	if a.Spawns {
		op.Responses.Set("201", answer("The second record, which the action has made.", result, "Location", "ETag", "X-Request-Id"))
		op.Responses.Set("200", answer("The same Idempotency-Key came with the same request before: the record that it made.",
			result, "Idempotency-Replayed", "ETag", "X-Request-Id"))
	} else {
		op.Responses.Set("200", answer("The record as it is now.", result, "ETag", "X-Request-Id"))
	}
	refused := kinds(always, ofBodies, ofKeys, []problem.Kind{problem.NotFound, problem.Changed}, a.Refuses)
	if len(a.Moves) > 0 {
		refused = kinds(refused, []problem.Kind{problem.Transition})
	}
	if len(a.Requires) > 0 {
		refused = kinds(refused, []problem.Kind{problem.Required})
	}
	if a.Amends {
		refused = kinds(refused, checksRefuse(of.Description))
	}
	if a.Spawns {
		refused = kinds(refused, of.Taken)
	}
	b.refuse(op, refused)
	return op
}

// extension describes an operation beyond the interface.
func (b *builder) extension(x rest.Extension) {
	const tag = "Beyond the interface"
	b.addTag(tag, "What the interface does not name. All of it only reads.")
	op := b.operation(described{tag: tag}, "", x.Summary, reads)
	op.Description = x.Summary + "."
	op.Responses.Set("200", answer(op.Description, b.schemas.of(x.Response, false), "X-Request-Id"))
	if x.Method == http.MethodGet {
		op.OperationID, op.Parameters = "historyOf"+upper(x.Resource), parameters("id")
		b.refuse(op, kinds(always, ofQueries, []problem.Kind{problem.NotFound}))
	} else {
		op.OperationID = "try" + upper(x.Resource)
		op.RequestBody = body(openapi3.NewSchemaRef(schemaRef+x.Resource+inputSuffix, nil), true)
		b.refuse(op, kinds(always, ofBodies))
	}
	b.put(x.Path, x.Method, op)
}

// rows tells the checks of a create as the errors table has them.
func rows(r rest.Description) string {
	var text strings.Builder
	if len(r.Checks) > 0 {
		text.WriteString("\n\nThe checks, in this order; the first that fails decides the answer:\n\n| | condition | answer |\n|---|---|---|\n")
	}
	for i, c := range r.Checks {
		answer := "a warning, and the record is made"
		if len(c.Refuses) > 0 {
			kind := c.Refuses[0]
			answer = fmt.Sprintf("%d [%s](%s)", kind.Status(), kind.Title(), problem.URI(kind))
		}
		fmt.Fprintf(&text, "| %d | %s | %s |\n", i+1, c.Name, answer)
	}
	return text.String()
}

// transitions tells the moves of an action.
func transitions(a rest.ActionDescription) string {
	if len(a.Moves) == 0 {
		return "The state of the record does not matter and stays as it is."
	}
	var text strings.Builder
	text.WriteString("The listed transitions; any other state refuses the action with 409:\n\n| from | to |\n|---|---|\n")
	for _, m := range a.Moves {
		fmt.Fprintf(&text, "| %s | %s |\n", m.From, m.To)
	}
	return text.String()
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

// requires answers the members that a create needs, in the order of its checks.
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
