package rest

import (
	"time"
)

// Record is a stored record with its version.
type Record[T any] struct {
	Value   T
	Version int64

	state  state
	unsent bool
	// size is the length of the body and the state as they are stored.
	size int
	// moved says that time has moved the state since it was written; Value shows the state of now.
	moved bool
}

// Size returns the length of the record as it is stored, what is kept with it included, in bytes.
func (r *Record[T]) Size() int { return r.size }

// Pinned returns an index value that was pinned when the record was created.
func (r *Record[T]) Pinned(index string) string { return r.state.Pinned[index] }

// FirstTo returns when an event first put the record into one of the states; the zero time where none did.
func (r *Record[T]) FirstTo(states ...string) time.Time {
	first := r.state.History.first()
	var earliest time.Time
	for _, s := range states {
		if at, set := first[s]; set && (earliest.IsZero() || at.Before(earliest)) {
			earliest = at
		}
	}
	return earliest
}

// StateUntil returns when the present state gives way to another by itself; the zero time where it does not.
func (r *Record[T]) StateUntil() time.Time {
	if last := r.state.History.transition(); last != nil && !r.moved {
		return last.Until
	}
	return time.Time{}
}

// advance applies the move that time has made by now.
func (r *Record[T]) advance(status func(*T) **string, now time.Time) {
	last := r.state.History.transition()
	if status == nil || last == nil || last.Until.IsZero() || now.Before(last.Until) {
		return
	}
	then := last.Then
	*status(&r.Value) = &then
	r.moved = true
}
