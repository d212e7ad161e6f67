package desk_test

import (
	"archive/zip"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/servicetest"
)

// caller is the header that names who sends a request.
const caller = "X-Exchange-Caller"

// terms are those of a contract in the tests: what it lacks is given by each.
const terms = `"uniqueMarketReference":"B0001","coverholderName":"Alder","inception":"2026-01-01","expiry":"2027-01-01",
	"lines":["motorCoverage"],"amountUnit":"major","frequency":"month","firstPeriod":"2026-01"`

const sterling = terms + `,"currency":"EUR","settlementCurrency":"GBP","originalPerSettlement":"1.22",
	"commissionPercentage":"15"`

const november = "/x/bordereau/C/premium/2026-11"

// signedOff prepares a version as one person and approves it as another, and returns its digest.
func signedOff(s *servicetest.Service, period, kind string) (digest string) {
	v := s.Must(201, "POST", period+":prepare", `{"type":"`+kind+`"}`, caller, "anna")
	s.Must(200, "POST", period+"/versions/"+number(v)+":approve", `{"digest":"`+v.Member("digest")+`"}`, caller, "bob")
	return v.Member("digest")
}

func number(v servicetest.Response) string {
	return strings.TrimSuffix(time.Duration(v.Body["number"].(float64)).String(), "ns")
}

// atNovember returns a desk whose contract begins with November 2026, in November, and its world with the policy P.
func atNovember(t *testing.T) (*world, *servicetest.Service) {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann Lee", "in force"}
	s := w.start()
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, "2026-01\"", "2026-11\"", 1)+`}`)
	return w, s
}

// december moves the clock to where November can be prepared.
func (w *world) until(t *testing.T, instant string) {
	to, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Pass(to.Sub(w.clock.Now()))
}

// TestARefundAfterApproval has a receipt of November refunded in December, after November was approved.
func TestARefundAfterApproval(t *testing.T) {
	w, s := atNovember(t)
	original := w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	digest := signedOff(s, november, "original")
	before := s.Must(200, "GET", november+"/versions/1/lines", "")
	w.record("P", "other", 100, original.ID)
	w.until(t, "2027-01-01T00:01:00Z")
	signedOff(s, "/x/bordereau/C/premium/2026-12", "original")
	lines := s.Must(200, "GET", "/x/bordereau/C/premium/2026-12/versions/1/lines", "").Text
	for _, part := range []string{
		`"gross":-100.00`, `"reverses":"` + original.ID + `"`, `"transactionType":"Return Premium"`,
		`"riskTransactionType":"New Business"`, `"commission":-15.00`, `"net":-85.00`, `"settled":-69.67`,
	} {
		if strings.Count(lines, part) != 1 {
			t.Errorf("no %s in %s", part, lines)
		}
	}
	if after := s.Must(200, "GET", november+"/versions/1/lines", ""); after.Text != before.Text ||
		after.Header.Get("ETag") != `"`+digest+`"` {
		t.Errorf("November was %s and is %s", before.Text, after.Text)
	}
}

