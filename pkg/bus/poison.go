package bus

import "errors"

// poison marks an error as final for its message.
type poison struct{ cause error }

func (p poison) Error() string { return p.cause.Error() }
func (p poison) Unwrap() error { return p.cause }

// Poison wraps cause to say that a message can never be handled, however often it is tried: it cannot be decoded, or
// what it says cannot be true. A Consumer writes such a message to the dead-letter topic with the text of cause as the
// reason. After any other error it handles the message again.
func Poison(cause error) error { return poison{cause} }

// IsPoison reports whether err is or wraps an error that Poison returned.
func IsPoison(err error) bool {
	var p poison
	return errors.As(err, &p)
}
