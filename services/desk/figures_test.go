package desk_test

import (
	"strings"
	"testing"
)

// TestFiguresAreNumbersOrStrings sends amounts and percentages as JSON numbers and as strings. Both are taken with all
// of their digits, and answered in one form.
func TestFiguresAreNumbersOrStrings(t *testing.T) {
	w, s := atNovember(t)
	const contract = `{"agreementNumber":"A","coverholderName":"Alder","inception":"2026-01-01",
		"expiry":"2027-01-01","lines":["petCoverage"],"currency":"EUR","amountUnit":"major",
		"settlementCurrency":"GBP","frequency":"month","firstPeriod":"2026-11"`
	limits := func(amount string) string { return `"limits":[{"name":"L","currency":"GBP","amount":` + amount + `}]` }
	const digits = "12345678901.123456789012"
	for _, c := range []struct{ path, begin, member, number, text, answered string }{
		{"/x/contract/F", contract + `,"originalPerSettlement":"1.22",`, `"commissionPercentage":`, "17.50", `"17.50"`,
			`"commissionPercentage":"17.50"`},
		{"/x/contract/F", contract + `,"originalPerSettlement":"1.22",`, `"brokeragePercentage":`, "2.5", `"2.5"`,
			`"brokeragePercentage":"2.5"`},
		{"/x/contract/F", contract + `,"originalPerSettlement":"1.22",`, `"taxPercentage":`, "-1.5", `"-1.5"`,
			`"taxPercentage":"-1.5"`},
		{"/x/contract/F", contract + ",", `"originalPerSettlement":`, "1.220", `"1.220"`,
			`"originalPerSettlement":"1.220"`},
		{"/x/contract/F", contract + `,"originalPerSettlement":"1.22",`, "", limits(digits), limits(`"` + digits + `"`),
			`"amount":` + digits},
		{"/x/supplement/claim/" + w.file("P", 60).id, "{", `"feesPaid":`, "12.20", `"12.20"`, `"feesPaid":12.20`},
	} {
		for _, sent := range []string{c.number, c.text} {
			if a := s.Must(200, "PUT", c.path, c.begin+c.member+sent+"}"); !strings.Contains(a.Text, c.answered) {
				t.Errorf("sent %s%s: answered %s, without %s", c.member, sent, a.Text, c.answered)
			}
		}
		for _, wrong := range []string{"true", `["1"]`, `{"of":1}`} {
			if c.member == "" {
				wrong = limits(wrong)
			}
			a := s.Must(400, "PUT", c.path, c.begin+c.member+wrong+"}")
			if !strings.Contains(a.Text, "must be a number, or a") {
				t.Errorf("sent %s%s: %s", c.member, wrong, a.Text)
			}
		}
	}
	path := "/x/supplement/claim/" + w.file("P", 60).id
	long := `"` + strings.Repeat("1", 65) + `"`
	for _, wrong := range []string{`""`, `"1e5"`, `" 5"`, `"05"`, `"1,5"`, `"+1"`, `".5"`, long} {
		if a := s.Must(400, "PUT", path, `{"feesPaid":`+wrong+`}`); !strings.Contains(a.Text, `"/feesPaid"`) {
			t.Errorf("sent %s: %s", wrong, a.Text)
		}
	}
	for sent, right := range map[string]bool{"0.05": true, `"0.05"`: true, "-1": false, `"x"`: false} {
		a := s.Must(400, "POST", "/x/reconciliation/run", `{"statement":"none","tolerance":`+sent+
			`,"against":{"contract":"F","kind":"premium","period":"2026-11"}}`)
		if strings.Contains(a.Text, "/tolerance") == right {
			t.Errorf("the tolerance %s: %s", sent, a.Text)
		}
	}
}
