package problem

import (
	"net/http"
	"slices"
	"strings"
)

// kind is a Kind that this package declares.
type kind struct {
	slug, title string
	status      int
}

func (k *kind) Slug() string  { return k.slug }
func (k *kind) Title() string { return k.title }
func (k *kind) Status() int   { return k.status }

// kinds holds every kind that this package declares, in the order of declaration.
var kinds []Kind

func declare(k kind) Kind {
	kinds = append(kinds, &k)
	return &k
}

// All returns the kinds of problem that this package declares, in the order of declaration.
func All() []Kind { return slices.Clone(kinds) }

// The kinds of problem that any HTTP service has. The kinds of the interface's errors table are in contracts/problems.
var (
	MalformedRequest = declare(kind{"malformed-request", "malformed request", http.StatusBadRequest})
	Malformed        = declare(kind{"malformed-body", "malformed body", http.StatusBadRequest})
	Invalid          = declare(kind{"invalid-field", "invalid field", http.StatusBadRequest})
	BadParameter     = declare(kind{"bad-parameter", "unknown or malformed parameter", http.StatusBadRequest})
	BadHeader        = declare(kind{"bad-header", "malformed header", http.StatusBadRequest})
	Required         = declare(kind{"required-fields-missing", "required fields missing", http.StatusBadRequest})
	Unauthorized     = declare(kind{"unauthorized", "no valid scope", http.StatusUnauthorized})
	RightMissing     = declare(kind{"right-missing", "the organisation lacks the right", http.StatusForbidden})
	Ambiguous        = declare(kind{"ambiguous", "several organisations have it", http.StatusConflict})
	ReferenceTaken   = declare(kind{"external-reference-taken", "another record has the externalReference",
		http.StatusConflict})
	AmbiguousReference = declare(kind{"ambiguous-reference", "several records have the reference", http.StatusConflict})
	TooManyRefusals    = declare(kind{"too-many-refusals", "the organisation refuses as many others as it may",
		http.StatusConflict})
	NotFound         = declare(kind{"not-found", "not found", http.StatusNotFound})
	MethodNotAllowed = declare(kind{"method-not-allowed", "method not allowed", http.StatusMethodNotAllowed})
	Issued           = declare(kind{"issued-member", "a member that the exchange issues cannot be changed",
		http.StatusConflict})
	Transition    = declare(kind{"transition-not-listed", "transition not listed", http.StatusConflict})
	CursorExpired = declare(kind{"cursor-expired", "the cursor has expired", http.StatusGone})
	Changed       = declare(kind{"precondition-failed", "the record has changed", http.StatusPreconditionFailed})
	RangeOutside  = declare(kind{"range-not-satisfiable", "range not satisfiable",
		http.StatusRequestedRangeNotSatisfiable})
	Expectation    = declare(kind{"expectation-failed", "expectation failed", http.StatusExpectationFailed})
	HeaderTooLarge = declare(kind{"header-too-large", "header too large", http.StatusRequestHeaderFieldsTooLarge})
	TransferCoding = declare(kind{"unsupported-transfer-coding", "unsupported transfer coding",
		http.StatusNotImplemented})
	Version = declare(kind{"unsupported-http-version", "unsupported HTTP version",
		http.StatusHTTPVersionNotSupported})
	TooLarge       = declare(kind{"body-too-large", "body too large", http.StatusRequestEntityTooLarge})
	RecordTooLarge = declare(kind{"record-too-large", "record too large", http.StatusRequestEntityTooLarge})
	MediaType      = declare(kind{"unsupported-media-type", "unsupported media type", http.StatusUnsupportedMediaType})
	KeyReused      = declare(kind{"idempotency-key-reused", "Idempotency-Key was used for another request",
		http.StatusUnprocessableEntity})
	SlowBody     = declare(kind{"slow-body", "the body came too slowly", http.StatusRequestTimeout})
	ShareUsedUp  = declare(kind{"share-used-up", "too much in work for one caller", http.StatusTooManyRequests})
	RateExceeded = declare(kind{"rate-exceeded", "too many requests of one caller", http.StatusTooManyRequests})
	Altered      = declare(kind{"record-altered", "the stored record is not what was written",
		http.StatusInternalServerError})
	Internal    = declare(kind{"internal", "internal error", http.StatusInternalServerError})
	Unavailable = declare(kind{"unavailable", "service unavailable", http.StatusServiceUnavailable})
	Overloaded  = declare(kind{"overloaded", "too much in work", http.StatusServiceUnavailable})
)

// WrongMethod returns the problem for a path that is there, but not with the method: 405 with the methods that it
// takes.
func WrongMethod(method string, takes ...string) *Error {
	allow := strings.Join(takes, ", ")
	return New(MethodNotAllowed, "This path takes "+allow+", and not "+Short(method)+".").WithHeader("Allow", allow)
}

// Later returns a problem of a kind that passes, mostly within a second: its Retry-After says so.
func Later(kind Kind, detail string) *Error { return New(kind, detail).WithHeader("Retry-After", "1") }

// Outage returns the problem for a store or another service that does not respond: 503 with Retry-After.
func Outage(cause error) *Error {
	return Later(Unavailable, "The request was not processed, or its outcome is not known. Retry it; with the same "+
		"Idempotency-Key nothing is done twice.").Because(cause)
}
