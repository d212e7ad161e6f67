package openapi

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The names of the security schemes of the document.
const (
	Bearer = "token"  // a bearer token, however it was obtained
	OAuth2 = "oauth2" // a bearer token from a known token URL
)

// The scopes of the interface.
const (
	ScopeDeveloper = "std.developer" // opens GET
	ScopeAdmin     = "std.admin"     // opens POST, PUT and actions
	// ScopeOperator opens GET for the records of all organisations, where they share the exchange.
	ScopeOperator = "exchange.operate"
)

// ReasonHeader is the header in which an operator says why it reads, and LongestReason how many characters it may have.
const (
	ReasonHeader  = "Exchange-Reason"
	LongestReason = 200
)

// Scopes returns what each scope opens, in a sentence for callers.
func Scopes() map[string]string {
	return map[string]string{
		ScopeDeveloper: "The read scope: GET, and what only reads.",
		ScopeAdmin:     "The write scope: POST, PUT and the actions.",
		ScopeOperator: "The scope of operators, where organisations share the exchange: GET for the records of all " +
			"of them, and nothing else, whatever other scopes the token has. Each request says why in the header " +
			ReasonHeader + ".",
	}
}

// operation is an operation as far as the OAuth2 scheme changes it.
type operation struct {
	// Security holds the alternatives: for each, its schemes with the scopes that they must have.
	Security []map[string][]string `json:"security"`
	Scope    string                `json:"x-scope"`
	Rest     jsontext.Value        `json:",embed"`
}

// addOAuth2 adds the OAuth2 scheme, and to every operation the alternative that its token comes by that scheme.
func (d *document) addOAuth2(tokenURL string) error {
	scheme, err := json.Marshal(map[string]any{
		"type":        OAuth2,
		"description": "Tokens of the identity provider of this exchange.",
		"flows":       map[string]any{"clientCredentials": map[string]any{"tokenUrl": tokenURL, "scopes": Scopes()}},
	})
	if err != nil {
		return err
	}
	d.Components.SecuritySchemes[OAuth2] = scheme

	var paths map[string]map[string]operation // by path, then method
	if err := json.Unmarshal(d.Paths, &paths); err != nil {
		return err
	}
	for _, operations := range paths {
		for method, o := range operations {
			o.Security = append(o.Security, map[string][]string{OAuth2: {o.Scope}})
			operations[method] = o
		}
	}
	d.Paths, err = json.Marshal(paths, json.Deterministic(true))
	return err
}
