package scalar

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Since is a member that there is since some release, of the exchange or of callers. Before, callers could send
// anything under its name, which is kept and returned as it was. The zero value is absent.
type Since[T any] struct {
	value  T
	issued bool
	// kept is what was read, as it was.
	kept jsontext.Value
}

// Issued returns a value as the exchange issues it.
func Issued[T any](v T) Since[T] { return Since[T]{value: v, issued: true} }

// Value returns the value, and whether there is one.
func (s *Since[T]) Value() (T, bool) { return s.value, s.issued }

// Forget takes the value away. What was read stays: it has the name of the member from before there was one.
func (s *Since[T]) Forget() {
	var none T
	s.value, s.issued = none, false
}

// IsZero reports whether the member is absent.
func (s *Since[T]) IsZero() bool { return !s.issued && s.kept == nil }

// UnmarshalJSON reads a value, and keeps what is none.
func (s *Since[T]) UnmarshalJSON(b []byte) error {
	*s = Since[T]{}
	if bytes.Equal(b, null) {
		return nil
	}
	s.kept = bytes.Clone(b)
	s.issued = json.Unmarshal(b, &s.value) == nil
	return nil
}

// MarshalJSON writes the value, or what was read.
func (s Since[T]) MarshalJSON() ([]byte, error) {
	switch {
	case s.kept != nil:
		return s.kept, nil
	case s.issued:
		return json.Marshal(s.value)
	}
	return null, nil
}
