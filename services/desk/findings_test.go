package desk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/xuri/excelize/v2"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/servicetest"
)

const claimsNovember = claimsOf + "2026-11"

// findingsOf returns what was found of the first version of a period, and what its checks came to, by code.
func findingsOf(
	t *testing.T, s *servicetest.Service, period string,
) ([]desk.BordereauFinding, map[string]desk.BordereauCheck) {
	t.Helper()
	var page desk.BordereauFindings
	text := s.Must(200, "GET", period+"/versions/1/findings?limit=200", "").Text
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, f := range page.Findings {
		if ids[f.ID] {
			t.Errorf("two findings have the id %s", f.ID)
		}
		ids[f.ID] = true
	}
	checks := map[string]desk.BordereauCheck{}
	for _, c := range page.Checks {
		if checks[c.Code].Code != "" {
			t.Errorf("%s is there twice", c.Code)
		}
		checks[c.Code] = c
	}
	return page.Findings, checks
}

// sound records what no check of November finds anything of: premium with a netPremium that is right, a part of it
// paid back, and a claim with its receipt.
func sound(w *world) {
	w.record("P", "new policy", 100, "")
	w.record("P", "other", 40, w.record("P", "policy renewal", 40, "").ID)
	w.stated["2026-11|P|new policy"] = 85
	// Nothing is left of what was received for this policy.
	w.policies["Q"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Bo", "in force"}
	w.record("Q", "other", 30, w.record("Q", "new policy", 30, "").ID)
	c := w.file("P", 400)
	w.settle(c, 400)
	w.pay("P", c.number(), 400)
}

// TestEachCheckPassesOrFails prepares November once as it should be, and once for each check with what it finds. Only
// that check fails then, of one line or of the contract.
func TestEachCheckPassesOrFails(t *testing.T) {
	t.Parallel()
	const limited = `,"limits":[{"name":"all","amount":1000,"currency":"EUR"}]`
	cases := []struct {
		code, of, severity string
		contract           string
		spoil              func(w *world)
		words              string
	}{
		{code: "", of: november},
		{code: "", of: claimsNovember},
		{code: "", of: claimsNovember, spoil: func(w *world) {
			// An interim payment leaves the claim and its reserve as they are.
			part := w.file("P", 400)
			w.interim(part, 100, "2026-11-05T00:00:00Z")
			w.pay("P", part.number(), 100)
		}},
		{code: "missing-insured", of: november, severity: "error", words: "no policyholder", spoil: func(w *world) {
			w.policies["N"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "", "in force"}
			w.record("N", "new policy", 10, "")
		}},
		{code: "missing-insured", of: november, severity: "error", words: "no policyholder", spoil: func(w *world) {
			w.policies["N"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "\u00a0", "in force"}
			w.record("N", "new policy", 10, "")
		}},
		{code: "dates-in-wrong-order", of: november, severity: "error", words: "it begins", spoil: func(w *world) {
			w.policies["N"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Bo", "in force"}
			w.ends["N"] = "2026-02-28T00:00:00Z"
			w.record("N", "new policy", 10, "")
		}},
		{code: "unknown-kind", of: november, severity: "error", words: "names no type", spoil: func(w *world) {
			w.record("P", "", 10, "")
		}},
		{code: "premium-on-cancelled", of: november, severity: "warning", words: "is cancelled", spoil: func(w *world) {
			w.policies["N"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Bo", "cancelled"}
			w.record("N", "new policy", 10, "")
		}},
		{code: "late-item", of: november, severity: "warning", words: "in 2026-10", spoil: func(w *world) {
			r := w.record("P", "mid term adjustment", 10, "")
			r.RecordedAt, r.Period = "2026-10-31T12:00:00Z", "2026-10"
		}},
		{code: "date-outside-term", of: november, severity: "warning", words: "is dated 1999-01-01",
			spoil: func(w *world) {
				w.record("P", "mid term adjustment", 10, "").ReceiptDate = "1999-01-01"
			}},
		{code: "date-outside-term", of: november, severity: "warning", words: "is dated 2131-05-05",
			spoil: func(w *world) {
				w.record("P", "mid term adjustment", 10, "").ReceiptDate = "2131-05-05"
			}},
		{code: "", of: november, spoil: func(w *world) {
			w.record("P", "mid term adjustment", 10, "").ReceiptDate = "2031-05-05" // in the term
			// The term is over when the period begins, which has both days.
			w.policies["N"], w.ends["N"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Bo", "in force"},
				"2026-05-01T00:00:00Z"
			w.record("N", "new policy", 10, "").ReceiptDate = "2026-11-01"
			w.record("N", "new policy", 11, "").ReceiptDate = "2026-11-30"
		}},
		{code: "date-outside-term", of: november, severity: "warning", words: "is dated 2026-12-01",
			spoil: func(w *world) {
				w.policies["N"], w.ends["N"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Bo", "in force"},
					"2026-11-30T00:00:00Z"
				w.record("N", "new policy", 10, "").ReceiptDate = "2026-12-01"
			}},
		{code: "possible-duplicate", of: november, severity: "warning", words: "same policy", spoil: func(w *world) {
			w.record("P", "mid term adjustment", 10, "")
			w.record("P", "mid term adjustment", 10, "")
		}},
		{code: "", of: november, spoil: func(w *world) {
			// Equal parts of one receipt, and the whole of one that was as much, are given back on one day.
			original := w.record("P", "mid term adjustment", 40, "")
			w.refund(original, 10, w.refund(original, 10))
			w.record("P", "other", 10, w.record("P", "mid term adjustment", 10, "").ID)
		}},
		{code: "gross-below-zero", of: november, severity: "warning", words: "comes to -20 ", spoil: func(w *world) {
			w.policies["N"] = policy{"motorCoverage", "2026-03-01T00:00:00Z", "Bo", "in force"}
			w.record("N", "new policy", 10, "")
			// What it reverses was recorded before the contract was reported, and belongs to no policy of it.
			before := w.record("M", "new policy", 30, "")
			w.record("N", "other", 30, before.ID)
			w.record("N", "brokerage payment", 100, "") // no premium
		}},
		{code: "net-premium-differs", of: november, severity: "warning",
			words: "states a netPremium of 86, and its lines come to 85.00", spoil: func(w *world) {
				w.stated["2026-11|P|new policy"] = 86
			}},
		{code: "receipt-without-settlement", of: november, severity: "warning",
			words: "come to 401, and its settlements to 400", spoil: func(w *world) {
				w.receipts[len(w.receipts)-1].Amount = 401
			}},
		{code: "percent-as-fraction", of: november, severity: "warning", words: "one hundredth",
			contract: `,"brokeragePercentage":"0.5"`},
		{code: "utilisation-0", of: november, severity: "warning",
			words: "Premium of EUR 901.00 is written: 90.10 % of the limit all of EUR 1000.", spoil: func(w *world) {
				w.record("P", "mid term adjustment", 801, "")
			}},
		{code: "stale-reserve", of: claimsNovember, severity: "warning", words: "reserve anew", spoil: func(w *world) {
			w.reopen(w.claims[0])
		}},
		{code: "closed-with-reserve", of: claimsNovember, severity: "warning", words: "closed", spoil: func(w *world) {
			c := w.file("P", 500)
			w.settle(c, 1)
			w.pay("P", c.number(), 1)
		}},
		{code: "", of: claimsNovember, spoil: func(w *world) {
			w.coverEnds = map[string]any{"P": []any{"from before"}}
		}},
		{code: "", of: claimsNovember, spoil: func(w *world) {
			w.coverEnds = map[string]any{"P": "2026-06-01T00:00:00.000000001Z"}
		}},
		{code: "loss-outside-cover", of: claimsNovember, severity: "warning", words: "ends at 2026-06-01T00:00:00Z",
			spoil: func(w *world) { w.coverEnds = map[string]any{"P": "2026-06-01T00:00:00Z"} }},
		{code: "loss-outside-cover", of: claimsNovember, severity: "warning",
			words: "is from 2026-06-01T00:00:00.000000001Z to ",
			spoil: func(w *world) {
				p := w.policies["P"]
				p.inception = "2026-06-01T00:00:00.000000001Z"
				w.policies["P"] = p
			}},
		{code: "", of: claimsNovember, spoil: func(w *world) { w.ends["P"] = "2026-06-01T00:00:00.000000001Z" }},
		{code: "loss-outside-cover", of: claimsNovember, severity: "warning",
			words: "is from 2026-03-01T00:00:00Z to 2026-06-01T00:00:00Z",
			spoil: func(w *world) { w.ends["P"] = "2026-06-01T00:00:00Z" }},
		{code: "incurred-above-limit", of: claimsNovember, severity: "warning", words: "5000", spoil: func(w *world) {
			w.file("P", 5001)
		}},
		{code: "late-item", of: claimsNovember, severity: "warning",
			words: "payment of 100 of 2026-10-31 was recorded on 2026-11-10", spoil: func(w *world) {
				part := w.file("P", 400)
				w.interim(part, 100, "2026-10-31T23:59:59Z")
				w.interim(part, 50, "2026-11-01T00:00:00Z")
				w.pay("P", part.number(), 150)
			}},
		{code: "late-item", of: claimsNovember, severity: "warning", words: "in 2026-10", spoil: func(w *world) {
			w.file("P", 1).happened[0].at = w.clock.Now().AddDate(0, -1, 0)
		}},
		{code: "settlement-without-receipt", of: claimsNovember, severity: "warning",
			words: "come to 7, and the receipts of the type claim payment that name it to 6", spoil: func(w *world) {
				c := w.file("P", 7)
				w.settle(c, 7)
				w.pay("P", c.number(), 6)
				// One that is paid back, and one that comes after the period, do not count.
				w.record("P", "other", 9, w.pay("P", c.number(), 9).ID).Claim = c.number()
				w.pay("P", c.number(), 9).RecordedAt = "2026-12-01T00:00:00Z"
			}},
	}
	for _, c := range cases {
		t.Run(c.code+" of "+c.of, func(t *testing.T) {
			w, s := atNovember(t)
			s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, "2026-01\"", "2026-11\"", 1)+limited+
				c.contract+`}`)
			sound(w)
			if c.spoil != nil {
				c.spoil(w)
			}
			w.until(t, "2026-12-01T00:01:00Z")
			s.Must(201, "POST", c.of+":prepare", `{"type":"original"}`)
			found, checks := findingsOf(t, s, c.of)
			if c.code != "" && (len(found) != 1 || found[0].Code != c.code || found[0].Outcome != "fail" ||
				found[0].Severity != c.severity || !strings.Contains(found[0].Words, c.words)) ||
				c.code == "" && len(found) > 0 {
				t.Errorf("found %+v", found)
			}
			for code, check := range checks {
				if want := map[bool]string{true: "fail", false: "pass"}[code == c.code]; check.Outcome != want ||
					check.Found != len(found)*map[bool]int{true: 1}[code == c.code] {
					t.Errorf("%+v, want %s", check, want)
				}
			}
			if want := map[string]int{november: 12, claimsNovember: 8}[c.of]; len(checks) != want {
				t.Errorf("%d checks: %v", len(checks), checks)
			}
		})
	}
}

// TestWhatCannotBeChecked prepares November without what its checks need. That is said with the reason, and nobody is
// warned of anything.
func TestWhatCannotBeChecked(t *testing.T) {
	for name, c := range map[string]struct {
		code, of, contract, why string
		lack                    func(w *world)
	}{
		"no limits": {code: "utilisation", of: november, why: "no limits"},
		"a limit in other currency": {code: "utilisation-0", of: november, why: "in GBP, and premium is in EUR",
			contract: `,"limits":[{"name":"all","amount":1,"currency":"GBP"}]`},
		"nobody states a netPremium": {code: "net-premium-differs", of: november, why: "No row of the premium",
			lack: func(w *world) { clear(w.stated) }},
		"a row has other receipts": {code: "net-premium-differs", of: november, why: "are no lines of this version",
			lack: func(w *world) {
				w.record("P", "new policy", 7, "").RecordedAt = "2026-12-01T00:00:00Z"
			}},
		"receipts are not aggregated": {code: "gross-below-zero", of: november, why: "do not count",
			lack: func(w *world) { w.apart["P"] = true }},
		"a receipt names no claim": {code: "receipt-without-settlement", of: november, why: "names no claim",
			lack: func(w *world) { w.pay("P", "", 5) }},
		"a claim is not known": {code: "receipt-without-settlement", of: november, why: "the claim CLM-X was",
			lack: func(w *world) { w.pay("P", "CLM-X", 5) }},
		"a policy has no limit": {code: "incurred-above-limit", of: claimsNovember, why: "policy P does not say",
			lack: func(w *world) { w.unlimited = true }},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := atNovember(t)
			s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(sterling, "2026-01\"", "2026-11\"", 1)+
				c.contract+`}`)
			sound(w)
			if c.lack != nil {
				c.lack(w)
			}
			w.until(t, "2026-12-01T00:01:00Z")
			s.Must(201, "POST", c.of+":prepare", `{"type":"original"}`)
			found, checks := findingsOf(t, s, c.of)
			is := checks[c.code]
			if len(found) > 0 || is.Outcome != "not-evaluable" || is.NotEvaluated != 1 ||
				!strings.Contains(is.Why, c.why) {
				t.Errorf("%+v, found %v", is, found)
			}
		})
	}
}

