package sqlitestore

import "time"

const (
	// groupLength is the greatest number of writes that go into a commit. It bounds how long the first of them waits
	// for the last.
	groupLength = 256
	// patience is how long a commit waits for the next of the writes that may follow. It is a few times what a commit
	// takes.
	patience = 2 * time.Millisecond
	// mostPatience is the longest time that it waits for all of them.
	mostPatience = 5 * patience
)

// gather adds to a group the writes that are waiting, and those that follow soon. Each commit writes the pages that
// it changes and syncs the disk, so half as many commits are nearly half the work.
//
// Who had a result writes again, mostly, when others do: the callers of a busy store come round together. So it waits
// until there are as many writes as there were when the last commit ended, those in it and those waiting, as long as
// they keep coming: one whose service asks another one first takes longer to come round. A caller who is alone does
// not wait, and one who is left alone waits once.
func (w *writer) gather(group []*write) []*write {
	group, open := w.take(group)
	if !open || len(group) >= w.expected {
		return group
	}
	began := time.Now()
	late := time.NewTimer(patience)
	defer late.Stop()
	for len(group) < min(w.expected, groupLength) {
		select {
		case task, open := <-w.queue:
			if !open {
				return group
			}
			group = append(group, task)
			late.Reset(min(patience, mostPatience-time.Since(began)))
		case <-late.C:
			return group
		}
	}
	return group
}

// take adds the writes that are waiting to a group, and reports whether more may come.
func (w *writer) take(group []*write) (all []*write, open bool) {
	for len(group) < groupLength {
		select {
		case task, open := <-w.queue:
			if !open {
				return group, false
			}
			group = append(group, task)
		default:
			return group, true
		}
	}
	return group, true
}
