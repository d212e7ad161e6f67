package bus

import "errors"

// poison marks an error as final for its message.
type poison struct{ cause error }

func (p poison) Error() string { return p.cause.Error() }
func (p poison) Unwrap() error { return p.cause }

// Poison says of a message that it can never be handled, whenever and however often it is tried: it cannot be decoded,
// or it says what cannot be. A Consumer puts such a message into the dead-letter topic with the cause as the reason.
// Any other error is taken to pass, and its message is tried again.
func Poison(cause error) error { return poison{cause} }

// IsPoison tells whether an error is one of Poison.
func IsPoison(err error) bool {
	var p poison
	return errors.As(err, &p)
}