// TestALineHasTheDateThatItsReceiptIsFor records a receipt with an effectiveDate beside one without.
func TestALineHasTheDateThatItsReceiptIsFor(t *testing.T) {
	w, s := atNovember(t)
	w.record("P", "new policy", 100, "").effective = "2026-04-01"
	w.record("P", "mid term adjustment", 10, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	lines := s.Must(200, "GET", november+"/versions/1/lines", "").Text
	for _, date := range []string{"2026-04-01", w.receipts[1].ReceiptDate} {
		if strings.Count(lines, `"effectiveDate":"`+date+`"`) != 1 {
			t.Errorf("no line of %s in %s", date, lines)
		}
	}
}

// TestALateItem has a policy assigned to the contract after the period of its receipt was approved.
func TestALateItem(t *testing.T) {
	w, s := atNovember(t)
	w.policies["Q"] = policy{"petCoverage", "2020-01-01T00:00:00Z", "Bo", "in force"}
	w.record("P", "new policy", 100, "")
	late := w.record("Q", "new policy", 40, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	if a := s.Must(200, "GET", "/x/bordereau/unassigned", ""); !strings.Contains(a.Text, `"policyNumber":"Q"`) ||
		strings.Contains(a.Text, `"policyNumber":"P"`) {
		t.Error(a.Text)
	}
	s.Must(200, "PUT", "/x/contract/C/policy/Q", "")
	all := w.receipts
	w.receipts = nil
	w.record("", "other", 1, "") // of a claim alone
	if a := s.Must(200, "GET", "/x/bordereau/unassigned", ""); a.Text != `{"policies":[]}` {
		t.Error(a.Text)
	}
	w.receipts = all
	if a := s.Must(200, "GET", november, ""); !strings.Contains(a.Text, `"drift":[{"section":"premium",`+
		`"currency":"EUR","settlementCurrency":"GBP","lines":1,"gross":40.00`) {
		t.Error(a.Text)
	}
	w.until(t, "2027-01-01T00:01:00Z")
	signedOff(s, "/x/bordereau/C/premium/2026-12", "original")
	lines := s.Must(200, "GET", "/x/bordereau/C/premium/2026-12/versions/1/lines", "").Text
	if strings.Count(lines, `"lineId"`) != 1 || !strings.Contains(lines, `"lineId":"`+late.ID+`"`) ||
		!strings.Contains(lines, `"late":{"recordedPeriod":"2026-11"}`) {
		t.Error(lines)
	}
	findings := s.Must(200, "GET", "/x/bordereau/C/premium/2026-12/versions/1/findings", "").Text
	if !strings.Contains(findings, `"code":"late-item","severity":"warning","outcome":"fail","lineId":"`+late.ID) {
		t.Error(findings)
	}
	// Another contract does not get a policy that is reported.
	s.Must(200, "PUT", "/x/contract/D", `{`+strings.Replace(sterling, "motorCoverage", "travelCoverage", 1)+`}`)
	if a := s.Must(409, "PUT", "/x/contract/D/policy/Q", ""); a.Member("type") != "/problems/contract-in-use" ||
		a.Member("contract") != "C" {
		t.Error(a.Text)
	}
}

// TestPrepareInOrder makes each request of the table of prepare that is refused.
func TestPrepareInOrder(t *testing.T) {
	w, s := atNovember(t)
	refused := func(status int, kind, path, body string) servicetest.Response {
		t.Helper()
		a := s.Must(status, "POST", path, body, caller, "anna")
		if a.Member("type") != "/problems/"+kind {
			t.Errorf("%s %s: %s", path, body, a.Text)
		}
		return a
	}
	const original, additional = `{"type":"original"}`, `{"type":"additional"}`
	refused(404, "not-found", "/x/bordereau/NONE/nonsense/2026-13:prepare", `{"type":"x"}`)
	refused(400, "bad-parameter", "/x/bordereau/C/claim/2026-11:prepare", original)
	refused(400, "bad-parameter", "/x/bordereau/C/premium/2026-Q1:prepare", original)
	refused(400, "bad-parameter", "/x/bordereau/C/premium/2026-00:prepare", original)
	refused(400, "invalid-field", november+":prepare", `{"type":"first"}`)
	refused(409, "period-not-ready", "/x/bordereau/C/premium/2026-10:prepare", original)
	w.until(t, "2026-12-01T00:00:59Z")
	refused(409, "period-not-ready", november+":prepare", original)
	w.until(t, "2027-01-10T00:00:00Z")
	if a := refused(409, "period-not-ready", "/x/bordereau/C/premium/2026-12:prepare", original); a.Member("period") !=
		"2026-11" {
		t.Error(a.Text)
	}
	w.away["premium"] = true
	refused(503, "unavailable", november+":prepare", additional)
	w.away["premium"] = false
	w.older["coverage"] = true
	w.record("P", "new policy", 100, "")
	refused(503, "unavailable", november+":prepare", original)
	w.older["coverage"], w.receipts = false, nil
	refused(409, "version-does-not-fit", november+":prepare", additional)
	refused(409, "version-does-not-fit", november+":prepare", `{"type":"correction"}`)
	refused(409, "version-does-not-fit", november+":prepare", original) // it has no lines
	signedOff(s, november, "nil")
	refused(409, "version-does-not-fit", november+":prepare", original)
	refused(409, "version-does-not-fit", november+":prepare", additional) // it has nothing to add
	w.record("P", "new policy", 100, "")
	w.until(t, "2027-02-10T00:00:00Z")
	signedOff(s, "/x/bordereau/C/premium/2026-12", "nil")
	refused(409, "version-does-not-fit", november+":prepare", `{"type":"correction"}`)
	january := "/x/bordereau/C/premium/2027-01"
	refused(409, "version-does-not-fit", january+":prepare", `{"type":"nil"}`)
	w.receipts[0].awaited = true
	refused(503, "unavailable", january+":prepare", original)
	if a := s.Do("POST", january+":prepare", original); a.Header.Get("Retry-After") != "5" ||
		a.Member("receipt") != w.receipts[0].ID || a.Member("until") != "2027-02-10T00:00:05Z" ||
		!strings.Contains(a.Text, "has still to be added to its row") {
		t.Errorf("%v %s", a.Header, a.Text)
	}
	w.receipts[0].awaited = false
	s.Must(201, "POST", january+":prepare", original)
	refused(409, "version-does-not-fit", january+":prepare", original)
}

// TestApproveInOrder makes each request of the table of approve that is refused.
func TestApproveInOrder(t *testing.T) {
	w, s := atNovember(t)
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "", "in force"} // nobody is insured
	r := w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	v := s.Must(201, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
	version, digest := november+"/versions/1", `{"digest":"`+v.Member("digest")+`"}`
	refused := func(status int, kind, who, action, body string) servicetest.Response {
		t.Helper()
		a := s.Must(status, "POST", version+action, body, caller, who)
		if a.Member("type") != "/problems/"+kind {
			t.Errorf("%s %s: %s", action, body, a.Text)
		}
		return a
	}
	s.Must(404, "POST", november+"/versions/2:approve", digest)
	s.Must(404, "POST", november+"/versions/01:approve", digest)
	refused(400, "invalid-field", "bob", ":approve", `{"digest":""}`)
	finding := "missing-insured." + r.ID
	if a := refused(409, "findings-open", "bob", ":approve", digest); !strings.Contains(a.Text, "/findings/"+finding) {
		t.Error(a.Text)
	}
	refused(400, "invalid-field", "carol", "/findings/"+finding+":waive", `{"reason":" "}`)
	refused(404, "not-found", "carol", "/findings/nothing:waive", `{"reason":"known"}`)
	s.Must(200, "POST", version+"/findings/"+finding+":waive", `{"reason":"the name follows"}`, caller, "carol")
	for who, because := range map[string]string{"anna": "prepared", "carol": "waived", "": "changed-contract"} {
		header := []string{caller, who}
		if who == "" {
			header = nil // who has made the contract
		}
		a := s.Must(409, "POST", version+":approve", digest, header...)
		if a.Member("type") != "/problems/same-person" || a.Member("because") != because {
			t.Errorf("%s: %s", who, a.Text)
		}
	}
	refused(409, "digest-differs", "bob", ":approve", `{"digest":"00"}`)
	refused(409, "not-pending", "bob", ":acknowledge", digest)
	s.Must(200, "POST", version+":approve", digest, caller, "bob")
	s.Must(200, "POST", version+":approve", digest, caller, "bob")
	s.Must(200, "POST", version+":approve", `{"digest":"`+strings.ToUpper(v.Member("digest"))+`"}`, caller, "bob")
	refused(409, "not-pending", "dora", ":approve", digest)
	refused(409, "not-pending", "bob", ":reject", `{"reason":"too late"}`)
	refused(409, "digest-differs", "eve", ":acknowledge", `{"digest":"00"}`)
	for _, who := range []string{"eve", "fay", "eve"} { // who does it again is not kept twice
		s.Must(200, "POST", version+":acknowledge", digest, caller, who)
	}
	if a := s.Must(200, "GET", november, ""); strings.Count(a.Text, `"acknowledgedBy":"eve"`) != 2 ||
		strings.Count(a.Text, `"acknowledgedBy":"fay"`) != 1 {
		t.Error(a.Text)
	}
	if a := s.Must(200, "GET", "/x/bordereau?state=acknowledged", ""); !strings.Contains(a.Text,
		`"acknowledgedBy":"eve"`) {
		t.Error(a.Text)
	}
	// The units of the contract stay now; the other money may change, by somebody who then does not approve.
	changed := func(status int, currency, commission string) {
		t.Helper()
		s.Must(status, "PUT", "/x/contract/C", strings.NewReplacer(`"EUR"`, `"`+currency+`"`, `"15"`,
			`"`+commission+`"`, `2026-01"`, `2026-11"`).Replace(`{`+sterling+`}`), caller, "bob")
	}
	changed(409, "CHF", "15")
	changed(200, "EUR", "16")
	w.record("P", "mid term adjustment", 7, "")
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Ann", "in force"}
	w.until(t, "2027-01-01T00:01:00Z")
	v = s.Must(201, "POST", "/x/bordereau/C/premium/2026-12:prepare", `{"type":"original"}`, caller, "anna")
	version, digest = "/x/bordereau/C/premium/2026-12/versions/1", `{"digest":"`+v.Member("digest")+`"}`
	refused(409, "same-person", "bob", ":approve", digest)
	s.Must(200, "POST", version+":reject", `{"reason":"another commission"}`, caller, "bob")
	refused(409, "not-pending", "carol", ":approve", digest)
}

// TestContracts reads what a contract was, and refuses two that could take the same policy.
func TestContracts(t *testing.T) {
	w, s := atNovember(t)
	first := w.clock.Now().Format(time.RFC3339)
	w.clock.Pass(time.Hour)
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, `"15"`, `"0.15"`, 1)+`}`)
	if a := s.Must(200, "GET", "/x/contract/C?at="+first, ""); strings.Contains(a.Text, "warnings") ||
		!strings.Contains(a.Text, `"commissionPercentage":"15"`) {
		t.Error(a.Text)
	}
	if a := s.Must(200, "GET", "/x/contract/C", ""); !strings.Contains(a.Text, "send 15 for fifteen percent") {
		t.Error(a.Text)
	}
	s.Must(404, "GET", "/x/contract/C?at=2020-01-01T00:00:00Z", "")
	if a := s.Must(400, "GET", "/x/contract/C?at=2020-01-01T00:00:00+02:00", ""); !strings.Contains(a.Text,
		"a + is written %2B") {
		t.Error(a.Text)
	}
	s.Must(404, "GET", "/x/contract/C?at=2020-01-01T00:00:00%2B02:00", "")
	if a := s.Must(409, "PUT", "/x/contract/D", `{`+sterling+`}`); a.Member("contract") != "C" {
		t.Error(a.Text)
	}
	s.Must(200, "PUT", "/x/contract/D", `{`+sterling+`,"risksFrom":"2027-01-01","risksBefore":"2028-01-01"}`)
	s.Must(400, "PUT", "/x/contract/D%20", `{`+sterling+`}`)
	s.Must(412, "PUT", "/x/contract/D", `{`+sterling+`}`, "If-None-Match", "*")
	if a := s.Must(200, "GET", "/x/contract?limit=1", ""); a.Member("next") != "C" {
		t.Error(a.Text)
	}
	s.Must(200, "PUT", "/x/contract/C-1", `{`+sterling+`,"risksFrom":"2029-01-01","risksBefore":"2030-01-01"}`)
	var listed []string
	for after, more := "", true; more; {
		a := s.Must(200, "GET", "/x/bordereau?limit=1&after="+after, "")
		for _, p := range a.Body["periods"].([]any) {
			listed = append(listed, p.(map[string]any)["contract"].(string))
		}
		after, more = a.Member("next"), a.Member("next") != ""
	}
	// Each month of the year, of each, for claims and for premium.
	if got := strings.Join(slices.Compact(slices.Clone(listed)), " "); got != "C C-1 D" || len(listed) != 3*2*11 {
		t.Errorf("%d periods of %s", len(listed), got)
	}
	listsFrom(t, s)
}

