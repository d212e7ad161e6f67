package sqlitestore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/backfill"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// keepStamps keeps what the stamp of the collection stands for, and drops the indexes of the documents without a former
// stamp. has are the columns that the table had, none if there was no table. A file may be of a release that did not
// stamp documents: then a document without a stamp has the keys of these columns.
func (c *collection) keepStamps(conn *sqlite3.Conn, has []string) error {
	labels := backfill.Labels(c.spec)
	stamp := backfill.Stamp(labels)
	keep := func(stamp string, labels []string) error {
		for _, label := range labels {
			// Names and labels need no quoting.
			if err := conn.Exec(fmt.Sprintf(`INSERT OR IGNORE INTO %s VALUES ('%s', '%s', '%s')`,
				quoted(stampsTable), c.spec.Name, stamp, label)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := keep(stamp, labels); err != nil {
		return err
	}
	if len(has) > 0 && !slices.Contains(has, stampColumn) {
		held := docstore.Spec{Name: c.spec.Name}
		for _, index := range c.spec.Indexes {
			if slices.Contains(has, keyColumn(index.Name)) {
				index.Form = "" // which form the values have that are there, nobody has kept
				held.Indexes = append(held.Indexes, index)
			}
		}
		if err := keep(backfill.Unstamped, backfill.Labels(held)); err != nil {
			return err
		}
	}
	indexes, err := names(conn,
		fmt.Sprintf(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '%s'`, c.spec.Name))
	if err != nil {
		return err
	}
	for _, index := range indexes {
		if strings.HasPrefix(index, stalePrefix(c.spec.Name)) && index != staleIndex(c.spec.Name, stamp) {
			if err := conn.Exec(`DROP INDEX ` + quoted(index)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *collection) Backfill() docstore.Backfill { return c.backfill.Progress() }

// stale are the documents of a collection that were written with another set of indexes.
type stale struct{ *collection }

func (s stale) Stamps(ctx context.Context) ([]string, error) {
	var stamps []string
	err := s.store.searches.read(ctx, s.sql.unstamped, func(stmt *sqlite3.Stmt) error {
		row, err := stmt.Step()
		if row {
			stamps = append(stamps, backfill.Unstamped)
		}
		return err
	})
	for last, found := "", true; found && err == nil; {
		err = s.store.searches.read(ctx, s.sql.nextStamp, func(stmt *sqlite3.Stmt) (err error) {
			stmt.BindText(1, last)
			if found, err = stmt.Step(); found {
				last = string(stmt.Bytes(0))
				stamps = append(stamps, last)
			}
			return err
		})
	}
	return stamps, err
}

func (s stale) Labels(ctx context.Context, stamp string) ([]string, error) {
	var labels []string
	sql := fmt.Sprintf(`SELECT label FROM %s WHERE collection = ?1 AND stamp = ?2`, quoted(stampsTable))
	err := s.store.searches.read(ctx, sql, func(stmt *sqlite3.Stmt) error {
		stmt.BindText(1, s.spec.Name)
		stmt.BindText(2, stamp)
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			labels = append(labels, string(stmt.Bytes(0)))
		}
	})
	return labels, err
}

// rekeyed is a document that is to get what it is found by, or only the stamp if that cannot be derived.
type rekeyed struct {
	docstore.Ref
	keys docstore.Keys
	only bool
}

func (s stale) Rekey(ctx context.Context, stamp string, derive backfill.Derive) (backfill.Batch, error) {
	docs, err := s.batch(ctx, stamp)
	if err != nil || len(docs) == 0 {
		return backfill.Batch{}, err
	}
	read := backfill.Batch{Read: len(docs)}
	changes := make([]rekeyed, len(docs))
	for i, doc := range docs {
		changes[i].Ref = docstore.Ref{ID: doc.ID, Version: doc.Version}
		if changes[i].keys, err = derive(doc); err != nil {
			changes[i].only = true
			read.Lacking = append(read.Lacking, backfill.Lacking{ID: doc.ID, Cause: err})
		}
	}
	// The writer may make the change after the caller has left, so the result is its own until it is returned.
	result := make(chan backfill.Batch, 1)
	err = s.store.writer.do(ctx, func(conn *sqlite3.Conn) error {
		batch := read
		for _, change := range changes {
			if err := s.rekeyOne(conn, change, &batch); err != nil {
				return err
			}
		}
		result <- batch
		return nil
	})
	if err != nil {
		return backfill.Batch{}, err
	}
	return <-result, nil
}

// batch reads documents with a stamp.
func (s stale) batch(ctx context.Context, stamp string) ([]docstore.Document, error) {
	var docs []docstore.Document
	err := s.store.searches.read(ctx, s.sql.stale, func(stmt *sqlite3.Stmt) error {
		if stamp == backfill.Unstamped {
			stmt.BindNull(1)
		} else {
			stmt.BindText(1, stamp)
		}
		stmt.BindInt(2, backfill.BatchLength)
		for size := 0; size < backfill.BatchSize; {
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

// rekeyOne gives a document its keys, if it is still at the version that was read. A unique value that another
// document has is left out.
func (s stale) rekeyOne(conn *sqlite3.Conn, change rekeyed, batch *backfill.Batch) error {
	stmt := s.rekey
	if change.only {
		stmt = s.restamp
	}
	keys := maps.Clone(change.keys)
	for {
		stmt.BindBlob(1, change.ID[:])
		stmt.BindInt(2, change.Version)
		if !change.only {
			bindKeys(stmt, firstRekeyed, s.ordered(keys))
		}
		err := taken(stmt.Run())
		index, duplicate := docstore.Duplicate(err)
		if !duplicate {
			if err == nil {
				batch.Done += conn.Changes()
			}
			return err
		}
		batch.Lacking = append(batch.Lacking, backfill.Lacking{ID: change.ID, Cause: err})
		delete(keys, index)
	}
}
