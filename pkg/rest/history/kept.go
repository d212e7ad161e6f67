// Package history holds what is kept of the life of a record, and reads it: every event (/x/history), and what the
// record was at an instant (/x/asof).
package history

import (
	"bytes"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/pkg/docstore"
)

// Entry is an element of History. The last one is kept with the record, the others with its former versions.
//
// One event in the life of a record.
type Entry struct {
	// How many events the record has had with this one: 1 for its creation.
	Number int64 `json:"number"`
	// What happened: created, replaced, or the name of an action.
	Event string `json:"event"`
	// The instant at which it happened, which is never before that of the event before it.
	At time.Time `json:"at"`
	// The subject of the caller's token. Where another organisation did it, that one.
	By string `json:"by"`
	// The organisation of the caller. Absent where organisations do not share the exchange.
	Organisation string `json:"organisation,omitempty"`
	// The state that the record was in afterwards. Absent where the event did not set it.
	To string `json:"to,omitempty"`
	// The instant at which that state gives way to another by itself.
	Until time.Time `json:"until,omitzero"`
	// The state that it gives way to.
	Then string `json:"then,omitempty"`
	// The body of an action, or the members that a replacement changed.
	Change jsontext.Value `json:"change,omitzero"`
}

// UsedKey is an Idempotency-Key that a write was made with.
type UsedKey struct {
	// Name is unique to the caller, the operation and the key.
	Name string `json:"name"`
	// Request is the same for the same request body. A member that is null is as one that is absent.
	Request string    `json:"request"`
	At      time.Time `json:"at"`
	// Former is what Request was of this body while null was told from absent, as earlier releases kept it. It is not
	// kept.
	Former string `json:"-"`
}

// The event of a record that an action has made of another one is "created by renew of 0195a000-...".
const (
	madeBy   = "created by "
	madeFrom = " of "
)

// MadeBy returns the event of a record that an action has made of the record with an id.
func MadeBy(action, of string) string { return madeBy + action + madeFrom + of }

// Origin returns the action that has made the record, and the id of the record that it was made of, as far as the event
// of its creation is among those of the head. made is false for every other record.
func (h *Head) Origin() (action, of string, made bool) {
	if len(h.Events) == 0 || h.Events[0].Number > 1 {
		return "", "", false
	}
	return maker(h.Events[0].Event)
}

// maker returns the action that has made a record, and the id of the record that it was made of. made is false for an
// event that MadeBy does not return.
func maker(event string) (action, of string, made bool) {
	rest, made := strings.CutPrefix(event, madeBy)
	if !made {
		return "", "", false
	}
	return strings.Cut(rest, madeFrom)
}

// State is what is stored with a record but is no part of it: docstore.Document.State.
type State struct {
	// Resource is written first, so that Belongs can read it without decoding.
	Resource string `json:"resource"`
	// Timed says that time will move the state on.
	Timed bool `json:"timed,omitzero"`
	// Key is the Idempotency-Key that the record was created with.
	Key *UsedKey `json:"key,omitempty"`
	// Trace is the traceparent of the request that created a record whose message is to follow, if that request was
	// traced.
	Trace  string        `json:"trace,omitempty"`
	Pinned docstore.Keys `json:"pinned,omitempty"`
	// MadeOf is the id of the record that an action has made this one of. It is not pinned: a release without its index
	// refuses to write what is pinned for an index that it does not have.
	MadeOf string `json:"madeOf,omitzero"`
	// Aside is what the service keeps with the record since its creation. A release that does not have it drops it
	// when it writes.
	Aside jsontext.Value `json:"aside,omitzero"`
	// History is a list of all events, with their keys in Used, in the state that releases before the former versions
	// wrote. They cannot read a head, and so they fail instead of losing it.
	History Head      `json:"history"`
	Used    []UsedKey `json:"used,omitempty"`
}

// Head is what a record keeps of its history. Its size does not grow with the number of events: each former version
// keeps the head that it had.
type Head struct {
	// Events are those since the version that was kept last: the event that led to this one. Only a record that an
	// earlier release wrote, and that has not changed since, has several.
	Events []Entry `json:"events"`
	// Used are the Idempotency-Keys of these events.
	Used []UsedKey `json:"used,omitempty"`
	// First is when an event before these first set each state.
	First map[string]time.Time `json:"first,omitempty"`
	// Transition is the last transition before these events, if none of them is one.
	Transition *Transition `json:"transition,omitempty"`
	// Altered is when the service itself last changed the record after these events.
	Altered time.Time `json:"altered,omitzero"`
	// Effect is from when on what the record says counts; nil where it counts from the beginning.
	Effect *Effect `json:"effect,omitempty"`
	// CoverEnds is the CoverEnds of the last event that set it.
	CoverEnds time.Time `json:"coverEnds,omitzero"`
	// Keys is the former version that has several keys, and so is found by none of them; 0 for none.
	Keys int64 `json:"keys,omitzero"`
}