// TestDueDays has 0 days be none, and 30 where the contract does not say how many.
func TestDueDays(t *testing.T) {
	_, s := atNovember(t)
	for sent, want := range map[string]struct {
		days     float64
		due      string
		november string
	}{
		`,"dueDays":0`: {0, "2026-10-31", "overdue"}, `,"dueDays":1`: {1, "2026-11-01", "overdue"},
		`,"dueDays":366`: {366, "2027-11-01", "due"}, `,"dueDays":null`: {30, "2026-11-30", "due"},
		``: {30, "2026-11-30", "due"},
	} {
		a := s.Must(200, "PUT", "/x/contract/D", `{`+strings.Replace(sterling, "motorCoverage", "petCoverage", 1)+sent+`}`)
		if days := a.Body["contract"].(map[string]any)["dueDays"]; days != want.days {
			t.Errorf("{%s} reads %v days", sent, days)
		}
		a = s.Must(200, "GET", "/x/bordereau/D/premium/2026-10", "")
		if a.Member("due") != want.due || a.Member("state") != want.november {
			t.Errorf("{%s} is %s and due on %s", sent, a.Member("state"), a.Member("due"))
		}
	}
}

// TestWhatIsPreparedStaysLate passes the day on which November is due: it is late from the next day on until a version
// of it is approved, and is listed with what is overdue, whether or not a version waits.
func TestWhatIsPreparedStaysLate(t *testing.T) {
	w, s := atNovember(t)
	w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	v := s.Must(201, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
	shows := func(state string, late any, overdue string) {
		t.Helper()
		if a := s.Must(200, "GET", november, ""); a.Member("state") != state || a.Body["daysLate"] != late {
			t.Errorf("it is %s, %v days late, want %s, %v", a.Member("state"), a.Body["daysLate"], state, late)
		}
		var got []string
		a := s.Must(200, "GET", "/x/bordereau?state=overdue", "")
		for _, one := range a.Body["periods"].([]any) {
			of := one.(map[string]any)
			got = append(got, fmt.Sprint(of["kind"], " ", of["period"], " ", of["state"], " ", of["daysLate"]))
		}
		if strings.Join(got, ", ") != overdue {
			t.Errorf("overdue are %q, want %q", got, overdue)
		}
	}
	w.until(t, "2026-12-30T23:59:59Z") // the day on which it is due
	shows("prepared", nil, "")
	w.until(t, "2026-12-31T00:00:00Z")
	shows("prepared", 1.0, "claims 2026-11 overdue 1, premium 2026-11 prepared 1")
	w.until(t, "2027-01-02T12:00:00Z")
	shows("prepared", 3.0, "claims 2026-11 overdue 3, premium 2026-11 prepared 3")
	if a := s.Must(200, "GET", "/x/bordereau?state=prepared", ""); !strings.Contains(a.Text, `"daysLate":3`) {
		t.Error(a.Text)
	}
	s.Must(200, "POST", november+"/versions/1:approve", `{"digest":"`+v.Member("digest")+`"}`, caller, "bob")
	shows("approved", nil, "claims 2026-11 overdue 3")
}

// listsFrom lists the periods from a month or a quarter on. A quarter that has the month is listed as a whole.
func listsFrom(t *testing.T, s *servicetest.Service) {
	t.Helper()
	s.Must(200, "PUT", "/x/contract/Q", `{`+strings.NewReplacer(`"month"`, `"quarter"`, `"2026-01"`, `"2026-Q1"`).
		Replace(sterling)+`,"risksFrom":"2031-01-01","risksBefore":"2032-01-01"}`)
	for from, want := range map[string]string{
		"2026-11": "C 2026-11, Q 2026-Q4", "2026-Q4": "C 2026-10, C 2026-11, Q 2026-Q4",
		"2026-09": "C 2026-09, C 2026-10, C 2026-11, Q 2026-Q3, Q 2026-Q4", "2027-01": "",
	} {
		var listed []string
		for _, contract := range []string{"C", "Q"} {
			a := s.Must(200, "GET", "/x/bordereau?kind=premium&contract="+contract+"&from="+from, "")
			for _, p := range a.Body["periods"].([]any) {
				listed = append(listed, contract+" "+p.(map[string]any)["period"].(string))
			}
		}
		if got := strings.Join(listed, ", "); got != want {
			t.Errorf("from %s: %s, want %s", from, got, want)
		}
	}
	if a := s.Must(400, "GET", "/x/bordereau?from=2026-13", ""); !strings.Contains(a.Text, `"parameter":"from"`) {
		t.Error(a.Text)
	}
}

// TestExports reads the lines of a version as a spreadsheet does.
func TestExports(t *testing.T) {
	w, s := atNovember(t)
	w.policies["P"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "=1+1", "in force"}
	original := w.record("P", "new policy", 5, "")
	w.record("P", "other", 5, original.ID)
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	table := s.Must(200, "GET", november+"/versions/1/lines.csv", "")
	rows, err := csv.NewReader(strings.NewReader(table.Text)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatal(err, table.Text)
	}
	cells := map[string]string{}
	for i, name := range rows[0] {
		cells[name] = rows[2][i]
	}
	for name, want := range map[string]string{
		"Insured Full Name": "'=1+1", "Gross Premium Paid This Time": "-5.00", "Risk Inception Date": "2026-03-01",
		"Reporting Period End Date": "2026-11-30", "Rate of Exchange": "1.22", "Deductible Amount": "",
	} {
		if cells[name] != want {
			t.Errorf("%s is %q, want %q", name, cells[name], want)
		}
	}
	book, err := excelize.OpenReader(strings.NewReader(s.Must(200, "GET", november+"/versions/1/lines.xlsx", "").Text))
	if err != nil {
		t.Fatal(err)
	}
	if sheets := book.GetSheetList(); len(sheets) != 3 {
		t.Error(sheets)
	}
	for i, name := range rows[0] {
		place, err := excelize.CoordinatesToCellName(i+1, 4)
		if err != nil {
			t.Fatal(err)
		}
		value, err := book.GetCellValue("Lines", place, excelize.Options{RawCellValue: true})
		kind, kindErr := book.GetCellType("Lines", place)
		if err != nil || kindErr != nil {
			t.Fatal(err, kindErr)
		}
		switch name {
		case "Gross Premium Paid This Time":
			if value != "-5" || kind != excelize.CellTypeUnset && kind != excelize.CellTypeNumber {
				t.Errorf("%s is %q of type %d", name, value, kind)
			}
		case "Insured Full Name":
			if formula, _ := book.GetCellFormula("Lines", place); value != "'=1+1" || formula != "" {
				t.Errorf("%s is %q, formula %q", name, value, formula)
			}
		case "Risk Inception Date":
			if value != "46082" { // the day as a spreadsheet counts it
				t.Errorf("%s is %q", name, value)
			}
		}
	}
}

// TestExportsAreTheSameBytes downloads a version at several times. Its workbook has another entity tag once somebody
// has waived a finding of it, which it shows.
func TestExportsAreTheSameBytes(t *testing.T) {
	t.Parallel()
	w, s := atNovember(t)
	for i := range 20 {
		w.record("P", "new policy", int64(1+i), "")
	}
	w.policies["Q"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "", "in force"}
	w.record("Q", "new policy", 10, "")
	w.until(t, "2026-12-01T00:01:00Z")
	s.Must(201, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
	version := november + "/versions/1"
	tags := map[string]string{}
	download := func() {
		t.Helper()
		for _, name := range []string{"/lines.csv", "/lines.xlsx"} {
			a := s.Must(200, "GET", version+name, "")
			tag := name + " " + a.Header.Get("ETag")
			if was, is := tags[tag]; is && was != a.Text {
				t.Errorf("%s is another file", tag)
			}
			tags[tag] = a.Text
		}
	}
	for range 12 { // three parts have six orders: in one run of 1e9 all would come in the same one by chance
		w.clock.Pass(time.Second)
		download()
	}
	// No part has the time of the machine.
	book := tags["/lines.xlsx "+s.Must(200, "GET", version+"/lines.xlsx", "").Header.Get("ETag")]
	packed, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range packed.File {
		if !part.Modified.IsZero() && part.Modified.Year() > 1980 {
			t.Errorf("%s is of %s", part.Name, part.Modified)
		}
	}
	found, _ := findingsOf(t, s, november)
	for _, f := range found {
		if f.Severity == desk.SeverityError {
			s.Must(200, "POST", version+"/findings/"+f.ID+":waive", `{"reason":"known"}`, caller, "anna")
		}
	}
	download()
	s.Must(200, "POST", version+":approve", `{"digest":"`+s.Must(200, "GET", version, "").Member("digest")+`"}`,
		caller, "bob")
	download()
	if len(tags) != 3 {
		t.Errorf("there are %d files, want the table, and the workbook before and after a waiver", len(tags))
	}
}

// TestTextsAreExportedAsTheyAre has texts that a spreadsheet takes for formulas, and that have ends of lines.
func TestTextsAreExportedAsTheyAre(t *testing.T) {
	w, s := atNovember(t)
	texts := map[string]string{
		"\n=1": "'\n=1", "\r=1": "'\r=1", "\t=1": "'\t=1", "\r\n=1": "'\r\n=1", "@A": "'@A", "a\nb": "a\nb",
		"a\r\nb": "a\r\nb", "a\rb": "a\rb",
	}
	for text := range texts {
		number := idOf(text)
		w.policies[number] = policy{"motorCoverage", "2026-03-01T00:00:00Z", text, "in force"}
		w.record(number, "new policy", 5, "")
	}
	w.until(t, "2026-12-01T00:01:00Z")
	s.Must(201, "POST", november+":prepare", `{"type":"original"}`)
	table := s.Must(200, "GET", november+"/versions/1/lines.csv", "").Text
	if header, _, _ := strings.Cut(table, "\n"); !strings.HasSuffix(header, "\r") || !strings.HasSuffix(table, "\r\n") {
		t.Error("the records do not end as RFC 4180 has it")
	}
	for text, want := range texts {
		if quoted := `"` + strings.ReplaceAll(want, `"`, `""`) + `"`; !strings.Contains(table, quoted) &&
			!strings.Contains(table, ","+want+",") {
			t.Errorf("%q is not exported as %q: %q", text, want, table)
		}
	}
}

// TestTwoPreparesAtOnce has four prepare the same period: one makes a version, and the others learn that it is there.
// On a busy machine a request may have too little time, and is sent again.
func TestTwoPreparesAtOnce(t *testing.T) {
	t.Parallel()
	w, s := atNovember(t)
	const lines, callers = 600, 4 // more than a block
	for range lines {
		w.record("P", "new policy", 100, "")
	}
	w.until(t, "2026-12-01T00:01:00Z")
	var all sync.WaitGroup
	var made, refused atomic.Int32
	for range callers {
		all.Go(func() {
			a := s.Do("POST", november+":prepare", `{"type":"original"}`)
			for a.Status == 503 && t.Context().Err() == nil {
				a = s.Do("POST", november+":prepare", `{"type":"original"}`)
			}
			switch {
			case a.Status == 201:
				made.Add(1)
			case a.Status == 409 && a.Member("type") == "/problems/version-does-not-fit":
				refused.Add(1)
			default:
				t.Error(a.Text)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 || refused.Load() != callers-1 {
		t.Errorf("%d made a version, and %d were refused", made.Load(), refused.Load())
	}
	if a := s.Must(200, "GET", november, ""); len(a.Body["versions"].([]any)) != 1 {
		t.Error(a.Text)
	}
	// The lines read in pages, across the blocks.
	seen := map[string]bool{}
	for skip, pages := "0", 0; skip != ""; pages++ {
		page := s.Must(200, "GET", november+"/versions/1/lines?limit=199&skip="+skip, "")
		for _, line := range page.Body["lines"].([]any) {
			seen[line.(map[string]any)["lineId"].(string)] = true
		}
		skip = ""
		if next, more := page.Body["next"].(float64); more {
			skip = strconv.Itoa(int(next))
		}
	}
	if len(seen) != lines {
		t.Errorf("%d lines were read", len(seen))
	}
}

// TestDifferences compares a version with its correction, cell by cell.
func TestDifferences(t *testing.T) {
	w, s := atNovember(t)
	w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.NewReplacer(`2026-01"`, `2026-11"`, `"15"`, `"20"`).
		Replace(sterling)+`}`)
	w.policies["Q"] = policy{"petCoverage", "2020-01-01T00:00:00Z", "Bo", "in force"}
	w.clock.Pass(time.Hour)
	late := w.record("Q", "new policy", 1, "")
	late.RecordedAt = "2026-11-30T00:00:00Z"
	s.Must(200, "PUT", "/x/contract/C/policy/Q", "")
	signedOff(s, november, "correction")
	diff := s.Must(200, "GET", november+"/versions/1/diff?to=2", "")
	for _, part := range []string{
		`"member":"commission","from":"15.00","to":"20.00"`, `"member":"net","from":"85.00","to":"80.00"`,
		`"lineId":"` + late.ID + `","policyNumber":"Q","to":"{`, `"more":false`,
	} {
		if !strings.Contains(diff.Text, part) {
			t.Errorf("no %s in %s", part, diff.Text)
		}
	}
	if n := len(diff.Body["differences"].([]any)); n != 4 { // and what is settled
		t.Errorf("%d differences: %s", n, diff.Text)
	}
	s.Must(400, "GET", november+"/versions/1/diff", "")
	// The correction stands in place of the original.
	if a := s.Must(200, "GET", november, ""); strings.Count(a.Text, `"drift":[{"section":"premium","currency":"EUR",`+
		`"settlementCurrency":"GBP","lines":0,"gross":0.00,"commission":0.00`) != 1 {
		t.Error(a.Text)
	}
}
