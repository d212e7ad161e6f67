package load

import (
	"container/list"
	"time"
)

// Caller is who asks. Account is in whose name it does, such as its organisation, and Name who it is there. The zero
// caller is a stranger.
type Caller struct{ Account, Name string }

// queue holds who has something in work or waiting, or has asked a short time ago, and takes the next request by turns
// over accounts, and over the callers of each: however many requests an account has in it, the next of another one
// comes after one of them. It is not safe for concurrent use.
type queue struct {
	// lasting is how long who has nothing there is remembered, so that who asks for too much is known beside others
	// that have nothing waiting.
	lasting         time.Duration
	swept           time.Time
	inWork, waiting int
	accounts        group
}

// group is those that share and take turns: the accounts, or the callers of one.
type group struct {
	all map[string]*party
	// turns holds those of which something waits, in the order of their turns.
	turns list.List
}

// party is an account or one of its callers.
type party struct {
	name            string
	inWork, waiting int
	seen            time.Time
	turn            *list.Element // in group.turns
	// An account has its callers, and a caller the requests that wait.
	callers group
	line    list.List
}

// find returns an account and its caller, who asks at an instant.
func (q *queue) find(who Caller, now time.Time) (account, caller *party) {
	if now.Sub(q.swept) > q.lasting {
		q.accounts.forget(now.Add(-q.lasting))
		q.swept = now
	}
	account = q.accounts.party(who.Account)
	caller = account.callers.party(who.Name)
	account.seen, caller.seen = now, now
	return account, caller
}

// add has a request wait.
func (q *queue) add(s *Slot) {
	s.place = s.caller.line.PushBack(s)
	q.count(s, 1)
}

// next takes the request out whose turn it is; one must wait.
func (q *queue) next() *Slot {
	s := q.accounts.next().callers.next().line.Front().Value.(*Slot)
	q.remove(s)
	return s
}

// worst returns the request to refuse first: the last one of the caller with the most, of the account with the most.
func (q *queue) worst() *Slot {
	return q.accounts.longest().callers.longest().line.Back().Value.(*Slot)
}

// remove takes a request out.
func (q *queue) remove(s *Slot) {
	s.caller.line.Remove(s.place)
	s.place = nil
	q.count(s, -1)
}

func (q *queue) count(s *Slot, by int) {
	q.waiting += by
	q.accounts.count(s.account, by)
	s.account.callers.count(s.caller, by)
}

// overShare reports whether the account of a request that waits has more than its share, or its caller more than its
// share of that: in work and waiting together. All have equal shares of what is in work and waits. One request is never
// too much.
func (q *queue) overShare(s *Slot) bool {
	share := (q.inWork + q.waiting) / len(q.accounts.all)
	return s.account.has(share) || s.caller.has(share/len(s.account.callers.all))
}

// has reports whether there is more of a party than a share.
func (p *party) has(share int) bool { return p.inWork+p.waiting > max(1, share) }

// party returns the party of a name, a new one if there is none.
func (g *group) party(name string) *party {
	of := g.all[name]
	if of == nil {
		if g.all == nil {
			g.all = map[string]*party{}
		}
		of = &party{name: name}
		g.all[name] = of
	}
	return of
}

// forget removes those that have nothing in work or waiting, and were seen last before a time.
func (g *group) forget(before time.Time) {
	for name, p := range g.all {
		p.callers.forget(before)
		if p.inWork == 0 && p.waiting == 0 && p.seen.Before(before) {
			delete(g.all, name)
		}
	}
}

// next returns the party whose turn it is. Its next turn comes after those of all others.
func (g *group) next() *party {
	first := g.turns.Front()
	g.turns.MoveToBack(first)
	return first.Value.(*party)
}

// longest returns the party of which most waits.
func (g *group) longest() *party {
	var most *party
	for at := g.turns.Front(); at != nil; at = at.Next() {
		if p := at.Value.(*party); most == nil || p.waiting > most.waiting {
			most = p
		}
	}
	return most
}

// count counts more or fewer of a party that wait. It takes turns while some do.
func (g *group) count(p *party, by int) {
	p.waiting += by
	switch {
	case p.waiting == 0:
		g.turns.Remove(p.turn)
		p.turn = nil
	case p.turn == nil:
		p.turn = g.turns.PushBack(p)
	}
}