// Effect is the last event that said from when on what it changed counts. It never counts from before the one that was
// the last until then, so that the versions of a record are in the order of their effects.
type Effect struct {
	// Number is that of the event, and Date its EffectiveDate.
	Number int64     `json:"number"`
	Date   time.Time `json:"date"`
}

// Transition is an event that set the state.
type Transition struct {
	To    string    `json:"to"`
	Until time.Time `json:"until,omitzero"`
	Then  string    `json:"then,omitempty"`
}

// UnmarshalJSONFrom reads a head, or the list of all events of an earlier release, which had no numbers.
func (h *Head) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if from.PeekKind() != '[' {
		type plain Head
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

// UniqueNames leaves out the comparison of member names: what is stored was decoded with it before.
var UniqueNames = jsontext.AllowDuplicateNames(true)

// Decode reads a stored state.
func Decode(encoded []byte) (State, error) {
	var s State
	err := json.Unmarshal(encoded, &s, UniqueNames)
	if s.Used != nil {
		s.History.Used, s.Used = s.Used, nil
	}
	return s, err
}

// Encode writes a state as it is stored.
func (s *State) Encode() ([]byte, error) {
	s.Timed = false
	if last := s.History.LastTransition(); last != nil && !last.Until.IsZero() {
		s.Timed = true
	}
	return json.Marshal(s, UniqueNames)
}

// Created returns the head of a new record.
func Created(event Entry) Head {
	event.Number = 1
	return Head{Events: []Entry{event}}
}

// Next returns the head of the version that follows a version with this head.
func (h *Head) Next(version int64, event Entry, key *UsedKey) Head {
	if last := h.Last(); last != nil {
		event.Number = last.Number + 1
		// The clocks of two processes differ. A version is in force from its instant to that of the next.
		if event.At.Before(last.At) {
			event.At = last.At
		}
	}
	next := Head{
		Events: []Entry{event}, First: h.FirstTo(), Keys: h.Keys, Effect: h.Effect, CoverEnds: h.CoverEnds,
	}
	if event.To == "" {
		next.Transition = h.LastTransition()
	}
	if len(h.Used) > 1 {
		next.Keys = version
	}
	if key != nil {
		next.Used = []UsedKey{*key}
	}
	return next
}

// Key returns the key that finds a version with this head among the former ones; none where it has several.
func (h *Head) Key() string {
	if len(h.Used) == 1 {
		return h.Used[0].Name
	}
	return ""
}

// Use returns the latest use of a key in the events, nil if there is none.
func (h *Head) Use(name string) *UsedKey {
	for i := len(h.Used) - 1; i >= 0; i-- {
		if h.Used[i].Name == name {
			return &h.Used[i]
		}
	}
	return nil
}

// Last returns the last event, nil where no event is known.
func (h *Head) Last() *Entry {
	if len(h.Events) == 0 {
		return nil
	}
	return &h.Events[len(h.Events)-1]
}

// FirstTo returns when an event first set each state.
func (h *Head) FirstTo() map[string]time.Time {
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

// LastTransition returns the last event that set the state, nil if there is none.
func (h *Head) LastTransition() *Transition {
	for i := len(h.Events) - 1; i >= 0; i-- {
		if event := &h.Events[i]; event.To != "" {
			return &Transition{event.To, event.Until, event.Then}
		}
	}
	return h.Transition
}

// Prefix returns how the encoded state of a resource's records begins.
func Prefix(resource string) []byte { return []byte(`{"resource":` + strconv.Quote(resource)) }

// Belongs reports, from the encoded state, whether the record is one of the resource and whether its state is timed. It
// looks at the text alone, so that a read does not decode what it does not need.
func Belongs(encoded, prefix []byte) (is, timed bool) {
	rest, is := bytes.CutPrefix(encoded, prefix)
	return is, bytes.HasPrefix(rest, []byte(`,"timed":true`))
}
