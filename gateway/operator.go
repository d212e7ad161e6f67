package gateway

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"insurance.example/exchange/contracts/openapi"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// operates returns nil if an operator may send a request: it reads, and says why. The reason is noted in the caller.
// Errors: problem.RightMissing, problem.BadHeader.
func operates(r *http.Request, caller *request.Caller) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return request.OnlyReads()
	}
	reason, wrong := reasonOf(r.Header)
	if wrong != "" {
		return problem.New(problem.BadHeader, "An operator says in the header "+openapi.ReasonHeader+" why it reads; "+
			"the header "+wrong+".")
	}
	caller.Reason = reason
	return nil
}

// reasonOf returns the reason that the headers of an operator's request give, or what is wrong with it.
func reasonOf(header http.Header) (reason, wrong string) {
	values := header[openapi.ReasonHeader]
	switch len(values) {
	case 0:
		return "", "is missing"
	case 1:
		reason = strings.TrimSpace(values[0])
	default:
		return "", "is there more than once"
	}
	switch {
	case reason == "":
		return "", "is empty"
	case !utf8.ValidString(reason):
		return "", "is not UTF-8"
	case utf8.RuneCountInString(reason) > openapi.LongestReason:
		return "", fmt.Sprintf("has more than %d characters", openapi.LongestReason)
	case strings.ContainsFunc(reason, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "", "has control characters, or others that are not shown"
	}
	return reason, ""
}
