package records

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"insurance.example/exchange/pkg/number"
)

const (
	// samples is how many of the copies the reads ask for.
	samples = 5000
	// pageSize is the number of records of a page.
	pageSize = 50
)

// Load puts count vehicles and as many policies into the database of the coverage service, which must not run, and
// returns a book of some of them. They are copies of those of another book, with ids and policy numbers of their own.
func Load(ctx context.Context, file string, of *Book, count int, out io.Writer) (*Book, error) {
	b := &Book{Pages: []string{fmt.Sprintf("limit=%d", pageSize)}}
	err := copies(ctx, file, "vehicle", of.Vehicles[0], count, out, func(nth int, id uuid.UUID) {
		b.Vehicles = append(b.Vehicles, id.String())
		if nth < count-pageSize { // otherwise the page might not be full
			b.Pages = append(b.Pages, fmt.Sprintf("limit=%d&cursor=%s", pageSize,
				base64.RawURLEncoding.EncodeToString(id[:])))
		}
	})
	if err != nil {
		return nil, err
	}
	return b, copies(ctx, file, "policy", of.PolicyID, count, out, func(_ int, id uuid.UUID) {
		b.Policies = append(b.Policies, number.Of(policyPrefix, id))
	})
}

// LoadReceipts puts count copies of a receipt into the database of the premium service, which must not run.
func LoadReceipts(ctx context.Context, file, receipt string, count int, out io.Writer) error {
	return copies(ctx, file, "receipt", receipt, count, out, func(int, uuid.UUID) {})
}

// policyPrefix begins the number of a policy, which is made of its id.
const policyPrefix = "POL"

// copies inserts count copies of the row of an id into a table of a database, and shows some of their ids to keep. A
// copy has an id of its own, and what follows from it, in each column.
func copies(ctx context.Context, file, table, id string, count int, out io.Writer,
	keep func(nth int, id uuid.UUID)) (err error) {
	began := time.Now()
	former, err := uuid.Parse(id)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+file+"?mode=rw&_pragma=synchronous(off)&_pragma=cache_size(-262144)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	values, err := read(ctx, db, "SELECT * FROM "+table+" WHERE id = ?", former[:])
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
		if _, err := insert.ExecContext(ctx, another(values, former, id)...); err != nil {
			return err
		}
		if nth%max(1, count/samples) == 0 {
			keep(nth, id)
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	fmt.Fprintf(out, "loaded %d copies of a %s in %v\n", count, table, time.Since(began).Round(time.Millisecond))
	return nil
}

// read returns the columns of the one row that a query finds.
func read(ctx context.Context, db *sql.DB, query string, args ...any) ([]any, error) {
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
	return values, rows.Scan(into...)
}

// another returns the columns of a copy with another id.
func another(values []any, former, id uuid.UUID) []any {
	texts := strings.NewReplacer(former.String(), id.String(), number.Of(policyPrefix, former),
		number.Of(policyPrefix, id))
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
