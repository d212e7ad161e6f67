package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/organisation"
)

// The log of changes of a service is a table. A row has the number of the collection, the id and the version of a
// document, and the instant in milliseconds. A write adds its row in its own transaction. The keys ascend, and there
// is one writer, so that their order is the order of commits.
//
// The row 0 has the identity of the log in place of an id. The rows of documents that are older than the log are
// before it: releases up to v1.2.0 gave them to a file of a release before v1.1.0, which had no log.
const (
	logTable  = "log of changes"
	logsTable = "collections of the log"
)

// table and collections are the names of the two tables of the log of a service.
func (l *changeLog) table() string       { return quoted(l.prefix + logTable) }
func (l *changeLog) collections() string { return quoted(l.prefix + logsTable) }

// lastSQL is the instant of the last entry, and nowSQL the present one, or that of the last entry if the clock was set
// back.
func (l *changeLog) lastSQL() string {
	return `ifnull((SELECT at FROM ` + l.table() + ` ORDER BY seq DESC LIMIT 1), 0)`
}

func (l *changeLog) nowSQL() string {
	return `max(CAST(round(unixepoch('subsec') * 1000) AS INTEGER), ` + l.lastSQL() + `)`
}

// makeSQL makes the log, unless it is there, and gives the collection with a table a number.
func (l *changeLog) makeSQL(table string) []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS ` + l.table() + ` (seq INTEGER PRIMARY KEY, collection INTEGER NOT NULL,
			id BLOB NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL) STRICT`,
		`INSERT OR IGNORE INTO ` + l.table() + ` VALUES (0, 0, randomblob(8), 0, ` + l.nowSQL() + `)`,
		`CREATE TABLE IF NOT EXISTS ` + l.collections() + ` (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)
			STRICT`,
		fmt.Sprintf(`INSERT OR IGNORE INTO %s (name) VALUES ('%s')`, l.collections(), l.named(table)),
	}
}

// named returns the name of the collection with a table.
func (l *changeLog) named(table string) string { return strings.TrimPrefix(table, l.prefix) }

// keepLog is the part of prepare that is about the log.
func (c *collection) keepLog(conn *sqlite3.Conn) error {
	if c.spec.Unlogged {
		return nil
	}
	if err := c.checkLogged(conn); err != nil {
		return err
	}
	log := &c.store.log
	for _, sql := range log.makeSQL(c.spec.Name) {
		if err := conn.Exec(sql); err != nil {
			return err
		}
	}
	err := c.learnLog(conn)
	if err != nil {
		return err
	}
	c.logged, err = conn.Prepare(fmt.Sprintf(
		`INSERT INTO %s (collection, id, version, at) VALUES (%d, ?1, ?2, ?3)`, log.table(), c.number))
	return err
}

// learnLog reads what the log is called, and the number that the collection has in it.
func (c *collection) learnLog(conn *sqlite3.Conn) error {
	log := &c.store.log
	_, err := first(conn, fmt.Sprintf(
		`SELECT number, (SELECT lower(hex(id)) FROM %s WHERE seq = 0), %s FROM %s WHERE name = '%s'`,
		log.table(), log.lastSQL(), log.collections(), log.named(c.spec.Name)),
		func(row *sqlite3.Stmt) {
			c.number = row.ColumnInt64(0)
			log.open(string(row.Bytes(1)), c.number, log.named(c.spec.Name))
			log.last = max(log.last, row.ColumnInt64(2))
		})
	return err
}

// checkLogged refuses documents that are not in the log: those of a release before v1.1.0, which later ones up to
// v1.2.0 put into it.
func (c *collection) checkLogged(conn *sqlite3.Conn) error {
	log := &c.store.log
	some, err := names(conn, fmt.Sprintf(`SELECT '' FROM %s LIMIT 1`, quoted(c.spec.Name)))
	if err != nil || len(some) == 0 {
		return err
	}
	columns, err := tableColumns(conn, log.prefix+logsTable)
	if err != nil {
		return err
	}
	var logged []string
	if len(columns) > 0 {
		sql := fmt.Sprintf(`SELECT name FROM %s WHERE name = '%s'`, log.collections(), log.named(c.spec.Name))
		if slices.Contains(columns, "filled") { // of those releases: how far they are; null at the end
			sql += ` AND filled IS NULL`
		}
		if logged, err = names(conn, sql); err != nil {
			return err
		}
	}
	if len(logged) == 0 {
		return fmt.Errorf("%s has records of a release before v1.1.0, which are in no log of changes: start the "+
			"exchange of v1.2.0 with it, and stop that when GET /x/changes lists events", c.store.path)
	}
	return nil
}

// logVersion adds a version of a document to the log. It comes after the write and in its transaction, and cannot be
// refused, as keepFormer. The version gets the instant at which the transaction began. Until the commit no reader is
// given a later watermark, so none has gone past the version when it appears.
func (c *collection) logVersion(id uuid.UUID, version int64) error {
	if c.spec.Unlogged {
		return nil
	}
	c.logged.BindBytes(1, id[:])
	c.logged.BindInt64(2, version)
	log := &c.store.log
	log.last = max(log.last, c.store.writer.turn.instant().UnixMilli())
	c.logged.BindInt64(3, log.last)
	return c.logged.Run()
}

// pageSQL reads a page of the log.
func (l *changeLog) pageSQL() string {
	return `SELECT seq, collection, id, version, at FROM ` + l.table() + `
		WHERE seq > ?1 AND collection <> 0 ORDER BY seq LIMIT ?2`
}

func (c *collection) Changes(
	ctx context.Context, who organisation.ID, after docstore.Position, limit int,
) (docstore.ChangePage, error) {
	if err := who.CheckUnnamed(); err != nil {
		return docstore.ChangePage{}, err
	}
	if limit < 1 {
		return docstore.ChangePage{}, unavailable(errors.New("a page of changes needs a limit"))
	}
	log := &c.store.log
	from, err := log.seq(after)
	if err != nil {
		return docstore.ChangePage{}, err
	}
	// What was committed before now is read. The rest is not before it.
	watermark := time.UnixMilli(c.store.writer.turn.instant().UnixMilli()).UTC()
	page := docstore.ChangePage{Next: log.position(from)}
	err = c.store.reads.long(ctx, log.pageSQL(), func(stmt *sqlite3.Stmt) error {
		stmt.BindInt64(1, from)
		stmt.BindInt64(2, int64(limit)+1)
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			at := time.UnixMilli(stmt.ColumnInt64(4)).UTC()
			if len(page.Changes) == limit {
				watermark = at
				return nil
			}
			change := docstore.Change{
				Collection: log.name(stmt.ColumnInt64(1)), At: at, Position: log.position(stmt.ColumnInt64(0)),
			}
			stmt.ColumnBytes(2, change.ID[:])
			change.Version = stmt.ColumnInt64(3)
			page.Changes, page.Next = append(page.Changes, change), change.Position
		}
	})
	if err != nil {
		return docstore.ChangePage{}, err
	}
	if page.Watermark = watermark; len(page.Changes) == 0 {
		end, err := c.lastChange(ctx)
		if err == nil && from > end {
			err = docstore.ErrPosition
		}
		return page, err
	}
	return page, nil
}

func (c *collection) EndOfChanges(ctx context.Context, who organisation.ID) (docstore.Position, error) {
	if err := who.CheckUnnamed(); err != nil {
		return "", err
	}
	last, err := c.lastChange(ctx)
	return c.store.log.position(last), err
}

// lastChange returns the key of the last row of the log.
func (c *collection) lastChange(ctx context.Context) (seq int64, err error) {
	return one(ctx, c.store.reads.long, `SELECT max(seq) FROM `+c.store.log.table(), func(*sqlite3.Stmt) {}, number)
}

// changeLog is the log of changes of an open database.
type changeLog struct {
	// prefix begins the names of its tables; see Store.Of.
	prefix string

	// last is the instant of the last entry, in milliseconds. Only the writer uses it.
	last int64

	mu sync.Mutex
	// id is the identity of the log, as positions name it.
	id string
	// names are the collections by number.
	names map[int64]string
}

// open takes a collection into the log.
func (l *changeLog) open(id string, number int64, collection string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil {
		l.names = map[int64]string{}
	}
	l.id, l.names[number] = id, collection
}

// name returns the name of a collection.
func (l *changeLog) name(number int64) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.names[number]
}

// position returns the position after the row with a key. It has the key so that it ascends as a text too.
func (l *changeLog) position(seq int64) docstore.Position {
	return docstore.Position(fmt.Sprintf("%s%016x", l.id, uint64(seq)^1<<63))
}

// seq returns the key of the row before a position.
func (l *changeLog) seq(position docstore.Position) (int64, error) {
	if position == "" {
		return math.MinInt64, nil
	}
	digits, is := strings.CutPrefix(string(position), l.id)
	key, err := strconv.ParseUint(digits, 16, 64)
	if seq := int64(key ^ 1<<63); is && err == nil && l.position(seq) == position {
		return seq, nil
	}
	return 0, docstore.ErrPosition
}

// RenewLogs gives the logs of changes in a database file that no process has open other identities. It belongs to the
// restoration of a backup: what was logged after the backup is gone, and its positions are given again. A reader whose
// position is of a former log gets docstore.ErrPosition, and does not miss entries.
func RenewLogs(path string) error {
	conn, err := connect(path, sqlite3.ReadWrite, writerPragmas)
	if err != nil {
		return withRemedy(path, err)
	}
	logs, err := names(conn, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%`+logTable+`'`)
	for _, log := range logs {
		if err == nil {
			err = conn.Exec(`UPDATE ` + quoted(log) + ` SET id = randomblob(8) WHERE seq = 0`)
		}
	}
	if err != nil {
		err = withRemedy(path, err)
	}
	return errors.Join(err, conn.Close())
}
