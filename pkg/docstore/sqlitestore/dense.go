package sqlitestore

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// fewInRange is the number of documents in a range up to which they are all read and sorted by id.
const fewInRange = 500

// findDense finds the documents of a range that holds many, in order of id. The index of a range has its documents in
// order of their values, so that a page would cost the sorting of all of them. If they are many they are also
// frequent, mostly, and a page is found among the next documents by id, whatever their number. done is false if the
// query is no such one, or the page was not found there: then all are to be sorted.
func (c *collection) findDense(
	ctx context.Context, by sight, q docstore.Query,
) (docs []docstore.Document, done bool, err error) {
	lead, ok := c.spec.Driving(q)
	if _, equal := q.Equal[lead.Name]; !ok || equal {
		return nil, false, nil
	}
	if few, err := c.fewIn(ctx, lead, q); few || err != nil {
		return nil, false, err
	}
	until, more, err := c.windowEnd(ctx, by, q)
	if err != nil {
		return nil, false, err
	}
	sql, texts := findSQL(selectedFor(q), c.spec, by, q, true)
	docs, err = page(ctx, c.store.reads.long, sql, q, func(stmt *sqlite3.Stmt) {
		bindFind(stmt, q, texts)
		stmt.BindBytes(4+len(texts), until[:])
	})
	if err != nil {
		return nil, false, err
	}
	whole := q.Followed(docs)
	if q.Near && more && !whole {
		return append(docs, docstore.Document{ID: until}), true, nil
	}
	return docs, whole || !more, nil
}

// windowEnd returns the id of the last document of the next window, in order of id. If there are fewer, more is false,
// and until is an id that no document comes after. Only an owner has windows of its own documents: those of nobody are
// all in one.
func (c *collection) windowEnd(
	ctx context.Context, by sight, q docstore.Query,
) (until uuid.UUID, more bool, err error) {
	if by.kind != owned {
		by = sight{kind: all}
	}
	last := docstore.Query{After: q.After, Descending: q.Descending, Limit: 1, Skip: docstore.NearWindow - 1}
	sql, texts := findSQL(`id`, c.spec, by, last, false)
	until, err = one(ctx, c.store.reads.long, sql, func(stmt *sqlite3.Stmt) { bindFind(stmt, last, texts) },
		func(stmt *sqlite3.Stmt) (id uuid.UUID) {
			stmt.ColumnBytes(0, id[:])
			return id
		})
	if errors.Is(err, docstore.ErrNotFound) {
		return orderOf(q).last, false, nil
	}
	return until, true, err
}

// fewIn reports whether the ranges of an index hold so few documents that they can be sorted.
func (c *collection) fewIn(ctx context.Context, lead docstore.Index, q docstore.Query) (few bool, err error) {
	ranges := docstore.Query{}
	for _, r := range q.Ranges {
		if r.Index == lead.Name {
			ranges.Ranges = append(ranges.Ranges, r)
		}
	}
	sql, texts := countSQL(c.spec, lead, ranges)
	count, err := one(ctx, c.store.reads.long, sql, func(stmt *sqlite3.Stmt) {
		stmt.BindInt64(1, fewInRange+1)
		bindTexts(stmt, texts)
	}, number)
	return count <= fewInRange, err
}

// countSQL counts the documents in ranges of an index up to a number, parameter 1. The others are the texts.
func countSQL(spec docstore.Spec, lead docstore.Index, q docstore.Query) (sql string, texts []string) {
	conditions, texts := conditionsSQL(spec, q, "")
	return fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM %s INDEXED BY %s WHERE %s IS NOT NULL%s LIMIT ?1)`,
		quoted(spec.Name), quoted(indexName(spec.Name, lead)), keyColumn(lead.Name), conditions), texts
}
