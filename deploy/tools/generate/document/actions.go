package document

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// action describes POST /{resource}/{id}:{action} and POST /{resource}/{id}/{sub}.
func (b *builder) action(of resource, a rest.ActionDescription) *openapi3.Operation {
	op := b.operation(of, a.Name+upper(of.Resource), upper(a.Name)+" one "+of.Resource, openapi.ScopeAdmin)
	if a.Sub {
		op.OperationID, op.Summary = "add"+upper(of.Resource)+upper(a.Name), "Add to the "+a.Name+" of one "+of.Resource
	}
	op.Description = "The action applies in every state of the record and leaves the state as it is."
	if len(a.Moves) > 0 {
		op.Description = "The listed transitions; a record in any other state refuses the action with 409:\n\n" +
			moveTable(a.Moves)
	}
	if a.KeyFor != "" {
		op.Description = strings.TrimSpace(op.Description) + "\n\nAn Idempotency-Key is needed " + a.KeyFor + "."
	}
	op.Parameters = parameters("id", "IdempotencyKey", "IfMatch", "IfNoneMatch", "Prefer")
	op.RequestBody = body(b.schemas.actionBody(of.Description, a), len(a.Requires) > 0)
	result := of.record
	if a.WithExtra || mayWarn(of.Description) {
		result = of.result
	}
	if a.Spawns {
		op.Responses.Set("201",
			succeed("The second record, which the action has made.", result, nil, "Location", "ETag", "X-Request-Id"))
		op.Responses.Set("200",
			succeed("The same Idempotency-Key came with the same request before: the record that it made.",
				result, nil, "Idempotency-Replayed", "ETag", "X-Request-Id"))
	} else {
		op.Responses.Set("200", succeed("The record as it is now.", result, nil, "ETag", "X-Request-Id"))
	}
	b.refuse(op, actionRefuses(of.Description, a), ofWrites...)
	return op
}

// mayWarn reports whether the response of a change may carry warnings and nothing else that is not of the record.
func mayWarn(r rest.Description) bool { return len(r.Extra) == 0 && warns(r) }

// actionRefuses returns the problems that an action may return.
func actionRefuses(r rest.Description, a rest.ActionDescription) []problem.Kind {
	refused := kinds(ofAll, ofBodies, ofKeys, ofStored, a.Refuses, r.WriteRefuses)
	if len(a.Moves) > 0 {
		refused = kinds(refused, []problem.Kind{problem.Transition})
	}
	if len(a.Requires) > 0 {
		refused = kinds(refused, []problem.Kind{problem.Required})
	}
	if a.Amends {
		refused = kinds(refused, checksRefuse(r))
	}
	if a.Spawns {
		refused = kinds(refused, r.Taken)
	}
	return refused
}

