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
	read, err := conn.Prepare("PRAGMA user_version")
	if err != nil {
		return err
	}
	defer read.Reset()
	if _, err := read.Step(); err != nil {
		return err
	}
	if version := read.Int(0); version > schemaVersion {
		return fmt.Errorf("%s was written by a later release, with tables of version %d, and this one knows those up "+
			"to %d; use that release, or a backup that this one has made", path, version, schemaVersion)
	}
	return nil
}
