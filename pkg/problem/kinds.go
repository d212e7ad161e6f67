package problem

import "net/http"

// kind is a sort of problem that HTTP itself knows, whatever is exchanged.
type kind struct {
	slug, title string
	status      int
}

func (k *kind) Slug() string  { return k.slug }
func (k *kind) Title() string { return k.title }
func (k *kind) Status() int   { return k.status }

// The problems that do not depend on what is exchanged. Those of the interface's errors table are in
// contracts/problems.
var (
	Malformed        Kind = &kind{"malformed-body", "malformed body", http.StatusBadRequest}
	Invalid          Kind = &kind{"invalid-field", "invalid field", http.StatusBadRequest}
	BadParameter     Kind = &kind{"bad-parameter", "unknown or malformed parameter", http.StatusBadRequest}
	BadHeader        Kind = &kind{"bad-header", "malformed header", http.StatusBadRequest}
	Required         Kind = &kind{"required-fields-missing", "required fields missing", http.StatusBadRequest}
	Unauthorized     Kind = &kind{"unauthorized", "no valid scope", http.StatusUnauthorized}
	NotFound         Kind = &kind{"not-found", "not found", http.StatusNotFound}
	MethodNotAllowed Kind = &kind{"method-not-allowed", "method not allowed", http.StatusMethodNotAllowed}
	Transition       Kind = &kind{"transition-not-listed", "transition not listed", http.StatusConflict}
	Changed          Kind = &kind{"precondition-failed", "the record has changed", http.StatusPreconditionFailed}
	TooLarge         Kind = &kind{"body-too-large", "body too large", http.StatusRequestEntityTooLarge}
	MediaType        Kind = &kind{"unsupported-media-type", "unsupported media type", http.StatusUnsupportedMediaType}
	KeyReused        Kind = &kind{"idempotency-key-reused", "Idempotency-Key was used for another request", http.StatusUnprocessableEntity}
	Internal         Kind = &kind{"internal", "internal error", http.StatusInternalServerError}
	Unavailable      Kind = &kind{"unavailable", "service unavailable", http.StatusServiceUnavailable}
)

// Outage is the problem of a dependency that does not answer: 503 with Retry-After, the cause for the log.
func Outage(cause error) *Error {
	return New(Unavailable, "The request was not processed, or its outcome is not known. Retry it; with the same Idempotency-Key nothing is done twice.").
		WithHeader("Retry-After", "1").Because(cause)
}