// extension describes an operation beyond the interface.
func (b *builder) extension(x rest.Extension) {
	const tag = "beyond the interface"
	b.addTag(tag, "What the interface does not name.")
	scope := openapi.ScopeDeveloper
	if x.Writes {
		scope = openapi.ScopeAdmin
	}
	op := b.operation(resource{tag: tag}, x.ID, x.Summary, scope)
	op.Description = strings.TrimSpace(x.Summary + ". " + x.Details)
	if d := x.Deprecated; d != nil {
		op.Deprecated = true
		op.Description += fmt.Sprintf(" Deprecated since %s; it may be gone from %s on. See %s.",
			d.Since.UTC().Format(time.DateOnly), d.Sunset.UTC().Format(time.DateOnly), d.Instead)
	}
	switch {
	case len(x.Among) > 0:
		b.search(op, x)
	case x.Resource == "":
		op.Parameters = parameters(x.Parameters...)
		for _, p := range x.Query {
			op.AddParameter(queryParameter(p).WithDescription(p.Means))
		}
		refused := kinds(ofAll, ofQueries, x.Refuses)
		if x.Body != nil {
			op.RequestBody = body(b.schemas.closed(x.Body), true)
			refused = kinds(refused, ofBodies)
		}
		if len(x.Takes) > 0 {
			op.RequestBody = file(x.Takes)
			refused = kinds(refused, []problem.Kind{
				problem.SlowBody, problem.Malformed, problem.TooLarge, problem.MediaType,
			})
		}
		headers := []string{"X-Request-Id"}
		if x.Tagged {
			headers = append(headers, "ETag")
		}
		if slices.Contains(x.Parameters, "IdempotencyKey") {
			headers = append(headers, "Idempotency-Replayed")
		}
		if x.Tagged && x.Method == http.MethodGet {
			op.Responses.Set("304", unchanged())
		}
		if x.Tagged && (x.Writes || x.Method == http.MethodGet) {
			op.Parameters = append(op.Parameters, parameters("IfMatch", "IfNoneMatch")...)
			refused = kinds(refused, []problem.Kind{problem.Changed, problem.BadHeader})
		}
		status, response := "200", (*openapi3.SchemaRef)(nil)
		if x.Creates {
			status, headers = "201", append(headers, "Location")
		}
		if x.Response != nil {
			response = b.schemas.of(x.Response, false)
		}
		op.Responses.Set(status, succeed(x.Summary+".", response, nil, headers...))
		if x.Creates && slices.Contains(x.Parameters, "IdempotencyKey") {
			op.Responses.Set("200", succeed("What an earlier request with the same Idempotency-Key made.", response,
				nil, headers...))
		}
		if x.Media != "" {
			op.Responses.Value(status).Value.Content = openapi3.Content{
				x.Media: binary(),
			}
		}
		for _, media := range x.Also {
			op.Responses.Value(status).Value.Content[media] = binary()
		}
		met := ofWrites
		if x.Method == http.MethodGet {
			met = ofReads
		}
		b.refuse(op, refused, met...)
	case x.IsRecord:
		op.OperationID, op.Parameters = "past"+
			upper(x.Resource), parameters(slices.Concat([]string{"id", "IfMatch", "IfNoneMatch"}, x.Parameters)...)
		result := refTo(x.Resource)
		if slices.Contains(x.Parameters, "effective") {
			result = refTo(x.Resource + resultSuffix)
		}
		op.Responses.Set("200",
			succeed(op.Description, result, b.examples.record(x.Resource), "ETag", "X-Request-Id"))
		op.Responses.Set("304", unchanged())
		b.refuse(op, kinds(ofAll, ofQueries, ofStored), ofReads...)
	case x.Method == http.MethodGet:
		op.OperationID, op.Parameters = "historyOf"+
			upper(x.Resource), parameters(slices.Concat([]string{"id"}, x.Parameters)...)
		op.Responses.Set("200", succeed(op.Description, b.schemas.of(x.Response, false), b.examples.history(x.Resource),
			"Link", "X-Request-Id"))
		b.refuse(op, kinds(ofAll, ofQueries, []problem.Kind{problem.NotFound, problem.Altered}), ofReads...)
	default:
		op.OperationID = "try" + upper(x.Resource)
		op.Parameters = parameters("Prefer")
		op.RequestBody = body(refTo(x.Resource+changesSuffix), true)
		op.Responses.Set("200", succeed(op.Description, b.schemas.of(x.Response, false), nil, "X-Request-Id"))
		b.refuse(op, kinds(ofAll, ofBodies), ofWrites...)
	}
	b.put(x.Path, x.Method, op)
}

// search describes a search. What it finds has the members of the records, but any may be left out.
func (b *builder) search(op *openapi3.Operation, x rest.Extension) {
	op.Description = x.Summary + ". One condition at least has an index, or there is none. A parameter that is " +
		"repeated asks for any of its values; different parameters must all be met. A page is made from up to " +
		fmt.Sprint(search.MostExamined) + " records, so that it may have few or none and a Link to the next."
	op.Parameters = parameters(x.Parameters...)
	for _, p := range x.Query {
		op.AddParameter(queryParameter(p).WithDescription(upper(p.Means) + "."))
	}
	found := openapi3.NewObjectSchema()
	found.Description = "A record, or the members of it that the parameter fields names."
	for _, name := range x.Among {
		for member, schema := range b.schemas.all[name].Value.Properties {
			if found.Properties[member] == nil {
				found.WithPropertyRef(member, schema)
			}
		}
	}
	var example any
	if len(x.Among) == 1 {
		example = b.examples.page(x.Among[0])
	} else {
		found.WithProperty("resource", text("The resource of the record."))
	}
	op.Responses.Set("200", succeed("A page of records.", listOf(found.NewRef()), example, "Link", "X-Request-Id"))
	b.refuse(op, kinds(ofAll, ofQueries), ofReads...)
}

// pageLink returns a problem with its status, as a link to its page.
func pageLink(k problem.Kind) string {
	return fmt.Sprintf("%d [%s](%s)", k.Status(), k.Title(), problem.URI(k))
}

// checkTable returns the checks of a creation as the errors table has them.
func checkTable(r rest.Description, link func(problem.Kind) string) string {
	var table strings.Builder
	table.WriteString("| | condition | response |\n|---|---|---|\n")
	for i, c := range r.Checks {
		fmt.Fprintf(&table, "| %d | %s | %s |\n", i+1, c.Name, checkResponse(c, link))
	}
	return table.String()
}

func checkResponse(c rest.CheckDescription, link func(problem.Kind) string) string {
	if len(c.Refuses) == 0 {
		return "a warning, and the record is made"
	}
	return link(c.Refuses[0])
}

func moveTable(moves []rest.Move) string {
	var table strings.Builder
	table.WriteString("| from | to |\n|---|---|\n")
	for _, m := range moves {
		fmt.Fprintf(&table, "| %s | %s |\n", m.From, m.To)
	}
	return table.String()
}
