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

// queue holds the requests that wait, and takes the next one by turns over their callers: however many requests a
// caller has in it, the next of another caller comes after one of them. It is not safe for concurrent use.
type queue struct {
	most, waiting int
	// lines holds what waits of each caller, if anything.
	lines map[string]*line
	// turns holds the lines in the order of their turns, and longest in that of their lengths.
	turns   list.List
	longest longest
}

// line is what waits of one caller, by class.
type line struct {
	caller  string
	classes [List + 1]list.List
	waiting int
	taken   int
	turn    *list.Element // in queue.turns
	place   int           // in queue.longest
}

// waiter is one request that waits. line is nil when it no longer does.
type waiter struct {
	class   Class
	line    *line
	element *list.Element // in line.classes
	// decided gets one decision.
	decided chan decision
}

// decision is the slot that a request gets, or why it gets none.
type decision struct {
	slot    *Slot
	refused *problem.Error
}

func newQueue(most int) *queue { return &queue{most: most, lines: map[string]*line{}} }

// add has a request wait. If too many do, worst is the one to refuse, for a reason, which no longer waits: the last one
// of the caller with the most.
func (q *queue) add(caller string, class Class) (added, worst *waiter, reason Reason) {
	of := q.lines[caller]
	if of == nil {
		of = &line{caller: caller}
		of.turn = q.turns.PushBack(of)
		q.lines[caller] = of
		heap.Push(&q.longest, of)
	}
	added = &waiter{class: class, line: of, decided: make(chan decision, 1)}
	added.element = of.classes[class].PushBack(added)
	q.count(of, 1)
	if q.waiting > q.most {
		worst = q.longest[0].last()
		reason = q.reason(worst, Full)
		q.remove(worst)
	}
	return added, worst, reason
}

// next takes the request out whose turn it is; one must wait.
func (q *queue) next() *waiter {
	of := q.turns.Front().Value.(*line)
	w := of.first()
	of.taken++
	q.turns.MoveToBack(of.turn)
	q.remove(w)
	return w
}

// remove takes a request out.
func (q *queue) remove(w *waiter) {
	of := w.line
	of.classes[w.class].Remove(w.element)
	w.line = nil
	q.count(of, -1)
	if of.waiting == 0 {
		q.turns.Remove(of.turn)
		heap.Remove(&q.longest, of.place)
		delete(q.lines, of.caller)
	}
}

func (q *queue) count(of *line, by int) {
	q.waiting += by
	of.waiting += by
	heap.Fix(&q.longest, of.place)
}

// reason returns why a request that waits is refused: Share if more of its caller wait than would if all callers had
// the same, and else what is given.
func (q *queue) reason(w *waiter, otherwise Reason) Reason {
	if w.line.waiting*len(q.lines) > q.waiting {
		return Share
	}
	return otherwise
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
