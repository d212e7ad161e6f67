package acceptance

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/crosstest/load"
)

// Report is what was tried and what came of it, in lines.
type Report struct{ text strings.Builder }

// Line adds what something came to.
func (r *Report) Line(name string, value any) { fmt.Fprintf(&r.text, "%-34s %v\n", name, value) }

// Row adds a line as it is.
func (r *Report) Row(row string) { fmt.Fprintln(&r.text, row) }

// Write adds what became of the records and how long it all took, prints the report, and writes it to the file that
// CROSSTEST_REPORT names.
func (r *Report) Write(t *testing.T, c *load.Counts, lost, doubled int, began time.Time) {
	t.Helper()
	r.Line("writes acknowledged", c.Acknowledged.Load())
	r.Line("acknowledged and lost", lost)
	r.Line("stored twice", doubled)
	r.Line("in all", time.Since(began).Round(time.Second))
	t.Logf("\n%s", r.text.String())
	if file := os.Getenv("CROSSTEST_REPORT"); file != "" {
		if err := os.WriteFile(file, []byte(r.text.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}
