package auth

import (
	"strings"

	"insurance.example/exchange/pkg/problem"
)

// challenge is the content of the header WWW-Authenticate, which every refusal has (RFC 6750, section 3).
type challenge struct {
	// scope is the scope that the request needs.
	scope string
	// metadata is the URL of the exchange's metadata (RFC 9728, section 5.1); empty if it publishes none.
	metadata string
}

// quoting escapes what a quoted string may not have as it is.
var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// header returns the value of the header. The code of the error and its description are left out where they are empty.
func (c challenge) header(code, description string) string {
	text := `Bearer realm="exchange"`
	for _, parameter := range []struct{ name, value string }{
		{"error", code}, {"error_description", description}, {"scope", c.scope}, {"resource_metadata", c.metadata},
	} {
		if parameter.value != "" {
			text += ", " + parameter.name + `="` + quoting.Replace(parameter.value) + `"`
		}
	}
	return text
}

// refusal returns the problem 401 with the challenge.
func (c challenge) refusal(code, description, detail string) *problem.Error {
	return problem.New(problem.Unauthorized, detail).WithHeader("WWW-Authenticate", c.header(code, description))
}

// missingToken has no error code: the caller did not try to authenticate (RFC 6750, section 3.1).
func (c challenge) missingToken() *problem.Error {
	return c.refusal("", "", "A bearer token is required.")
}

func (c challenge) invalidToken(reason string, cause error) *problem.Error {
	return c.refusal("invalid_token", reason, "The bearer token is refused: "+reason+".").Because(cause)
}

// Insufficient returns the problem for a caller whose token lacks a scope. Its status is 401, not 403: the interface
// knows one status for every request without a valid scope.
func (v *Verifier) Insufficient(scope string) *problem.Error {
	return challenge{scope, v.metadata}.refusal("insufficient_scope", "", "The scope "+scope+" is required.")
}
