package sqlitestore

import (
	"context"
	"fmt"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// Identity says what a database is. Files can be exchanged or copied by mistake, and look alike.
type Identity struct {
	// Service is the name of the service that has its records in the database.
	Service string
	// Exchange is the identity of the exchange that the service is part of. Databases of one data folder have the same.
	Exchange string
}

const (
	identityTable = "identity of the database"
	// The parts of an identity in the table.
	servicePart  = "service"
	exchangePart = "exchange"
)

// schemaVersion is the version of the tables in a file, its user_version. Releases that did not give it have 0. A later
// release that changes the tables so that this one would misread them gives a greater one.
const schemaVersion = 1

// Identify returns the identity of the database. What the database does not have of it yet, it gets from as. It writes
// nothing to a database that has all of it, so that one on a full disk can be identified.
func (s *Store) Identify(ctx context.Context, as Identity) (Identity, error) {
	has, made, err := s.identity(ctx)
	if err != nil || made && (has.Service != "" || as.Service == "") && (has.Exchange != "" || as.Exchange == "") {
		return has, err
	}
	err = s.writer.do(ctx, func(conn *sqlite3.Conn) error {
		if err := conn.Exec(`CREATE TABLE IF NOT EXISTS "` + identityTable +
			`" (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`); err != nil {
			return err
		}
		put, err := conn.Prepare(`INSERT OR IGNORE INTO "` + identityTable + `" VALUES (?1, ?2)`)
		if err != nil {
			return err
		}
		for _, part := range [][2]string{{servicePart, as.Service}, {exchangePart, as.Exchange}} {
			if part[1] == "" {
				continue
			}
			put.BindText(1, part[0])
			put.BindText(2, part[1])
			if err := put.Run(); err != nil {
				return err
			}
		}
		return conn.Exec(fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
	})
	if err != nil {
		return has, err
	}
	has, _, err = s.identity(ctx)
	return has, err
}

// identity reads the identity. made reports whether the database has a table for it.
func (s *Store) identity(ctx context.Context) (is Identity, made bool, err error) {
	exists := "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '" + identityTable + "'"
	err = s.searches.read(ctx, exists, func(stmt *sqlite3.Stmt) (err error) {
		made, err = stmt.Step()
		return err
	})
	if err != nil || !made {
		return is, false, err
	}
	err = s.searches.read(ctx, `SELECT name, value FROM "`+identityTable+`"`, func(stmt *sqlite3.Stmt) error {
		for {
			row, err := stmt.Step()
			if err != nil || !row {
				return err
			}
			switch value := string(stmt.Bytes(1)); string(stmt.Bytes(0)) {
			case servicePart:
				is.Service = value
			case exchangePart:
				is.Exchange = value
			}
		}
	})
	return is, true, err
}

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
