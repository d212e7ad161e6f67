package sqlitestore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/floor"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/organisation"
)

// collection is one table.
type collection struct {
	store *Store
	spec  docstore.Spec
	sql   statements

	// Only the writer uses these statements.
	insert, rewrite, replace, owns, sent, keep, rekey, logged *sqlite3.Stmt

	// floor is the least id that a new document may have. The writer compares.
	floor floor.Floor
	// number is the collection's in the log of changes.
	number int64
	// earlier says that an earlier release had the table, lacks that documents may lack keys.
	earlier, lacks bool
}

// prepare is the change that brings the table and its indexes up to date, and prepares the statements that write.
func (c *collection) prepare(conn *sqlite3.Conn) error {
	has, err := tableColumns(conn, c.spec.Name)
	if err != nil {
		return err
	}
	kept, err := tableColumns(conn, historyTable(c.spec.Name))
	if err != nil {
		return err
	}
	for _, sql := range schemaSQL(c.spec, has, kept) {
		if err := conn.Exec(sql); err != nil {
			return err
		}
	}
	if err := c.findMigration(conn, has); err != nil {
		return err
	}
	if err := c.keepLog(conn); err != nil {
		return err
	}
	for _, s := range []struct {
		stmt **sqlite3.Stmt
		sql  string
	}{
		{&c.insert, c.sql.insert}, {&c.rewrite, c.sql.rewrite}, {&c.replace, c.sql.replace}, {&c.owns, c.sql.owns},
		{&c.sent, c.sql.sent},
		{&c.keep, c.sql.keep}, {&c.rekey, c.sql.rekey},
	} {
		if *s.stmt, err = conn.Prepare(s.sql); err != nil {
			return err
		}
	}
	return c.beginAbove(conn)
}

// beginAbove passes the ids up to the greatest that is stored: readers may have gone on after it, and the clock may
// have been put back since.
func (c *collection) beginAbove(conn *sqlite3.Conn) error {
	var greatest uuid.UUID
	some, err := first(conn, "SELECT id FROM "+quoted(c.spec.Name)+" ORDER BY id DESC LIMIT 1",
		func(row *sqlite3.Stmt) { row.ColumnBytes(0, greatest[:]) })
	if some {
		c.floor.Raise(floor.Next(greatest))
		c.store.warnBehind(greatest, time.Now())
	}
	return err
}

// warnBehind warns, once for the file, of a clock that is behind the newest record. New records get wrong times then.
// Clocks are corrected by parts of a second all the time.
func (f *file) warnBehind(newest uuid.UUID, now time.Time) {
	if newest.Version() != 7 || f.warned {
		return
	}
	behind := docstore.CreatedAt(newest).Sub(now).Round(time.Second)
	if f.warned = behind > 0; f.warned {
		slog.Warn(fmt.Sprintf("the clock is %v behind the newest record; set it right", behind), "record", newest)
	}
}

// tableColumns returns the columns of a table, none if it does not exist.
func tableColumns(conn *sqlite3.Conn, table string) ([]string, error) {
	return names(conn, fmt.Sprintf(`SELECT name FROM pragma_table_info('%s')`, table))
}

// first reads the first row of a query, if there is one.
func first(conn *sqlite3.Conn, sql string, read func(row *sqlite3.Stmt)) (some bool, err error) {
	stmt, err := conn.Prepare(sql)
	if err != nil {
		return false, err
	}
	defer stmt.Reset()
	if some, err = stmt.Step(); some {
		read(stmt)
	}
	return some, err
}

// names returns the texts of a query's first column.
func names(conn *sqlite3.Conn, sql string) ([]string, error) {
	stmt, err := conn.Prepare(sql)
	if err != nil {
		return nil, err
	}
	defer stmt.Reset()
	var names []string
	for {
		row, err := stmt.Step()
		if err != nil || !row {
			return names, err
		}
		names = append(names, string(stmt.Bytes(0)))
	}
}

func (c *collection) Insert(ctx context.Context, who organisation.ID, doc docstore.Document) error {
	if err := c.spec.CheckWrite(who, doc, nil); err != nil {
		return err
	}
	doc, keys := c.own(c.spec.Own(who, doc))
	return c.store.writer.do(ctx, func(*sqlite3.Conn) error {
		if err := c.floor.Check(doc.ID); err != nil {
			return err
		}
		c.bind(c.insert, doc, keys)
		if err := c.insert.Run(); err != nil {
			return taken(err)
		}
		return c.logVersion(doc.ID, 1)
	})
}

