package premium

import (
	"strings"
	"testing"
)

// TestARowIsReadIfSomebodyElseWroteIt: the process that wrote a row last need not read it.
func TestARowIsReadIfSomebodyElseWroteIt(t *testing.T) {
	h := newHotRow(t, 2, wholeReceipts, sumPage)
	compute := func(process int) (reads int64) {
		t.Helper()
		h.put(0, 1)
		h.store.rows.Store(0)
		if err := h.processes[process].compute(background, h.of); err != nil {
			t.Fatal(err)
		}
		reads = h.store.rows.Load()
		h.check()
		return reads
	}
	for step, want := range []struct {
		process int
		reads   int64
	}{{0, 1}, {0, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 0}, {0, 1}, {0, 0}} {
		if got := compute(want.process); got != want.reads {
			t.Errorf("step %d: process %d read the row %d times, want %d", step, want.process, got, want.reads)
		}
	}
	h.putTreaty("T1")
	if got := compute(0); got != 1 {
		t.Errorf("the row was read %d times after an admin changed it, want 1", got)
	}
}

// TestALargeRowIsNotKept: a caller who changes rows cannot fill the memory.
func TestALargeRowIsNotKept(t *testing.T) {
	h := newHotRow(t, 1, wholeReceipts, sumPage)
	kept := func() int { return h.processes[0].written.rows.Len() }
	for range 2 {
		h.put(0, 1)
		h.compute(0)
	}
	if kept() != 1 {
		t.Fatalf("%d rows are kept, want 1", kept())
	}
	h.putTreaty(strings.Repeat("T", largestWritten))
	h.put(0, 1)
	h.compute(0)
	if kept() != 0 {
		t.Errorf("%d rows are kept, want none", kept())
	}
}
