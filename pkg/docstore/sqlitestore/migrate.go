package sqlitestore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// migrationsTable has the migrations that have ended: for each collection their numbers, and for each number the
// indexes that documents have keys of since, one with no name among them.
const migrationsTable = "migrations"

// stampColumn is a column of the releases up to v1.2.0, and of no other: a table with it was last opened by one of
// these. Its documents may lack keys.
const stampColumn = "stamp"

// noteSQL notes an index, which its parameter names, for the last migration of a collection. The names of collections
// need no quoting.
func noteSQL(spec docstore.Spec) string {
	return fmt.Sprintf(`INSERT OR IGNORE INTO %s VALUES ('%s', %d, ?1)`, quoted(migrationsTable), spec.Name,
		spec.Migration())
}

// labelsSQL selects the indexes that are noted for the last migration of a collection.
func labelsSQL(spec docstore.Spec) string {
	return fmt.Sprintf(`SELECT label FROM %s WHERE collection = '%s' AND number = %d`, quoted(migrationsTable),
		spec.Name, spec.Migration())
}

// findMigration is the part of prepare that finds out whether the documents of a table with these columns, none for a
// new one, may lack keys.
func (c *collection) findMigration(conn *sqlite3.Conn, has []string) error {
	if err := conn.Exec(fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s (collection TEXT NOT NULL, number INTEGER NOT NULL,
		label TEXT NOT NULL, PRIMARY KEY (collection, number, label)) STRICT, WITHOUT ROWID`,
		quoted(migrationsTable))); err != nil {
		return err
	}
	labels, err := names(conn, labelsSQL(c.spec))
	if err != nil {
		return err
	}
	c.earlier = slices.Contains(has, stampColumn)
	switch {
	case c.earlier || len(labels) == 0:
		c.lacks = len(has) > 0 && c.spec.Keys != nil
		return nil
	default:
		return c.spec.CheckMigrated(labels)
	}
}

// migrate gives all documents the keys that they are to have by now, and notes that they have them. Nobody else writes
// the file, and nobody has the collection yet.
func (c *collection) migrate(ctx context.Context) error {
	after, read, more := uuid.Nil, int64(0), c.lacks
	for more {
		docs, err := c.migrationPage(ctx, after)
		if err != nil {
			return err
		}
		if more = len(docs) > 0; !more {
			break
		}
		keys := make([]docstore.Keys, 0, len(docs))
		derived := docs[:0]
		for _, doc := range docs {
			after = doc.ID
			anew, err := c.spec.KeysAnew(doc)
			if err != nil {
				c.spec.Report(doc, err)
				continue
			}
			derived, keys = append(derived, doc), append(keys, anew)
		}
		if err := c.store.writer.do(ctx, func(conn *sqlite3.Conn) error {
			for i, doc := range derived {
				if err := c.rekeyOne(doc, keys[i]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		if read += int64(len(docs)); c.spec.Progress != nil {
			c.spec.Progress(read)
		}
	}
	return c.store.writer.do(ctx, c.noteMigration)
}

// migrationPage reads the next documents in order of id.
func (c *collection) migrationPage(ctx context.Context, after uuid.UUID) ([]docstore.Document, error) {
	sql := fmt.Sprintf(`SELECT %s FROM %s WHERE id > ?1 ORDER BY id LIMIT %d`, columns, quoted(c.spec.Name),
		docstore.MigrationLength)
	var docs []docstore.Document
	err := c.store.reads.long(ctx, sql, func(stmt *sqlite3.Stmt) error {
		stmt.BindBytes(1, after[:])
		for size := 0; size < docstore.MigrationSize; {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			doc := document(stmt)
			size += len(doc.Body) + len(doc.State)
			docs = append(docs, doc)
		}
		return nil
	})
	return docs, err
}

// rekeyOne gives a document its keys. A unique value that another document has is left out.
func (c *collection) rekeyOne(doc docstore.Document, keys docstore.Keys) error {
	keys = maps.Clone(keys)
	for {
		c.rekey.BindBytes(1, doc.ID[:])
		bindKeys(c.rekey, firstRekeyed, c.ordered(keys))
		err := taken(c.rekey.Run())
		index, duplicate := docstore.Duplicate(err)
		if !duplicate {
			return err
		}
		c.spec.Report(doc, err)
		delete(keys, index)
	}
}

// noteMigration notes that the documents have the keys of the indexes, and takes away what shows that they may not.
// What is written from now on has no keys of later migrations, which a later release has made.
func (c *collection) noteMigration(conn *sqlite3.Conn) error {
	if err := conn.Exec(fmt.Sprintf(`DELETE FROM %s WHERE collection = '%s' AND number > %d`, quoted(migrationsTable),
		c.spec.Name, c.spec.Migration())); err != nil {
		return err
	}
	note, err := conn.Prepare(noteSQL(c.spec))
	if err != nil {
		return err
	}
	for _, label := range append(c.spec.Labels(), "") {
		note.BindText(1, label)
		if err := note.Run(); err != nil {
			return err
		}
	}
	if !c.earlier {
		return nil
	}
	indexes, err := names(conn, fmt.Sprintf(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '%s'
		AND name LIKE '%s but %%'`, c.spec.Name, c.spec.Name))
	for _, index := range indexes {
		if err == nil {
			err = conn.Exec(`DROP INDEX ` + quoted(index))
		}
	}
	if err == nil {
		err = conn.Exec(fmt.Sprintf(`ALTER TABLE %s DROP COLUMN %s`, quoted(c.spec.Name), stampColumn))
	}
	return err
}
