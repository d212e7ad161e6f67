package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	text "golang.org/x/text/message"

	"insurance.example/exchange/pkg/resource"
)

// checker checks records without creating them.
type checker struct {
	caller   *caller
	resource resource.Resource
	schema   *jsonschema.Schema
}

// newChecker returns a checker that uses the OpenAPI document of the exchange. Its errors are those of send.
func (c *caller) newChecker(ctx context.Context, name string) (*checker, error) {
	catalog, err := c.inForce(ctx)
	if err != nil {
		return nil, err
	}
	of, known := catalog.Find(name)
	if !known || !of.Creatable {
		return nil, fmt.Errorf("the exchange at %s does not create %s", c.base, name)
	}
	schema, err := creationSchema(catalog.Text(), name)
	if err != nil {
		return nil, c.failed(err)
	}
	return &checker{c, of, schema}, nil
}

// creationSchema returns the schema of a body that creates a record of a resource. It returns an error if the
// document has no such schema, or if it is not a valid JSON schema.
func creationSchema(text []byte, name string) (*jsonschema.Schema, error) {
	const location = "openapi.json"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(location, document); err != nil {
		return nil, err
	}
	return compiler.Compile(location + "#/paths/~1" + name + "/post/requestBody/content/application~1json/schema")
}

// scope returns in words what was checked and what was not.
func (c *checker) scope() string {
	words := "Nothing was created. Checked: members, types, formats, the value sets in force, what is required."
	if c.resource.Trial != "" {
		words += " Each record was also tried by the exchange (" + c.resource.Trial + ")."
		return words + " Not checked: what other records of this file would change."
	}
	return words + " Not checked: whether records referred to exist, what must be unique, the order of dates."
}

// check returns the problem of a record, or nil if it has none. Its errors are those of send.
func (c *checker) check(ctx context.Context, record []byte) (*problem, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(record))
	if err != nil {
		//nolint:nilerr // the record is wrong; the check itself went well
		return &problem{Title: "malformed record", Detail: err.Error()}, nil
	}
	if invalid, is := errors.AsType[*jsonschema.ValidationError](c.schema.Validate(value)); is {
		return &problem{Title: "does not fit the OpenAPI document", Errors: violations(invalid)}, nil
	}
	if c.resource.Trial == "" {
		return nil, nil
	}
	got, err := c.caller.send(ctx, Request{
		Method: http.MethodPost, Path: c.resource.Trial, Body: record, Repeatable: true,
	})
	if refused, is := errors.AsType[*refusal](err); is && !refused.passing() {
		return &refused.problem, nil
	}
	if err != nil {
		return nil, err
	}
	var verdict struct {
		Checks []struct {
			Outcome string      `json:"outcome"`
			Title   string      `json:"title"`
			Detail  string      `json:"detail"`
			Errors  []violation `json:"errors"`
		} `json:"checks"`
	}
	if err := json.Unmarshal(got.body, &verdict); err != nil {
		return nil, c.caller.failed(err)
	}
	for _, check := range verdict.Checks {
		if check.Outcome == "failed" {
			return &problem{Title: check.Title, Detail: check.Detail, Errors: check.Errors}, nil
		}
	}
	return nil, nil
}

// violations returns what is wrong at each place of a record.
func violations(of *jsonschema.ValidationError) []violation {
	words := text.NewPrinter(language.English)
	var all []violation
	var collect func(*jsonschema.ValidationError)
	collect = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			collect(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		v := violation{Reason: e.ErrorKind.LocalizedString(words)}
		for _, name := range e.InstanceLocation {
			v.Pointer = string(jsontext.Pointer(v.Pointer).AppendToken(name))
		}
		switch k := e.ErrorKind.(type) {
		case *kind.Type:
			if slices.Equal(k.Want, []string{"null"}) {
				return // null is an alternative everywhere; the error of the other alternative says what is wrong
			}
			want := slices.DeleteFunc(slices.Clone(k.Want), func(name string) bool { return name == "null" })
			v.Reason = "must be of the type " + strings.Join(want, " or ") + ", not " + k.Got
		case *kind.Enum:
			var values []string
			for _, value := range k.Want {
				values = append(values, fmt.Sprint(value))
			}
			given := fmt.Sprint(k.Got)
			v.Reason, v.allowed = fmt.Sprintf("%q is no value of its set", given), allowedWords(given, values)
		case *kind.Required:
			v.Reason = "required: " + strings.Join(k.Missing, ", ")
		}
		all = append(all, v)
	}
	collect(of)
	return all
}
