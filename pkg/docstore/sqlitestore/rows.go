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

// largeRow is the size in bytes of what is read of a row from which on it is large. SQLite reads a large row page by
// page, and all of it before its size is known, unless it is asked for the size alone.
const largeRow = 64 << 10

// single is the SQL that reads one row. small returns it unless it is large, size returns its size, and whole returns
// it whatever its size.
type single struct{ small, size, whole string }

// singleOf writes the SQL that selects columns from one row. size is the expression of their size, and from ends in a
// condition.
func singleOf(selected, size, from string) single {
	return single{
		small: fmt.Sprintf(`SELECT %s %s AND %s <= %d`, selected, from, size, largeRow),
		size:  `SELECT ` + size + ` ` + from,
		whole: `SELECT ` + selected + ` ` + from,
	}
}

// The size of a record and of its parts, which SQLite knows without reading them.
const (
	bodySize  = `octet_length(body)`
	wholeSize = `(octet_length(body) + ifnull(octet_length(state), 0))`
)

// readOne reads the row that a statement selects, if there is one. A large row is read only once the gate of the
// context lets it through, and from a connection to which the file is mapped: without, each of its pages is a call of
// the system.
func (c *collection) readOne(
	ctx context.Context, sql single, bind func(*sqlite3.Stmt), take func(*sqlite3.Stmt) error,
) (found bool, err error) {
	step := func(use func(*sqlite3.Stmt) error) func(*sqlite3.Stmt) error {
		return func(stmt *sqlite3.Stmt) error {
			bind(stmt)
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			found = true
			return use(stmt)
		}
	}
	if err := c.store.gets.read(ctx, sql.small, step(take)); err != nil || found {
		return found, err
	}
	size := 0
	err = c.store.gets.read(ctx, sql.size, step(func(stmt *sqlite3.Stmt) error {
		size = int(stmt.Int(0))
		return nil
	}))
	if err != nil || !found {
		return found, err
	}
	if _, err := docstore.Await(ctx, size); err != nil {
		if ctx.Err() != nil {
			return found, unavailable(err)
		}
		return found, err
	}
	found = false // it may have been removed while the request waited
	err = c.store.searches.read(ctx, sql.whole, step(take))
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
		text, err := jsonmember.Text(stmt.View(1), member)
		if err != nil {
			return err
		}
		texts[id] = text
		return docstore.Take(ctx, len(text))
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
	var kept copies
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
			found := contentOf(stmt)
			if bytes > 0 && len(docs) > 0 && kept.size+found.size() > bytes {
				docs = append(docs, named(stmt))
				return nil
			}
			doc, err := kept.document(ctx, stmt, found)
			if err != nil {
				return err
			}
			docs = append(docs, doc)
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

// content is the body, the state and the digest of the row a statement is at, in SQLite's own memory.
type content struct{ body, state, digest []byte }

func contentOf(stmt *sqlite3.Stmt) content {
	return content{stmt.View(bodyAt), stmt.View(stateAt), stmt.View(digestAt)}
}

// size is the size of the body and the state.
func (c content) size() int { return len(c.body) + len(c.state) }

// affordable reads the row the statement is at, after its size is taken from the gate of the context.
func affordable(ctx context.Context, stmt *sqlite3.Stmt) (docstore.Document, error) {
	return new(copies).document(ctx, stmt, contentOf(stmt))
}

// document reads the row the statement is at.
func document(stmt *sqlite3.Stmt) docstore.Document {
	doc := named(stmt)
	doc.Body, doc.State, doc.Digest = stmt.Bytes(bodyAt), stmt.Bytes(stateAt), stmt.Bytes(digestAt)
	return doc
}

// named reads the row the statement is at, without body, state and digest.
func named(stmt *sqlite3.Stmt) docstore.Document {
	doc := docstore.Document{Version: stmt.Int(1), Unsent: stmt.Int(4) == 1, Owner: string(stmt.View(ownerAt))}
	stmt.CopyTo(doc.ID[:], 0)
	return doc
}

// copies makes copies of what SQLite has in its own memory, several in one block.
type copies struct {
	// size is the size of all bodies and states, in bytes.
	size int
	// room is what is left of the last block.
	room []byte
}

// largestBlock bounds a block of several copies, in bytes.
const largestBlock = 64 << 10

// document reads the row the statement is at, whose content is given.
func (c *copies) document(ctx context.Context, stmt *sqlite3.Stmt, of content) (docstore.Document, error) {
	if err := c.reserve(ctx, of.size()+len(of.digest)); err != nil {
		return docstore.Document{}, err
	}
	doc := named(stmt)
	doc.Body, doc.State, doc.Digest = c.of(of.body), c.of(of.state), c.of(of.digest)
	c.size += of.size()
	return doc, nil
}

// reserve makes room for a number of bytes, which it takes from the gate of the context. A block is as large as all
// before it together, so that there are few of them and at most half of their bytes are left over.
func (c *copies) reserve(ctx context.Context, bytes int) error {
	if bytes <= len(c.room) {
		return nil
	}
	block := max(bytes, min(c.size, largestBlock))
	if err := docstore.Take(ctx, block); err != nil {
		return err
	}
	c.room = make([]byte, block)
	return nil
}

// of returns a copy of the bytes, in the room that was reserved. It returns nil for no bytes.
func (c *copies) of(view []byte) []byte {
	if len(view) == 0 {
		return nil
	}
	n := copy(c.room, view)
	made := c.room[:n:n]
	c.room = c.room[n:]
	return made
}

// lookups are the SQL by which the document is read that has a value of a unique index, by the names of the indexes.
type lookups map[string]lookup

// lookup is the SQL for one index, with the state of the document and without it. Its parameter is the value.
type lookup struct{ whole, stateless single }

func lookupsOf(spec docstore.Spec, by sight) lookups {
	found := lookups{}
	for _, index := range spec.Indexes {
		if index.Unique {
			seen, _ := by.conditionSQL(spec.Name, index.Global, nil)
			sql := fmt.Sprintf(`FROM %s INDEXED BY %s WHERE %s = ?1%s`, quoted(spec.Name),
				quoted(indexName(spec.Name, index)), keyColumn(index.Name), seen)
			found[index.Name] = lookup{whole: singleOf(columns, wholeSize, sql),
				stateless: singleOf(stateless, bodySize, sql)}
		}
	}
	return found
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
func (c *collection) lookUp(
	ctx context.Context, by sight, sql single, value string,
) (found []docstore.Document, err error) {
	_, err = c.readOne(ctx, sql, func(stmt *sqlite3.Stmt) {
		stmt.BindText(1, value)
		by.bind(stmt, 2)
	}, func(stmt *sqlite3.Stmt) error {
		doc, err := affordable(ctx, stmt)
		found = []docstore.Document{doc}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
