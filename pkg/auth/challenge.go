package auth

import "insurance.example/exchange/pkg/problem"

// The challenge of RFC 6750, section 3. It has no error code for a request without a token.
const (
	challengeHeader = "WWW-Authenticate"
	challenge       = `Bearer realm="exchange"`
)

func missingToken() *problem.Error {
	return problem.New(problem.Unauthorized, "A bearer token is required.").WithHeader(challengeHeader, challenge)
}

func invalidToken(reason string, cause error) *problem.Error {
	return problem.New(problem.Unauthorized, "The bearer token is refused: "+reason+".").
		WithHeader(challengeHeader, challenge+`, error="invalid_token", error_description="`+reason+`"`).
		Because(cause)
}

// Insufficient returns the problem for a caller whose token lacks a scope. Its status is 401, not 403: the interface knows
// one status for every request without a valid scope.
func Insufficient(scope string) *problem.Error {
	return problem.New(problem.Unauthorized, "The scope "+scope+" is required.").
		WithHeader(challengeHeader, challenge+`, error="insufficient_scope", scope="`+scope+`"`)
}
