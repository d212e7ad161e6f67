package sqlitestore

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// The documents that are older than the log get their entries in the background: all versions up to the first one that
// the triggers logged. Their rows have negative keys, so that they are before what was written since, and the instant
// at which the log began. The log is not read before it is whole. How far the work has got is stored with each batch.
const (
	// fillDocuments and fillEntries bound a batch. A document with more versions has a batch of its own.
	fillDocuments, fillEntries = 200, 2000
	// firstFilled is the key of the first row; there are more keys than could ever be used.
	firstFilled = math.MinInt64 / 2
	// fillAgain is the time from a failure to the next attempt.
	fillAgain = time.Second
)

// byDocument is an index of the log that is there only while it is filled.
func (l *changeLog) byDocument() string { return quoted(l.prefix + logTable + " by document") }

// filler is the work on the log of one collection.
type filler struct {
	*collection
	next, first, put, done *sqlite3.Stmt
}

// startFill begins to fill the log of a collection in the background. It returns once the writer has what it needs.
func (c *collection) startFill(ctx context.Context) error {
	f := &filler{collection: c}
	err := c.store.writer.do(ctx, f.prepare)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	c.store.fills = append(c.store.fills, func() { cancel(); <-ended })
	go func() {
		defer close(ended)
		f.run(running)
	}()
	return nil
}

func (f *filler) prepare(conn *sqlite3.Conn) error {
	log := &f.store.log
	if err := conn.Exec(fmt.Sprintf(`CREATE INDEX IF NOT EXISTS %s ON %s (id, version)`, log.byDocument(),
		log.table())); err != nil {
		return err
	}
	for _, s := range []struct {
		stmt **sqlite3.Stmt
		sql  string
	}{
		{&f.next, fmt.Sprintf(`SELECT id, version FROM %s WHERE id > (SELECT filled FROM %s WHERE number = %d)
			ORDER BY id LIMIT %d`, quoted(f.spec.Name), log.collections(), f.number, fillDocuments)},
		{&f.first, fmt.Sprintf(`SELECT min(version) FROM %s INDEXED BY %s WHERE id = ?1 AND collection = %d`,
			log.table(), log.byDocument(), f.number)},
		{&f.put, fmt.Sprintf(`INSERT INTO %[1]s
			SELECT ifnull((SELECT max(seq) FROM %[1]s WHERE seq < 0), %[2]d) + 1, %[3]d, ?1, ?2, at
			FROM %[1]s WHERE seq = 0`, log.table(), int64(firstFilled), f.number)},
		{&f.done, fmt.Sprintf(`UPDATE %s SET filled = ?1 WHERE number = %d`, log.collections(), f.number)},
	} {
		var err error
		if *s.stmt, err = conn.Prepare(s.sql); err != nil {
			return err
		}
	}
	return nil
}

// run fills the log batch by batch. It pauses after each for as long as the batch took, so that most of the store is
// left to the requests.
func (f *filler) run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		whole := make(chan bool, 1)
		err := f.store.writer.do(ctx, func(conn *sqlite3.Conn) error {
			all, err := f.batch(conn)
			whole <- all
			return err
		})
		if err == nil && <-whole {
			f.store.log.filled(f.store.log.named(f.spec.Name))
			return
		}
		pause := time.Since(began)
		if err != nil {
			pause = fillAgain
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// batch logs some documents and notes how far it got, or else that there are no more. whole reports the latter.
func (f *filler) batch(conn *sqlite3.Conn) (whole bool, err error) {
	docs, err := f.documents()
	if err != nil {
		return false, err
	}
	defer f.done.Reset()
	if len(docs) == 0 {
		f.done.BindNull(1)
		if err := f.done.Run(); err != nil {
			return false, err
		}
		return true, f.dropIndex(conn)
	}
	entries := int64(0)
	for _, doc := range docs {
		if entries > 0 && entries+doc.Version > fillEntries {
			break
		}
		entries += doc.Version
		if err := f.log(doc); err != nil {
			return false, err
		}
		f.done.BindBlob(1, doc.ID[:])
	}
	return false, f.done.Run()
}

// dropIndex drops the index of the log, unless the log of another collection is still filled.
func (f *filler) dropIndex(conn *sqlite3.Conn) error {
	unfilled, err := names(conn, `SELECT name FROM `+f.store.log.collections()+` WHERE filled IS NOT NULL`)
	if err != nil || len(unfilled) > 0 {
		return err
	}
	return conn.Exec(`DROP INDEX IF EXISTS ` + f.store.log.byDocument())
}

// documents returns the next documents, in order of id.
func (f *filler) documents() ([]docstore.Ref, error) {
	defer f.next.Reset()
	var docs []docstore.Ref
	for {
		row, err := f.next.Step()
		if err != nil || !row {
			return docs, err
		}
		doc := docstore.Ref{Version: f.next.Int(1)}
		f.next.CopyTo(doc.ID[:], 0)
		docs = append(docs, doc)
	}
}

// log writes the entries of a document that the triggers did not.
func (f *filler) log(doc docstore.Ref) error {
	logged, err := f.firstLogged(doc.ID)
	if err != nil {
		return err
	}
	until := doc.Version
	if logged > 0 {
		until = logged - 1
	}
	for version := int64(1); version <= until; version++ {
		f.put.BindBlob(1, doc.ID[:])
		f.put.BindInt(2, version)
		if err := f.put.Run(); err != nil {
			return err
		}
	}
	return nil
}

// firstLogged returns the first version of a document in the log, 0 for none.
func (f *filler) firstLogged(id uuid.UUID) (int64, error) {
	defer f.first.Reset()
	f.first.BindBlob(1, id[:])
	_, err := f.first.Step()
	return f.first.Int(0), err
}
