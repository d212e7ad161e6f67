// Package problem writes problem documents (RFC 7807): the one form in which every error of the exchange leaves it.
package problem

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// MaxViolations is how many violations a problem document lists. The others are counted in its member moreErrors.
const MaxViolations = 32

// ContentType is the media type of a problem document.
const ContentType = "application/problem+json"

// RequestIDHeader names the request in every answer; a problem document repeats it as its instance.
const RequestIDHeader = "X-Request-Id"

// Kind is a sort of problem, written once and used wherever it occurs. Slug is its stable name: the type member of
// the document is the URI reference "/problems/<slug>". Title is the same for every occurrence.
type Kind interface {
	Slug() string
	Title() string
	Status() int
}

// Violation is one thing wrong with a request: where (a JSON pointer into the body, or the name of a query
// parameter) and why.
//
// One thing that is wrong with a request, and where.
type Violation struct {
	// The place in the body, as a JSON pointer.
	Pointer string `json:"pointer,omitempty"`
	// The name of the query parameter, where the place is in the query.
	Parameter string `json:"parameter,omitempty"`
	// What is wrong there.
	Reason string `json:"reason"`
}

// Error is an occurrence of a problem. What the caller may read is in its exported fields; the cause is for the log.
type Error struct {
	Kind   Kind
	Detail string
	// Violations are all that was found wrong, not only the first, up to MaxViolations; More counts the others.
	Violations []Violation
	More       int
	// Members are further members of the document, such as existingId.
	Members map[string]any
	// Header is sent with the document.
	Header http.Header

	cause error
}

// New makes a problem that tells the caller detail.
func New(kind Kind, detail string) *Error { return &Error{Kind: kind, Detail: detail} }

// Because keeps the cause for the log; it is never shown.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// At adds a violation at a JSON pointer.
func (e *Error) At(pointer, reason string) *Error {
	return e.Violate(Violation{Pointer: pointer, Reason: reason})
}

// InParameter adds a violation in a query parameter.
func (e *Error) InParameter(name, reason string) *Error {
	return e.Violate(Violation{Parameter: name, Reason: reason})
}

// Violate adds violations.
func (e *Error) Violate(all ...Violation) *Error {
	room := max(0, min(MaxViolations-len(e.Violations), len(all)))
	e.Violations = append(e.Violations, all[:room]...)
	e.More += len(all) - room
	return e
}

// With adds a member to the document.
func (e *Error) With(member string, value any) *Error {
	if e.Members == nil {
		e.Members = map[string]any{}
	}
	e.Members[member] = value
	return e
}

// WithHeader adds a header to the answer.
func (e *Error) WithHeader(name, value string) *Error {
	if e.Header == nil {
		e.Header = http.Header{}
	}
	e.Header.Set(name, value)
	return e
}

func (e *Error) Error() string {
	s := e.Kind.Title()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap answers the cause.
func (e *Error) Unwrap() error { return e.cause }

// detail answers what the caller reads of this occurrence: if nothing was written for it, the first violation, or else
// the words of its kind.
func (e *Error) detail() string {
	if e.Detail != "" {
		return e.Detail
	}
	if len(e.Violations) == 0 {
		return e.Kind.Title() + "."
	}
	first := e.Violations[0]
	subject := strings.TrimPrefix(first.Pointer, "/") + first.Parameter
	if subject == "" {
		subject = "The body"
	}
	detail := subject + " " + first.Reason + "."
	if more := len(e.Violations) - 1 + e.More; more > 0 {
		detail += " Errors beside it: " + strconv.Itoa(more) + "."
	}
	return detail
}

// From answers err as a problem: itself if it is one, else Internal with err as its cause.
func From(err error) *Error {
	var p *Error
	if errors.As(err, &p) {
		return p
	}
	return New(Internal, "").Because(err)
}

// URI is the type member of a kind's documents, a stable URI reference.
func URI(kind Kind) string { return "/problems/" + kind.Slug() }

// Write answers the request with the problem document. The instance is the request id that the answer carries.
func Write(w http.ResponseWriter, e *Error) {
	document := make(map[string]any, 6+len(e.Members))
	for name, value := range e.Members {
		document[name] = value
	}
	document["type"] = URI(e.Kind)
	document["title"] = e.Kind.Title()
	document["status"] = e.Kind.Status()
	document["detail"] = e.detail()
	if id := w.Header().Get(RequestIDHeader); id != "" {
		document["instance"] = id
	}
	if len(e.Violations) > 0 {
		document["errors"] = e.Violations
	}
	if e.More > 0 {
		document["moreErrors"] = e.More
	}
	body, err := json.Marshal(document)
	if err != nil {
		// A member that cannot be written is a programming error; the caller still gets the problem.
		body = []byte(`{"type":"` + URI(e.Kind) + `","status":` + strconv.Itoa(e.Kind.Status()) + `}`)
	}
	header := w.Header()
	for name, values := range e.Header {
		header[name] = values
	}
	header.Set("Content-Type", ContentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(e.Kind.Status())
	_, _ = w.Write(body)
}
