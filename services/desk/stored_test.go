package desk_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/docstore/sqlitestore"
	"insurance.example/exchange/pkg/docstore/sqlitestore/sqlitetest"
	"insurance.example/exchange/pkg/servicetest"
)

// TestWhatIsAcceptedIsRead makes contracts at the ends of what their members may be. Whatever is accepted is read and
// accepted as it is shown, and stops nothing beside it.
func TestWhatIsAcceptedIsRead(t *testing.T) {
	_, s := atNovember(t)
	accepted := 0
	for _, changed := range []map[string]any{
		{"inception": "1850-01-01"}, {"inception": "1899-12-31"}, {"inception": "1900-01-01"},
		{"inception": "1850-01-01", "yearOfAccount": 2026}, {"inception": "0000-01-01"}, {"inception": "0001-01-01"},
		{"inception": "0001-01-01", "yearOfAccount": 1900}, {"inception": "0000-01-01", "yearOfAccount": 9999},
		{"inception": "9999-12-30", "expiry": "9999-12-31"}, {"risksFrom": "0001-01-01"}, {"risksFrom": "0000-01-01"},
		{"risksBefore": "0001-01-01"}, {"risksBefore": "9999-12-31"}, {"firstPeriod": "0001-01"},
		{"firstPeriod": "9999-12"}, {"firstPeriod": "9999-Q4", "frequency": "quarter"},
		{"firstPeriod": "0001-Q1", "frequency": "quarter"}, {"dueDays": 366}, {"numberOfInstalments": 0},
		{"originalPerSettlement": "0.000000000001"}, {"originalPerSettlement": "1", "settlementCurrency": ""},
		{"commissionPercentage": "", "brokeragePercentage": "100"}, {"taxPercentage": "-0"}, {"currency": "XXX"},
	} {
		sent := map[string]any{}
		if err := json.Unmarshal([]byte(`{`+sterling+`}`), &sent); err != nil {
			t.Fatal(err)
		}
		sent["lines"] = []string{"petCoverage"}
		for name, value := range changed {
			sent[name] = value
		}
		text, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		a := s.Do("PUT", "/x/contract/E", string(text))
		if a.Status >= 500 || a.Status == 400 && !strings.Contains(a.Text, `"pointer"`) {
			t.Errorf("%v: %s", changed, a.Text)
		}
		if a.Status != 200 {
			continue
		}
		accepted++
		shown, err := json.Marshal(a.Body["contract"])
		if err != nil {
			t.Fatal(err)
		}
		for _, then := range []servicetest.Response{
			s.Do("PUT", "/x/contract/E", string(shown)), s.Do("GET", "/x/contract/E", ""),
			s.Do("GET", "/x/contract", ""),
			s.Do("GET", "/x/bordereau", ""), s.Do("GET", "/x/bordereau/unassigned", ""),
			s.Do("GET", "/x/bordereau/E/premium/"+a.Body["contract"].(map[string]any)["firstPeriod"].(string), ""),
		} {
			if then.Status != 200 {
				t.Errorf("%v: %d %s", changed, then.Status, then.Text)
			}
		}
	}
	if accepted < 10 {
		t.Errorf("%d contracts are accepted", accepted)
	}
	if a := s.Do("PUT", "/x/contract/F", `{`+strings.Replace(sterling, "2026-01-01", "1850-01-01", 1)+`}`); a.Status != 400 ||
		!strings.Contains(a.Text, `"pointer":"/inception"`) || !strings.Contains(a.Text, "send yearOfAccount") {
		t.Error(a.Text)
	}
}

