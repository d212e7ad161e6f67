package rows_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/services/book/rows"
)

// TestAPageLooksAtSoManyRows selects what no row of its own has: the first page ends before the end of the list, and
// has what is shared up to there.
func TestAPageLooksAtSoManyRows(t *testing.T) {
	b := open(t, filepath.Join(t.TempDir(), "book.db"))
	var all []internalapi.Change
	for i := range 10_050 {
		all = append(all, change("travelCoverage", fmt.Sprint(i), 1, fmt.Sprintf(`{"policyNumber":"P%06d"}`, i)))
	}
	sight := acme
	for _, number := range []string{"P005000-S", "P010040-S"} {
		shared := change("travelCoverage", number, 1, `{"policyNumber":"`+number+`","status":"lapsed"}`)
		shared.Owner = "zenith"
		all = append(all, shared)
		sight.Shared = append(sight.Shared, rows.SharedPolicy{Number: number, Owner: "zenith"})
	}
	fill(t, b, all)
	q := rows.Query{Sight: sight, Limit: 10, Now: now, Conditions: []rows.Condition{
		{Column: column(t, rows.Policies, "status"), OneOf: []string{"lapsed"}}}}
	page, err := b.Page(t.Context(), rows.Policies, q)
	if err != nil || len(page.Rows) != 1 || page.Next == nil || page.Next.Key != "P009999" {
		t.Fatalf("%+v, next %+v (%v)", page, page.Next, err)
	}
	q.After = page.Next
	if page, err = b.Page(t.Context(), rows.Policies, q); err != nil || len(page.Rows) != 1 || page.Next != nil {
		t.Fatalf("the second page: %+v (%v)", page, err)
	}
}