func (c *collection) Replace(
	ctx context.Context, who organisation.ID, doc docstore.Document, former *docstore.Former,
) error {
	if err := c.spec.CheckWrite(who, doc, former); err != nil {
		return err
	}
	doc, keys := c.own(c.spec.Own(who, doc))
	former = ownFormer(former)
	return c.store.writer.do(ctx, func(conn *sqlite3.Conn) error {
		if sees, err := c.sees(doc); err != nil || !sees {
			return cmp.Or(err, docstore.ErrStale)
		}
		// Most changes of a record leave its keys alone, and then no index needs to be touched. SQLite does not notice
		// this: an UPDATE that names a column writes the index of the column again, even if the value is the same.
		for _, stmt := range []*sqlite3.Stmt{c.rewrite, c.replace} {
			stmt.BindInt64(c.bind(stmt, doc, keys), doc.Version)
			if err := stmt.Run(); err != nil {
				return taken(err)
			}
			if conn.Changes() == 1 {
				if err := c.keepFormer(doc.ID, former); err != nil {
					return err
				}
				return c.logVersion(doc.ID, doc.Version+1)
			}
		}
		return docstore.ErrStale
	})
}

// sees reports whether an index has a document as its owner's. One without an owner is compared when it is replaced.
func (c *collection) sees(doc docstore.Document) (bool, error) {
	if doc.Owner == "" {
		return true, nil
	}
	c.owns.BindBytes(1, doc.ID[:])
	c.owns.BindText(2, doc.Owner)
	defer c.owns.Reset()
	return c.owns.Step()
}

// key is the value of an index, or none.
type key struct {
	value string
	ok    bool
}

// own copies what the caller may change after it has left, and returns the keys in the order of the spec.
func (c *collection) own(doc docstore.Document) (docstore.Document, []key) {
	keys := c.ordered(doc.Keys)
	doc.Keys = nil
	doc.Body, doc.State = bytes.Clone(doc.Body), bytes.Clone(doc.State)
	return doc, keys
}

// ordered returns keys in the order of the spec.
func (c *collection) ordered(values docstore.Keys) []key {
	keys := make([]key, len(c.spec.Indexes))
	for i, index := range c.spec.Indexes {
		keys[i].value, keys[i].ok = values[index.Name]
	}
	return keys
}

// bind gives insert and replace the values that they have in common, and returns the parameter that follows them.
func (c *collection) bind(stmt *sqlite3.Stmt, doc docstore.Document, keys []key) (next int) {
	stmt.BindBytes(1, doc.ID[:])
	stmt.BindText(2, string(doc.Body))
	stmt.BindTextOrNull(3, string(doc.State))
	stmt.BindBool(4, doc.Unsent)
	stmt.BindBlobOrNull(5, doc.Digest)
	stmt.BindTextOrNull(6, doc.Owner)
	return bindKeys(stmt, firstKey, keys)
}

// bindKeys binds keys to the parameters from first on, or null for none. It returns the parameter that follows.
func bindKeys(stmt *sqlite3.Stmt, first int, keys []key) (next int) {
	for i, key := range keys {
		if key.ok {
			stmt.BindText(first+i, key.value)
		} else {
			stmt.BindNull(first + i)
		}
	}
	return first + len(keys)
}

// taken turns SQLite's refusal into a DuplicateError. The message of SQLite ends in the name of the column.
func taken(err error) error {
	message, ok := sqlite3.NotUnique(err)
	if !ok {
		return err
	}
	column := message[strings.LastIndexByte(message, '.')+1:]
	if index, ok := strings.CutPrefix(column, keyColumn("")); ok {
		return &docstore.DuplicateError{Index: index}
	}
	return &docstore.DuplicateError{Index: docstore.IDIndex}
}

func (c *collection) Get(ctx context.Context, who organisation.ID, id uuid.UUID) (docstore.Document, error) {
	if err := who.Check(); err != nil {
		return docstore.Document{}, err
	}
	by := sightOf(who)
	return one(ctx, c.store.reads.brief, c.sql.seen[by.kind].get, func(stmt *sqlite3.Stmt) {
		stmt.BindBytes(1, id[:])
		by.bind(stmt, 2)
	}, document)
}