// TestEachFindingHasAnID prepares November under a contract of which two percentages may be fractions. Both are found,
// each with an id of its own, and the workbook has them below what every check came to.
func TestEachFindingHasAnID(t *testing.T) {
	w, s := atNovember(t)
	terms := strings.NewReplacer("2026-01\"", "2026-11\"", `"commissionPercentage":"15"`,
		`"commissionPercentage":"0.15","brokeragePercentage":"0.5"`).Replace(sterling)
	s.Must(200, "PUT", "/x/contract/C", `{`+terms+`}`)
	w.record("P", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	s.Must(201, "POST", november+":prepare", `{"type":"original"}`)
	found, _ := findingsOf(t, s, november)
	if len(found) != 2 || found[0].ID != "percent-as-fraction.commissionPercentage" ||
		found[1].ID != "percent-as-fraction.brokeragePercentage" {
		t.Errorf("found %+v", found)
	}
	book, err := excelize.OpenReader(strings.NewReader(s.Must(200, "GET", november+"/versions/1/lines.xlsx", "").Text))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("Findings")
	if err != nil || len(rows) != 17 {
		t.Fatal(err, rows)
	}
	for row, want := range map[int]string{
		0: "[Check Severity Outcome Found Not evaluated Why]", 1: "[missing-insured error pass 0 0]",
		11: "[percent-as-fraction warning fail 2 0]",
		12: "[utilisation warning not-evaluable 0 1 The contract declares no limits.]", 13: "[]",
		14: "[Code Severity Outcome Policy Line Finding Waived by Reason]",
		15: "[percent-as-fraction warning fail   commissionPercentage is 0.15 %",
	} {
		if is := fmt.Sprint(rows[row]); !strings.HasPrefix(is, want) {
			t.Errorf("row %d is %s, not %s", row+1, is, want)
		}
	}
}

// TestNetPremiumIsComparedByRow states netPremiums in the smallest unit, where each unit counts, and in whole ones,
// where a caller cannot say what is behind the point. Receipts of a row that come on several pages are one sum.
func TestNetPremiumIsComparedByRow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		unit    string
		stated  int64
		differs bool
	}{
		{"minor", 5101, false}, {"minor", 5100, true}, {"minor", 5102, true}, // 51.01
		{"major", 5100, false}, {"major", 5101, false}, {"major", 5099, true}, {"major", 5102, true}, // 5100.85
	} {
		t.Run(fmt.Sprintf("%s %d", c.unit, c.stated), func(t *testing.T) {
			w, s := atNovember(t)
			s.Must(200, "PUT", "/x/contract/C", `{`+strings.NewReplacer("2026-01\"", "2026-11\"", "major", c.unit).
				Replace(sterling)+`}`)
			for i := range 300 {
				w.record("P", "new policy", 20, "")
				w.record("Z", "new policy", int64(i+1), "") // it belongs to no contract
			}
			w.record("P", "new policy", 1, "")
			w.stated["2026-11|P|new policy"], w.stated["2026-11|Z|new policy"] = c.stated, 1
			w.until(t, "2026-12-01T00:01:00Z")
			s.Must(201, "POST", november+":prepare", `{"type":"original"}`)
			_, checks := findingsOf(t, s, november)
			if is := checks["net-premium-differs"]; (is.Found == 1) != c.differs || is.NotEvaluated != 0 {
				t.Errorf("%+v", is)
			}
		})
	}
}

