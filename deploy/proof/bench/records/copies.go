package records

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/deploy/proof/e2e/copies"
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
	sampled := func(keep func(nth int, id uuid.UUID)) func(int, uuid.UUID) []string {
		return func(nth int, id uuid.UUID) []string {
			if nth%max(1, count/samples) == 0 {
				keep(nth, id)
			}
			return nil
		}
	}
	err := insert(ctx, file, "vehicle", of.Vehicles[0], count, out, sampled(func(nth int, id uuid.UUID) {
		b.Vehicles = append(b.Vehicles, id.String())
		if nth < count-pageSize { // otherwise the page might not be full
			b.Pages = append(b.Pages, fmt.Sprintf("limit=%d&cursor=%s", pageSize,
				base64.RawURLEncoding.EncodeToString(id[:])))
		}
	}))
	if err != nil {
		return nil, err
	}
	return b, insert(ctx, file, "policy", of.PolicyID, count, out, sampled(func(_ int, id uuid.UUID) {
		b.Policies = append(b.Policies, number.Of(copies.Policy, id))
	}))
}

// LoadReceipts puts count copies of a receipt into the database of the premium service, which must not run.
func LoadReceipts(ctx context.Context, file, receipt string, count int, out io.Writer) error {
	return insert(ctx, file, "receipt", receipt, count, out, func(int, uuid.UUID) []string { return nil })
}

// insert inserts count copies of a record into a table of a database, as copies.Insert does, and prints how long that
// took.
func insert(ctx context.Context, file, table, id string, count int, out io.Writer,
	show func(nth int, id uuid.UUID) []string) error {
	began := time.Now()
	if err := copies.Insert(ctx, file, table, id, count, show); err != nil {
		return err
	}
	fmt.Fprintf(out, "loaded %d copies of a %s in %v\n", count, table, time.Since(began).Round(time.Millisecond))
	return nil
}
