// Package condition judges the conditions of requests (RFC 9110, section 13).
package condition

import (
	"net/http"
	"strings"

	"insurance.example/exchange/pkg/problem"
)

// The refusals of a condition.
var (
	ErrChanged error = problem.New(problem.Changed,
		"The record is at another version than If-Match names. Read the record again, and decide on what it says now.")
	ErrUnchanged error = problem.New(problem.Changed,
		"The record exists, at a version that If-None-Match names. Leave the header out to change the record.")
)

// Judge judges the conditions of a request about what has an entity tag, which is empty if it does not exist: If-Match
// first (section 13.2.2). It returns ErrChanged, ErrUnchanged or nil.
func Judge(header http.Header, tag string) error {
	if asked := header["If-Match"]; len(asked) > 0 && (tag == "" || !matches(asked, tag, strongly)) {
		return ErrChanged
	}
	if asked := header["If-None-Match"]; len(asked) > 0 && tag != "" && matches(asked, tag, weakly) {
		return ErrUnchanged
	}
	return nil
}

// comparison is how two entity tags are compared (RFC 9110, section 8.8.3.2).
type comparison bool

const (
	strongly comparison = false // a weak tag equals none: If-Match, section 13.1.1
	weakly   comparison = true  // the mark W/ does not count: If-None-Match, section 13.1.2
)

// matches reports whether the values of a header, each a list of entity tags or *, name the tag, which is a strong one.
func matches(values []string, tag string, how comparison) bool {
	for _, list := range values {
		// The tags that the exchange writes hold no comma, so that a tag with one is never equal to the tag.
		for entry := range strings.SplitSeq(list, ",") {
			entry = strings.TrimSpace(entry)
			if how == weakly {
				entry = strings.TrimPrefix(entry, "W/")
			}
			if entry == "*" || entry == tag {
				return true
			}
		}
	}
	return false
}
