package auth

import "insurance.example/exchange/pkg/problem"

// The challenges of RFC 6750, section 3. A request without a token gets no error code.
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

// Insufficient is the problem of a caller whose token lacks a scope. The interface answers it with 401, as every other
// want of a valid scope.
func Insufficient(scope string) *problem.Error {
	return problem.New(problem.Unauthorized, "The scope "+scope+" is required.").
		WithHeader(challengeHeader, challenge+`, error="insufficient_scope", scope="`+scope+`"`)
}
