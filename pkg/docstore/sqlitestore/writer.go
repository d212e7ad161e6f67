package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// queueLength is how many writes may wait before the next caller has to wait to hand its write over.
const queueLength = 256

// change is what a write does to the database, within a transaction that it shares with others. A change that fails
// with docstore.ErrStale, a *docstore.DuplicateError or a *docstore.PassedError must leave nothing behind. This holds
// because no statement can be refused after one that has changed a row, and SQLite undoes a statement that fails.
type change func(conn *sqlite3.Conn) error

// write is a change that waits to be made.
type write struct {
	ctx   context.Context
	apply change
	// outcome is what apply returned. It is final once the transaction is committed.
	outcome error
	// done receives the result. It is buffered, so that the writer does not wait for a caller that has left.
	done chan error
}

// writer is the one goroutine that writes.
type writer struct {
	conn                    *sqlite3.Conn
	path                    string // of the database, for errors
	begin, commit, rollback *sqlite3.Stmt
	// changes returns how many rows were changed since the connection was opened, and prove changes nothing but a
	// page of the file.
	changes, prove *sqlite3.Stmt
	turn           turn

	// proven says when a change was last committed, zero if the last one failed. Only the writer uses it.
	proven time.Time
	// expected is how many writes gather waits for. Only the writer uses it.
	expected int

	// entry keeps the queue open while a write is put into it.
	entry  sync.RWMutex
	closed bool
	queue  chan *write
	ended  chan struct{}
}

// openWriter connects to the database and starts the writer. Errors name the file and the remedy.
func openWriter(path string, sharing sqlite3.Sharing) (*writer, error) {
	conn, err := connectSharing(sharing, path, sqlite3.ReadWrite, writerPragmas)
	if err != nil {
		return nil, withRemedy(path, err)
	}
	if err := checkSchema(conn, path); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	w, err := newWriter(conn, path)
	if err != nil {
		return nil, withRemedy(path, errors.Join(err, conn.Close()))
	}
	return w, nil
}

// newWriter starts the writer on a connection that nobody else may use from then on.
func newWriter(conn *sqlite3.Conn, path string) (*writer, error) {
	w := &writer{conn: conn, path: path, queue: make(chan *write, queueLength), ended: make(chan struct{})}
	for sql, stmt := range map[string]**sqlite3.Stmt{
		"BEGIN IMMEDIATE": &w.begin, "COMMIT": &w.commit, "ROLLBACK": &w.rollback,
		"SELECT total_changes()":                               &w.changes,
		fmt.Sprintf("PRAGMA user_version = %d", schemaVersion): &w.prove,
	} {
		var err error
		if *stmt, err = conn.Prepare(sql); err != nil {
			return nil, err
		}
	}
	go w.run()
	return w, nil
}

// do hands the change to the writer and returns once it is on the disk. A caller whose context ends first does not
// learn whether the change was made.
func (w *writer) do(ctx context.Context, apply change) error {
	task := &write{ctx: ctx, apply: apply, done: make(chan error, 1)}
	if err := w.enter(task); err != nil {
		return unavailable(err)
	}
	select {
	case err := <-task.done:
		return err
	case <-ctx.Done():
		return unavailable(ctx.Err())
	}
}

func (w *writer) enter(task *write) error {
	w.entry.RLock()
	defer w.entry.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.queue <- task:
		return nil
	case <-task.ctx.Done():
		return task.ctx.Err()
	}
}

func (w *writer) run() {
	defer close(w.ended)
	group := make([]*write, 0, groupLength)
	for first := range w.queue {
		group = w.gather(append(group[:0], first))
		if err := w.transact(group); err != nil {
			for _, task := range group {
				task.outcome = unavailable(withRemedy(w.path, err))
			}
		}
		w.expected = len(group) + len(w.queue)
		for _, task := range group {
			task.done <- task.outcome
		}
		clear(group)
	}
}

// provenFor is how long a committed change shows that another one can be made.
const provenFor = 10 * time.Second

// try is a change that writes something if it is not known that this can be done.
func (w *writer) try(*sqlite3.Conn) error {
	if time.Since(w.proven) < provenFor {
		return nil
	}
	w.proven = time.Now()
	return w.prove.Run()
}

// changed returns how many rows were changed by now.
func (w *writer) changed() (int64, error) {
	defer w.changes.Reset()
	_, err := w.changes.Step()
	return w.changes.ColumnInt64(0), err
}

// transact makes the changes of the group in one transaction. A change that is refused fails alone, and so does one
// whose caller has left. An error means that none was made.
func (w *writer) transact(group []*write) error {
	w.turn.begin()
	defer w.turn.end()
	if err := w.begin.Run(); err != nil {
		return w.undo(err)
	}
	before, err := w.changed()
	if err != nil {
		return w.undo(err)
	}
	for _, task := range group {
		if err := task.ctx.Err(); err != nil {
			task.outcome = unavailable(err)
			continue
		}
		task.outcome = task.apply(w.conn)
		if task.outcome != nil && !refused(task.outcome) {
			return w.undo(task.outcome)
		}
	}
	after, err := w.changed()
	if err == nil {
		err = w.commit.Run()
	}
	if err != nil {
		return w.undo(err)
	}
	if after != before {
		w.proven = time.Now()
	}
	return nil
}

// undo ends the transaction after a failure, if SQLite has not done so itself.
func (w *writer) undo(cause error) error {
	w.proven = time.Time{}
	if !w.conn.InTransaction() {
		return cause
	}
	return errors.Join(cause, w.rollback.Run())
}

// refused reports whether a change failed because of what is stored, and not because the database failed.
func refused(err error) bool {
	_, duplicate := docstore.Duplicate(err)
	_, passed := errors.AsType[*docstore.PassedError](err)
	return duplicate || passed || errors.Is(err, docstore.ErrStale)
}

// drain takes no more writes, and returns once those it has taken have their results.
func (w *writer) drain() {
	w.entry.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.entry.Unlock()
	<-w.ended
}

func (w *writer) close() error {
	w.drain()
	return w.conn.Close()
}

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
// The callers of a busy store mostly write again at the same time, after the results of the last commit. So gather
// waits, as long as writes keep coming, until there are as many as when the last commit ended: those in it and those
// that waited. Some take longer, because their service asks another one first. A caller that is alone does not wait;
// one whose neighbours have just left waits once.
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

// turn says when the writer is at work, for the log of changes.
type turn struct {
	mu sync.Mutex
	// began is when the transaction under way began; zero if there is none.
	began time.Time
}

func (t *turn) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began = time.Now()
}

func (t *turn) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began = time.Time{}
}

// instant returns when the transaction under way began, or the present time. A read that begins afterwards sees all
// that was written before it.
func (t *turn) instant() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.began.IsZero() {
		return time.Now()
	}
	return t.began
}