// TestABadContractStopsNoOther has contracts in the database as no release stores them, and one as an earlier release
// has. The latter is shown with what is wrong, and replaced; the former are named by the one who asks for them alone.
func TestABadContractStopsNoOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	w := newWorld(t, "2026-11-10T12:00:00Z")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	w.record("P", "new policy", 100, "")
	run := func(do func(*servicetest.Service)) {
		t.Helper()
		store, err := sqlitestore.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		s := w.startOn(store)
		do(s)
		s.Stop()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	terms := func(line string) string { return `{` + strings.Replace(sterling, "motorCoverage", line, 1) + `}` }
	run(func(s *servicetest.Service) {
		for reference, line := range map[string]string{
			"A": "petCoverage", "B": "travelCoverage", "C": "motorCoverage", "D": "propertyCoverage",
		} {
			s.Must(200, "PUT", "/x/contract/"+reference, terms(line))
		}
		s.Must(201, "POST", "/x/bordereau/C/premium/2026-01:prepare", `{"type":"nil"}`)
		for _, name := range []string{"p", "q"} {
			s.Must(200, "PUT", profiles+name, `{`+plain+`,"currency":"EUR","types":{"NB":"new policy"},"columns":[
				{"column":"Policy","means":"policyNumber"},{"column":"Type","means":"type"},
				{"column":"Date","means":"date"},{"column":"Gross","means":"gross"},{"column":"Net","means":"net"}]}`)
		}
	})
	if changed, err := sqlitetest.Exec(path,
		`UPDATE ledger SET body = '{' WHERE k_contract = 'C/premium'`); err != nil || changed != 1 {
		t.Fatal(changed, err)
	}
	if changed, err := sqlitetest.Exec(path,
		`UPDATE reconciliation SET body = '{' WHERE k_key = 'profile/p'`); err != nil || changed != 1 {
		t.Fatal(changed, err)
	}
	for reference, how := range map[string]string{
		"A": `json_set(body, '$.yearOfAccount', 1850)`, "B": `json_set(body, '$.firstPeriod', 'never')`, "D": `'{'`,
	} {
		changed, err := sqlitetest.Exec(path, `UPDATE contract SET body = `+how+` WHERE k_reference = '`+reference+`'`)
		if err != nil || changed != 1 {
			t.Fatal(changed, err)
		}
	}
	run(func(s *servicetest.Service) {
		listed := s.Must(200, "GET", "/x/contract", "").Text
		for reference, is := range map[string]bool{"A": true, "B": false, "C": true, "D": false} {
			if strings.Contains(listed, `"reference":"`+reference+`"`) != is {
				t.Errorf("%s is listed: %v: %s", reference, !is, listed)
			}
		}
		if a := s.Must(200, "GET", "/x/reconciliation/profile", ""); !strings.Contains(a.Text, `"name":"q"`) {
			t.Error(a.Text)
		}
		if a := s.Must(200, "GET", "/x/bordereau", ""); !strings.Contains(a.Text, `"contract":"C","kind":"claims"`) ||
			strings.Contains(a.Text, `"contract":"C","kind":"premium"`) {
			t.Error(a.Text)
		}
		if a := s.Do("GET", "/x/bordereau/C/premium/2026-01", ""); a.Member("type") != "/problems/record-altered" {
			t.Error(a.Text)
		}
		s.Must(200, "GET", "/x/bordereau/unassigned", "")
		s.Must(200, "PUT", "/x/contract/C", terms("motorCoverage"))
		s.Must(200, "PUT", "/x/contract/C/policy/P", "")
		for _, reference := range []string{"E", "F"} {
			s.Must(200, "PUT", "/x/contract/"+reference, strings.Replace(terms("petCoverage"), `"2026-01-01","expiry":"2027`,
				`"`+map[string]string{"E": "2030", "F": "2031"}[reference]+`-01-01","expiry":"`+
					map[string]string{"E": "2031", "F": "2032"}[reference], 1))
		}
		for _, reference := range []string{"B", "D"} {
			for _, a := range []servicetest.Response{
				s.Do("GET", "/x/contract/"+reference, ""),
				s.Do("PUT", "/x/contract/"+reference, terms("travelCoverage")),
			} {
				if a.Status != 500 || !strings.HasSuffix(a.Member("type"), "/record-altered") ||
					!strings.Contains(a.Text, "The contract "+reference+" cannot be read") {
					t.Error(a.Text)
				}
			}
		}
		if a := s.Must(200, "GET", "/x/contract/A", ""); !strings.Contains(a.Text,
			"yearOfAccount must be a year of four digits") {
			t.Error(a.Text)
		}
		s.Must(200, "GET", "/x/bordereau/A/premium/2026-10", "")
		if a := s.Must(200, "PUT", "/x/contract/A", terms("petCoverage")); strings.Contains(a.Text, "warnings") {
			t.Error(a.Text)
		}
	})
}
