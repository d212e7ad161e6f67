package document

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	shared "insurance.example/exchange/contracts/examples"
	"insurance.example/exchange/pkg/rest"
)

// What the examples have in common.
const (
	exampleRequest = "0195a000-0000-7000-8000-0000000000ff" // an X-Request-Id
	exampleCaller  = "example-client"
	exampleInstant = "2026-01-02T09:00:00Z"
)

// record is an example of a record, by member.
type record = map[string]any

// examples are the requests of contracts/examples and the responses that follow from them.
type examples struct {
	resources map[string]rest.Description
	requests  map[string]record // by operation; the first one
	files     map[string]string // likewise, where the body is a file
	responses map[string]any    // likewise
	created   map[string]record // by resource; the first record that is created
	stored    map[string]record // by id; the record as it is now
	unshown   map[string]bool   // the operations whose examples have not been shown yet
}

func newExamples(services []Service) (*examples, error) {
	all, err := shared.Load()
	if err != nil {
		return nil, err
	}
	x := &examples{
		resources: map[string]rest.Description{}, requests: map[string]record{}, files: map[string]string{},
		responses: map[string]any{}, created: map[string]record{}, stored: map[string]record{},
		unshown: map[string]bool{},
	}
	for _, s := range services {
		for _, r := range s.Resources {
			x.resources[r.Resource] = r
		}
	}
	for _, e := range all {
		response := e.Returns
		if followed := x.follow(e); response == nil && followed != nil {
			response = followed
		}
		if x.unshown[e.Operation] {
			continue
		}
		x.unshown[e.Operation] = true
		if e.Body != nil {
			x.requests[e.Operation] = e.Body
		}
		if e.CSV != "" {
			x.files[e.Operation] = e.CSV
		}
		if response != nil {
			x.responses[e.Operation] = response
		}
	}
	return x, nil
}

// follow returns the record in the response to a request, or nil if the response has none.
func (x *examples) follow(e shared.Example) record {
	method, path, _ := strings.Cut(e.Operation, " ")
	name := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == ':' })[0]
	for _, of := range x.resources {
		if slices.ContainsFunc(of.Actions, func(a rest.ActionDescription) bool { return actionPath(of, a) == path }) {
			name = of.Resource
		}
	}
	r, known := x.resources[name]
	if !known {
		return nil
	}
	stored := x.stored[e.On["id"]]
	next := record{}
	switch {
	case method == "PUT" && !r.Merge:
		for _, field := range members(r.Record) {
			if value, has := stored[jsonName(field)]; has && ofExchange(field) {
				next[jsonName(field)] = value
			}
		}
		maps.Copy(next, asReturned(r, e.Body, nil))
	case method == "PUT":
		maps.Copy(next, stored)
		maps.Copy(next, asReturned(r, e.Body, nil))
	case len(e.On) == 0:
		next = asReturned(r, e.Body, nil)
	default:
		maps.Copy(next, stored)
		for _, a := range r.Actions {
			if actionPath(r, a) == path && a.Amends {
				maps.Copy(next, asReturned(r, e.Body, a.Body))
			}
		}
	}
	maps.Copy(next, e.Issues)
	kept := maps.Clone(next)
	for name := range r.Extra {
		delete(kept, name)
	}
	id, _ := kept["id"].(string)
	x.stored[id] = kept
	if _, has := x.created[name]; !has {
		x.created[name] = kept
	}
	return next
}

// asReturned returns the members of a body under the names that a response has. It leaves out the members that belong
// to the action and not to the record.
func asReturned(r rest.Description, body record, own reflect.Type) record {
	returned := record{}
	for name, value := range body {
		if object, is := value.(record); is && slices.Contains(r.Flatten, name) {
			maps.Copy(returned, object)
			continue
		}
		if of, renamed := r.Aliases[name]; renamed {
			name = of
		}
		if own == nil ||
			!slices.ContainsFunc(members(own), func(f reflect.StructField) bool { return jsonName(f) == name }) {
			returned[name] = value
		}
	}
	delete(returned, "")
	return returned
}

// record returns the example of a resource's record, or nil if there is none.
func (x *examples) record(resource string) any {
	if r := x.created[resource]; r != nil {
		return r
	}
	return nil
}

// page returns the example of a list of a resource's records.
func (x *examples) page(resource string) any {
	if r := x.created[resource]; r != nil {
		return []any{r}
	}
	return nil
}

// history returns the example of what happened to a record.
func (x *examples) history(resource string) any {
	r := x.created[resource]
	if r == nil {
		return nil
	}
	created := record{"number": 1, "event": "created", "at": exampleInstant, "by": exampleCaller}
	for _, member := range []string{"status", "claimStatus"} {
		if state, has := r[member]; has {
			created["to"] = state
		}
	}
	return record{"resource": resource, "id": r["id"], "version": 1, "history": []any{created}}
}

// show adds the examples of an operation to its request and its responses.
func (x *examples) show(operation string, op *openapi3.Operation) {
	delete(x.unshown, operation)
	if body, has := x.requests[operation]; has && op.RequestBody != nil {
		op.RequestBody.Value.Content["application/json"].Example = body
	}
	if file, has := x.files[operation]; has {
		op.RequestBody.Value.Content["text/csv"].Example = file
	}
	response, has := x.responses[operation]
	if !has {
		return
	}
	for _, status := range []string{"200", "201"} {
		if r := op.Responses.Value(status); r != nil && r.Value.Content != nil {
			r.Value.Content["application/json"].Example = response
		}
	}
}

// unused returns an error for examples of operations that the document does not have.
func (x *examples) unused() error {
	if len(x.unshown) == 0 {
		return nil
	}
	return fmt.Errorf("contracts/examples has examples of operations that there are not: %s",
		strings.Join(slices.Sorted(maps.Keys(x.unshown)), ", "))
}
