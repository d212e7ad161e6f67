package rest

import (
	"bytes"
	"maps"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/docstore"
)

// Entry is one event in the life of a record. The last one is kept with the record, the others with its former
// versions.
//
// One event in the life of a record.
type Entry struct {
	// How many events the record has had with this one: 1 for its creation.
	Number int64 `json:"number"`
	// What happened: created, replaced, or the name of an action.
	Event string `json:"event"`
	// The instant at which it happened, which is never before that of the event before it.
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
	Timed bool `json:"timed,omitzero"`
	// Key is the Idempotency-Key that the record was created with.
	Key *usedKey `json:"key,omitempty"`
	// Trace is the traceparent of the request that created a record whose message is to follow, if that request was
	// traced.
	Trace  string        `json:"trace,omitempty"`
	Pinned docstore.Keys `json:"pinned,omitempty"`
	// History is a list of all events, with their keys in Used, in the state that releases before the former versions
	// wrote. They cannot read a head, and so they fail instead of losing it.
	History head      `json:"history"`
	Used    []usedKey `json:"used,omitempty"`
}

// head is what a record keeps of its history. Its size does not grow with the number of events: each former version
// keeps the head that it had.
type head struct {
	// Events are those since the version that was kept last: the event that led to this one. Only a record that an
	// earlier release wrote, and that has not changed since, has several.
	Events []Entry `json:"events"`
	// Used are the Idempotency-Keys of these events.
	Used []usedKey `json:"used,omitempty"`
	// First is when an event before these first set each state.
	First map[string]time.Time `json:"first,omitempty"`
	// Transition is the last transition before these events, if none of them is one.
	Transition *transition `json:"transition,omitempty"`
	// Altered is when the service itself last changed the record after these events.
	Altered time.Time `json:"altered,omitzero"`
	// Keys is the former version that has several keys, none of which finds it; 0 for none.
	Keys int64 `json:"keys,omitzero"`
}

// transition is an event that set the state.
type transition struct {
	To    string    `json:"to"`
	Until time.Time `json:"until,omitzero"`
	Then  string    `json:"then,omitempty"`
}

// UnmarshalJSONFrom reads a head, or the list of all events of an earlier release, which had no numbers.
func (h *head) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if from.PeekKind() != '[' {
		type plain head
		return json.UnmarshalDecode(from, (*plain)(h))
	}
	if err := json.UnmarshalDecode(from, &h.Events); err != nil {
		return err
	}
	for i := range h.Events {
		h.Events[i].Number = int64(i + 1)
	}
	return nil
}

func decodeState(encoded []byte) (state, error) {
	var s state
	err := json.Unmarshal(encoded, &s, uniqueNames)
	if s.Used != nil {
		s.History.Used, s.Used = s.Used, nil
	}
	return s, err
}

func (s *state) encode() ([]byte, error) {
	s.Timed = false
	if last := s.History.transition(); last != nil && !last.Until.IsZero() {
		s.Timed = true
	}
	return json.Marshal(s, uniqueNames)
}

// created returns the head of a new record.
func created(event Entry) head {
	event.Number = 1
	return head{Events: []Entry{event}}
}

// next returns the head of the version that follows a version with this head.
func (h *head) next(version int64, event Entry, key *usedKey) head {
	if last := h.last(); last != nil {
		event.Number = last.Number + 1
		// The clocks of two processes differ. A version is in force from its instant to that of the next.
		if event.At.Before(last.At) {
			event.At = last.At
		}
	}
	next := head{Events: []Entry{event}, First: h.first(), Keys: h.Keys}
	if event.To == "" {
		next.Transition = h.transition()
	}
	if len(h.Used) > 1 {
		next.Keys = version
	}
	if key != nil {
		next.Used = []usedKey{*key}
	}
	return next
}

// key returns the key that finds a version with this head among the former ones; none where it has several.
func (h *head) key() string {
	if len(h.Used) == 1 {
		return h.Used[0].Name
	}
	return ""
}

// used returns the latest use of a key in the events, nil if there is none.
func (h *head) used(name string) *usedKey {
	for i := len(h.Used) - 1; i >= 0; i-- {
		if h.Used[i].Name == name {
			return &h.Used[i]
		}
	}
	return nil
}

// last returns the last event, nil where no event is known.
func (h *head) last() *Entry {
	if len(h.Events) == 0 {
		return nil
	}
	return &h.Events[len(h.Events)-1]
}

// first returns when an event first set each state.
func (h *head) first() map[string]time.Time {
	first := maps.Clone(h.First)
	for _, event := range h.Events {
		if _, known := first[event.To]; known || event.To == "" {
			continue
		}
		if first == nil {
			first = map[string]time.Time{}
		}
		first[event.To] = event.At
	}
	return first
}

// transition returns the last event that set the state, nil if there is none.
func (h *head) transition() *transition {
	for i := len(h.Events) - 1; i >= 0; i-- {
		if event := &h.Events[i]; event.To != "" {
			return &transition{event.To, event.Until, event.Then}
		}
	}
	return h.Transition
}

// resourcePrefix returns how the encoded state of a resource's records begins.
func resourcePrefix(resource string) []byte { return []byte(`{"resource":` + strconv.Quote(resource)) }

// belongs reports, from the encoded state, whether the record is one of the resource and whether its state is timed. It
// looks at the text alone, so that a read does not decode what it does not need.
func belongs(encoded, prefix []byte) (is, timed bool) {
	rest, is := bytes.CutPrefix(encoded, prefix)
	return is, bytes.HasPrefix(rest, []byte(`,"timed":true`))
}
