package rows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"zombiezen.com/go/sqlite"

	"insurance.example/exchange/pkg/setting"
)

var (
	// ErrForm means that a file has the form of another release.
	ErrForm = errors.New("the book has the form of another release")
	// ErrDamaged means that a file is no book, or not whole.
	ErrDamaged = errors.New("the file of the book is damaged")
)

// Copy copies a book in a file, which may be in use and is only read, to a new file, and opens that by the amounts and
// the zone of the book. Errors: ErrForm; ErrDamaged.
func Copy(from, to string) (*Book, error) {
	if err := backUp(from, to); damaged(err) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	} else if err != nil {
		return nil, err
	}
	b := &Book{path: to}
	if err := b.connect(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := errors.Join(b.adopt(), b.whole()); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// backUp copies a file as it is at one instant.
func backUp(from, to string) error {
	source, err := sqlite.OpenConn(from, sqlite.OpenReadOnly)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	target, err := sqlite.OpenConn(to, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	copying, err := sqlite.NewBackup(target, "main", source, "main")
	if err == nil {
		_, err = copying.Step(-1)
		err = errors.Join(err, copying.Close())
	}
	return errors.Join(err, target.Close())
}

// adopt takes the amounts and the zone of the form of the file.
func (b *Book) adopt() error {
	was, err := b.State("form")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	parts := strings.Split(was, " ")
	if len(parts) != 4 || parts[0] != strconv.Itoa(form) {
		return ErrForm
	}
	b.amounts = setting.Amounts{Unit: parts[1], Currency: parts[2]}
	if b.zone, err = time.LoadLocation(parts[3]); err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	return nil
}

// whole returns ErrDamaged if the file is not as SQLite writes it.
func (b *Book) whole() error {
	return query(b.writer, "PRAGMA integrity_check(1)", func(s *sqlite.Stmt) error {
		if says := s.ColumnText(0); says != "ok" {
			return fmt.Errorf("%w: %s", ErrDamaged, says)
		}
		return nil
	})
}

// Empty opens a book in a new file, by the amounts and the zone of this one.
func (b *Book) Empty(path string) (*Book, error) { return Open(path, b.amounts, b.zone) }

// Difference is a row or a cell that two books do not have alike.
type Difference struct {
	// Table and Key name it.
	Table, Key string
	// Is and Wants are what each book has.
	Is, Wants string
}

// Compare calls a function with rows and cells of the book that are not as those of another one, with at most so many
// of each table, and returns how many the other one has.
func (b *Book) Compare(ctx context.Context, with *Book, most int, do func(Difference) error) (count int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.writer.SetInterrupt(b.writer.SetInterrupt(ctx.Done()))
	if err := b.exec("ATTACH ? AS other", with.path); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, b.exec("DETACH other")) }()
	for _, table := range []string{Policies.table(), Claims.table(), Movements.table(), "cell", "open"} {
		if err := query(b.writer, "SELECT count(*) FROM other."+table, func(s *sqlite.Stmt) error {
			count += s.ColumnInt(0)
			return nil
		}); err != nil {
			return count, err
		}
		if err := b.compareTable(table, most, do); err != nil {
			return count, err
		}
	}
	return count, nil
}

// compareTable compares a table with that of the other book.
func (b *Book) compareTable(table string, most int, do func(Difference) error) error {
	var keys, values []string
	if err := query(b.writer, "SELECT name, pk FROM pragma_table_info(?)", func(s *sqlite.Stmt) error {
		to := &values
		if s.ColumnInt(1) > 0 {
			to = &keys
		}
		*to = append(*to, s.ColumnText(0))
		return nil
	}, table); err != nil {
		return err
	}
	of := func(alias string, columns []string) string {
		return alias + "." + strings.Join(columns, ", "+alias+".")
	}
	differs := fmt.Sprintf(" OR (%s) IS NOT (%s)", of("x", values), of("y", values))
	for _, pass := range []struct{ left, right, differs string }{{"main", "other", differs}, {"other", "main", ""}} {
		sql := fmt.Sprintf("SELECT %s, %s, %s FROM %s.%s x LEFT JOIN %s.%s y ON (%[1]s) = (%[8]s) WHERE y.%[9]s IS "+
			"NULL%[10]s LIMIT ?", of("x", keys), of("x", values), of("y", values), pass.left, table, pass.right, table,
			of("y", keys), keys[0], pass.differs)
		if err := query(b.writer, sql, func(s *sqlite.Stmt) error {
			d := Difference{Table: table}
			for i := range keys {
				d.Key += " " + s.ColumnText(i)
			}
			d.Key = strings.TrimSpace(d.Key)
			x, y := columns(s, len(keys), values), columns(s, len(keys)+len(values), values)
			if s.ColumnType(len(keys)+len(values)) == sqlite.TypeNull {
				y = nil
			}
			if pass.left != "main" {
				x, y = y, x
			}
			d.Is, d.Wants = different(x, y)
			return do(d)
		}, most); err != nil {
			return err
		}
	}
	return nil
}

// columns returns columns of a result by their names.
func columns(s *sqlite.Stmt, from int, names []string) map[string]string {
	all := map[string]string{}
	for i, name := range names {
		all[name] = s.ColumnText(from + i)
	}
	return all
}

// different returns the first of the values by which two rows differ, with its name. The members of one that is JSON
// are values.
func different(x, y map[string]string) (is, wants string) {
	const row, none = "the row", "none"
	switch {
	case x == nil:
		return none, row
	case y == nil:
		return row, none
	}
	x, y = members(x), members(y)
	names := slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
	for _, name := range slices.Sorted(slices.Values(names)) {
		if x[name] != y[name] {
			return name + " " + cmp.Or(x[name], none), name + " " + cmp.Or(y[name], none)
		}
	}
	return "", ""
}

// members returns values with the members of those that are JSON.
func members(of map[string]string) map[string]string {
	all := map[string]string{}
	for name, text := range of {
		inside := map[string]jsontext.Value{}
		if json.Unmarshal([]byte(text), &inside) != nil || len(inside) == 0 {
			all[name] = text
			continue
		}
		for member, value := range inside {
			all[name+"."+member] = string(value)
		}
	}
	return all
}
