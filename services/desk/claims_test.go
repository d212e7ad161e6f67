package desk_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	shown "insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/servicetest"
)

const claimsOf = "/x/bordereau/C/claims/"

// claimLines returns the lines of a version, by the ids of claims.
func claimLines(s *servicetest.Service, version string) map[string]shown.ClaimLine {
	var page shown.BordereauLines
	text := s.Must(200, "GET", version+"/lines?limit=200", "").Text
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		panic(err)
	}
	lines := map[string]shown.ClaimLine{}
	for _, line := range page.Claims {
		lines[line.LineID] = line
	}
	return lines
}

// figures returns the figures of a line in its original currency, as one text.
func figures(f shown.ClaimFigures) string {
	return fmt.Sprintf("%s+%s+%s=%s (%s)", f.Paid, f.PreviouslyPaid, f.Outstanding, f.Incurred, f.ChangeOfIncurred)
}

// TestOutstandingAfterASettlement follows the example of the page about the desk: reserve 1000, settled 400; reopened;
// the reserve is set to 250.
func TestOutstandingAfterASettlement(t *testing.T) {
	w, s := atNovember(t)
	c := w.file("P", 1000)
	w.settle(c, 400)
	w.pay("P", c.number(), 400)
	for _, month := range []struct{ ends, period, status, figures, settled, finding string }{
		{"2026-12-01T00:01:00Z", "2026-11", "Closed this month", "400.00+0.00+0.00=400.00 (400.00)",
			"327.87+0.00+0.00=327.87 (327.87)", "closed-with-reserve"},
		{"2027-01-01T00:01:00Z", "2026-12", "Re-opened", "0.00+400.00+600.00=1000.00 (600.00)",
			"0.00+327.87+491.80=819.67 (491.80)", "stale-reserve"},
		{"2027-02-01T00:01:00Z", "2027-01", "Re-opened", "0.00+400.00+250.00=650.00 (-350.00)",
			"0.00+327.87+204.92=532.79 (-286.88)", ""},
		{"2027-03-01T00:01:00Z", "2027-02", "Closed this month", "250.00+400.00+0.00=650.00 (0.00)",
			"204.92+327.87+0.00=532.79 (0.00)", ""},
	} {
		w.until(t, month.ends)
		period := claimsOf + month.period
		signedOff(s, period, "original")
		line := claimLines(s, period+"/versions/1")[c.id]
		if line.ClaimStatus != month.status || figures(line.Indemnity) != month.figures ||
			figures(line.SettledIndemnity) != month.settled {
			t.Errorf("%s: %s %s, settled %s", month.period, line.ClaimStatus, figures(line.Indemnity),
				figures(line.SettledIndemnity))
		}
		found, _ := findingsOf(t, s, period)
		if len(found) > 0 != (month.finding != "") || len(found) > 0 && found[0].Code != month.finding {
			t.Errorf("%s: %+v", month.period, found)
		}
		switch month.period {
		case "2026-11":
			w.reopen(c)
		case "2026-12":
			w.reserve(c, 250)
		case "2027-01":
			w.settle(c, 250)
			w.pay("P", c.number(), 250)
		}
	}
	// Closed, and nothing has moved since.
	w.until(t, "2027-04-01T00:01:00Z")
	s.Must(409, "POST", claimsOf+"2027-03:prepare", `{"type":"original"}`, caller, "anna")
	signedOff(s, claimsOf+"2027-03", "nil")
	w.reopen(c)
	w.until(t, "2027-05-01T00:01:00Z")
	signedOff(s, claimsOf+"2027-04", "original")
	line := claimLines(s, claimsOf+"2027-04/versions/1")[c.id]
	if is := figures(line.Indemnity); is != "0.00+650.00+0.00=650.00 (0.00)" {
		t.Errorf("carried over a month without it: %s", is)
	}
}

