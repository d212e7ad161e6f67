package sqlitestore

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// fewInRange is the number of documents in a range up to which they are all read and sorted by id.
const fewInRange = 500

// pagesAtFirst is for how many pages of documents a search by id looks first. The whole of the window is read only
// where they have no page in the range.
const pagesAtFirst = 4

// findDense finds the documents of a range that holds many, in order of id. The index of a range has its documents in
// order of their values, so that a page would cost the sorting of all of them. If they are many they are also
// frequent, mostly, and a page is found among the next documents by id, whatever their number. done is false if the
// query is no such one, or the page was not found there: then all are to be sorted.
func (c *collection) findDense(
	ctx context.Context, by sight, q docstore.Query,
) (found []docstore.Document, done bool, err error) {
	lead, ok := c.spec.Driving(q)
	if _, equal := q.Equal[lead.Name]; !ok || equal {
		return nil, false, nil
	}
	if few, err := c.fewIn(ctx, lead, q); few || err != nil {
		return nil, false, err
	}
	// Where most documents are in the range, a page is found among the first few.
	for window := min(pagesAtFirst*q.Limit, docstore.NearWindow); ; window = docstore.NearWindow {
		until, more, err := c.windowEnd(ctx, by, q, window)
		if err != nil {
			return nil, false, err
		}
		sql, texts := denseSQL(selectedFor(q), c.spec, by, q)
		found, err = c.list(ctx, sql, q.Limit, q.Bytes, func(stmt *sqlite3.Stmt) {
			bindFind(stmt, q, texts)
			stmt.BindBlob(4+len(texts), until)
		})
		if err != nil {
			return nil, false, err
		}
		// A page that bytes have ended has a sign of that at its end.
		whole := len(found) == q.Limit || len(found) > 0 && found[len(found)-1].Body == nil
		switch {
		case whole || !more:
			return found, true, nil
		case window < docstore.NearWindow:
		case q.Near:
			return append(found, docstore.Document{ID: uuid.UUID(until)}), true, nil
		default:
			return found, false, nil
		}
	}
}

// windowEnd returns the id of the last document of the next window, which is that many documents in order of id. If
// there are fewer, more is false, and until is an id that no document comes after.
func (c *collection) windowEnd(
	ctx context.Context, by sight, q docstore.Query, window int,
) (until []byte, more bool, err error) {
	err = c.store.searches.read(ctx, windowSQL(c.spec, by, q), func(stmt *sqlite3.Stmt) (err error) {
		bindAfter(stmt, q)
		by.bind(stmt, 2)
		stmt.BindInt(3, int64(window-1))
		if more, err = stmt.Step(); more {
			until = stmt.Bytes(0)
		}
		return err
	})
	if !more {
		until = orderOf(q).last
	}
	return until, more, err
}

// windowSQL returns the id of the last document of a window. Parameter 1 is the id that the window begins after, and 3
// is how many documents come before its last. Only an owner has windows of its own documents: those of nobody are all
// in one.
func windowSQL(spec docstore.Spec, by sight, q docstore.Query) string {
	o, table, condition := orderOf(q), quoted(spec.Name), ""
	if by.kind == owned {
		table, condition = table+` INDEXED BY `+quoted(ownedIndex(spec.Name)), ` AND owner = ?2`
	}
	return fmt.Sprintf(`SELECT id FROM %s WHERE id %s ?1%s ORDER BY id %s LIMIT 1 OFFSET ?3`, table, o.beyond,
		condition, o.by)
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
	err = c.store.searches.read(ctx, sql, func(stmt *sqlite3.Stmt) error {
		for i, text := range texts {
			stmt.BindText(2+i, text)
		}
		stmt.BindInt(1, fewInRange+1)
		_, err := stmt.Step()
		few = stmt.Int(0) <= fewInRange
		return err
	})
	return few, err
}

// countSQL counts the documents in ranges of an index up to a number, parameter 1. The others are the texts.
func countSQL(spec docstore.Spec, lead docstore.Index, q docstore.Query) (sql string, texts []string) {
	conditions, texts := conditionsSQL(spec, q, "")
	return fmt.Sprintf(`SELECT count(*) FROM (SELECT 1 FROM %s INDEXED BY %s WHERE %s IS NOT NULL%s LIMIT ?1)`,
		quoted(spec.Name), quoted(indexName(spec.Name, lead)), keyColumn(lead.Name), conditions), texts
}

// denseSQL is findSQL for a search among the next documents by id, up to the one that is the last parameter. A column
// with a plus sign is not looked up in an index.
func denseSQL(selected string, spec docstore.Spec, by sight, q docstore.Query) (sql string, texts []string) {
	conditions, texts := conditionsSQL(spec, q, "+")
	seen, texts := by.conditionSQL(spec.Name, false, texts)
	table := quoted(spec.Name)
	if by.kind == owned {
		table += ` INDEXED BY ` + quoted(ownedIndex(spec.Name))
	}
	o, next := orderOf(q), 2+len(texts)
	return fmt.Sprintf(`SELECT %s FROM %s WHERE id %s ?1 AND id %s ?%d%s%s ORDER BY id %s LIMIT ?%d OFFSET ?%d`,
		selected, table, o.beyond, o.until, next+2, seen, conditions, o.by, next, next+1), texts
}
