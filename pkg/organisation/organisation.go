// Package organisation has the value that says in whose name a store is read and written. The gateway takes it from a
// verified token, requests carry it from process to process, and every call of a store has it as an argument.
//
// The value cannot be made from a text by accident: only the functions of this package make one.
package organisation

import "errors"

// ID names one organisation, or stands for all of them. The zero value stands for nobody, and every store refuses it:
// a request without an organisation is never taken for one that may see everything.
type ID struct{ kind kind }

// kind says what an ID stands for.
type kind uint8

const (
	nobody kind = iota
	sole
	exchange
)

// Sole returns the one organisation of an exchange that is not shared. It owns all records.
func Sole() ID { return ID{kind: sole} }

// Exchange returns what stands for the exchange itself: the work in the background that no caller has asked for. It
// sees the records of all organisations.
func Exchange() ID { return ID{kind: exchange} }

// ErrNobody means that a store was asked in nobody's name. It is a fault of the program that asked.
var ErrNobody = errors.New("organisation: a store is asked in nobody's name")

// Check returns ErrNobody for the zero value. A store calls it before anything else.
func (id ID) Check() error {
	if id.kind == nobody {
		return ErrNobody
	}
	return nil
}

// String returns what an ID stands for, as a log shows it.
func (id ID) String() string {
	switch id.kind {
	case sole:
		return "(the only one)"
	case exchange:
		return "(the exchange)"
	default:
		return "(nobody)"
	}
}
