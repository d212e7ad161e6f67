package document

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
)

// refusal is the response for a status. Operations that return exactly its problems share it.
type refusal struct {
	name, description string
	kinds             []problem.Kind // the first is the problem of the example
	header            string         // a header that only this response has
}

var refusals = map[int]refusal{
	http.StatusBadRequest: {
		"BadRequest", "The request is described wrongly. `errors` names what is wrong. Or an operator does not say " +
			"why it reads.",
		of(problem.BadParameter, problem.BadHeader), "",
	},
	http.StatusUnauthorized: {
		"Unauthorized", "There is no valid token with the scope of the operation.", of(problem.Unauthorized),
		"WWW-Authenticate",
	},
	http.StatusForbidden: {
		"Forbidden", "The organisation of the caller sees the record and may not do this with it, or the caller " +
			"is an operator, who only reads.",
		of(problem.RightMissing), "",
	},
	http.StatusNotFound: {
		"NotFound", "There is no such record, or the request names one that does not exist.", of(problem.NotFound), "",
	},
	http.StatusConflict: {"Conflict", "The state of things forbids the request.", of(problem.Transition), ""},
	http.StatusGone:     {"Gone", "The cursor does not work any more.", of(problem.CursorExpired), ""},
	http.StatusPreconditionFailed: {
		"PreconditionFailed", "The record does not meet If-Match or If-None-Match.", of(problem.Changed), "",
	},
	http.StatusRequestEntityTooLarge: {
		"TooLarge", "The body, or the record as the request would make it, is larger than the exchange takes.",
		of(problem.TooLarge, problem.RecordTooLarge), "",
	},
	http.StatusUnsupportedMediaType: {
		"UnsupportedMediaType", "The body is not marked as JSON.", of(problem.MediaType), "",
	},
	http.StatusUnprocessableEntity: {
		"Unprocessable", "The request is well described and cannot be processed.", of(problem.KeyReused), "",
	},
	http.StatusRequestTimeout: {
		"RequestTimeout", "The body did not come within the time that it may take.", of(problem.SlowBody), "",
	},
	http.StatusTooManyRequests: {
		"TooManyRequests", "Other requests of the caller have as much in work as one caller may have, or it has " +
			"sent more requests than it may. Nothing was done.",
		of(problem.ShareUsedUp, problem.RateExceeded), "Retry-After",
	},
	http.StatusInternalServerError: {
		"Altered", "Another program has changed what is stored of the record. It is neither shown nor changed.",
		of(problem.Altered), "",
	},
	http.StatusServiceUnavailable: {
		"Unavailable", "The storage or another service is not available, or the exchange has as much in work as it " +
			"can have. Nothing is half written.", of(problem.Unavailable, problem.Overloaded), "Retry-After",
	},
}

func of(kinds ...problem.Kind) []problem.Kind { return kinds }

// response returns the response for some of the problems of its status. If its documents are to name the types that
// they may have, typed is true.
func (r refusal) response(kinds []problem.Kind, texts map[string]problems.Text, typed bool) *openapi3.ResponseRef {
	kind := kinds[0]
	if slices.Contains(kinds, r.kinds[0]) {
		kind = r.kinds[0]
	}
	response := openapi3.NewResponse().WithDescription(r.description)
	schema := refTo("Problem")
	if typed {
		schema = openapi3.NewSchemaRef("", &openapi3.Schema{AllOf: openapi3.SchemaRefs{
			schema, openapi3.NewObjectSchema().WithProperty("type", enumeration(types(kinds))).NewRef(),
		}})
	}
	response.Content = openapi3.NewContentWithSchemaRef(schema, []string{problem.ContentType})
	response.Content[problem.ContentType].Example = occurrence(kind, texts[kind.Slug()].Example)
	response.Headers = headers("X-Request-Id")
	if r.header != "" {
		response.Headers[r.header] = headers(r.header)[r.header]
	}
	return &openapi3.ResponseRef{Value: response}
}

// types returns the type members of problems.
func types(kinds []problem.Kind) []string {
	var all []string
	for _, k := range kinds {
		all = append(all, problem.URI(k))
	}
	return all
}

