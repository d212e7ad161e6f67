// Package problem writes problem documents (RFC 7807), the form of every error that the exchange sends.
//
// Libraries for RFC 7807 marshal a struct. What this package is for they leave: kinds declared once, bounds on a
// document and its violations, and a cause that only the log shows.
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

// MaxDocument is the most bytes of a problem document. Where its violations would make it larger, fewer of them are
// listed.
const MaxDocument = 16 << 10

// ContentType is the media type of a problem document.
const ContentType = "application/problem+json"

// RequestIDHeader carries the request id in every response. A problem document repeats the id as its instance.
const RequestIDHeader = "X-Request-Id"

// Kind is a kind of problem. It is declared once and used wherever the problem occurs.
type Kind interface {
	// Slug is the stable name of the kind. The type member of its documents is "/problems/" and the slug.
	Slug() string
	// Title is a short text, the same for every occurrence.
	Title() string
	// Status is the HTTP status.
	Status() int
}

// Violation is one thing wrong with a request: where (a JSON pointer into the body, or the name of a query
// parameter) and why.
//
// One thing that is wrong with a request, and where.
type Violation struct {
	// The place in the body, as a JSON pointer; "" is the whole body.
	Pointer string `json:"pointer,omitempty"`
	// The name of the query parameter, where the place is in the query.
	Parameter string `json:"parameter,omitempty"`
	// What is wrong there.
	Reason string `json:"reason"`
}

// MarshalJSON writes the place: the parameter, and otherwise the pointer, also where it is "", which is the whole body
// (RFC 6901).
func (v Violation) MarshalJSON() ([]byte, error) {
	if v.Parameter != "" {
		return json.Marshal(struct {
			Parameter string `json:"parameter"`
			Reason    string `json:"reason"`
		}{v.Parameter, v.Reason})
	}
	return json.Marshal(struct {
		Pointer string `json:"pointer"`
		Reason  string `json:"reason"`
	}{v.Pointer, v.Reason})
}

// Error is one occurrence of a problem. The caller sees its exported fields. The cause is for the log only.
type Error struct {
	Kind Kind
	// Detail explains this occurrence. If it is empty, the first violation is shown in its place, else the title.
	Detail string
	// Violations holds everything that was found wrong, not only the first, up to MaxViolations.
	Violations []Violation
	// More is the number of violations beyond MaxViolations.
	More int
	// Members holds further members of the document, such as existingId.
	Members map[string]any
	// Header is sent with the document.
	Header http.Header

	cause error
}

// New returns a problem with a detail, which may be empty.
func New(kind Kind, detail string) *Error { return &Error{Kind: kind, Detail: detail} }

// Because sets the cause, which is logged and never shown to the caller. It returns e.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// At adds a violation at a JSON pointer. It returns e.
func (e *Error) At(pointer, reason string) *Error {
	return e.Violate(Violation{Pointer: pointer, Reason: reason})
}

// InParameter adds a violation of a query parameter. It returns e.
func (e *Error) InParameter(name, reason string) *Error {
	return e.Violate(Violation{Parameter: name, Reason: reason})
}

// Violate adds violations. Beyond MaxViolations it only counts them. It returns e.
func (e *Error) Violate(all ...Violation) *Error {
	room := max(0, min(MaxViolations-len(e.Violations), len(all)))
	e.Violations = append(e.Violations, all[:room]...)
	e.More += len(all) - room
	return e
}

// With adds a member to the document. It returns e.
func (e *Error) With(member string, value any) *Error {
	if e.Members == nil {
		e.Members = map[string]any{}
	}
	e.Members[member] = value
	return e
}

// WithHeader sets a header of the response. It returns e.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// detail returns the detail member: the Detail, else the first violation as a sentence, else the title.
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
	switch more := len(e.Violations) - 1 + e.More; more {
	case 0:
		return detail
	case 1:
		return detail + " There is 1 more error."
	default:
		return detail + " There are " + strconv.Itoa(more) + " more errors."
	}
}

// From returns the problem in the chain of err, else an Internal problem whose cause is err.
func From(err error) *Error {
	var p *Error
	if errors.As(err, &p) {
		return p
	}
	return New(Internal, "").Because(err)
}

// URI returns the type member of a kind's documents, a stable URI reference.
func URI(kind Kind) string { return "/problems/" + kind.Slug() }

// Write writes the problem document as the response. Its instance is the RequestIDHeader that w already carries.
func Write(w http.ResponseWriter, e *Error) {
	instance := w.Header().Get(RequestIDHeader)
	body := e.document(instance, e.Violations)
	for listed := len(e.Violations); len(body) > MaxDocument && listed > 0; {
		listed /= 2
		body = e.document(instance, e.Violations[:listed])
	}
	header := w.Header()
	for name, values := range e.Header {
		header[name] = values
	}
	header.Set("Content-Type", ContentType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(e.Kind.Status())
	_, _ = w.Write(body)
}

// document returns the problem document that lists some of the violations and counts the others.
func (e *Error) document(instance string, listed []Violation) []byte {
	document := make(map[string]any, 6+len(e.Members))
	for name, value := range e.Members {
		document[name] = value
	}
	document["type"] = URI(e.Kind)
	document["title"] = e.Kind.Title()
	document["status"] = e.Kind.Status()
	document["detail"] = e.detail()
	if instance != "" {
		document["instance"] = instance
	}
	if len(listed) > 0 {
		document["errors"] = listed
	}
	if more := e.More + len(e.Violations) - len(listed); more > 0 {
		document["moreErrors"] = more
	}
	body, err := json.Marshal(document)
	if err != nil {
		// Only Members can fail to be encoded, which is a programming error. The caller still gets the problem.
		body = []byte(`{"type":"` + URI(e.Kind) + `","status":` + strconv.Itoa(e.Kind.Status()) + `}`)
	}
	return body
}

// Short cuts a text of the caller's that a document repeats, so that a long one does not fill it.
func Short(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
