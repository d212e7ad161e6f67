package rest

import (
	"bytes"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/docstore"
)

// Entry is one event in the life of a record. Entries are kept with the record, in order.
//
// One event in the life of a record.
type Entry struct {
	// What happened: created, replaced, or the name of an action.
	Event string `json:"event"`
	// The instant at which it happened.
	At time.Time `json:"at"`
	// The subject of the caller's token.
	By string `json:"by"`
	// The state that the record was in afterwards. Absent where the event did not set it.
	To string `json:"to,omitempty"`
	// The instant at which that state gives way to another by itself.
	Until time.Time `json:"until,omitzero"`
	// The state that it gives way to.
	Then string `json:"then,omitempty"`
	// The body of an action, or the members that a replacement changed.
	Change jsontext.Value `json:"change,omitzero"`
}

// state is what is stored with a record but is no part of it: docstore.Document.State.
type state struct {
	// Resource is written first, so that belongs can read it without decoding.
	Resource string `json:"resource"`
	// Timed says that time will move the state on.
	Timed bool `json:"timed,omitempty"`
	// Key is the Idempotency-Key that the record was created with.
	Key *usedKey `json:"key,omitempty"`
	// Used are the Idempotency-Keys of actions on the record.
	Used    []usedKey     `json:"used,omitempty"`
	Pinned  docstore.Keys `json:"pinned,omitempty"`
	History []Entry       `json:"history"`
}

func (s *state) encode() ([]byte, error) {
	s.Timed = false
	if last := s.lastTransition(); last != nil && !last.Until.IsZero() {
		s.Timed = true
	}
	return json.Marshal(s)
}

// lastTransition returns the last entry that set the state.
func (s *state) lastTransition() *Entry {
	for i := len(s.History) - 1; i >= 0; i-- {
		if s.History[i].To != "" {
			return &s.History[i]
		}
	}
	return nil
}

// head returns how the encoded state of a resource's records begins.
func head(resource string) []byte { return []byte(`{"resource":` + strconv.Quote(resource)) }

// belongs reports, from the encoded state, whether the record is one of the resource and whether its state is timed. It
// looks at the text alone, so that a read does not decode what it does not need.
func belongs(encoded, head []byte) (is, timed bool) {
	rest, is := bytes.CutPrefix(encoded, head)
	return is, bytes.HasPrefix(rest, []byte(`,"timed":true`))
}

// Record is a stored record with its version and history.
type Record[T any] struct {
	Value   T
	Version int64
	// History is what happened to the record, oldest first.
	History []Entry

	state  state
	unsent bool
	// moved says that time has moved the state since it was written; Value shows the state of now.
	moved bool
}

// Pinned returns an index value that was pinned when the record was created.
func (r *Record[T]) Pinned(index string) string { return r.state.Pinned[index] }

// FirstTo returns when an event first put the record into one of the states; the zero time where none did.
func (r *Record[T]) FirstTo(states ...string) time.Time {
	for _, entry := range r.History {
		for _, s := range states {
			if entry.To == s {
				return entry.At
			}
		}
	}
	return time.Time{}
}

// StateUntil returns when the present state gives way to another by itself; the zero time where it does not.
func (r *Record[T]) StateUntil() time.Time {
	if last := r.state.lastTransition(); last != nil && !r.moved {
		return last.Until
	}
	return time.Time{}
}

// advance applies the move that time has made by now.
func (r *Record[T]) advance(status func(*T) **string, now time.Time) {
	last := r.state.lastTransition()
	if status == nil || last == nil || last.Until.IsZero() || now.Before(last.Until) {
		return
	}
	then := last.Then
	*status(&r.Value) = &then
	r.moved = true
}
