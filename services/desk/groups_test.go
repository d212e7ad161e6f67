package desk_test

import (
	"testing"

	shown "insurance.example/exchange/contracts/reconciliation"
)

// TestGroups has rows that are a group of records, and rows that could be several groups, that a record is without
// others, or that have too many records to look at. For those no group is proposed.
func TestGroups(t *testing.T) {
	for name, of := range map[string]struct {
		records []int64
		row     string
		is      bool
		// before is a row of another file, which is compared before.
		before string
	}{
		"one group":              {records: []int64{10, 40, 25, 30}, row: "50.00", is: true},
		"two groups":             {records: []int64{10, 40, 20, 30}, row: "50.00"},
		"all of ten":             {records: []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}, row: "1023.00", is: true},
		"all of eleven":          {records: []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}, row: "2047.00"},
		"another currency":       {records: []int64{10, 40}, row: "USD"},
		"no group":               {records: []int64{10, 40}, row: "51.00"},
		"nothing beside a match": {records: []int64{50, 10, 40}, row: "50.00"},
		"one of another file":    {records: []int64{10, 40}, row: "50.00", before: "10.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := atNovember(t)
			for _, amount := range of.records {
				w.record("P", "new policy", amount, "")
			}
			w.until(t, "2026-12-01T00:01:00Z")
			signedOff(s, november, "original")
			currency, row := "EUR", of.row
			if row == "USD" {
				currency, row = "USD", "50.00"
			}
			s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"`+currency+`","columns":[
				{"column":"Policy","means":"policyNumber"},{"column":"Gross","means":"gross"}]}`)
			if of.before != "" {
				compared(t, s, send(t, s, "p", "text/csv", "Policy,Gross\nP,"+of.before+"\n").ID, "")
			}
			_, items := compared(t, s, send(t, s, "p", "text/csv", "Policy,Gross\nP,"+row+"\n").ID, "")
			for _, item := range items {
				if item.Outcome == shown.MissingHere && (item.Together != of.is ||
					!of.is && len(item.Candidates) != len(of.records)) || item.Rows != nil {
					t.Errorf("%+v", item)
				}
			}
		})
	}
}
