package sqlitestore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/internal/backfill"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// Inspection reads the documents of a database as they were at one instant. It implements docstore.Inspection.
type Inspection struct {
	*Snapshot
	stmts map[string]*sqlite3.Stmt
}

// Inspect returns an inspection of the database in the file at path. It returns the errors of OpenSnapshot.
func Inspect(path string) (*Inspection, error) {
	snapshot, err := OpenSnapshot(path)
	if err != nil {
		return nil, err
	}
	return &Inspection{snapshot, map[string]*sqlite3.Stmt{}}, nil
}

// mostRead bounds the bodies and states that are read at once, in bytes: no further row is read once there are so many.
const mostRead = 4 << 20

// rows runs a query and calls read for each row until it returns false.
func (s *Inspection) rows(
	ctx context.Context, sql string, bind func(*sqlite3.Stmt), read func(*sqlite3.Stmt) bool,
) error {
	if err := ctx.Err(); err != nil {
		return unavailable(err)
	}
	stmt, ok := s.stmts[sql]
	if !ok {
		var err error
		if stmt, err = s.conn.Prepare(sql); err != nil {
			return unavailable(withRemedy(s.path, err))
		}
		s.stmts[sql] = stmt
	}
	defer stmt.Reset()
	bind(stmt)
	for {
		row, err := stmt.Step()
		if err != nil {
			return unavailable(withRemedy(s.path, err))
		}
		if !row || !read(stmt) {
			return nil
		}
	}
}

