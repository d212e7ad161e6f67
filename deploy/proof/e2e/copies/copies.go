// Package copies puts copies of a record straight into the database of a service, where a test or a measurement needs
// more records than it has time to create by requests.
package copies

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
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

// Insert inserts count copies of the row of an id into a table of a database that no process has open. A copy has an id
// of its own, and the number that follows from it, in each column. It has no digest, like a record of a release that
// kept none: its body is another one. A function is shown the id of each, and returns what else is replaced in its
// texts: each text before the one that takes its place.
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
	values, err := read(ctx, db, "SELECT * FROM "+table+" WHERE id = ?", "digest", former[:])
	if err != nil {
		return fmt.Errorf("%s %s of %s: %w", table, id, file, err)
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
		if _, err := insert.ExecContext(ctx, another(values, former, id, show(nth, id)...)...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// read returns the columns of the one row that a query finds, without the value of one with a name.
func read(ctx context.Context, db *sql.DB, query, without string, args ...any) ([]any, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if !rows.Next() {
		return nil, errors.Join(rows.Err(), sql.ErrNoRows)
	}
	err = rows.Scan(into...)
	if at := slices.Index(names, without); at >= 0 {
		values[at] = nil
	}
	return values, err
}

// another returns the columns of a copy with another id, and with other texts in place of some.
func another(values []any, former, id uuid.UUID, replace ...string) []any {
	texts := strings.NewReplacer(append(replace, former.String(), id.String(), number.Of(Policy, former),
		number.Of(Policy, id), number.Of(Claim, former), number.Of(Claim, id))...)
	made := make([]any, len(values))
	for i, value := range values {
		switch value := value.(type) {
		case string:
			made[i] = texts.Replace(value)
		case []byte:
			made[i] = bytes.ReplaceAll(value, former[:], id[:])
		default:
			made[i] = value
		}
	}
	return made
}
