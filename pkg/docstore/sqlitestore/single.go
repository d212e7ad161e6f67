package sqlitestore

import (
	"context"
	"encoding/hex"
	"fmt"

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

// sight is in whose name is read, and so which documents are seen.
type sight struct {
	kind  sightKind
	owner string // whose documents they are, if they have an owner
}

type sightKind uint8

// The kinds of sight: of all documents, of those without an owner, and of those of one owner.
const (
	all sightKind = iota
	unowned
	owned
	sights
)

func sightOf(who organisation.ID) sight {
	switch {
	case who.All():
		return sight{kind: all}
	case who.Name() == "":
		return sight{kind: unowned}
	default:
		return sight{owned, who.Name()}
	}
}

// bind binds the owner, if there is one, to a parameter.
func (by sight) bind(stmt *sqlite3.Stmt, parameter int) {
	if by.kind == owned {
		stmt.BindText(parameter, by.owner)
	}
}
