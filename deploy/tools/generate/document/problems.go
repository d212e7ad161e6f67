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

// refusal is the response that all operations share for a status.
type refusal struct {
	name, description string
	kind              problem.Kind // the problem of the example
	header            string       // a header that only this response has
}

var refusals = map[int]refusal{
	http.StatusBadRequest: {
		"BadRequest", "The request is described wrongly. `errors` names what is wrong.", problem.Required, "",
	},
	http.StatusUnauthorized: {
		"Unauthorized", "There is no valid token with the scope of the operation.", problem.Unauthorized,
		"WWW-Authenticate",
	},
	http.StatusNotFound: {
		"NotFound", "There is no such record, or the request names one that does not exist.", problem.NotFound, "",
	},
	http.StatusConflict: {"Conflict", "The state of things forbids the request.", problem.Transition, ""},
	http.StatusPreconditionFailed: {
		"PreconditionFailed", "The record has changed since the version that If-Match names.", problem.Changed, "",
	},
	http.StatusRequestEntityTooLarge: {
		"TooLarge", "The body, or the record as the request would make it, is larger than the exchange takes.",
		problem.TooLarge, "",
	},
	http.StatusUnsupportedMediaType: {"UnsupportedMediaType", "The body is not marked as JSON.", problem.MediaType, ""},
	http.StatusUnprocessableEntity: {
		"Unprocessable", "The request is well described and cannot be processed.", problem.KeyReused, "",
	},
	http.StatusRequestTimeout: {
		"RequestTimeout", "The body did not come within the time that it may take.", problem.SlowBody, "",
	},
	http.StatusTooManyRequests: {
		"TooManyRequests", "Other requests of the caller have as much in work as one caller may have, or it has " +
			"sent more requests than it may. Nothing was done.", problem.ShareUsedUp, "Retry-After",
	},
	http.StatusServiceUnavailable: {
		"Unavailable", "The storage or another service is not available, or the exchange has as much in work as it " +
			"can have. Nothing is half written.", problem.Unavailable, "Retry-After",
	},
}

// sharedResponses returns the responses of all refusals, by the name of the component.
func sharedResponses() (openapi3.ResponseBodies, error) {
	texts, err := problems.Texts()
	if err != nil {
		return nil, err
	}
	all := openapi3.ResponseBodies{}
	for _, r := range refusals {
		response := openapi3.NewResponse().WithDescription(r.description)
		response.Content = openapi3.NewContentWithSchemaRef(refTo("Problem"), []string{problem.ContentType})
		response.Content[problem.ContentType].Example = occurrence(r.kind, texts[r.kind.Slug()].Example)
		response.Headers = headers("X-Request-Id")
		if r.header != "" {
			response.Headers[r.header] = headers(r.header)[r.header]
		}
		all[r.name] = &openapi3.ResponseRef{Value: response}
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

// refuse adds the response of each status of the problems. An extension lists all of the problems, for programs. The
// description lists, for people, those that not every operation of this kind has.
func (b *builder) refuse(op *openapi3.Operation, refused []problem.Kind) {
	refused = slices.Clone(refused)
	slices.SortStableFunc(refused, func(x, y problem.Kind) int { return x.Status() - y.Status() })
	general := kinds(ofAll, ofBodies, ofKeys, ofQueries)
	var own, types []string
	for _, k := range refused {
		shared, known := refusals[k.Status()]
		if !known {
			b.errs = append(b.errs,
				fmt.Errorf("%s has the status %d, for which there is no shared response", k.Slug(), k.Status()))
			continue
		}
		op.Responses.Set(strconv.Itoa(k.Status()), &openapi3.ResponseRef{Ref: "#/components/responses/" + shared.name})
		types = append(types, problem.URI(k))
		if !slices.Contains(general, k) {
			own = append(own, pageLink(k))
		}
	}
	if len(own) > 0 {
		op.Description = strings.TrimSpace(op.Description) + "\n\nProblems: " + strings.Join(own, ", ") + "."
	}
	op.Extensions[openapi.ProblemsExtension] = types
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
		WithProperty("state", text("On a transition that is not listed: the state of the record.")).
		WithPropertyRef("errors", described(errors, "What is wrong, place by place.")).
		WithProperty("moreErrors", wholeNumber("How many more errors there are than `errors` lists.").WithMin(1))
}

func wholeNumber(description string) *openapi3.Schema {
	schema := openapi3.NewIntegerSchema()
	schema.Description = description
	return schema
}
