package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"insurance.example/exchange/pkg/docstore/sqlitestore/internal/sqlite3"
)

// Join makes a database in the file at path, which must not exist, of the databases that services had in files of
// their own. They stay as they are, but for their logs, which are moved into them. from names the file of each
// service, and progress, if set, is called before each. The indexes are made when the collections are opened. After an
// error there is no file at path. Errors wrap docstore.ErrUnavailable; ErrInUse if one of the files is open.
func Join(ctx context.Context, path string, from map[string]string, progress func(service string)) (err error) {
	draft := path + "-joining"
	if err := os.Remove(draft); err != nil && !errors.Is(err, os.ErrNotExist) {
		return unavailable(err)
	}
	created, err := os.OpenFile(draft, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = created.Close()
	}
	if err != nil {
		return unavailable(withRemedy(draft, err))
	}
	// It is worth nothing until it is whole, so that nothing need be synced before.
	conn, err := connect(draft, sqlite3.ReadWrite, []string{"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF",
		fmt.Sprintf("PRAGMA user_version = %d", schemaVersion)})
	if err != nil {
		return unavailable(withRemedy(draft, err))
	}
	for service, file := range from {
		if err != nil {
			break
		}
		if progress != nil {
			progress(service)
		}
		err = joinOne(ctx, conn, service, file)
	}
	if err = errors.Join(err, conn.Close()); err == nil {
		err = syncFile(draft)
	}
	if err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		return errors.Join(unavailable(withRemedy(draft, err)), os.Remove(draft))
	}
	return nil
}

// tableNamed matches the beginning of the statement that made a table, as SQLite keeps it.
var tableNamed = regexp.MustCompile(`^CREATE TABLE (?:IF NOT EXISTS )?(?:"[^"]*"|[A-Za-z0-9_]+)`)

// joinOne copies the tables of the database of a service, each under the name that it has in a file of several.
func joinOne(ctx context.Context, conn *sqlite3.Conn, service, file string) error {
	// Whoever opens and closes it has nobody else at it, and moves its log into it.
	alone, err := Open(ctx, file)
	if err != nil {
		return err
	}
	if err := alone.Close(); err != nil {
		return err
	}
	attach, err := conn.Prepare("ATTACH ?1 AS alone")
	if err != nil {
		return err
	}
	attach.BindText(1, file)
	if err := attach.Run(); err != nil {
		return withRemedy(file, err)
	}
	tables, err := names(conn, `SELECT name FROM alone.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		return withRemedy(file, err)
	}
	for _, table := range tables {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := prefixOf(service) + table
		switch table {
		// Of releases with a file for each service, and of a service that was a process of its own: the documents of a
		// file that was joined get their keys anew.
		case "tally of transactions", "identity of the database", "stamps of collections", migrationsTable:
			continue
		}
		statements, err := names(conn, fmt.Sprintf(`SELECT sql FROM alone.sqlite_schema WHERE type = 'table' AND name = '%s'`,
			strings.ReplaceAll(table, "'", "''")))
		if err != nil {
			return withRemedy(file, err)
		}
		for _, sql := range []string{
			tableNamed.ReplaceAllLiteralString(statements[0], "CREATE TABLE IF NOT EXISTS main."+quoted(to)),
			fmt.Sprintf("INSERT INTO main.%s SELECT * FROM alone.%s", quoted(to), quoted(table)),
		} {
			if err := conn.Exec(sql); err != nil {
				return withRemedy(file, err)
			}
		}
	}
	return conn.Exec("DETACH alone")
}
