package desk_test

import (
	"strings"
	"testing"
)

// TestRunOffHasCurrenciesThatAreWithdrawn makes contracts in them. The warning is the contract's alone: no check of a
// bordereau has it.
func TestRunOffHasCurrenciesThatAreWithdrawn(t *testing.T) {
	w, s := atNovember(t)
	for _, c := range []struct {
		currency, settlement string
		warns                []string
	}{
		{"BGN", "BGN", []string{"currency is BGN"}},
		{"DEM", "ITL", []string{"currency is DEM", "settlementCurrency is ITL"}},
		{"EUR", "HRK", []string{"settlementCurrency is HRK"}},
		{"EUR", "GBP", nil},
	} {
		a := s.Must(200, "PUT", "/x/contract/C", `{`+terms+`,"currency":"`+c.currency+`","settlementCurrency":"`+
			c.settlement+`","originalPerSettlement":"1"}`)
		if strings.Count(a.Text, "(currency-withdrawn)") != len(c.warns) {
			t.Errorf("%s, %s: %s", c.currency, c.settlement, a.Text)
		}
		for _, words := range c.warns {
			if !strings.Contains(a.Text, words) {
				t.Errorf("%s, %s: no warning that %s: %s", c.currency, c.settlement, words, a.Text)
			}
		}
	}
	s.Must(400, "PUT", "/x/contract/C", `{`+terms+`,"currency":"CSK"}`)
	s.Must(200, "PUT", "/x/contract/C", `{`+strings.Replace(terms, "2026-01\"", "2026-11\"", 1)+`,"currency":"ITL"}`)
	w.record("P", "new policy", 333, "")
	w.until(t, "2026-12-01T00:01:00Z")
	s.Must(201, "POST", november+":prepare", `{"type":"original"}`)
	if a := s.Must(200, "GET", november+"/versions/1/findings", ""); strings.Contains(a.Text, "ITL") {
		t.Errorf("the version has the warning: %s", a.Text)
	}
	if a := s.Must(200, "GET", november+"/versions/1/lines", ""); !strings.Contains(a.Text, `"gross":333,`) ||
		!strings.Contains(a.Text, `"currency":"ITL"`) {
		t.Error(a.Text)
	}
}

func TestTheCountryThatIsMeantIsNamed(t *testing.T) {
	w, s := atNovember(t)
	c := w.file("P", 1000)
	for sent, means := range map[string]string{"UK": "such as GB", "EL": "such as GR", "Hellas": "such as GB"} {
		a := s.Must(400, "PUT", "/x/supplement/claim/"+c.id, `{"lossCountry":"`+sent+`"}`)
		if !strings.Contains(a.Text, means) {
			t.Errorf("%s: %s", sent, a.Text)
		}
	}
}
