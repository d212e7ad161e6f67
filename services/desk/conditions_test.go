package desk_test

import (
	"strings"
	"testing"

	"insurance.example/exchange/pkg/servicetest"
)

// TestConditionsOfReads sends each GET of the desk that has an entity tag with conditions on it.
func TestConditionsOfReads(t *testing.T) {
	t.Parallel()
	w, s := atNovember(t)
	w.record("P", "new policy", 100, "")
	claim := w.file("P", 1000)
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", "/x/supplement/claim/"+claim.id, `{"feesPaid":12.20}`)
	s.Must(200, "PUT", profiles+"p", `{`+plain+`,"currency":"EUR","types":{"NB":"new policy"},"columns":[
		{"column":"Policy","means":"policyNumber"},{"column":"Type","means":"type"},{"column":"Date","means":"date"},
		{"column":"Gross","means":"gross"},{"column":"Net","means":"net"}]}`)
	statement := send(t, s, "p", "text/csv", "Policy,Type,Date,Gross,Net\nP,NB,2026-11-10,100.00,85.00\n")
	paths := []string{
		"/x/contract/C", "/x/contract/C?at=2026-11-30T00:00:00Z", "/x/supplement/claim/" + claim.id, profiles + "p",
		november + "/versions/1", november + "/versions/1/lines", november + "/versions/1/lines?skip=1",
		november + "/versions/1/lines.csv", november + "/versions/1/lines.xlsx",
		"/x/reconciliation/statement/" + statement.ID + "/file",
	}
	for _, path := range paths {
		is := s.Must(200, "GET", path, "")
		tag := is.Header.Get("ETag")
		if !strings.HasPrefix(tag, `"`) {
			t.Errorf("%s has the tag %s", path, tag)
		}
		for _, c := range []struct {
			name, value string
			status      int
		}{
			{"If-None-Match", tag, 304}, {"If-None-Match", `"x", W/` + tag, 304}, {"If-None-Match", "*", 304},
			{"If-None-Match", `"x"`, 200}, {"If-Match", tag, 200}, {"If-Match", "*", 200}, {"If-Match", `"x"`, 412},
		} {
			for _, method := range []string{"GET", "HEAD"} {
				a := s.Do(method, path, "", c.name, c.value)
				conditionMet(t, method+" "+path+" "+c.name+": "+c.value, a, c.status, tag)
				if method == "GET" && c.status == 200 && a.Text != is.Text {
					t.Errorf("%s %s: %s: another body", path, c.name, c.value)
				}
			}
		}
		a := s.Do("GET", path, "", "If-Match", `"x"`, "If-None-Match", tag) // If-Match comes first
		conditionMet(t, path+" with both", a, 412, tag)
	}
	if a := s.Do("GET", november+"/versions/2", "", "If-None-Match", "*"); a.Status != 404 {
		t.Error(a.Text)
	}
}

// conditionMet fails the test unless a response is that of a condition.
func conditionMet(t *testing.T, asked string, a servicetest.Response, status int, tag string) {
	t.Helper()
	if a.Status != status {
		t.Errorf("%s: status %d, want %d", asked, a.Status, status)
	}
	if has := a.Header.Get("ETag"); status == 412 && has != "" || status != 412 && has != tag {
		t.Errorf("%s: status %d with the tag %s", asked, a.Status, has)
	}
	if status == 304 && (a.Text != "" || a.Header.Get("Content-Disposition") != "") {
		t.Errorf("%s: 304 with the body %q, headers %v", asked, a.Text, a.Header)
	}
	if status == 412 && a.Text != "" && a.Member("type") != "/problems/precondition-failed" {
		t.Errorf("%s: %s", asked, a.Text)
	}
}
