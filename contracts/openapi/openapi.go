// Package openapi holds the OpenAPI 3.1 document of the exchange. It is generated from the declarations of the services
// and the structs of the contracts (make generate).
package openapi

import (
	"bytes"
	_ "embed"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/valuesets"
)

//go:embed openapi.json
var generated []byte

// Published returns the document of an exchange with the published value sets and without a token URL. It must not be
// changed.
func Published() []byte { return generated }

// ProblemsExtension is the member of an operation that lists the types of the problems that it may return.
const ProblemsExtension = "x-problems"

// ScopeExtension is the member of an operation that names the scope that its token must have. The requirement of a
// bearer token could name it in OpenAPI 3.1, but linters take that for a mistake.
const ScopeExtension = "x-scope"

// RefersExtension is the member of a schema that names the resources whose records a member of a response names: by id,
// or by the member behind a point, as in claim.claimNumber; policy stands for every line of policies.
const RefersExtension = "x-refers"

// AmountExtension is the member of a schema that says that its numbers are amounts of money.
const AmountExtension = "x-amount"

// Amounts say what amounts are in. Each is "" if the operator has not said it.
type Amounts struct {
	// Unit is major or minor.
	Unit string `json:"unit,omitzero"`
	// Currency is an ISO 4217 alphabetic code.
	Currency string `json:"currency,omitzero"`
}

// document is the part of the document that a deployment changes. Everything else is kept as it is.
type document struct {
	Components components     `json:"components"`
	Paths      jsontext.Value `json:"paths"`
	Amounts    Amounts        `json:"x-amounts,omitzero"`
	Rest       jsontext.Value `json:",embed"`
}

type components struct {
	Schemas         map[string]jsontext.Value `json:"schemas"`
	SecuritySchemes map[string]jsontext.Value `json:"securitySchemes"`
	Rest            jsontext.Value            `json:",embed"`
}

// enumeration is the schema of a value set.
type enumeration struct {
	Type        string   `json:"type"`
	Enum        []string `json:"enum"`
	Description string   `json:"description,omitzero"`
}

// Document returns the document of a deployment. Each of the value sets in force is the component schema of its name.
// tokenURL is the URL at which tokens are issued (OAuth 2.0, client credentials): it makes the scheme OAuth2. If it
// is empty, the document has no such scheme, because OpenAPI demands the URL. The descriptions of amounts say what the
// operator has said of them.
func Document(sets *valuesets.Registry, tokenURL string, amounts Amounts) ([]byte, error) {
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
	if tokenURL != "" {
		if err := d.addOAuth2(tokenURL); err != nil {
			return nil, err
		}
	}
	d.Amounts = amounts
	text, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return amounts.describe(text), nil
}

// unsaid are the sentences about amounts in the document, which the interface leaves open.
var unsaid = []string{
	"The interface does not say its currency or unit.", "The interface does not say their currency or unit.",
	"The interface does not say the currency or the unit of an amount.",
	"The interface does not say whether it is in major or minor units of the currency.",
}

// describe says in a document what amounts are in.
func (a Amounts) describe(document []byte) []byte {
	if a == (Amounts{}) {
		return document
	}
	said := "Amounts are in "
	switch {
	case a.Currency == "":
		said += a.Unit + " units here; the operator has not said their currency."
	case a.Unit == "":
		said += a.Currency + " here; the operator has not said whether in major or minor units."
	default:
		said += a.Unit + " units of " + a.Currency + " here."
	}
	for _, sentence := range unsaid {
		document = bytes.ReplaceAll(document, []byte(sentence), []byte(said))
	}
	return document
}
