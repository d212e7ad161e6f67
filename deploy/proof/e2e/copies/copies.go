// Package copies puts copies of a record straight into the database of a service, where a test or a measurement needs
// more records than it has time to create by requests.
package copies

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"insurance.example/exchange/pkg/number"
)

// Policy and Claim begin the numbers of policies and claims, which are made of their ids.
const (
	Policy = "POL"
	Claim  = "CLM"
)

// Place returns the file of a data folder, and the table in it, in which a service has a collection. Releases before
// this one had a file for each service.
func Place(data, service, collection string) (file, table string) {
	if one := filepath.Join(data, service+".db"); exists(one) {
		return one, collection
	}
	return filepath.Join(data, "exchange.db"), service + "_" + collection
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Insert inserts count copies of the row of an id into a table of a database that no process has open. A copy has an id
// of its own, and the number that follows from it, in each column. It has no digest, like a record of a release that
// kept none: its body is another one. A function is shown the id of each, and returns what else is replaced in its
// texts: each text before the one that takes its place. What no other row may have, and none of this replaces, becomes
// the id of the copy.
func Insert(ctx context.Context, file, table, id string, count int,
	show func(nth int, id uuid.UUID) (replace []string)) (err error) {
	former, err := uuid.Parse(id)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+file+"?mode=rw&_pragma=synchronous(off)&_pragma=cache_size(-262144)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	of := row{former: former}
	names, values, err := read(ctx, db, "SELECT * FROM "+table+" WHERE id = ?", former[:])
	if err == nil {
		of.unique, err = uniqueOf(ctx, db, table, names)
	}
	if err != nil {
		return fmt.Errorf("%s %s of %s: %w", table, id, file, err)
	}
	if of.values = values; slices.Contains(names, "digest") {
		values[slices.Index(names, "digest")] = nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing once it is committed
	insert, err := tx.PrepareContext(ctx, "INSERT INTO "+table+" VALUES (?"+strings.Repeat(", ?", len(values)-1)+")")
	if err != nil {
		return err
	}
	for nth := range count {
		id := uuid.Must(uuid.NewV7())
		if _, err := insert.ExecContext(ctx, of.another(id, show(nth, id)...)...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// read returns the names of the columns of the one row that a query finds, and their values.
func read(ctx context.Context, db *sql.DB, query string, args ...any) (names []string, values []any, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	if names, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if !rows.Next() {
		return nil, nil, errors.Join(rows.Err(), sql.ErrNoRows)
	}
	return names, values, rows.Scan(into...)
}

// uniqueOf returns which of the columns of a table are in a unique index.
func uniqueOf(ctx context.Context, db *sql.DB, table string, names []string) (unique []int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT DISTINCT c.name FROM pragma_index_list(?) i, pragma_index_info(i.name) c
		WHERE i."unique"`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		unique = append(unique, slices.Index(names, name))
	}
	return unique, rows.Err()
}

// row is the row that is copied: its id, its values, and which of them no other row may have.
type row struct {
	former uuid.UUID
	values []any
	unique []int
}

// another returns the values of a copy with another id, and with other texts in place of some. A record has what is
// unique in it as a text of JSON as well.
func (r row) another(id uuid.UUID, replace ...string) []any {
	replace = append(replace, r.former.String(), id.String(), number.Of(Policy, r.former), number.Of(Policy, id),
		number.Of(Claim, r.former), number.Of(Claim, id))
	texts := strings.NewReplacer(replace...)
	taken := map[int]bool{}
	for _, i := range r.unique {
		if text, is := r.values[i].(string); is && texts.Replace(text) == text {
			taken[i] = true
			replace = append(replace, quoted(text), quoted(id.String()))
		}
	}
	if len(taken) > 0 {
		texts = strings.NewReplacer(replace...)
	}
	made := make([]any, len(r.values))
	for i, value := range r.values {
		switch value := value.(type) {
		case string:
			if made[i] = texts.Replace(value); taken[i] {
				made[i] = id.String()
			}
		case []byte:
			made[i] = bytes.ReplaceAll(value, r.former[:], id[:])
		default:
			made[i] = value
		}
	}
	return made
}

// quoted returns a text as JSON has it.
func quoted(text string) string {
	written, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has one
	}
	return string(written)
}
