package sqlitestore

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/organisation"
)

// one reads the row that a statement selects. Errors: docstore.ErrNotFound if there is none, those of reads.
func one[T any](
	ctx context.Context, read reading, sql string, bind func(*sqlite3.Stmt), row func(*sqlite3.Stmt) T,
) (result T, err error) {
	found := false
	err = read(ctx, sql, func(stmt *sqlite3.Stmt) (err error) {
		bind(stmt)
		if found, err = stmt.Step(); found {
			result = row(stmt)
		}
		return err
	})
	if err == nil && !found {
		err = docstore.ErrNotFound
	}
	return result, err
}

// number reads a row that has one number.
func number(stmt *sqlite3.Stmt) int64 { return stmt.ColumnInt64(0) }

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
		return texts, eachOf(ctx, c.store.reads.brief, by, sql.present, ids, func(id uuid.UUID, _ *sqlite3.Stmt) error {
			texts[id] = ""
			return nil
		})
	}
	err := eachOf(ctx, c.store.reads.long, by, sql.bodies, ids, func(id uuid.UUID, stmt *sqlite3.Stmt) error {
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
	ctx context.Context, read reading, by sight, sql string, ids []uuid.UUID, use func(uuid.UUID, *sqlite3.Stmt) error,
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
	return read(ctx, sql, func(stmt *sqlite3.Stmt) error {
		stmt.BindText(1, string(list))
		by.bind(stmt, 2)
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			var id uuid.UUID
			stmt.ColumnBytes(0, id[:])
			if err := use(id, stmt); err != nil {
				return err
			}
		}
	})
}

// few is the number of documents of a query from which on room is made for all that it may return: it is a page,
// mostly a full one.
const few = 4

// page returns the documents of the rows of a query: at most the bytes that docstore.Query.Bytes allows.
func page(
	ctx context.Context, read reading, sql string, q docstore.Query, bind func(*sqlite3.Stmt),
) ([]docstore.Document, error) {
	var docs []docstore.Document
	size := 0
	err := read(ctx, sql, func(stmt *sqlite3.Stmt) error {
		bind(stmt)
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			if len(docs) == few && q.Limit > few {
				docs = slices.Grow(docs, q.Limit-few)
			}
			size += stmt.ColumnLen(bodyAt) + stmt.ColumnLen(stateAt)
			if q.Bytes > 0 && len(docs) > 0 && size > q.Bytes {
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
	doc := docstore.Document{
		Version: stmt.ColumnInt64(1), Unsent: stmt.ColumnInt64(4) == 1, Owner: string(stmt.Bytes(ownerAt)),
	}
	stmt.ColumnBytes(0, doc.ID[:])
	return doc
}
