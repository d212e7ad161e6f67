package rows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"insurance.example/exchange/services/book/figures"
)

// settled is how many policies that are due are computed in a transaction.
const settled = 500

// Settle computes some of the policies that are due. more reports whether there were others.
func (b *Book) Settle(ctx context.Context) (more bool, err error) {
	err = b.write(func() error {
		var numbers []string
		if err := query(b.writer, "SELECT policy FROM due ORDER BY policy LIMIT ?", func(s *sqlite.Stmt) error {
			numbers = append(numbers, s.ColumnText(0))
			return nil
		}, settled); err != nil || len(numbers) == 0 {
			return err
		}
		more = len(numbers) == settled
		by, err := b.settle(ctx, numbers)
		if err != nil {
			return err
		}
		if err := b.exec("DELETE FROM due WHERE policy <= ?", numbers[len(numbers)-1]); err != nil {
			return err
		}
		if err := b.change(by.cells); err != nil {
			return err
		}
		return b.changeOpen(by.open)
	})
	return more, err
}

// settle has policies computed, keeps their rows, and returns by how much cells change. What they are computed of does
// not change before the transaction ends: others read it meanwhile, each by a connection of its own.
func (b *Book) settle(ctx context.Context, numbers []string) (delta, error) {
	at, err := stateOf(b.writer, asOf)
	if err != nil {
		return delta{}, err
	}
	left, done := make(chan string, len(numbers)), make(chan computed, len(numbers))
	for _, number := range numbers {
		left <- number
	}
	close(left)
	by := make([]delta, len(b.computers))
	errs := make([]error, len(b.computers)+1)
	var all sync.WaitGroup
	for i, conn := range b.computers {
		all.Go(func() { by[i], errs[i] = b.compute(conn, left, done) })
	}
	for range numbers {
		if errs[len(b.computers)] = b.keep(ctx, <-done, at == ""); errs[len(b.computers)] != nil {
			break
		}
	}
	for range left { //nolint:revive // after an error nobody computes the others
	}
	all.Wait()
	for _, other := range by[1:] {
		errs = append(errs, by[0].merge(other))
	}
	return by[0], errors.Join(errs...)
}

// keep keeps the rows of a policy. By what they are found is kept as well once everything was read for the first time;
// until then nobody finds any, and all at once cost less.
func (b *Book) keep(ctx context.Context, of computed, first bool) error {
	if err := cmp.Or(ctx.Err(), of.err); err != nil {
		return err
	}
	for _, row := range of.rows {
		if err := b.exec(row.in.insert, row.values...); err != nil {
			return err
		}
		if row.otherText && !first {
			if err := b.exec("INSERT OR REPLACE INTO "+row.in.index()+"(rowid, text) SELECT rowid, text FROM "+
				row.in.table()+" WHERE (owner, key) = (?, ?)", row.values[0], row.values[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// computed are the rows of a policy that are not as they were.
type computed struct {
	rows []computedRow
	err  error
}

type computedRow struct {
	in     *List
	values []any
	// otherText says that it is found by another text than before.
	otherText bool
}

// settling computes policies.
type settling struct {
	defaults
	conn  *sqlite.Conn
	rows  []computedRow
	by    delta
	terms map[string]*terms
}

// compute computes policies, and returns by how much cells change.
func (b *Book) compute(conn *sqlite.Conn, left <-chan string, done chan<- computed) (by delta, err error) {
	defer sqlitex.Save(conn)(&err)
	s := settling{defaults: b.defaults, conn: conn, by: delta{map[cellKey]figures.Sums{}, map[openKey]openSum{}},
		terms: map[string]*terms{}}
	for number := range left {
		s.rows = nil
		err := s.settle(number)
		if err != nil {
			err = fmt.Errorf("policy %s: %w", number, err)
		}
		done <- computed{s.rows, err}
	}
	return s.by, nil
}