// TestSupplement adds to a claim what a bordereau asks for.
func TestSupplement(t *testing.T) {
	w, s := atNovember(t)
	c := w.file("P", 6000)
	path := "/x/supplement/claim/" + c.id
	s.Must(404, "GET", path, "")
	s.Must(404, "PUT", "/x/supplement/claim/01930000-0000-7000-8000-00000000ffff", `{}`)
	s.Must(404, "PUT", "/x/supplement/claim/nothing", `{}`)
	for pointer, body := range map[string]string{
		"/feesPaid": `{"feesPaid":-1}`, "/feeReserve": `{"feeReserve":1e400}`, "/lossCountry": `{"lossCountry":"gb"}`,
		"/claimantName": `{"claimantName":"` + strings.Repeat("x", 201) + `"}`, "/recoveries": `{"recoveries":"x"}`,
	} {
		if a := s.Must(400, "PUT", path, body); !strings.Contains(a.Text, `"`+pointer+`"`) {
			t.Errorf("%s: %s", body, a.Text)
		}
	}
	w.until(t, "2026-12-01T00:01:00Z")
	s.Must(201, "POST", claimsOf+"2026-11:prepare", `{"type":"original"}`, caller, "anna")
	if table := cells(t, s, claimsOf+"2026-11/versions/1"); table["Denied"] != "not provided" ||
		table["Paid This Month - Fees"] != "not provided" || table["Cause of Loss"] != "'=fire" ||
		table["Outstanding - Indemnity"] != "4918.03" {
		t.Error(table)
	}
	findings := s.Must(200, "GET", claimsOf+"2026-11/versions/1/findings", "").Text
	if !strings.Contains(findings, `"code":"incurred-above-limit"`) {
		t.Error(findings)
	}
	first := s.Must(200, "PUT", path, `{"denied":false,"feesPaid":12.20,"feeReserve":0.61,"lossCountry":"GB"}`)
	s.Must(412, "PUT", path, `{}`, "If-Match", `"x"`)
	s.Must(200, "PUT", path, `{"denied":true,"feesPaid":12.20,"feeReserve":0.61,"lossCountry":"GB"}`, "If-Match",
		first.Header.Get("ETag"))
	if a := s.Must(200, "GET", path, ""); a.Member("version") != "" && a.Body["version"] != 2.0 {
		t.Error(a.Text)
	}
	s.Must(200, "POST", claimsOf+"2026-11/versions/1:reject", `{"reason":"fees"}`, caller, "bob")
	signedOff(s, claimsOf+"2026-11", "original")
	if table := cells(t, s, claimsOf+"2026-11/versions/2"); table["Denied"] != "Yes" ||
		table["Paid This Month - Fees"] != "10.00" || table["Outstanding - Fees"] != "0.50" ||
		table["Country of Loss"] != "GB" || table["Total Incurred"] != "4928.53" {
		t.Error(table)
	}
	if table := cells(t, s, claimsOf+"2026-11/versions/1"); table["Denied"] != "not provided" {
		t.Error(table)
	}
	d := s.Must(200, "GET", claimsOf+"2026-11/versions/1/diff?to=live", "").Text
	for _, member := range []string{"fees", "settledFees", "settledIncurred", "supplement"} {
		if !strings.Contains(d, `"member":"`+member+`"`) {
			t.Error(d)
		}
	}
	if strings.Count(d, `"member"`) != 4 {
		t.Error(d)
	}
}

// cells returns the cells of the first line of an export, by their columns.
func cells(t *testing.T, s *servicetest.Service, version string) map[string]string {
	t.Helper()
	text := s.Must(200, "GET", version+"/lines.csv", "").Text
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%v: %s", err, text)
	}
	of := map[string]string{}
	for i, name := range rows[0] {
		of[name] = rows[1][i]
	}
	return of
}