// TestPartRefundsAreRoundedOnTheirOwn gives back a receipt of 101 in ten parts, whose commissions are rounded one by
// one: the lines come to 0.05, though all was given back. A difference of a unit for each part is found, and no less.
func TestPartRefundsAreRoundedOnTheirOwn(t *testing.T) {
	for _, c := range []struct {
		stated int64
		found  int
	}{{0, 0}, {-6, 0}, {16, 0}, {-7, 1}, {17, 1}} {
		w, s := atNovember(t)
		s.Must(200, "PUT", "/x/contract/C", `{`+strings.NewReplacer("2026-01\"", "2026-11\"", "major", "minor").
			Replace(sterling)+`}`)
		original := w.record("P", "new policy", 101, "")
		var parts []*receipt
		for left := int64(101); left > 0; left -= 10 {
			parts = append(parts, w.refund(original, min(left, 10), parts...))
		}
		w.stated["2026-11|P|new policy"] = c.stated
		w.until(t, "2026-12-01T00:01:00Z")
		s.Must(201, "POST", november+":prepare", `{"type":"original"}`)
		lines := s.Must(200, "GET", november+"/versions/1/lines", "").Text
		if strings.Count(lines, `"reverses":"`+original.ID+`"`) != len(parts) ||
			strings.Count(lines, `"gross":-0.10,"commission":-0.02,"brokerage":0.00,"net":-0.08`) != 10 ||
			!strings.Contains(lines, `"gross":-0.01,"commission":0.00,"brokerage":0.00,"net":-0.01`) {
			t.Error(lines)
		}
		_, checks := findingsOf(t, s, november)
		if is := checks["net-premium-differs"]; is.Found != c.found || is.NotEvaluated != 0 {
			t.Errorf("with %d stated: %+v", c.stated, is)
		}
	}
}
