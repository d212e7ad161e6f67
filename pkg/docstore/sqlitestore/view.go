package sqlitestore

import (
	"sync/atomic"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// view is what a connection sees of the database: the transaction that it reads in, if it keeps one open. To begin
// and to end a transaction costs as much as to find a document, so that reads share one for as long as nothing is
// written.
//
// It must not be kept longer: it does not show what was written since, and the log cannot be moved into the database
// as long as somebody reads what was there before.
type view struct {
	conn          *sqlite3.Conn
	begin, commit *sqlite3.Stmt
	// at is the count of the turn at which the transaction was begun.
	at uint64
}

func newView(conn *sqlite3.Conn) (v view, err error) {
	v.conn = conn
	if v.begin, err = conn.Prepare("BEGIN"); err == nil {
		v.commit, err = conn.Prepare("COMMIT")
	}
	return v, err
}

// renew has the next read see all that was written until now. While the writer is at work no view is begun: each read
// then has a transaction of its own.
func (v *view) renew(t *turn) error {
	now := t.count.Load()
	open := v.conn.InTransaction()
	if open && v.at == now {
		return nil
	}
	if open {
		if err := v.commit.Run(); err != nil {
			return err
		}
	}
	if during(now) {
		return nil
	}
	v.at = now
	return v.begin.Run()
}

// current reports whether there is no view, or one that shows all that was written until now.
func (v *view) current(t *turn) bool { return !v.conn.InTransaction() || v.at == t.count.Load() }

// end ends the view, if there is one. If that fails, the next renewal tries it again and returns why.
func (v *view) end() {
	if v.conn.InTransaction() {
		_ = v.commit.Run()
	}
}

// turn says whether the writer is at work.
type turn struct {
	// count counts the beginnings and the ends of the writer's transactions. It is odd during one.
	count atomic.Uint64
	// readers are those whose views end when a transaction begins.
	readers []*readers
}

func during(count uint64) bool { return count%2 == 1 }

// begin ends all views that nobody reads in. The others end when their connections are given back.
func (t *turn) begin() {
	t.count.Add(1)
	for _, r := range t.readers {
		r.endViews()
	}
}

func (t *turn) end() { t.count.Add(1) }
