// Package sqlitetest changes a database of sqlitestore by hand, for tests of what becomes of it then.
package sqlitetest

import (
	"errors"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// Exec runs statements on the database in the file at path, which nobody else may use. It returns how many rows the
// last one of them changed.
func Exec(path, statements string) (changed int, err error) {
	conn, err := sqlite3.Open(path, sqlite3.ReadWrite, sqlite3.WithOthers)
	if err != nil {
		return 0, err
	}
	err = conn.Exec(statements)
	return conn.Changes(), errors.Join(err, conn.Close())
}
