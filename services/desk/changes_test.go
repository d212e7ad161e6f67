package desk_test

import (
	"strings"
	"testing"

	shown "insurance.example/exchange/contracts/reconciliation"
)

// TestWhatACorrectedFileChanges sends a file in the place of another one and reads what differs: rows are known by what
// names them and is unique in both files, also where they moved.
func TestWhatACorrectedFileChanges(t *testing.T) {
	_, s := atNovember(t)
	s.Must(200, "PUT", profiles+"p", `{`+strings.Replace(plain, `"totals"`, `"dateOrder":"ymd","totals"`, 1)+`,"currency":"EUR",
		"types":{"NB":"new policy","AP":"mid term adjustment"},"columns":[{"column":"Line","means":"lineId"},
		{"column":"Policy","means":"policyNumber"},{"column":"Type","means":"type"},{"column":"Date","means":"date"},
		{"column":"Gross","means":"gross"},{"column":"Net","means":"net"}]}`)
	const header = "Line,Policy,Type,Date,Gross,Net,Remark\n"
	first := send(t, s, "p", "text/csv", header+"L1,A,NB,2026-01-02,1,1,\nL2,B,NB,2026-01-02,2,2,\n"+
		",C,NB,2026-01-02,3,3,\n,D,NB,2026-01-02,4,4,\n,E,NB,2026-01-02,5,5,\n,E,NB,2026-01-02,5,5,\n"+
		",F,NB,2026-01-02,6,6,\n,G,NB,2026-01-02,7,x,\n"+
		",H,NB,2026-01-02,8,8,\n,H,NB,2026-01-03,9,9,\n,K,NB,2026-01-02,9,9,old\n")
	a := replacing(s, "p", first.ID, header+",C,NB,2026-02-02,3,3,\nL2,B,NB,2026-01-02,2.50,2,\n"+
		"L1,A,NB,2026-01-02,1,1,\n,E,NB,2026-01-02,5,5,\n,N,NB,2026-01-02,1,,\n,F,AP,2026-01-02,6,6,\n"+
		",G,NB,2026-01-02,7,7,\n,H,NB,2026-01-04,8,8,\n"+
		",K,NB,2026-01-02,9,9,new\n")
	var is shown.StatementChanges
	path := statements + "/" + a.Member("id") + "/changes"
	read(t, s.Must(200, "GET", path, ""), &is)
	if is.Replaces != first.ID || is.Same != 3 || is.Count != len(is.Changes) {
		t.Errorf("%+v", is)
	}
	var got []string
	for _, of := range is.Changes {
		line := of.Kind + " " + string(rune('0'+of.Row)) + string(rune('0'+of.FormerRow)) + " " + of.LineID +
			of.PolicyNumber
		for _, cell := range of.Cells {
			line += " " + cell.Means + ":" + cell.Was + ">" + cell.Is
		}
		got = append(got, line)
	}
	want := []string{
		"changed 24 C date:2026-01-02>2026-02-02", "changed 33 L2B gross:2.00>2.50",
		"added 60 N currency:>EUR gross:>1.00", "added 70 F currency:>EUR gross:>6.00 net:>6.00",
		"changed 89 G net:>7.00 net:x>", "added 90 H currency:>EUR gross:>8.00 net:>8.00",
		"removed 05 D currency:EUR> gross:4.00> net:4.00>", "removed 07 E currency:EUR> gross:5.00> net:5.00>",
		"removed 08 F currency:EUR> gross:6.00> net:6.00>", "removed 0: H currency:EUR> gross:8.00> net:8.00>",
		"removed 0; H currency:EUR> gross:9.00> net:9.00>",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the changes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var page shown.StatementChanges
	read(t, s.Must(200, "GET", path+"?skip=10&limit=5", ""), &page)
	if len(page.Changes) != 1 || page.Count != 11 || page.Changes[0].FormerRow != 11 || page.Next != 0 {
		t.Errorf("%+v", page)
	}
	if a := s.Must(200, "GET", path+"?limit=10", ""); a.Body["next"] != 10.0 {
		t.Error(a.Text)
	}
	s.Must(404, "GET", statements+"/"+first.ID+"/changes", "")
	s.Must(404, "GET", statements+"/01930000-0000-7000-8000-000000000001/changes", "")
}
