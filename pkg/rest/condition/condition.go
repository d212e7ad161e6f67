// Package condition judges the conditions of requests (RFC 9110, section 13).
package condition

import (
	"errors"
	"iter"
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
	// ErrNoTag is of an If-Match that no record can meet, and ErrWeakTag of one that names weak tags alone.
	ErrNoTag error = problem.New(problem.BadHeader,
		`If-Match must have an entity tag as ETag has it, in quotation marks, such as "1", or be *.`).
		At("", "is sent with an If-Match without an entity tag")
	ErrWeakTag error = problem.New(problem.BadHeader, "If-Match must have a strong entity tag, and has only weak ones "+
		"(W/). A proxy has weakened the ETag, such as one that compresses responses. Have it leave ETag as it is, or "+
		"send the tag without W/.").At("", "is sent with an If-Match of weak entity tags alone")
	// ErrNoneTag is of an If-None-Match of a change that names nothing.
	ErrNoneTag error = problem.New(problem.BadHeader,
		`If-None-Match must have an entity tag as ETag has it, in quotation marks, such as "1", or be *.`).
		At("", "is sent with an If-None-Match without an entity tag")
)

// Judge judges the conditions of a change of what has an entity tag, which is empty if it does not exist: If-Match
// first (section 13.2.2). It returns ErrNoTag, ErrWeakTag, ErrChanged, ErrNoneTag, ErrUnchanged or nil.
func Judge(header http.Header, tag string) error {
	if err := ifMatch(header["If-Match"], tag); err != nil {
		return err
	}
	asked := header["If-None-Match"]
	if len(asked) == 0 {
		return nil
	}
	switch found := find(asked, tag); {
	case !found.any && !found.strong && !found.weak:
		// Were it passed over, what the caller wanted to prevent would be done.
		return ErrNoneTag
	case tag != "" && (found.any || found.same || found.alike):
		return ErrUnchanged
	}
	return nil
}

// JudgeRead judges the conditions of a request that reads. An If-None-Match that names nothing says that the caller
// knows nothing. It returns ErrNoTag, ErrWeakTag, ErrChanged, ErrUnchanged or nil.
func JudgeRead(header http.Header, tag string) error {
	if err := Judge(header, tag); !errors.Is(err, ErrNoneTag) {
		return err
	}
	return nil
}

// ifMatch judges the values of If-Match. A weak tag equals none (section 13.1.1).
func ifMatch(values []string, tag string) error {
	if len(values) == 0 {
		return nil
	}
	switch found := find(values, tag); {
	case !found.any && !found.strong && found.weak:
		return ErrWeakTag
	case !found.any && !found.strong:
		return ErrNoTag
	case tag == "" || !found.any && !found.same:
		return ErrChanged
	}
	return nil
}

// found is what the values of a header name.
type found struct {
	any, strong, weak bool // *, a strong entity tag, a weak one
	// same says that a strong tag is the tag that was sought, and alike that a weak one is it but for its mark W/
	// (section 8.8.3.2).
	same, alike bool
}

// find looks for a strong tag among the values of a header, each a list of entity tags or *.
func find(values []string, tag string) (f found) {
	for _, list := range values {
		for entry := range entries(list) {
			opaque, weak := strings.CutPrefix(entry, "W/")
			switch {
			case entry == "*":
				f.any = true
			case len(opaque) < 2 || opaque[0] != '"' || strings.IndexByte(opaque[1:], '"') != len(opaque)-2:
			case weak:
				f.weak, f.alike = true, f.alike || opaque == tag
			default:
				f.strong, f.same = true, f.same || opaque == tag
			}
		}
	}
	return f
}

// entries returns the entries of a list, without the blanks around them. A comma within quotation marks separates none.
func entries(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		quoted, start := false, 0
		for i := 0; i <= len(list); i++ {
			switch {
			case i == len(list), list[i] == ',' && !quoted:
				if !yield(strings.Trim(list[start:i], " \t")) {
					return
				}
				start = i + 1
			case list[i] == '"':
				quoted = !quoted
			}
		}
	}
}
