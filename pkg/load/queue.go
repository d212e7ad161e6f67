package load

import (
	"container/heap"
	"container/list"

	"insurance.example/exchange/pkg/problem"
)

// Class says which requests are worked on, and refused, before others of the same caller.
type Class int

// The classes: what is refused last comes first. Internal requests are parts of those that another process has
// admitted, and neither wait nor are refused.
const (
	Internal Class = iota
	Read
	Write
	List
)

// String returns the name of a class in metrics.
func (c Class) String() string { return [...]string{"internal", "read", "write", "list"}[c] }

// Classes returns all classes.
func Classes() []Class { return []Class{Internal, Read, Write, List} }

// firstOf says which class a caller's request is taken from first, in turn. If none of it waits, those that are refused
// last come first. So none waits forever for the others.
var firstOf = [...]Class{Read, Read, Write, Read, Read, Write, Read, List}

// Caller is who asks. Account is in whose name it does, such as its organisation, and Name who it is there. The zero
// caller is a stranger.
type Caller struct{ Account, Name string }

// queue holds the requests that wait, and takes the next one by turns over accounts, and over the callers of each:
// however many requests an account has in it, the next of another one comes after one of them. It is not safe for
// concurrent use.
type queue struct {
	most, waiting int
	accounts      group
}

// group is the lines that take turns: those of the accounts, or those of the callers of one account.
type group struct {
	lines map[string]*line
	// turns holds the lines in the order of their turns, and longest in that of their lengths.
	turns   list.List
	longest longest
}

// line is what waits of one account, or of one of its callers, if anything.
type line struct {
	name    string
	waiting int
	turn    *list.Element // in group.turns
	place   int           // in group.longest
	// The line of an account has those of its callers, and the line of a caller has the requests, by class.
	callers group
	classes [List + 1]list.List
	taken   int
}

// waiter is one request that waits. line is nil when it no longer does.
type waiter struct {
	class         Class
	caller        Caller
	account, line *line
	element       *list.Element // in line.classes
	// decided gets one decision.
	decided chan decision
}

// decision is the slot that a request gets, or why it gets none.
type decision struct {
	slot    *Slot
	refused *problem.Error
}

func newQueue(most int) *queue { return &queue{most: most} }

// add has a request wait. If too many do, worst is the one to refuse, which is still to be removed: the last one of the
// caller with the most, of the account with the most.
func (q *queue) add(caller Caller, class Class) (added, worst *waiter) {
	account := q.accounts.line(caller.Account)
	of := account.callers.line(caller.Name)
	added = &waiter{class: class, caller: caller, account: account, line: of, decided: make(chan decision, 1)}
	added.element = of.classes[class].PushBack(added)
	q.count(added, 1)
	if q.waiting > q.most {
		worst = q.accounts.longest[0].callers.longest[0].last()
	}
	return added, worst
}

// next takes the request out whose turn it is; one must wait.
func (q *queue) next() *waiter {
	of := q.accounts.next().callers.next()
	w := of.first()
	of.taken++
	q.remove(w)
	return w
}

// remove takes a request out.
func (q *queue) remove(w *waiter) {
	w.line.classes[w.class].Remove(w.element)
	q.count(w, -1)
	w.account.callers.leave(w.line)
	q.accounts.leave(w.account)
	w.line = nil
}

func (q *queue) count(w *waiter, by int) {
	q.waiting += by
	q.accounts.count(w.account, by)
	w.account.callers.count(w.line, by)
}

// line returns the line of a name, a new one if nothing waits in it.
func (g *group) line(name string) *line {
	of := g.lines[name]
	if of == nil {
		if g.lines == nil {
			g.lines = map[string]*line{}
		}
		of = &line{name: name}
		of.turn = g.turns.PushBack(of)
		g.lines[name] = of
		heap.Push(&g.longest, of)
	}
	return of
}

// next returns the line whose turn it is. Its next turn comes after those of all other lines.
func (g *group) next() *line {
	first := g.turns.Front()
	g.turns.MoveToBack(first)
	return first.Value.(*line)
}

func (g *group) count(of *line, by int) {
	of.waiting += by
	heap.Fix(&g.longest, of.place)
}

// leave removes a line in which nothing waits any more.
func (g *group) leave(of *line) {
	if of.waiting == 0 {
		g.turns.Remove(of.turn)
		heap.Remove(&g.longest, of.place)
		delete(g.lines, of.name)
	}
}

// first returns the request of a line that comes next.
func (l *line) first() *waiter {
	if w := l.front(firstOf[l.taken%len(firstOf)]); w != nil {
		return w
	}
	for _, class := range Classes() {
		if w := l.front(class); w != nil {
			return w
		}
	}
	return nil
}

func (l *line) front(class Class) *waiter {
	if front := l.classes[class].Front(); front != nil {
		return front.Value.(*waiter)
	}
	return nil
}

// last returns the request of a line that is refused first.
func (l *line) last() *waiter {
	for class := List; class > Internal; class-- {
		if back := l.classes[class].Back(); back != nil {
			return back.Value.(*waiter)
		}
	}
	return nil
}

// longest is a heap of lines with the longest on top.
type longest []*line

func (h longest) Len() int           { return len(h) }
func (h longest) Less(i, j int) bool { return h[i].waiting > h[j].waiting }

func (h longest) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *longest) Push(of any) {
	l := of.(*line)
	l.place = len(*h)
	*h = append(*h, l)
}

func (h *longest) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