// TestUnassignedClaims lists a policy that has a claim and no receipt.
func TestUnassignedClaims(t *testing.T) {
	w, s := atNovember(t)
	for _, number := range []string{"Q", "R", "S"} {
		w.policies[number] = policy{"petCoverage", "2020-01-01T00:00:00Z", "Bo", "in force"}
	}
	w.file("P", 1)
	w.file("Q", 1)
	w.file("Q", 1)
	w.file("R", 1)
	w.record("R", "new policy", 100, "")
	w.file("S", 1)
	var seen []string
	for after, pages := "", 0; pages < 10; pages++ {
		a := s.Must(200, "GET", "/x/bordereau/unassigned?limit=1&after="+after, "")
		var page shown.UnassignedPolicies
		if err := json.Unmarshal([]byte(a.Text), &page); err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Policies {
			seen = append(seen, p.PolicyNumber)
			if (p.PolicyNumber == "R") != p.FirstClaimAt.IsZero() {
				t.Error(a.Text)
			}
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if strings.Join(seen, " ") != "R Q S" {
		t.Error(seen)
	}
	for _, after := range []string{"x", "claims/x", "claims"} {
		s.Must(400, "GET", "/x/bordereau/unassigned?after="+after, "")
	}
}

// TestClaimsGoOn files, reserves, settles and reopens at random while time passes. Each version goes on from the one
// before, and says what was true at the end of its period.
func TestClaimsGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "2026-01-05T00:00:00Z")
	s := w.start()
	for n := range *sequences {
		claimsGoOn(t, w, s, n)
		if t.Failed() {
			t.Fatalf("sequence %d", n)
		}
	}
}

func claimsGoOn(t *testing.T, w *world, s *servicetest.Service, n int) {
	random := rand.New(rand.NewPCG(uint64(n), 2))
	w.claims = nil
	contract, number := fmt.Sprintf("K%d", n), fmt.Sprintf("K%d-P", n)
	day := time.Date(2000, 1, 1+n, 12, 0, 0, 0, time.UTC)
	w.policies[number] = policy{"motorCoverage", day.Format(time.RFC3339), "Ann", "in force"}
	now := w.clock.Now().UTC()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	basis := []string{"open", "all"}[n%2]
	s.Must(200, "PUT", "/x/contract/"+contract, fmt.Sprintf(`{"uniqueMarketReference":"B","coverholderName":"A",`+
		`"inception":%q,"expiry":%q,"lines":["motorCoverage"],"amountUnit":"minor","currency":"EUR",`+
		`"settlementCurrency":"KWD","originalPerSettlement":"3.07","frequency":"month","firstPeriod":%q,`+
		`"claimsBasis":%q}`, day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly),
		month.Format("2006-01"), basis))
	before := map[string]shown.ClaimLine{}
	for range 6 {
		next := month.AddDate(0, 1, 0)
		for w.clock.Now().Before(next) {
			w.clock.Pass(time.Duration(1+random.IntN(200)) * time.Hour)
			if !w.clock.Now().Before(next) {
				break
			}
			anything(w, random, number)
		}
		if late := next.Add(time.Minute).Sub(w.clock.Now()); late > 0 {
			w.clock.Pass(late)
		}
		if random.IntN(2) == 0 {
			anything(w, random, number) // it belongs to the next period
		}
		period := "/x/bordereau/" + contract + "/claims/" + month.Format("2006-01")
		of := "original"
		if v := s.Do("POST", period+":prepare", `{"type":"nil"}`, caller, "anna"); v.Status == http.StatusCreated {
			s.Must(200, "POST", period+"/versions/1:reject", `{"reason":"tried"}`, caller, "bob")
			of = "nil"
		}
		signedOff(s, period, of)
		if of == "original" && random.IntN(2) == 0 {
			signedOff(s, period, "correction")
		}
		versions := s.Must(200, "GET", period, "").Body["versions"].([]any)
		holds(t, w, claimLines(s, fmt.Sprintf("%s/versions/%d", period, len(versions))), before, next, basis)
		month = next
	}
}

