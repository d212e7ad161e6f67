// Package organisation has the value that says in whose name a store is read and written. The gateway takes it from a
// verified token, requests carry it from process to process, and every call of a store has it as an argument.
//
// The value cannot be made from a text by accident: only the functions of this package make one.
package organisation

import (
	"errors"
	"fmt"
	"regexp"
)

// ID names one organisation, or stands for all of them, or for an operator who reads what all of them have. The zero
// value stands for nobody, and every store refuses it: a request without an organisation is never taken for one that
// may see everything. Two that are equal name the same.
type ID struct {
	kind kind
	name string // of a named one, empty for the others
}

// kind says what an ID stands for.
type kind uint8

const (
	nobody kind = iota
	sole
	exchange
	operator
	named
)

// Sole returns the one organisation of an exchange that is not shared. It has no name. It owns all records of such an
// exchange, and sees none that an organisation with a name owns.
func Sole() ID { return ID{kind: sole} }

// Exchange returns what stands for the exchange itself: the work in the background that no caller has asked for. It
// sees the records of all organisations.
func Exchange() ID { return ID{kind: exchange} }

// Operator returns what stands for those who run the exchange and read the records of all organisations. It writes
// nothing. A store refuses it; only package shared, which decorates the stores of an exchange that organisations share,
// reads for it.
func Operator() ID { return ID{kind: operator} }

// name is what an organisation may be called. Two names that differ in case are two organisations.
var name = regexp.MustCompile(`\A[A-Za-z0-9._-]{1,64}\z`)

// ErrName means that an organisation cannot have a name.
var ErrName = errors.New("organisation: a name has 1 to 64 letters, digits, dots, underscores and hyphens")

// Named returns one of the organisations that share an exchange. It sees its own records alone. Errors: ErrName.
func Named(called string) (ID, error) {
	if !name.MatchString(called) {
		return ID{}, ErrName
	}
	return ID{kind: named, name: called}, nil
}

// Owner returns the organisation that owns what is stored with an owner's name: the only one where that is empty.
// Errors: ErrName.
func Owner(called string) (ID, error) {
	if called == "" {
		return Sole(), nil
	}
	return Named(called)
}

// Name returns the name of an organisation that has one, and else the empty text.
func (id ID) Name() string { return id.name }

// All reports whether the ID stands for the exchange, which sees the records of all organisations.
func (id ID) All() bool { return id.kind == exchange }

// Operates reports whether the ID stands for an operator.
func (id ID) Operates() bool { return id.kind == operator }

// Sees reports whether the organisation sees what one with a name owns; the only one has the empty name. Nobody
// sees anything. Whether it may write that is another question: an operator sees everything and writes nothing.
func (id ID) Sees(owner string) bool {
	return id.kind == exchange || id.kind == operator || id.kind != nobody && id.name == owner
}

// ErrNobody means that a store was asked in nobody's name. It is a fault of the program that asked.
var ErrNobody = errors.New("organisation: a store is asked in nobody's name")

// ErrOperator means that a store was asked in the name of an operator where it reads for none, or was to write.
var ErrOperator = errors.New("organisation: a store is asked by an operator, for whom it does nothing")

// Check returns ErrNobody for the zero value, and ErrOperator for an operator. A store calls it before anything else.
func (id ID) Check() error {
	switch id.kind {
	case nobody:
		return ErrNobody
	case operator:
		return ErrOperator
	default:
		return nil
	}
}

// ErrNamed means that an organisation with a name asks a store for what is there for the exchange alone.
var ErrNamed = errors.New("organisation: a store is asked for what it does for no single organisation")

// CheckUnnamed is Check, and returns ErrNamed for an organisation with a name. A store calls it where it would show
// the records of all.
func (id ID) CheckUnnamed() error {
	if id.kind == named {
		return fmt.Errorf("%w: %s", ErrNamed, id.name)
	}
	return id.Check()
}

// String returns what an ID stands for, as a log shows it.
func (id ID) String() string {
	switch id.kind {
	case sole:
		return "(the only one)"
	case exchange:
		return "(the exchange)"
	case operator:
		return "(an operator)"
	case named:
		return id.name
	default:
		return "(nobody)"
	}
}
