package sqlitestore

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// Faults reports indexes that are missing, values of unique indexes that several documents have, and documents that are
// not in the log of changes as they are. A file that no store has opened with the spec need not have its indexes.
func (c *inspected) Faults(ctx context.Context, report func(docstore.Finding) error) error {
	if !c.there {
		return nil
	}
	indexes, err := c.indexNames()
	if err != nil {
		return unavailable(withRemedy(c.path, err))
	}
	wanted := func(names ...string) error {
		for _, name := range names {
			if slices.Contains(indexes, name) || !c.opened {
				continue
			}
			if err := report(docstore.Finding{
				Collection: c.spec.Name, Invariant: "every index is there", Found: "no index", Expected: name,
			}); err != nil {
				return err
			}
		}
		return nil
	}
	if c.owned {
		if err := wanted(ownedIndex(c.spec.Name)); err != nil {
			return err
		}
	}
	for _, index := range c.spec.Indexes {
		name := indexName(c.spec.Name, index)
		there := slices.Contains(indexes, name)
		if err := wanted(name); err != nil {
			return err
		}
		if index.Unique && (there || c.opened) {
			if err := c.reportShared(ctx, index.Name, report); err != nil {
				return err
			}
		}
	}
	return c.reportLog(ctx, report)
}

// reportLog compares the log of changes with the documents: each has an entry for every version up to its own, in
// order. A log that is still being filled is not compared, and neither is a file without one.
func (c *inspected) reportLog(ctx context.Context, report func(docstore.Finding) error) error {
	logs, err := tableColumns(c.conn, logsTable)
	if err != nil {
		return unavailable(withRemedy(c.path, err))
	}
	if len(logs) == 0 {
		return nil
	}
	var findings []docstore.Finding
	sql := fmt.Sprintf(`WITH entries AS (SELECT id, version, row_number() OVER (PARTITION BY id ORDER BY seq) AS place
			FROM "%s" WHERE collection = (SELECT number FROM "%s" WHERE name = ?1)),
		logged AS (SELECT id, count(*) AS versions, sum(version <> place) AS misplaced FROM entries GROUP BY id)
		SELECT coalesce(d.id, l.id), ifnull(d.version, 0), ifnull(l.versions, 0), ifnull(l.misplaced, 0)
		FROM %s AS d FULL JOIN logged AS l ON l.id = d.id
		WHERE EXISTS (SELECT 1 FROM "%[2]s" WHERE name = ?1 AND filled IS NULL)
			AND (d.version IS NOT l.versions OR l.misplaced > 0) LIMIT ?2`,
		logTable, logsTable, quoted(c.spec.Name))
	err = c.rows(ctx, sql, func(stmt *sqlite3.Stmt) {
		stmt.BindText(1, c.spec.Name)
		stmt.BindInt(2, mostFaults)
	}, func(stmt *sqlite3.Stmt) bool {
		var id uuid.UUID
		stmt.CopyTo(id[:], 0)
		findings = append(findings, docstore.Finding{
			Collection: c.spec.Name, ID: id.String(),
			Invariant: "the log of changes has every version of a document once, in order",
			Found:     fmt.Sprintf("%d versions, %d of them not in their place", stmt.Int(2), stmt.Int(3)),
			Expected:  fmt.Sprintf("%d versions in order", stmt.Int(1)),
		})
		return true
	})
	for _, finding := range findings {
		if err == nil {
			err = report(finding)
		}
	}
	return err
}

// reportShared reports the values of a unique index that several documents have.
func (c *inspected) reportShared(ctx context.Context, index string, report func(docstore.Finding) error) error {
	var findings []docstore.Finding
	column := keyColumn(index)
	sql := fmt.Sprintf(`SELECT max(id), %[1]s, count(*) FROM %[2]s WHERE %[1]s IS NOT NULL GROUP BY %[1]s
		HAVING count(*) > 1 LIMIT ?1`,
		column, quoted(c.spec.Name))
	err := c.rows(ctx, sql, func(stmt *sqlite3.Stmt) { stmt.BindInt(1, mostFaults) }, func(stmt *sqlite3.Stmt) bool {
		var id uuid.UUID
		stmt.CopyTo(id[:], 0)
		value, _ := stmt.Text(1)
		findings = append(findings, docstore.Finding{
			Collection: c.spec.Name, ID: id.String(),
			Invariant: "a value of the unique index " + index + " has one document",
			Found:     fmt.Sprintf("%d documents with %q", stmt.Int(2), value), Expected: "1",
		})
		return true
	})
	for _, finding := range findings {
		if err == nil {
			err = report(finding)
		}
	}
	return err
}
