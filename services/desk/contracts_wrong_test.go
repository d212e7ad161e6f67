package desk_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/servicetest"
)

// TestContractsWrong sends a contract with each of its members wrong in every way: another type of JSON, missing where
// it is required, and each value that its rule refuses. The problem has the place, and words that say what is right.
// Nothing is stored.
func TestContractsWrong(t *testing.T) {
	_, s := atNovember(t)
	right := map[string]any{}
	if err := json.Unmarshal([]byte(`{`+sterling+`}`), &right); err != nil {
		t.Fatal(err)
	}
	put := func(changed map[string]any) servicetest.Response {
		sent := maps.Clone(right)
		maps.Copy(sent, changed)
		maps.DeleteFunc(sent, func(_ string, value any) bool { return value == nil })
		text, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		return s.Do("PUT", "/x/contract/W", string(text))
	}
	refused := func(changed map[string]any, pointer, words string) {
		t.Helper()
		a := put(changed)
		said := ""
		violations, _ := a.Body["errors"].([]any)
		for _, v := range violations {
			if of := v.(map[string]any); of["pointer"] == pointer {
				said, _ = of["reason"].(string)
			}
		}
		if a.Status != 400 || a.Member("type") == "" || said == "" || !strings.Contains(said, words) {
			t.Errorf("%v: %d %s, want %q at %s", changed, a.Status, a.Text, words, pointer)
		}
	}
	tried := map[string]bool{}
	for _, wrong := range wrongTerms() {
		tried[wrong.member] = true
		pointer := wrong.pointer
		if pointer == "" {
			pointer = "/" + wrong.member
		}
		refused(map[string]any{wrong.member: wrong.value}, pointer, wrong.words)
	}
	refused(map[string]any{"originalPerSettlement": "1.1", "settlementCurrency": "EUR"}, "/originalPerSettlement",
		`must be "1"`)
	refused(map[string]any{"frequency": "quarter"}, "/firstPeriod", "send a quarter")
	quarters := func(begins, first, inception string) map[string]any {
		return map[string]any{"frequency": "quarter", "quarterBegins": begins, "firstPeriod": first,
			"inception": inception}
	}
	for first, words := range map[string]string{
		"2026-Q1": "send one such as 2026-02-3M", "2026-02": "send a quarter such as 2026-02-3M",
		"2026-01-3M": "send one such as 2026-02-3M", "2026-04-3M": "send one such as 2026-02-3M",
		"2026-3M": "a quarter such as 2026-02-3M",
	} {
		refused(quarters("inception", first, "2026-02-15"), "/firstPeriod", words)
	}
	refused(quarters("calendar", "2026-01-3M", "2026-01-01"), "/firstPeriod", "send one such as 2026-Q1")
	for field := range reflect.TypeFor[desk.ContractTerms]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !tried[name] {
			t.Errorf("%s is not tried with a value that is refused", name)
		}
		others := []any{1.5e300, map[string]any{"a": 1}, []any{map[string]any{}}}
		if field.Type.Kind() != reflect.Bool {
			others = append(others, true)
		}
		for _, other := range others {
			if a := put(map[string]any{name: other}); a.Status != 400 ||
				!strings.Contains(a.Text, `"pointer":"/`+name) {
				t.Errorf("%s %v: %d %s", name, other, a.Status, a.Text)
			}
		}
	}
	s.Must(404, "GET", "/x/contract/W", "")
	if a := put(map[string]any{"risksFrom": "2029-01-01", "risksBefore": "2030-01-01"}); a.Status != 200 {
		t.Error(a.Text)
	}
}

// wrongTerm is a value that a member of a contract must not have; nil if the contract must not lack it.
type wrongTerm struct {
	member string
	value  any
	words  string
	// pointer is where the violation is, if not at the member.
	pointer string
}

