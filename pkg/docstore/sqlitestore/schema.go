package sqlitestore

import (
	"fmt"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// schemaVersion is the version of the tables in a file, its user_version. Releases that did not give it have 0. A later
// release that changes the tables so that this one would misread them gives a greater one.
const schemaVersion = 1

// checkSchema refuses a file that a later release has written in a form that this one does not know.
func checkSchema(conn *sqlite3.Conn, path string) error {
	var version int64
	_, err := first(conn, "PRAGMA user_version", func(row *sqlite3.Stmt) { version = number(row) })
	if err == nil && version > schemaVersion {
		err = fmt.Errorf("%s was written by a later release, with tables of version %d, and this one knows those up "+
			"to %d; use that release, or a backup that this one has made", path, version, schemaVersion)
	}
	return err
}
