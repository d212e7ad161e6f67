package desk_test

import (
	"fmt"
	"strings"
	"testing"

	shown "insurance.example/exchange/contracts/reconciliation"
)

// claimColumns are the columns of the exports of claims.
const claimColumns = `"columns":[{"column":"Claim Reference","means":"claimNumber"},{"column":"Certificate Reference",
	"means":"policyNumber"},{"column":"Settlement Currency","means":"currency"},
	{"column":"Paid This Month - Indemnity","means":"paid"},
	{"column":"Previously Paid - Indemnity","means":"previouslyPaid"},
	{"column":"Outstanding - Indemnity","means":"outstanding"},
	{"column":"Total Incurred - Indemnity","means":"incurred"},
	{"column":"Change of Incurred - Indemnity","means":"changeOfIncurred"},
	{"column":"Total Incurred","means":"totalIncurred"}]`

// TestClaimsAreCompared sends files about claims: exports of two months, and one with a defect of each sort.
func TestClaimsAreCompared(t *testing.T) {
	w, s := atNovember(t)
	const claims = 30
	var settled *claim
	for i := range claims {
		number := fmt.Sprintf("P-%d", i)
		w.policies[number] = w.policies["P"]
		c := w.file(number, int64(1000+i))
		if i == 7 {
			settled = c
		}
	}
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, claimsOf+"2026-11", "original")
	w.settle(settled, 407)
	w.until(t, "2027-01-01T00:01:00Z")
	signedOff(s, claimsOf+"2026-12", "original")
	s.Must(200, "PUT", profiles+"claims", `{`+plain+`,`+claimColumns+`}`)
	against := func(kind, period string) string {
		return `,"against":{"contract":"C","kind":"` + kind + `","period":"` + period + `"}}`
	}
	compare := func(period, file string) (shown.Run, []shown.RunItem) {
		t.Helper()
		of := send(t, s, "claims", "text/csv", file)
		if a := s.Must(400, "POST", runs, `{"statement":"`+of.ID+`"`+against("premium", period)); !strings.Contains(
			a.Text, `"pointer":"/against/kind"`) {
			t.Error(a.Text)
		}
		var run shown.Run
		read(t, s.Must(201, "POST", runs, `{"statement":"`+of.ID+`"`+against("claims", period)), &run)
		return run, itemsOf(t, s, run)
	}
	export := func(period string) string {
		return s.Must(200, "GET", claimsOf+period+"/versions/1/lines.csv", "").Text
	}
	run, items := compare("2026-11", export("2026-11"))
	if run.Items != claims || run.Outcomes[shown.Matched] != claims || items[0].Key != "claimNumber" {
		t.Errorf("November: %v, such as %+v", run.Outcomes, items[0])
	}

	// December has the same claims again.
	rows := strings.SplitAfter(export("2026-12"), "\r\n")
	change := func(row int, from, to string) string {
		changed := strings.Replace(rows[row], from, to, 1)
		if changed == rows[row] {
			t.Fatalf("row %d has no %s: %s", row, from, rows[row])
		}
		return changed
	}
	rows[1] = change(1, ",819.67,", ",820.67,") // the first is what is outstanding
	rows[2] = change(2, "CLM-000002", "CLM-000099")
	rows = append(rows[:31], rows[4], change(5, ",0.00,", ",1.00,"))
	run, items = compare("2026-12", strings.Join(rows, ""))
	for outcome, want := range map[string]int{
		shown.Matched: claims - 3, shown.Mismatch: 1, shown.Duplicate: 1, shown.Ambiguous: 2, shown.MissingHere: 1,
		shown.MissingThere: 1,
	} {
		if run.Outcomes[outcome] != want {
			t.Errorf("%d are %s, not %d", run.Outcomes[outcome], outcome, want)
		}
	}
	for _, item := range items {
		switch item.Outcome {
		case shown.Mismatch:
			if item.Row != 2 || len(item.Cells) != 1 || item.Cells[0].Means != "outstanding" ||
				item.Cells[0].Theirs != "820.67" || item.Cells[0].Ours != "819.67" {
				t.Errorf("%+v", item)
			}
		case shown.Ambiguous:
			if (item.Row != 6 && item.Row != 33) || item.Key != "" || len(item.Candidates) != 1 {
				t.Errorf("%+v", item)
			}
		case shown.MissingHere:
			if item.Row != 3 || item.PolicyNumber != "P-1" || len(item.Candidates) != 1 {
				t.Errorf("%+v", item)
			}
		case shown.Duplicate:
			if item.Row != 32 {
				t.Errorf("%+v", item)
			}
		}
	}
	for _, columns := range []string{
		`{"column":"a","means":"claimNumber"},{"column":"b","means":"paid"},{"column":"c","means":"gross"}`,
		`{"column":"a","means":"claimNumber"}`, `{"column":"a","means":"policyNumber"},{"column":"b","means":"paid"}`,
	} {
		if a := s.Must(400, "PUT", profiles+"wrong", `{`+plain+`,"currency":"GBP","columns":[`+columns+`]}`); !strings.
			Contains(a.Text, `"pointer":"/columns"`) {
			t.Error(a.Text)
		}
	}
}
