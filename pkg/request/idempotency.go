package request

import (
	"net/http"

	"insurance.example/exchange/pkg/problem"
)

// MaxKey is the greatest length of an Idempotency-Key, in bytes.
const MaxKey = 255

const header = "Idempotency-Key"

// KeySent returns the Idempotency-Key of a request, empty where it has none. Errors: problem.BadHeader.
func KeySent(h http.Header) (string, error) {
	values := h.Values(header)
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 || values[0] == "" || len(values[0]) > MaxKey {
		return "", problem.New(problem.BadHeader, header+" must be sent once, with 1 to 255 characters.")
	}
	return values[0], nil
}

// Replayed is the header of a response by which MarkReplay marks it.
const Replayed = "Idempotency-Replayed"

// MarkReplay says in the header of a response that an earlier request with the same key did what was asked.
func MarkReplay(h http.Header) { h.Set(Replayed, "true") }
