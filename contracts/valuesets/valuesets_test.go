package valuesets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPublishedSetsAreWhole(t *testing.T) {
	sets := Published()
	for name, size := range map[string]int{
		ProductCatalog: 65, MotorPeril: 17, ReceiptType: 7, EndorsementType: 9, ClaimType: 4, PaymentMethod: 5,
		"PropertyPeril": 37, "PropertyType": 97, "PetBenefit": 37, Country: 249,
	} {
		if got := len(sets.Values(name)); got != size {
			t.Errorf("%s has %d values, want %d", name, got, size)
		}
	}
	for _, name := range []string{ProductModel, ContractType, PremiumPaymentFrequency, IDType} {
		if len(sets.Values(name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

func TestLookupStoresThePublishedSpelling(t *testing.T) {
	sets := Published()
	for _, c := range []struct {
		set, spelling, stored string
		ok                    bool
	}{
		{MotorPeril, "volcanic erruption", "volcanic erruption", true},
		{MotorPeril, "volcanic eruption", "volcanic erruption", true},
		{MotorPeril, "Fire", "", false}, // matching is exact
		{"PropertyPeril", "Sprinkler leakage", "Sprinler leakage", true},
		{Currency, "EUR", "EUR", true},
		{Currency, "eur", "", false},
		{Currency, "HRK", "", false},
		{Country, "GB", "GB", true},
		{Country, "XK", "", false},
		{"NoSuchSet", "x", "", false},
	} {
		stored, ok := sets.Lookup(c.set, c.spelling)
		if stored != c.stored || ok != c.ok {
			t.Errorf("%s %q: got %q, %v", c.set, c.spelling, stored, ok)
		}
	}
}

func TestAFileReplacesAndExtends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sets.yaml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("ClaimType: {values: [glass]}\nMotorPeril: {extend: [rodents]}\n")
	sets, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(sets.Values(ClaimType), ","); got != "glass" {
		t.Errorf("ClaimType: %s", got)
	}
	for _, peril := range []string{"rodents", "fire", "volcanic eruption"} {
		if _, ok := sets.Lookup(MotorPeril, peril); !ok {
			t.Errorf("MotorPeril lost %q", peril)
		}
	}
	for _, wrong := range []string{"Nonsense: {values: [x]}", "ClaimType: {value: [x]}", "ClaimType: {values: [x, x]}",
		"ClaimType: {corrected: {a: b}}"} {
		write(wrong)
		if _, err := Load(path); err == nil {
			t.Errorf("accepted %s", wrong)
		}
	}
}

func TestCountryByNumber(t *testing.T) {
	found := 0
	sets := Published()
	for numeric := int64(-1); numeric <= 1100; numeric++ {
		if code, ok := CountryByNumber(numeric); ok {
			found++
			if _, known := sets.Lookup(Country, code); !known {
				t.Errorf("%d is %q, which is no country", numeric, code)
			}
		}
	}
	if found != 249 {
		t.Errorf("%d numeric codes, want 249", found)
	}
	if code, _ := CountryByNumber(826); code != "GB" {
		t.Errorf("826 is %s", code)
	}
}

func TestCurrenciesThatAreWithdrawn(t *testing.T) {
	for code, digits := range map[string]int{"DEM": 2, "ITL": 0, "BGN": 2, "HRK": 2, "ANG": 2, "ZWL": 2, "BYR": 0} {
		if !IsCurrency(code) || !IsWithdrawn(code) || CurrencyDigits(code) != digits {
			t.Errorf("%s: %t, %t, %d digits", code, IsCurrency(code), IsWithdrawn(code), CurrencyDigits(code))
		}
		if slices.Contains(currencies(), code) {
			t.Errorf("%s is in force as well", code)
		}
	}
	for _, code := range []string{"EUR", "CSK", "XEU", "", "dem", "DEM ATS", "DEM\n"} {
		if IsWithdrawn(code) {
			t.Errorf("%q is withdrawn since 2000", code)
		}
	}
	for _, code := range strings.Fields(withdrawnList) {
		if slices.Contains(currencies(), code) {
			t.Errorf("%s is in force as well", code)
		}
	}
}

func TestCountriesThatAreMeant(t *testing.T) {
	r := Published()
	for value, want := range map[string]string{"UK": "GB", "EL": "GR", "XX": "", "": "", "GB": ""} {
		if got := r.Meant(Country, value); got != want {
			t.Errorf("%q means %q, want %q", value, got, want)
		}
	}
	if got := r.Meant(Currency, "UK"); got != "" {
		t.Errorf("as a currency UK means %q", got)
	}
}