// anything does something to a claim.
func anything(w *world, random *rand.Rand, policy string) {
	if len(w.claims) < 2 || random.IntN(5) == 0 {
		w.file(policy, random.Int64N(1000))
		return
	}
	c := w.claims[random.IntN(len(w.claims))]
	f, _ := c.at(w.clock.Now())
	switch {
	case random.IntN(3) == 0:
		w.reserve(c, random.Int64N(1000))
	case f.status == "closed":
		w.reopen(c)
	default:
		w.settle(c, 1+random.Int64N(500))
	}
}

// holds compares the lines of a period with what was true at its end, and with what was reported before, which it
// brings up to date.
func holds(t *testing.T, w *world, lines, before map[string]shown.ClaimLine, end time.Time, basis string) {
	t.Helper()
	amount := func(of string) int64 {
		units, err := strconv.ParseInt(strings.Replace(of, ".", "", 1), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return units
	}
	for _, c := range w.claims {
		f, was := c.at(end.Add(-time.Nanosecond))
		line, has := lines[c.id]
		previous, had := before[c.id]
		if !was {
			if has {
				t.Errorf("%s is reported before it was filed", c.id)
			}
			continue
		}
		if !has {
			if basis == "all" || f.status != "closed" || !had || amount(string(previous.Indemnity.Incurred)) != f.paid {
				t.Errorf("%s is not reported: %+v", c.id, f)
			}
			continue
		}
		is := line.Indemnity
		if amount(string(is.Paid))+amount(string(is.PreviouslyPaid)) != f.paid ||
			amount(string(is.Outstanding)) != f.outstanding() ||
			amount(string(is.Incurred)) != f.paid+f.outstanding() {
			t.Errorf("%s: %s for %+v", c.id, figures(is), f)
		}
		for _, pair := range [][2]shown.ClaimFigures{{previous.Indemnity, is},
			{previous.SettledIndemnity, line.SettledIndemnity}} {
			then, now := pair[0], pair[1]
			if !had {
				then = shown.ClaimFigures{Paid: "0", PreviouslyPaid: "0", Incurred: "0"}
			}
			if amount(string(now.PreviouslyPaid)) != amount(string(then.PreviouslyPaid))+amount(string(then.Paid)) ||
				amount(string(now.ChangeOfIncurred)) != amount(string(now.Incurred))-amount(string(then.Incurred)) {
				t.Errorf("%s does not go on: %s after %s", c.id, figures(now), figures(then))
			}
		}
		before[c.id] = line
	}
	// What is not a line has not moved, and goes on from what was reported last.
	for id, line := range before {
		if _, has := lines[id]; has {
			continue
		}
		for _, f := range []*shown.ClaimFigures{&line.Indemnity, &line.SettledIndemnity} {
			f.PreviouslyPaid, f.Paid = f.Incurred, "0"
		}
		before[id] = line
	}
}

// TestAPaymentThatIsRecordedLate records in December what was paid in November, after November was approved: November
// stays what it is, and December pays it.
func TestAPaymentThatIsRecordedLate(t *testing.T) {
	w, s := atNovember(t)
	c := w.file("P", 1000)
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, claimsNovember, "original")
	before := s.Must(200, "GET", claimsNovember+"/versions/1/lines", "").Text
	w.interim(c, 300, "2026-11-30T10:00:00Z")
	w.until(t, "2027-01-01T00:01:00Z")
	const december = "/x/bordereau/C/claims/2026-12"
	signedOff(s, december, "original")
	if after := s.Must(200, "GET", claimsNovember+"/versions/1/lines", "").Text; after != before {
		t.Errorf("November was %s and is %s", before, after)
	}
	lines := s.Must(200, "GET", december+"/versions/1/lines", "").Text
	if !strings.Contains(lines, `"indemnity":{"paid":300.00,"previouslyPaid":0.00,"outstanding":700.00,`) {
		t.Error(lines)
	}
	found, _ := findingsOf(t, s, december)
	if !slices.ContainsFunc(found, func(f shown.BordereauFinding) bool {
		return f.Code == "late-item" && strings.Contains(f.Words, "The payment of 300 of 2026-11-30 was recorded on")
	}) {
		t.Errorf("found %+v", found)
	}
}
