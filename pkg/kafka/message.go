package kafka

import (
	"errors"
	"fmt"

	"insurance.example/exchange/pkg/kafka/broker"
)

// Message is one message. Messages with the same key go to the same partition.
type Message struct {
	Key, Value []byte
	Headers    []Header
}

// Header is a named value of a message, in addition to its key and value.
type Header = broker.Header

const (
	// maxMessageBytes is the greatest size of a message. Brokers refuse larger ones unless configured otherwise.
	maxMessageBytes = 1 << 20
	// framingBytes is an upper bound of what a message takes up on the wire in addition to its key, value and headers.
	framingBytes = 128
)

// Check returns an error for a message that is too long to be published.
func (m Message) Check() error {
	size := framingBytes + len(m.Key) + len(m.Value)
	for _, h := range m.Headers {
		size += framingBytes + len(h.Key) + len(h.Value)
	}
	if size > maxMessageBytes {
		return fmt.Errorf("kafka: message of %d bytes is too long", size)
	}
	return nil
}

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
