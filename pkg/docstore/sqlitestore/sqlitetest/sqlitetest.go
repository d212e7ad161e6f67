// Package sqlitetest changes a database of sqlitestore by hand, for tests of what becomes of it then.
package sqlitetest

import (
	"errors"
	"fmt"
	"strings"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// Exec runs statements on the database in the file at path, which nobody else may use. It returns how many rows the
// last one of them changed.
func Exec(path, statements string) (changed int, err error) { return ExecOf(path, "", statements) }

// ExecOf is Exec for the tables of one service in a file of several: the statements name them as its collections.
func ExecOf(path, service, statements string) (changed int, err error) {
	conn, err := sqlite3.Open(path, sqlite3.ReadWrite, sqlite3.WithOthers)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var names []string
	if service != "" {
		find, err := conn.Prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE ?1`)
		if err != nil {
			return 0, err
		}
		defer find.Reset()
		find.BindText(1, service+"_%")
		for {
			row, err := find.Step()
			if err != nil {
				return 0, err
			}
			if !row {
				break
			}
			names = append(names, strings.TrimPrefix(string(find.Bytes(0)), service+"_"))
		}
		find.Reset()
	}
	rename := func(from, to string) error {
		for _, name := range names {
			if err := conn.Exec(fmt.Sprintf(`ALTER TABLE "%s%s" RENAME TO "%s%[2]s"`, from, name, to)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := rename(service+"_", ""); err != nil {
		return 0, err
	}
	if err := conn.Exec(statements); err != nil {
		return 0, err
	}
	changed = conn.Changes()
	return changed, rename("", service+"_")
}
