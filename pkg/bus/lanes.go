package bus

// position is where a message was found.
type position struct {
	partition int
	offset    int64
}

// work is one message to handle, for all positions at which messages like it were found.
type work struct {
	message   Message
	positions []position
	// poison is why the message can never be handled, once that is known.
	poison error
	// handled: the message was handled, or is in the dead-letter topic.
	handled bool
}

// lanes holds the work in hand, a lane for each key.
type lanes map[string]*lane

// lane is the work on one key. It is done one by one, in the order in which it came.
type lane struct {
	waiting []*work
	// alike finds what waits by the value of its message.
	alike map[string]*work
	busy  bool
}

// add puts a message in the lane of its key. Where one alike already waits it joins that one. It does not join work
// that has begun: what the message speaks of may have happened after the handler looked.
func (l lanes) add(m Message, at position) (joined bool) {
	on, ok := l[string(m.Key)]
	if !ok {
		on = &lane{alike: make(map[string]*work)}
		l[string(m.Key)] = on
	}
	if w, ok := on.alike[string(m.Value)]; ok {
		w.positions = append(w.positions, at)
		return true
	}
	w := &work{message: m, positions: []position{at}}
	on.alike[string(m.Value)] = w
	on.waiting = append(on.waiting, w)
	return false
}

// begin returns the first work of each lane that is not busy, and makes the lane busy.
func (l lanes) begin() []*work {
	var begun []*work
	for _, lane := range l {
		if !lane.busy {
			lane.busy = true
			begun = append(begun, lane.take())
		}
	}
	return begun
}

// next returns what follows done in its lane, or nil if nothing waits there.
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