// sharedResponses returns the responses that operations share, by the name of the component.
func sharedResponses(typed bool) (openapi3.ResponseBodies, error) {
	texts, err := problems.Texts()
	if err != nil {
		return nil, err
	}
	all := openapi3.ResponseBodies{}
	for _, r := range refusals {
		all[r.name] = r.response(r.kinds, texts, typed)
	}
	return all, nil
}

// occurrence returns the problem document of an example.
func occurrence(kind problem.Kind, of *problems.Example) record {
	document := record{
		"type": problem.URI(kind), "title": kind.Title(), "status": kind.Status(), "instance": exampleRequest,
	}
	if of == nil {
		return document
	}
	if of.Detail != "" {
		document["detail"] = of.Detail
	}
	var errors []record
	for _, fault := range of.Errors {
		wrong := record{"reason": fault.Reason}
		if fault.Parameter != "" {
			wrong["parameter"] = fault.Parameter
		} else {
			wrong["pointer"] = fault.Pointer
		}
		errors = append(errors, wrong)
	}
	if errors != nil {
		document["errors"] = errors
	}
	maps.Copy(document, of.Members)
	return document
}

// refuse adds the response of each status of the problems, with an enumeration of their types. An extension lists all
// of the problems, for programs. The description lists, for people, those that not every operation of this kind has.
// usual are further problems, which the description leaves out.
func (b *builder) refuse(op *openapi3.Operation, refused []problem.Kind, usual ...problem.Kind) {
	byStatus := func(x, y problem.Kind) int { return x.Status() - y.Status() }
	general := kinds(ofAll, ofBodies, ofKeys, ofQueries, []problem.Kind{problem.Altered})
	var own []string
	for _, k := range slices.SortedStableFunc(slices.Values(refused), byStatus) {
		if !slices.Contains(general, k) {
			own = append(own, pageLink(k))
		}
	}
	refused = slices.SortedStableFunc(slices.Values(kinds(refused, usual)), byStatus)
	ofStatus := map[int][]problem.Kind{}
	for _, k := range refused {
		ofStatus[k.Status()] = append(ofStatus[k.Status()], k)
	}
	for status, of := range ofStatus {
		r, known := refusals[status]
		if !known {
			b.errs = append(b.errs, fmt.Errorf("%s has the status %d, which refusals lacks", of[0].Slug(), status))
			continue
		}
		response := &openapi3.ResponseRef{Ref: "#/components/responses/" + r.name}
		if b.texts != nil && !slices.Equal(of, r.kinds) {
			response = r.response(of, b.texts, true)
		}
		op.Responses.Set(strconv.Itoa(status), response)
	}
	if len(own) > 0 {
		op.Description = strings.TrimSpace(op.Description) + "\n\nProblems: " + strings.Join(own, ", ") + "."
	}
	op.Extensions[openapi.ProblemsExtension] = types(refused)
}

// kinds joins lists of problems. The result has each problem once.
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

func (s *schemas) problem() *openapi3.Schema {
	errors := s.of(violations, false)
	errors.Value.WithMaxItems(problem.MaxViolations)
	return openapi3.NewObjectSchema().WithRequired([]string{"type", "title", "status", "instance"}).
		WithProperty("type", text("A stable URI reference to a page about the problem.").WithFormat("uri-reference")).
		WithProperty("title", text("The same for every occurrence.")).
		WithProperty("status", wholeNumber("The status of the response.").WithMin(400).WithMax(599)).
		WithProperty("detail", text("What is wrong with this request.")).
		WithProperty("instance", text("The X-Request-Id of the response.")).
		WithProperty("existingId",
			text("On a conflict: the id of the record that is there already.").WithFormat("uuid")).
		WithPropertyRef("ids", described(list(openapi3.NewUUIDSchema().NewRef(), false),
			"On a reference that several records have: their ids.")).
		WithProperty("list", text("On a number where an id is wanted: the list that finds the record by it.").
			WithFormat("uri-reference")).
		WithProperty("state", text("On a transition that is not listed: the state of the record.")).
		WithPropertyRef("errors", described(errors, "What is wrong, place by place.")).
		WithProperty("moreErrors", wholeNumber("How many more errors there are than `errors` lists.").WithMin(1))
}

func wholeNumber(description string) *openapi3.Schema {
	schema := openapi3.NewIntegerSchema()
	schema.Description = description
	return schema
}
