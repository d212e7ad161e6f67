package load

import (
	"container/list"
	"maps"
	"time"
)

// Caller is who asks. Account is in whose name it does, such as its organisation, and Name who it is there. The zero
// caller is a stranger.
type Caller struct{ Account, Name string }

// party is who shares what can be served with others: an account, or one of its callers. All accounts together are
// one that shares with nobody. Requests have turns among those of their caller, callers among those of their account,
// and accounts among each other: however many requests an account has waiting, the next of another one comes after
// one of them. A party has something in work or waiting, or has asked a short time ago: who asks for too much is known
// as such also beside others that have nothing waiting. It is not safe for concurrent use.
type party struct {
	// of is what it is a part of; nil for all accounts together.
	of              *party
	parts           map[string]*party
	inWork, waiting int
	seen            time.Time
	// turns holds the parts of which something waits, or the requests of a caller that wait, in the order of their
	// turns. turn is the place of the party itself in those of the party that it is a part of.
	turns list.List
	turn  *list.Element
}

// part returns the part of a name, who asks at an instant.
func (p *party) part(name string, now time.Time) *party {
	part := p.parts[name]
	if part == nil {
		part = &party{of: p, parts: map[string]*party{}}
		p.parts[name] = part
	}
	part.seen = now
	return part
}

// forget removes the parts that have nothing in work or waiting, and were seen last before a time. A request whose
// body was awaited for longer is still counted among all, but in the share of nobody.
func (p *party) forget(before time.Time) {
	maps.DeleteFunc(p.parts, func(_ string, part *party) bool {
		part.forget(before)
		return part.inWork == 0 && part.waiting == 0 && part.seen.Before(before)
	})
}

// work counts more or fewer requests in work.
func (p *party) work(by int) {
	for ; p != nil; p = p.of {
		p.inWork += by
	}
}

// wait counts more or fewer requests that wait. A party takes turns while some do.
func (p *party) wait(by int) {
	p.waiting += by
	switch {
	case p.of == nil:
		return
	case p.waiting == 0:
		p.of.turns.Remove(p.turn)
		p.turn = nil
	case p.turn == nil:
		p.turn = p.of.turns.PushBack(p)
	}
	p.of.wait(by)
}

// next returns the request whose turn it is; one must wait. The next turn of a party comes after those of all others.
func (p *party) next() *Slot {
	first := p.turns.Front()
	if slot, is := first.Value.(*Slot); is {
		return slot
	}
	p.turns.MoveToBack(first)
	return first.Value.(*party).next()
}

// worst returns the request to refuse first: the last one of the caller with the most, of the account with the most.
func (p *party) worst() *Slot {
	if last, is := p.turns.Back().Value.(*Slot); is {
		return last
	}
	var most *party
	for at := p.turns.Front(); at != nil; at = at.Next() {
		if part := at.Value.(*party); most == nil || part.waiting > most.waiting {
			most = part
		}
	}
	return most.worst()
}

// share returns how many requests are the share of a party, in work and waiting together: all parts have equal ones.
func (p *party) share() int {
	if p.of == nil {
		return p.inWork + p.waiting
	}
	return p.of.share() / len(p.of.parts)
}

// overShare reports whether a party, or what it is a part of, has more than its share. One request is never too much.
func (p *party) overShare() bool {
	return p.of != nil && (p.inWork+p.waiting > max(1, p.share()) || p.of.overShare())
}
