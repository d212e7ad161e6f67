package sqlite3

import (
	"path/filepath"
	"testing"
)

// TestInterruptHoldsUntilResume interrupts a connection on which nothing runs. The next statement must still fail.
// The statement ends by itself after a while: if the interrupt is lost, the test fails instead of hanging.
func TestInterruptHoldsUntilResume(t *testing.T) {
	conn, err := Open(filepath.Join(t.TempDir(), "a.db"), ReadWrite, WithOthers)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	conn.Interruptible()
	stmt, err := conn.Prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT max(i) FROM n`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		conn.Interrupt()
		if row, err := stmt.Step(); err == nil {
			t.Errorf("the interrupted statement has a row: %t", row)
		}
		stmt.Reset()
		conn.Resume()
		if row, err := stmt.Step(); err != nil || !row || stmt.Int(0) != 5000 {
			t.Errorf("after Resume: row %t, error %v", row, err)
		}
		stmt.Reset()
	}
}
