package sqlite3

import "zombiezen.com/go/sqlite"

// Stmt is a prepared statement. A use of it gives values to its parameters, counted from 1, steps through its rows,
// reads their columns, counted from 0, and ends with Reset.
type Stmt struct{ *sqlite.Stmt }

// BindTextOrNull sets parameter i to a text, or to NULL if that is empty.
func (s *Stmt) BindTextOrNull(i int, v string) {
	if v == "" {
		s.BindNull(i)
	} else {
		s.BindText(i, v)
	}
}

// BindBlobOrNull sets parameter i to a blob, or to NULL if that is empty.
func (s *Stmt) BindBlobOrNull(i int, v []byte) {
	if len(v) == 0 {
		s.BindNull(i)
	} else {
		s.BindBytes(i, v)
	}
}

// Bytes returns a column of the row, a text or a blob. It returns nil if the column is empty or NULL.
func (s *Stmt) Bytes(column int) []byte {
	n := s.ColumnLen(column)
	if n == 0 {
		return nil
	}
	value := make([]byte, n)
	s.ColumnBytes(column, value)
	return value
}

// Reset ends a use of the statement. It returns no error, because Step has returned it already.
func (s *Stmt) Reset() { _ = s.Stmt.Reset() }

// Run runs a statement, ignores its rows, and resets it. It returns the errors of Step.
func (s *Stmt) Run() error {
	defer s.Reset()
	for {
		if row, err := s.Step(); err != nil || !row {
			return err
		}
	}
}
