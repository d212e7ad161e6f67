// Package sqlitetest changes a database of sqlitestore by hand, for tests of what becomes of it then.
package sqlitetest

import (
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Exec runs statements on the database in the file at path, which nobody else may use. It returns how many rows the
// last one of them changed.
func Exec(path, statements string) (changed int, err error) { return ExecOf(path, "", statements) }

// ExecOf is Exec for the tables of one service in a file of several: the statements name them as its collections.
func ExecOf(path, service, statements string) (changed int, err error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	prefix, back := service+"_", ""
	if service != "" {
		err = sqlitex.Execute(conn, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE ?1`,
			&sqlitex.ExecOptions{Args: []any{prefix + "%"}, ResultFunc: func(row *sqlite.Stmt) error {
				name := strings.TrimPrefix(row.ColumnText(0), prefix)
				statements = fmt.Sprintf(`ALTER TABLE "%s%s" RENAME TO "%[2]s"; `, prefix, name) + statements
				back += fmt.Sprintf(`ALTER TABLE "%s" RENAME TO "%s%[1]s"; `, name, prefix)
				return nil
			}})
		if err != nil {
			return 0, err
		}
	}
	if err := sqlitex.ExecuteScript(conn, statements, nil); err != nil {
		return 0, err
	}
	changed = conn.Changes()
	return changed, sqlitex.ExecuteScript(conn, back, nil)
}