func (c *collection) Find(ctx context.Context, who organisation.ID, q docstore.Query) ([]docstore.Document, error) {
	if err := who.Check(); err != nil {
		return nil, err
	}
	if err := c.spec.CheckQuery(q); err != nil {
		return nil, unavailable(err)
	}
	q = c.spec.Within(who, q)
	by := sightOf(who)
	if c.looksUp(q) {
		return c.list(ctx, c.store.reads.brief, by, q)
	}
	return floor.Find(ctx, c, q, func() ([]docstore.Document, error) { return c.search(ctx, by, q) })
}

func (c *collection) Least() uuid.UUID { return c.floor.Least() }

// Settle refuses the ids up to last from now on, and waits for the writes that were let in before. If the writer
// cannot write, they have ended too.
func (c *collection) Settle(ctx context.Context, _, last uuid.UUID) (uuid.UUID, error) {
	c.floor.Raise(floor.Reach(last, time.Now()))
	settled := c.floor.Least()
	err := c.store.writer.do(ctx, func(*sqlite3.Conn) error { return nil })
	if ctx.Err() == nil && !errors.Is(err, errClosed) {
		err = nil
	}
	return settled, err
}

// fewRead is how many documents are read as one is.
const fewRead = 50

// looksUp reports whether a query asks only for a value of an index, and gets one document, or a few. It is about as
// short as a get, so that it is read as one.
func (c *collection) looksUp(q docstore.Query) bool {
	lead, _ := c.spec.Driving(q)
	return len(q.Equal) == 1 && len(q.Ranges) == 0 && (lead.Unique || !q.Settled && q.Limit <= fewRead)
}

// search finds the documents of a query that is more than a lookup.
func (c *collection) search(ctx context.Context, by sight, q docstore.Query) ([]docstore.Document, error) {
	if docs, done, err := c.findDense(ctx, by, q); done || err != nil {
		return docs, err
	}
	return c.list(ctx, c.store.reads.long, by, q)
}

// list returns the documents that a query selects.
func (c *collection) list(
	ctx context.Context, read reading, by sight, q docstore.Query,
) ([]docstore.Document, error) {
	sql, texts := c.sql.finds.of(c.spec, by, q)
	return page(ctx, read, sql, q, func(stmt *sqlite3.Stmt) { bindFind(stmt, q, texts) })
}

// beyondAll is greater than every id: SQLite compares the greatest id with it, and then the lengths.
var beyondAll = append(uuid.Max[:], 0)

// bindFind binds the parameters of findSQL.
func bindFind(stmt *sqlite3.Stmt, q docstore.Query, texts []string) {
	if q.Descending && q.After == uuid.Nil {
		stmt.BindBytes(1, beyondAll)
	} else {
		stmt.BindBytes(1, q.After[:])
	}
	bindTexts(stmt, texts)
	stmt.BindInt64(2+len(texts), int64(q.Limit))
	stmt.BindInt64(3+len(texts), int64(q.Skip))
}

// bindTexts binds the texts of a statement, parameters 2 and so on.
func bindTexts(stmt *sqlite3.Stmt, texts []string) {
	for i, text := range texts {
		stmt.BindText(2+i, text)
	}
}

func (c *collection) Unsent(
	ctx context.Context, who organisation.ID, after uuid.UUID, limit int,
) ([]docstore.Document, error) {
	if err := who.CheckUnnamed(); err != nil {
		return nil, err
	}
	return page(ctx, c.store.reads.long, c.sql.unsent, docstore.Query{Limit: limit}, func(stmt *sqlite3.Stmt) {
		stmt.BindBytes(1, after[:])
		stmt.BindInt64(2, int64(limit))
	})
}

func (c *collection) Sent(ctx context.Context, who organisation.ID, refs []docstore.Ref) (removed int, err error) {
	if err := who.CheckUnnamed(); err != nil {
		return 0, err
	}
	refs = append([]docstore.Ref(nil), refs...)
	count := 0
	err = c.store.writer.do(ctx, func(conn *sqlite3.Conn) error {
		for _, ref := range refs {
			c.sent.BindBytes(1, ref.ID[:])
			c.sent.BindInt64(2, ref.Version)
			if err := c.sent.Run(); err != nil {
				return err
			}
			count += conn.Changes()
		}
		return nil
	})
	if err != nil {
		return 0, err // the writer may still be counting
	}
	return count, nil
}
