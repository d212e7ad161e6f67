package kafka

import (
	"cmp"
	"slices"
)

// position is where a message was found.
type position struct {
	partition int
	offset    int64
}

// work is one message to handle, on behalf of all equal messages that were found.
type work struct {
	message   Message
	positions []position
	// traces are the traceparents of these messages, as far as they have one and up to mostTraces.
	traces []string
	// poison is the reason why the message can never be handled; nil as long as none is known.
	poison error
	// handled is true once the message was handled or is in the dead-letter topic.
	handled bool
}

// lanes holds the work in hand, with one lane for each key.
type lanes map[string]*lane

// lane is the work of one key. It is done one after another, in the order in which it came.
type lane struct {
	waiting []*work
	// alike maps the value of a message to the work that waits for it.
	alike map[string]*work
	busy  bool
}

// add puts a message in the lane of its key. If an equal message already waits, the two become one, and add returns
// true. A message does not join work that has begun, because its cause may have happened after the handler read the
// state.
func (l lanes) add(m Message, at position) (joined bool) {
	on, ok := l[string(m.Key)]
	if !ok {
		on = &lane{alike: make(map[string]*work)}
		l[string(m.Key)] = on
	}
	if w, ok := on.alike[string(m.Value)]; ok {
		w.positions = append(w.positions, at)
		w.trace(m)
		return true
	}
	w := &work{message: m, positions: []position{at}}
	w.trace(m)
	on.alike[string(m.Value)] = w
	on.waiting = append(on.waiting, w)
	return false
}

// trace notes the trace of a message.
func (w *work) trace(m Message) {
	if trace := m.trace(); trace != "" && len(w.traces) < mostTraces {
		w.traces = append(w.traces, trace)
	}
}

// names returns what the log says of the work: where its first message is, and the trace of that. Its key and its
// value are not among them, because these may be somebody's data.
func (w *work) names() []any {
	names := []any{"partition", w.positions[0].partition, "offset", w.positions[0].offset}
	return append(names, TraceName(w.message)...)
}

// begin returns the first work of each lane that is not busy, and makes the lane busy. Earlier messages of a
// partition come first: what is handled behind a message that is not is handled again after a rebalance, so that
// should be little.
func (l lanes) begin() []*work {
	var begun []*work
	for _, lane := range l {
		if !lane.busy {
			lane.busy = true
			begun = append(begun, lane.take())
		}
	}
	slices.SortFunc(begun, func(a, b *work) int {
		return cmp.Or(cmp.Compare(a.positions[0].offset, b.positions[0].offset),
			cmp.Compare(a.positions[0].partition, b.positions[0].partition))
	})
	return begun
}

// next returns the work that follows done in its lane, or nil if nothing waits there.
func (l lanes) next(done *work) *work {
	key := string(done.message.Key)
	if len(l[key].waiting) == 0 {
		delete(l, key)
		return nil
	}
	return l[key].take()
}

func (l *lane) take() *work {
	first := l.waiting[0]
	l.waiting = l.waiting[1:]
	delete(l.alike, string(first.message.Value))
	return first
}
