package document

import (
	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/openapi"
)

// The names of the security schemes. Each operation takes either.
const (
	bearer = "token"
	oauth2 = "oauth2"
)

// The scopes of the interface, each as the requirement of an operation.
var (
	reads  = requirement("std.developer")
	writes = requirement("std.admin")
)

func requirement(scope string) *openapi3.SecurityRequirements {
	return &openapi3.SecurityRequirements{{oauth2: {scope}}, {bearer: {}}}
}

func securitySchemes() openapi3.SecuritySchemes {
	return openapi3.SecuritySchemes{
		oauth2: {Value: &openapi3.SecurityScheme{
			Type: "oauth2",
			Description: "OAuth 2.0 scopes. The interface does not say how a token is obtained: the operator of an exchange does. " +
				"Where the operator has not told the exchange, tokenUrl is an address that leads nowhere (RFC 6761).",
			Flows: &openapi3.OAuthFlows{ClientCredentials: &openapi3.OAuthFlow{
				TokenURL: openapi.NoTokenURL,
				Scopes: map[string]string{
					"std.admin":     "The write scope: POST, PUT and the actions.",
					"std.developer": "The read scope: GET, and what only reads.",
				},
			}},
		}},
		bearer: {Value: &openapi3.SecurityScheme{
			Type: "http", Scheme: "bearer", BearerFormat: "JWT",
			Description: "A signed token (RFC 9068) with the scope of the operation, however it was obtained.",
		}},
	}
}