// Collection returns a collection; see docstore.Inspection.
func (s *Inspection) Collection(ctx context.Context, spec docstore.Spec) (docstore.Inspected, error) {
	if err := spec.Validate(); err != nil {
		return nil, unavailable(err)
	}
	c := &inspected{Inspection: s, spec: spec, labels: map[string][]string{}}
	if err := c.readShape(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// inspected is a table.
type inspected struct {
	*Inspection
	spec docstore.Spec
	// indexes are the names of the indexes of the table.
	indexes []string
	// there says that the table is there, kept that the table of its former versions is.
	there, kept bool
	// formers are the columns of a former version.
	formers string
	// owned says that the documents of the table may have owners.
	owned bool
	// opened says that a store has opened the collection with this spec.
	opened bool
	// selected are the columns of a document, its stamp, and its keys in the order of the spec.
	selected string
	// labels are the labels of the indexes that each stamp stands for.
	labels map[string][]string
}

// readShape reads what the table has.
func (c *inspected) readShape(ctx context.Context) error {
	has, err := tableColumns(c.conn, c.spec.Name)
	if err == nil {
		var kept []string
		kept, err = tableColumns(c.conn, historyTable(c.spec.Name))
		c.kept, c.formers = len(kept) > 0, without(formerColumns, digestColumn, kept)+`, body`
	}
	if err != nil {
		return unavailable(withRemedy(c.path, err))
	}
	c.there, c.owned = len(has) > 0, slices.Contains(has, ownerColumn)
	if c.indexes, err = c.indexNames(); err != nil {
		return unavailable(withRemedy(c.path, err))
	}
	selected := []string{without(without(columns, digestColumn, has), ownerColumn, has)}
	stamped := slices.Contains(has, stampColumn)
	for _, column := range append([]string{stampColumn}, keyColumns(c.spec)...) {
		if !slices.Contains(has, column) {
			column = "NULL"
		}
		selected = append(selected, column)
	}
	c.selected = strings.Join(selected, ", ")
	if !stamped {
		return nil
	}
	err = c.rows(ctx, fmt.Sprintf(`SELECT stamp, label FROM %s WHERE collection = ?1`, quoted(stampsTable)),
		func(stmt *sqlite3.Stmt) { stmt.BindText(1, c.spec.Name) },
		func(stmt *sqlite3.Stmt) bool {
			stamp := string(stmt.Bytes(0))
			c.labels[stamp] = append(c.labels[stamp], string(stmt.Bytes(1)))
			return true
		})
	_, c.opened = c.labels[stampOf(c.spec)]
	return err
}

// without returns columns with nothing in the place of one that the table does not have: then only an earlier release
// has opened it. The name of the column is in that of no other.
func without(columns, column string, has []string) string {
	if slices.Contains(has, column) {
		return columns
	}
	return strings.Replace(columns, column, "NULL", 1)
}

// indexNames returns the names of the indexes of the table.
func (c *inspected) indexNames() ([]string, error) {
	return names(c.conn,
		fmt.Sprintf(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '%s'`, c.spec.Name))
}

func (c *inspected) Find(ctx context.Context, q docstore.Query) ([]docstore.Stored, error) {
	if err := c.spec.CheckQuery(q); err != nil {
		return nil, unavailable(err)
	}
	if !c.there {
		return nil, nil
	}
	var found []docstore.Stored
	size := 0
	sql, texts := findSQL(c.selected, c.spec, sight{kind: all}, q)
	if lead, ok := c.spec.Driving(q); ok {
		if name := indexName(c.spec.Name, lead); !slices.Contains(c.indexes, name) {
			// Only an earlier release has opened it.
			sql = strings.Replace(sql, ` INDEXED BY `+quoted(name), "", 1)
		}
	}
	err := c.rows(ctx, sql, func(stmt *sqlite3.Stmt) { bindFind(stmt, q, texts) }, func(stmt *sqlite3.Stmt) bool {
		stored := docstore.Stored{Document: document(stmt)}
		c.readKeys(stmt, &stored)
		found = append(found, stored)
		size += len(stored.Body) + len(stored.State)
		return size < mostRead
	})
	return found, err
}

// stampAt is the column of the stamp among those that Find selects. The keys follow it.
const stampAt = 7

// readKeys reads the keys of the row that a statement is at.
func (c *inspected) readKeys(stmt *sqlite3.Stmt, stored *docstore.Stored) {
	stamp, _ := stmt.Text(stampAt)
	stored.Keys = docstore.Keys{}
	for i, index := range c.spec.Indexes {
		if value, ok := stmt.Text(stampAt + 1 + i); ok {
			stored.Keys[index.Name] = value
		}
		// No stamp vouches for the keys that an early release wrote.
		if stamp == backfill.Unstamped || !slices.Contains(c.labels[stamp], backfill.Label(index)) {
			stored.Awaiting = append(stored.Awaiting, index.Name)
		}
	}
}

func (c *inspected) Formers(ctx context.Context, id uuid.UUID, after int64, limit int) ([]docstore.Former, error) {
	if !c.kept {
		return nil, nil
	}
	var formers []docstore.Former
	size := 0
	sql := fmt.Sprintf(`SELECT %s FROM %s WHERE id = ?1 AND version > ?2 ORDER BY version LIMIT ?3`, c.formers,
		quoted(historyTable(c.spec.Name)))
	err := c.rows(ctx, sql, func(stmt *sqlite3.Stmt) {
		stmt.BindBlob(1, id[:])
		stmt.BindInt(2, after)
		stmt.BindInt(3, int64(limit))
	}, func(stmt *sqlite3.Stmt) bool {
		former := wholeFormer(stmt)
		formers = append(formers, former)
		size += len(former.Body) + len(former.State)
		return size < mostRead
	})
	return formers, err
}

func (c *inspected) Kept(ctx context.Context, after docstore.Ref, limit int) ([]docstore.Ref, error) {
	if !c.kept {
		return nil, nil
	}
	var refs []docstore.Ref
	sql := fmt.Sprintf(`SELECT id, version FROM %s WHERE (id, version) > (?1, ?2) ORDER BY id, version LIMIT ?3`,
		quoted(historyTable(c.spec.Name)))
	err := c.rows(ctx, sql, func(stmt *sqlite3.Stmt) {
		stmt.BindBlob(1, after.ID[:])
		stmt.BindInt(2, after.Version)
		stmt.BindInt(3, int64(limit))
	}, func(stmt *sqlite3.Stmt) bool {
		refs = append(refs, refAt(stmt))
		return true
	})
	return refs, err
}

// refAt reads the row that a statement is at: an id and a version.
func refAt(stmt *sqlite3.Stmt) docstore.Ref {
	ref := docstore.Ref{Version: stmt.Int(1)}
	stmt.CopyTo(ref.ID[:], 0)
	return ref
}

func (c *inspected) Holders(ctx context.Context, index string, values []string) (map[string]docstore.Ref, error) {
	holders := make(map[string]docstore.Ref, len(values))
	if !c.there {
		return holders, nil
	}
	from := quoted(c.spec.Name) + ` WHERE id = ?1`
	if index != docstore.IDIndex {
		// If the index is missing, the statement fails instead of scanning the table for each value.
		from = fmt.Sprintf(`%s INDEXED BY %s WHERE %s = ?1`, quoted(c.spec.Name),
			quoted(indexName(c.spec.Name, docstore.Index{Name: index, Unique: true})), keyColumn(index))
	}
	sql := `SELECT id, version FROM ` + from + ` LIMIT 1`
	for _, value := range values {
		id, err := uuid.Parse(value)
		if index == docstore.IDIndex && err != nil {
			continue // no document has it
		}
		err = c.rows(ctx, sql, func(stmt *sqlite3.Stmt) {
			if index == docstore.IDIndex {
				stmt.BindBlob(1, id[:])
			} else {
				stmt.BindText(1, value)
			}
		}, func(stmt *sqlite3.Stmt) bool {
			holders[value] = refAt(stmt)
			return false
		})
		if err != nil {
			return nil, err
		}
	}
	return holders, nil
}
