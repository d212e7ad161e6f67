package document

import (
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"insurance.example/exchange/contracts/openapi"
)

// securitySchemes returns the one scheme that every exchange has. An OAuth2 scheme must say where tokens are issued,
// which only a running exchange may know: package openapi adds it.
func securitySchemes() openapi3.SecuritySchemes {
	description := []string{
		"A signed token (RFC 9068), however it was obtained. The scope that it must have is the `" +
			openapi.ScopeExtension + "` of the operation:", "",
	}
	for _, scope := range []string{openapi.ScopeDeveloper, openapi.ScopeAdmin, openapi.ScopeOperator} {
		description = append(description, "- `"+scope+"`: "+openapi.Scopes()[scope])
	}
	return openapi3.SecuritySchemes{openapi.Bearer: {Value: &openapi3.SecurityScheme{
		Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: strings.Join(description, "\n"),
	}}}
}
