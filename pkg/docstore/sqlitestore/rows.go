package sqlitestore

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/organisation"
)

// readOne reads the row that a statement selects, if there is one.
func (c *collection) readOne(
	ctx context.Context, sql string, bind, take func(*sqlite3.Stmt),
) (found bool, err error) {
	err = c.store.gets.read(ctx, sql, func(stmt *sqlite3.Stmt) (err error) {
		bind(stmt)
		if found, err = stmt.Step(); found {
			take(stmt)
		}
		return err
	})
	return found, err
}

// Texts asks for all ids with one statement: a statement for each takes longer to begin and to end than to look. It
// looks at the bodies in SQLite's own memory.
func (c *collection) Texts(
	ctx context.Context, who organisation.ID, ids []uuid.UUID, member string,
) (map[uuid.UUID]string, error) {
	if err := who.Check(); err != nil {
		return nil, err
	}
	texts := map[uuid.UUID]string{}
	by := sightOf(who)
	sql := c.sql.seen[by.kind]
	if member == "" {
		return texts, eachOf(ctx, c.store.gets, by, sql.present, ids, func(id uuid.UUID, _ *sqlite3.Stmt) error {
			texts[id] = ""
			return nil
		})
	}
	err := eachOf(ctx, c.store.searches, by, sql.bodies, ids, func(id uuid.UUID, stmt *sqlite3.Stmt) error {
		text, err := jsonmember.Text(stmt.Bytes(1), member)
		if err != nil {
			return err
		}
		texts[id] = text
		return nil
	})
	return texts, err
}

// eachOf calls a function with each row of a statement that takes a list of ids and returns, first, the id of the row.
func eachOf(
	ctx context.Context, from *readers, by sight, sql string, ids []uuid.UUID, use func(uuid.UUID, *sqlite3.Stmt) error,
) error {
	if len(ids) == 0 {
		return nil
	}
	list := make([]byte, 0, 2+len(ids)*(2*len(uuid.UUID{})+3))
	for i, id := range ids {
		list = append(list, `,"`...)
		if i == 0 {
			list[0] = '['
		}
		list = append(hex.AppendEncode(list, id[:]), '"')
	}
	list = append(list, ']')
	return from.read(ctx, sql, func(stmt *sqlite3.Stmt) error {
		stmt.BindTextBytes(1, list)
		by.bind(stmt, 2)
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			var id uuid.UUID
			stmt.CopyTo(id[:], 0)
			if err := use(id, stmt); err != nil {
				return err
			}
		}
	})
}

// few is the number of documents of a query from which on room is made for all that it may return: it is a page,
// mostly a full one.
const few = 4

// list returns the documents of a query's rows: at most limit, and at most the bytes that docstore.Query.Bytes allows.
func (c *collection) list(
	ctx context.Context, sql string, limit, bytes int, bind func(*sqlite3.Stmt),
) ([]docstore.Document, error) {
	var docs []docstore.Document
	size := 0
	err := c.store.searches.read(ctx, sql, func(stmt *sqlite3.Stmt) error {
		bind(stmt)
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			if len(docs) == few && limit > few {
				docs = slices.Grow(docs, limit-few)
			}
			size += stmt.Size(bodyAt) + stmt.Size(stateAt)
			if bytes > 0 && len(docs) > 0 && size > bytes {
				docs = append(docs, named(stmt))
				return nil
			}
			docs = append(docs, document(stmt))
		}
	})
	if err != nil {
		return nil, err
	}
	return docs, nil
}

// The columns of the body, the state and the digest in a row.
const (
	bodyAt   = 2
	stateAt  = 3
	digestAt = 5
	ownerAt  = 6
)

// document reads the row the statement is at.
func document(stmt *sqlite3.Stmt) docstore.Document {
	doc := named(stmt)
	doc.Body, doc.State, doc.Digest = stmt.Bytes(bodyAt), stmt.Bytes(stateAt), stmt.Bytes(digestAt)
	return doc
}

// named reads the row the statement is at, without body, state and digest.
func named(stmt *sqlite3.Stmt) docstore.Document {
	doc := docstore.Document{Version: stmt.Int(1), Unsent: stmt.Int(4) == 1, Owner: string(stmt.Bytes(ownerAt))}
	stmt.CopyTo(doc.ID[:], 0)
	return doc
}

// lookups are the SQL by which the document is read that has a value of a unique index, by the names of the indexes.
type lookups map[string]lookup

// lookup is the SQL for one index, with the state of the document and without it. Its parameter is the value.
type lookup struct{ whole, stateless string }

func lookupsOf(spec docstore.Spec, by sight) lookups {
	found := lookups{}
	for _, index := range spec.Indexes {
		if index.Unique {
			seen, _ := by.conditionSQL(spec.Name, index.Global, nil)
			from := fmt.Sprintf(` FROM %s INDEXED BY %s WHERE %s = ?1%s`, quoted(spec.Name),
				quoted(indexName(spec.Name, index)), keyColumn(index.Name), seen)
			found[index.Name] = lookup{whole: `SELECT ` + columns + from, stateless: `SELECT ` + stateless + from}
		}
	}
	return found
}

// of returns the SQL and its parameter for a query that asks only for a value of a unique index, as most finds of one
// document do.
func (l lookups) of(q docstore.Query) (sql, value string, ok bool) {
	if len(q.Equal) != 1 || len(q.Ranges) > 0 || q.After != uuid.Nil || q.Skip > 0 {
		return "", "", false
	}
	for index, value := range q.Equal {
		by, unique := l[index]
		if q.WithState {
			return by.whole, value, unique
		}
		return by.stateless, value, unique
	}
	return "", "", false
}

// lookUp returns the document of a lookup, if there is one. It is as short as a get, so that it is read as one: what
// lists need (another mapping of the file after each commit) takes longer than the lookup.
func (c *collection) lookUp(
	ctx context.Context, by sight, sql, value string,
) (found []docstore.Document, err error) {
	_, err = c.readOne(ctx, sql, func(stmt *sqlite3.Stmt) {
		stmt.BindText(1, value)
		by.bind(stmt, 2)
	}, func(stmt *sqlite3.Stmt) { found = []docstore.Document{document(stmt)} })
	if err != nil {
		return nil, err
	}
	return found, nil
}
