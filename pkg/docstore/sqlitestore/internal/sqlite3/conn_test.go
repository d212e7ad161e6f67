package sqlite3

import (
	"context"
	"path/filepath"
	"testing"
)

// TestStatementsEndWithTheirContext runs a statement under a context that ended before it began. It must fail, and
// the next one, under no such context, must not. The statement ends by itself after a while: if it is not
// interrupted, the test fails instead of hanging.
func TestStatementsEndWithTheirContext(t *testing.T) {
	conn, err := Open(filepath.Join(t.TempDir(), "a.db"), ReadWrite, WithOthers)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	stmt, err := conn.Prepare(
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT max(i) FROM n`)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, next := range []context.Context{context.Background(), t.Context()} {
		conn.Under(ended)
		if row, err := stmt.Step(); err == nil {
			t.Errorf("the interrupted statement has a row: %t", row)
		}
		stmt.Reset()
		conn.Under(next)
		if row, err := stmt.Step(); err != nil || !row || stmt.ColumnInt64(0) != 5000 {
			t.Errorf("under %v: row %t, error %v", next, row, err)
		}
		stmt.Reset()
	}
}
