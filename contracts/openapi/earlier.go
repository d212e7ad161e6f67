package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// earlierNote ends the description of a document of OpenAPI 3.0.
const earlierNote = "\n\n**Form.** This is the document in the form of OpenAPI 3.0, derived from `/openapi.json`, " +
	"which has the form of 3.1. It does not say that one of two members is required: `wordingId` or `wording`, for example."

// Earlier returns a document of this package in the form of OpenAPI 3.0.3, for programs that do not read 3.1. What 3.0
// cannot say is left out: conditions between members, and all but the first example of a value. Errors: a keyword of
// 3.1 that Earlier does not know.
func Earlier(document []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber() // numbers keep their digits
	var d map[string]any
	if err := decoder.Decode(&d); err != nil {
		return nil, err
	}
	d["openapi"] = "3.0.3"
	if info, is := d["info"].(map[string]any); is {
		said, _ := info["description"].(string)
		info["description"] = said + earlierNote
	}
	components, _ := d["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	if err := (conversion{schemas}).convert(d, false); err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// conversion changes a document that has these schemas by name.
type conversion struct{ schemas map[string]any }

// convert changes a value of the document and all below it. named says that the members of the value have names of the
// interface, and are not those of OpenAPI.
func (c conversion) convert(value any, named bool) error {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			if err := c.convert(element, false); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, below := range v {
			if name == "example" && !named {
				continue // what is below is a request or a response, and no part of the document
			}
			if err := c.convert(below, !named && slices.Contains(naming, name)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if !named {
			return c.schema(v)
		}
	}
	return nil
}

// naming are the members of OpenAPI whose values are objects with names of the interface.
var naming = []string{
	"properties", "schemas", "paths", "responses", "headers", "parameters", "content", "securitySchemes", "scopes",
}

// later are the keywords of JSON Schema that OpenAPI 3.0 lacks and the document must not use.
var later = []string{
	"const", "contains", "contentEncoding", "contentMediaType", "dependentRequired", "dependentSchemas", "else",
	"patternProperties", "prefixItems", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "$defs",
	"webhooks",
	"jsonSchemaDialect",
}

// schema changes an object that may be a schema. Objects of other sorts have none of its members.
func (c conversion) schema(s map[string]any) error {
	for _, keyword := range later {
		if _, has := s[keyword]; has {
			return fmt.Errorf("OpenAPI 3.0 has no %s", keyword)
		}
	}
	if types, several := s["type"].([]any); several {
		last := len(types) - 1
		if last < 1 || types[last] != any("null") && !slices.Equal(types, []any{"number", "string"}) {
			return fmt.Errorf("OpenAPI 3.0 has no type %v", types)
		}
		delete(s, "type")
		either := []any{}
		for _, kind := range types {
			switch {
			case kind == any("null"):
			case types[last] == any("null"):
				either = append(either, map[string]any{"type": kind, "nullable": true})
			default:
				either = append(either, map[string]any{"type": kind})
			}
		}
		if s["anyOf"] = either; len(either) == 1 {
			delete(s, "anyOf")
			s["type"], s["nullable"] = types[0], true
		}
	}
	if either, has := s["anyOf"].([]any); has {
		if null, is := either[len(either)-1].(map[string]any); is && null["type"] == any("null") {
			if len(either) != 2 {
				return fmt.Errorf("%d alternatives beside null", len(either)-1)
			}
			delete(s, "anyOf")
			// nullable has a meaning only beside a type.
			kind, err := c.typeOf(either[0])
			if err != nil {
				return err
			}
			s["type"], s["allOf"], s["nullable"] = kind, either[:1], true
		}
	}
	// A reference has nothing beside it.
	if ref, has := s["$ref"]; has && len(s) > 1 {
		delete(s, "$ref")
		s["allOf"] = []any{map[string]any{"$ref": ref}}
	}
	if examples, has := s["examples"].([]any); has {
		delete(s, "examples")
		if len(examples) > 0 {
			s["example"] = examples[0]
		}
	}
	delete(s, "if")
	delete(s, "then")
	return nil
}

// typeOf returns the type of a schema, or of the one that it refers to.
func (c conversion) typeOf(schema any) (any, error) {
	s, _ := schema.(map[string]any)
	if ref, is := s["$ref"].(string); is {
		s, _ = c.schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
	}
	kind, is := s["type"].(string)
	if !is {
		return nil, fmt.Errorf("a schema that may be null has no single type: %v", schema)
	}
	return kind, nil
}
