// Package openapi holds the OpenAPI 3.1 document of the exchange. It is generated from the declarations of the services
// and the structs of the contracts (make generate).
package openapi

import (
	_ "embed"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/valuesets"
)

//go:embed openapi.json
var generated []byte

// NoTokenURL stands where the document names the address that tokens are obtained from, until a deployment says which it is.
// It leads nowhere (RFC 6761).
const NoTokenURL = "https://token.invalid/"

// ProblemsExtension is the member of an operation that lists the types of the problems that it may return.
const ProblemsExtension = "x-problems"

// document is the document as far as value sets change it; everything else stays as it is.
type document struct {
	Components components     `json:"components"`
	Rest       jsontext.Value `json:",embed"`
}

type components struct {
	Schemas map[string]jsontext.Value `json:"schemas"`
	Rest    jsontext.Value            `json:",embed"`
}

// enumeration is the schema of a value set.
type enumeration struct {
	Type        string   `json:"type"`
	Enum        []string `json:"enum"`
	Description string   `json:"description,omitzero"`
}

// Document answers the document with the value sets in force: each set is the component schema of its name.
func Document(sets *valuesets.Registry) ([]byte, error) {
	var d document
	if err := json.Unmarshal(generated, &d); err != nil {
		return nil, err
	}
	for _, name := range sets.Names() {
		text, shown := d.Components.Schemas[name]
		if !shown {
			continue // no member is checked against it
		}
		var schema enumeration
		if err := json.Unmarshal(text, &schema); err != nil {
			return nil, err
		}
		schema.Enum = sets.Accepted(name)
		changed, err := json.Marshal(schema)
		if err != nil {
			return nil, err
		}
		d.Components.Schemas[name] = changed
	}
	return json.Marshal(d, json.Deterministic(true))
}
