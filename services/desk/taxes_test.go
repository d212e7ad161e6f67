package desk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	shown "insurance.example/exchange/contracts/desk"
)

// taxed returns the contract of November with taxes; without any if they are empty.
func taxed(taxes string) string {
	if taxes != "" {
		taxes = `,"taxPercentage":"` + taxes + `"`
	}
	return `{` + strings.Replace(sterling, "2026-01\"", "2026-11\"", 1) + taxes + `}`
}

// TestTaxes reports premium and its refund with taxes that are added, and with some that are taken off. What is no
// premium has none.
func TestTaxes(t *testing.T) {
	for taxes, want := range map[string][]string{
		"12": {
			`"gross":250.00,"commission":37.50,"brokerage":0.00,"taxes":30.00,"net":242.50,`, `"settled":198.77,`,
			`"gross":-250.00,"commission":-37.50,"brokerage":0.00,"taxes":-30.00,"net":-242.50,`, `"settled":-198.77,`,
			`"section":"claimPayments",`, `"gross":7.00,"commission":0.00,"brokerage":0.00,"taxes":0.00,"net":7.00,`,
		},
		"-0.35": {
			`"gross":250.00,"commission":37.50,"brokerage":0.00,"taxes":-0.88,"net":211.62,`,
			`"gross":-250.00,"commission":-37.50,"brokerage":0.00,"taxes":0.88,"net":-211.62,`,
		},
		"0": {`"gross":250.00,"commission":37.50,"brokerage":0.00,"taxes":0.00,"net":212.50,`},
		"":  {`"gross":250.00,"commission":37.50,"brokerage":0.00,"net":212.50,`},
	} {
		w, s := atNovember(t)
		s.Must(200, "PUT", "/x/contract/C", taxed(taxes))
		original := w.record("P", "new policy", 250, "")
		w.record("P", "other", 250, original.ID)
		w.record("P", "claim payment", 7, "")
		w.record("P", "policy renewal", 100, "")
		w.until(t, "2026-12-01T00:01:00Z")
		v := s.Must(201, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
		lines := s.Must(200, "GET", november+"/versions/1/lines", "").Text
		for _, part := range want {
			if !strings.Contains(lines, part) {
				t.Errorf("%q: no %s in %s", taxes, part, lines)
			}
		}
		total := map[string]string{
			"12":    `"commission":15.00,"brokerage":0.00,"net":97.00,"settled":79.51`,
			"-0.35": `"net":84.65,"settled":69.39`, "0": `"net":85.00,"settled":69.67`,
			"": `"net":85.00,"settled":69.67`,
		}[taxes]
		if taxes == "12" {
			total = `"commission":15.00,"brokerage":0.00,"taxes":12.00,"net":97.00,"settled":79.51`
		}
		if !strings.Contains(v.Text, total) || strings.Contains(v.Text, `"taxes"`) != (taxes != "") ||
			strings.Contains(lines, `"taxes"`) != (taxes != "") {
			t.Errorf("%q: %s", taxes, v.Text)
		}
		sheets := s.Must(200, "GET", november+"/versions/1/lines.xlsx", "").Text
		book, err := excelize.OpenReader(strings.NewReader(sheets))
		if err != nil {
			t.Fatal(err)
		}
		control, err := book.GetRows("Control")
		if text := fmt.Sprint(control); err != nil || strings.Contains(text, "Brokerage Taxes Net") != (taxes != "") ||
			strings.Contains(text, "Total Taxes and Levies") != (taxes == "") {
			t.Errorf("%q: %v, %v", taxes, control, err)
		}
		if cell := cells(t, s, november+"/versions/1")["Total Taxes and Levies"]; cell != map[string]string{
			"12": "30.00", "-0.35": "-0.88", "0": "0.00", "": "",
		}[taxes] {
			t.Errorf("%q: the cell is %q", taxes, cell)
		}
	}
}

// TestTaxesAreMoney changes the taxes of a contract: what would be reported differs in them, and who has changed them
// does not approve it.
func TestTaxesAreMoney(t *testing.T) {
	w, s := atNovember(t)
	w.record("P", "new policy", 250, "")
	w.until(t, "2026-12-01T00:01:00Z")
	signedOff(s, november, "original")
	s.Must(200, "PUT", "/x/contract/C", taxed("12"), caller, "bob")
	live := s.Must(200, "GET", november, "")
	var of shown.BordereauLive
	read(t, live, &of)
	if len(of.Drift) != 1 || of.Drift[0].Taxes != "30.00" || of.Drift[0].Net != "30.00" || of.Drift[0].Gross != "0.00" {
		t.Error(live.Text)
	}
	d := s.Must(200, "GET", november+"/versions/1/diff?to=live", "").Text
	for _, member := range []string{"net", "settled", "taxes"} {
		if !strings.Contains(d, `"member":"`+member+`"`) {
			t.Error(d)
		}
	}
	v := s.Must(201, "POST", november+":prepare", `{"type":"correction"}`, caller, "anna")
	digest := `{"digest":"` + v.Member("digest") + `"}`
	if a := s.Must(409, "POST", november+"/versions/2:approve", digest, caller, "bob"); !strings.Contains(a.Text,
		"changed-contract") {
		t.Error(a.Text)
	}
	s.Must(200, "POST", november+"/versions/2:approve", digest, caller, "carl")
	s.Must(200, "PUT", "/x/contract/C", taxed(""))
	of = shown.BordereauLive{}
	live = s.Must(200, "GET", november, "")
	if read(t, live, &of); len(of.Drift) != 1 || of.Drift[0].Taxes != "-30.00" || of.Drift[0].Net != "-30.00" {
		t.Error(live.Text)
	}
}

// TestTaxPercentages takes taxes from -100 to 100, and warns of what may be a fraction.
func TestTaxPercentages(t *testing.T) {
	w := newWorld(t, "2026-11-10T12:00:00Z")
	s := w.start()
	for _, wrong := range []string{"100.01", "-100.01", "x", "--1", "+1", "-", "1e1", " 1", "12%"} {
		if a := s.Must(400, "PUT", "/x/contract/C", taxed(wrong)); !strings.Contains(a.Text, "/taxPercentage") ||
			!strings.Contains(a.Text, `\"-100\" to \"100\"`) {
			t.Error(a.Text)
		}
	}
	for _, right := range []struct {
		taxes string
		warns bool
	}{{"100", false}, {"-100", false}, {"0", false}, {"-0", false}, {"0.15", true}, {"-0.99", true}, {"1", false},
		{"-1", false}} {
		a := s.Must(200, "PUT", "/x/contract/C", taxed(right.taxes))
		if strings.Contains(a.Text, `"warnings"`) != right.warns ||
			a.Body["contract"].(map[string]any)["taxPercentage"] != right.taxes {
			t.Error(a.Text)
		}
	}
}

// TestDigestWithoutTaxes prepares what a release without taxes has prepared, and has its digest.
func TestDigestWithoutTaxes(t *testing.T) {
	w, s := atNovember(t)
	original := w.record("P", "new policy", 250, "")
	w.record("P", "other", 250, original.ID)
	w.record("P", "claim payment", 7, "")
	w.until(t, "2026-12-01T00:01:00Z")
	v := s.Must(201, "POST", november+":prepare", `{"type":"original"}`, caller, "anna")
	if is := v.Member("digest"); is != digestOfEarlierRelease {
		t.Errorf("the digest is %s", is)
	}
}

// digestOfEarlierRelease is the digest of that version as v1.2.0 has made it.
const digestOfEarlierRelease = "f1e3d3b9a3d11dbc0af3ee0c824aa3397f283d74897cb06b7170ea2ac34ad937"
