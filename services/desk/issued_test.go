package desk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	shown "insurance.example/exchange/contracts/reconciliation"
	issued "insurance.example/exchange/pkg/number"
)

// issuedColumns are those of files whose rows name what the exchange has issued.
const issuedColumns = `"currency":"EUR","columns":[{"column":"Line","means":"lineId"},
	{"column":"Policy","means":"policyNumber"},{"column":"Gross","means":"gross"}]`

// TestIdentifiersInAnyCase has line ids in capitals and braces and policy numbers in small letters. What the exchange
// does not issue is matched as it is.
func TestIdentifiersInAnyCase(t *testing.T) {
	w, s := atNovember(t)
	policy := issued.Of("POL", uuid.MustParse("01a224e3-6b10-73a1-846f-053d03c9673f"))
	other := issued.Of("POL", uuid.MustParse("01a224e3-6b13-7d89-9cba-5bfe31d3f36e"))
	for _, of := range []string{policy, other, "OURS"} {
		w.policies[of] = w.policies["P"]
	}
	capitals, braces := w.record("P", "new policy", 100, ""), w.record("P", "new policy", 250, "")
	w.record(policy, "new policy", 300, "")
	w.record("OURS", "new policy", 400, "")
	for _, r := range w.receipts {
		r.ID = strings.Replace(r.ID, "01930000", "0193abcd", 1)
	}
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", profiles+"i", `{`+plain+`,`+issuedColumns+`}`)
	of := send(t, s, "i", "text/csv", "Line,Policy,Gross\n"+strings.ToUpper(capitals.ID)+",,100\n{"+
		strings.ToUpper(braces.ID)+"},,250\n,"+strings.ToLower(policy)+",300\n,ours,400\n,"+
		strings.ToLower(other)+",7\n")
	run, items := compared(t, s, of.ID, "")
	if run.Outcomes[shown.Matched] != 3 || run.Outcomes[shown.MissingHere] != 2 ||
		run.Outcomes[shown.MissingThere] != 1 {
		t.Fatalf("%v", items)
	}
	for _, item := range items {
		if item.Row == 5 && (item.Outcome != shown.MissingHere || item.PolicyNumber != "ours") {
			t.Errorf("a number that nobody has issued is matched in another case: %+v", item)
		}
		if item.Row == 6 && item.PolicyNumber != other {
			t.Errorf("the number %s is shown as %s", other, item.PolicyNumber)
		}
	}
}

// TestClaimNumbersInAnyCase has the number of a claim in small letters.
func TestClaimNumbersInAnyCase(t *testing.T) {
	w, s := atNovember(t)
	c := w.file("P", 1000)
	c.issued = issued.Of("CLM", uuid.MustParse("01a224e3-6b10-73a1-846f-053d03c9673f"))
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, claimsOf+"2026-11", "original")
	s.Must(200, "PUT", profiles+"c", `{`+plain+`,"currency":"GBP","columns":[
		{"column":"Claim","means":"claimNumber"},{"column":"Outstanding","means":"outstanding"}]}`)
	of := send(t, s, "c", "text/csv", "Claim,Outstanding\n"+strings.ToLower(c.number())+",1\n")
	var run shown.Run
	read(t, s.Must(201, "POST", runs, `{"statement":"`+of.ID+`","against":{"contract":"C","kind":"claims",
		"period":"2026-11"}}`), &run)
	if run.Outcomes[shown.Mismatch] != 1 || run.Items != 1 {
		t.Fatalf("%+v", itemsOf(t, s, run))
	}
}

// TestIdentifiersThatLookAlike has identifiers with characters that nobody sees, or that look like others. The row is
// quarantined, and the character is named.
func TestIdentifiersThatLookAlike(t *testing.T) {
	w, s := atNovember(t)
	w.policies["P-1"] = w.policies["P"]
	w.record("P-1", "new policy", 100, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", profiles+"i", `{`+plain+`,`+issuedColumns+`}`)
	for c, looks := range map[rune]string{
		0x200B: "nobody sees", 0x00AD: "nobody sees", 0xFEFF: "nobody sees", 0xFE0F: "nobody sees",
		0x2011: "looks like a hyphen", 0x2013: "looks like a hyphen", 0x2212: "looks like a hyphen",
		0x00A0: "looks like a space", 0x202F: "looks like a space",
	} {
		for _, row := range []string{",P" + string(c) + "1", "P" + string(c) + "1,"} {
			_, items := compared(t, s, send(t, s, "i", "text/csv", "Line,Policy,Gross\n"+row+",100\n").ID, "")
			var quarantined []shown.RunCell
			for _, item := range items {
				if item.Outcome == shown.Quarantined {
					quarantined = item.Cells
				}
			}
			want := fmt.Sprintf("has the character U+%04X, which %s", c, looks)
			if len(quarantined) != 1 || quarantined[0].Reason != want {
				t.Errorf("%q: %+v, not %s", row, items, want)
			}
		}
	}
	run, _ := compared(t, s, send(t, s, "i", "text/csv", "Line,Policy,Gross\n,\u00a0P-1 ,100\n").ID, "")
	if run.Outcomes[shown.Matched] != 1 {
		t.Errorf("a space around an identifier: %v", run.Outcomes)
	}
}
