package sqlitestore

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// lookups are the SQL by which the document is read that has a value of a unique index, by the names of the indexes.
type lookups map[string]lookup

// lookup is the SQL for one index, with the state of the document and without it. Its parameter is the value.
type lookup struct{ whole, stateless single }

func lookupsOf(spec docstore.Spec) lookups {
	all := lookups{}
	for _, index := range spec.Indexes {
		if index.Unique {
			sql := fmt.Sprintf(`FROM %s INDEXED BY %s WHERE %s = ?1`, quoted(spec.Name),
				quoted(indexName(spec.Name, index)), keyColumn(index.Name))
			all[index.Name] = lookup{whole: singleOf(columns, wholeSize, sql),
				stateless: singleOf(stateless, bodySize, sql)}
		}
	}
	return all
}

// of returns the SQL and its parameter for a query that asks only for a value of a unique index, as most finds of one
// document do.
func (l lookups) of(q docstore.Query) (sql single, value string, ok bool) {
	if len(q.Equal) != 1 || len(q.Ranges) > 0 || q.After != uuid.Nil || q.Skip > 0 {
		return single{}, "", false
	}
	for index, value := range q.Equal {
		by, unique := l[index]
		if q.WithState {
			return by.whole, value, unique
		}
		return by.stateless, value, unique
	}
	return single{}, "", false
}

// lookUp returns the document of a lookup, if there is one. It is as short as a get, so that it is read as one: what
// lists need (another mapping of the file after each commit) takes longer than the lookup.
func (c *collection) lookUp(ctx context.Context, sql single, value string) (found []docstore.Document, err error) {
	_, err = c.readOne(ctx, sql, func(stmt *sqlite3.Stmt) { stmt.BindText(1, value) }, func(stmt *sqlite3.Stmt) error {
		doc, err := affordable(ctx, stmt)
		found = []docstore.Document{doc}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