func wrongTerms() []wrongTerm {
	long := strings.Repeat("é", 201)
	limit := func(name, amount any, currency string) []any {
		return []any{map[string]any{"name": name, "amount": amount, "currency": currency}}
	}
	all := []wrongTerm{
		{member: "uniqueMarketReference", words: "agreementNumber"},
		{member: "coverholderName", words: "who reports"},
		{member: "uniqueMarketReference", value: "\u00a0", words: "agreementNumber"},
		{member: "coverholderName", value: " \t", words: "who reports"},
		{member: "coverholderName", value: "\u200b\ufeff", words: "who reports"},
		{member: "limits", value: limit(" ", 1, "EUR"), words: "1 to 200", pointer: "/limits/0/name"},
		{member: "coverholderPin", value: "12345ABC", words: "six digits"},
		{member: "coverholderPin", value: "123456abc", words: "capital letters"},
		{member: "coverholderPin", value: "123456ABC ", words: "such as 123456ABC"},
		{member: "inception", words: "first day"},
		{member: "inception", value: "2026-02-30", words: "YYYY-MM-DD"},
		{member: "inception", value: "01/02/2026", words: "YYYY-MM-DD"},
		{member: "expiry", words: "ends"},
		{member: "expiry", value: "2026-01-01", words: "after inception"},
		{member: "expiry", value: "2025-12-31", words: "after inception"},
		{member: "timeZone", value: "Local", words: "Europe/London"},
		{member: "timeZone", value: "EST5EDT", words: "America/New_York"},
		{member: "timeZone", value: "Europe/Nowhere", words: "names no time zone"},
		{member: "quarterBegins", value: "expiry", words: "calendar or inception"},
		{member: "quarterBegins", value: "inception", words: "is for quarters"},
		{member: "firstPeriod", value: "2026-02-3M", words: "send a month such as 2026-02"},
		{member: "risksFrom", value: "yesterday", words: "YYYY-MM-DD"},
		{member: "risksFrom", value: "2027-01-01", words: "after risksFrom", pointer: "/risksBefore"},
		{member: "risksBefore", value: "2026-01-01", words: "after risksFrom"},
		{member: "lines", words: "is required"},
		{member: "lines", value: []any{}, words: "is required"},
		{member: "lines", value: []any{"vehicle"}, words: "motorCoverage", pointer: "/lines/0"},
		{member: "lines", value: []any{"motorCoverage", "motorCoverage"}, words: "twice", pointer: "/lines/1"},
		{member: "currency", words: "ISO 4217"},
		{member: "currency", value: "eur", words: "such as EUR"},
		{member: "currency", value: "EURO", words: "ISO 4217"},
		{member: "amountUnit", words: "never assumed"},
		{member: "amountUnit", value: "cents", words: "major or minor"},
		{member: "settlementCurrency", value: "XX1", words: "ISO 4217"},
		{member: "originalPerSettlement", words: "units of currency"},
		{member: "originalPerSettlement", value: "0", words: "above 0"},
		{member: "originalPerSettlement", value: "-1.22", words: "units of currency"},
		{member: "originalPerSettlement", value: "1,22", words: `such as "1.22"`},
		{member: "originalPerSettlement", value: "1e3", words: "units of currency"},
		{member: "originalPerSettlement", value: "NaN", words: "units of currency"},
		{member: "taxPercentage", value: "-100.01", words: `"-100" to "100"`},
		{member: "taxPercentage", value: "--5", words: "percentage in digits"},
		{member: "yearOfAccount", value: 26, words: "four digits"},
		{member: "yearOfAccount", value: 0, words: "four digits"},
		{member: "yearOfAccount", value: -2026, words: "four digits"},
		{member: "yearOfAccount", value: 10000, words: "four digits"},
		{member: "numberOfInstalments", value: -1, words: "0 to 366"},
		{member: "numberOfInstalments", value: 367, words: "0 to 366"},
		{member: "frequency", words: "how often"},
		{member: "frequency", value: "year", words: "month or quarter"},
		{member: "firstPeriod", words: "first period"},
		{member: "firstPeriod", value: "2026", words: "a month such as"},
		{member: "firstPeriod", value: "2026-13", words: "a month such as"},
		{member: "firstPeriod", value: "2026-Q5", words: "a quarter such as"},
		{member: "firstPeriod", value: "2026-Q2", words: "send a month such as 2026-04"},
		{member: "dueDays", value: -1, words: "0 to 366"},
		{member: "dueDays", value: 367, words: "0 to 366"},
		{member: "signOff", value: "three", words: "two or one"},
		{member: "claimsBasis", value: "closed", words: "open or all"},
		{member: "preview", value: "yes", words: "true or false"},
		{member: "limits", value: slices.Repeat(limit("a", 1, "EUR"), 17), words: "more than 16"},
		{member: "limits", value: limit("", 1, "EUR"), words: "1 to 200", pointer: "/limits/0/name"},
		{member: "limits", value: limit(long, 1, "EUR"), words: "1 to 200", pointer: "/limits/0/name"},
		{member: "limits", value: limit("a", -1, "EUR"), words: "in digits", pointer: "/limits/0/amount"},
		{member: "limits", value: limit("a", 1, "EURO"), words: "ISO 4217", pointer: "/limits/0/currency"},
	}
	for _, member := range []string{"commissionPercentage", "brokeragePercentage", "taxPercentage"} {
		for _, value := range []string{"100.01", "15 %", "15,5", "fifteen", "1e1", "+5", " 5"} {
			all = append(all, wrongTerm{member: member, value: value, words: `to "100"`})
		}
	}
	for _, member := range []string{"commissionPercentage", "brokeragePercentage"} {
		all = append(all, wrongTerm{member: member, value: "-1", words: `"0" to "100"`})
	}
	for _, member := range []string{"uniqueMarketReference", "agreementNumber", "section", "treatyReference",
		"coverholderName", "administratorName", "counterparty", "classOfBusiness", "riskCode", "typeOfInsurance"} {
		all = append(all, wrongTerm{member: member, value: long, words: "more than 200 characters"})
	}
	return all
}
