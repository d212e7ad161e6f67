package scalar

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Since is a member that the exchange issues since some release. Before, callers could send anything under its name,
// which is kept and returned as it was, and means nothing. The zero value is absent.
type Since[T any] struct {
	value  T
	issued bool
	before jsontext.Value
}

// Issued returns a value as the exchange issues it.
func Issued[T any](v T) Since[T] { return Since[T]{value: v, issued: true} }

// Value returns the value, and whether there is one.
func (s Since[T]) Value() (T, bool) { return s.value, s.issued }

// IsZero reports whether the member is absent.
func (s Since[T]) IsZero() bool { return !s.issued && s.before == nil }

// UnmarshalJSON reads a value, and keeps what is none.
func (s *Since[T]) UnmarshalJSON(b []byte) error {
	*s = Since[T]{}
	if bytes.Equal(b, null) {
		return nil
	}
	if err := json.Unmarshal(b, &s.value); err == nil {
		s.issued = true
		return nil
	}
	*s = Since[T]{before: bytes.Clone(b)}
	return nil
}

// MarshalJSON writes the value, or what was kept.
func (s Since[T]) MarshalJSON() ([]byte, error) {
	if s.before != nil {
		return s.before, nil
	}
	if !s.issued {
		return null, nil
	}
	return json.Marshal(s.value)
}
