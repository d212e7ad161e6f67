package valuesets

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// The codes of ISO 3166-1, alpha-2 and numeric, and of ISO 4217 with its amendments up to 180. They are lists, because
// the libraries that have them are slower to compile than all of contracts, and hold withdrawn codes.
var (
	//go:embed countries.txt
	countryList string
	//go:embed currencies.txt
	currencyList string
	// The codes of currencies that ISO 4217 has withdrawn since 2000.
	//go:embed withdrawn.txt
	withdrawnList string
)

// countryByNumber maps the numeric codes, as three digits, to the alpha-2 codes.
var countryByNumber = func() map[string]string {
	byNumber := map[string]string{}
	for line := range strings.Lines(countryList) {
		alpha2, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		byNumber[number] = alpha2
	}
	return byNumber
}()

// countryCodes returns the alpha-2 codes of ISO 3166-1, sorted.
func countryCodes() []string {
	var codes []string
	for _, alpha2 := range countryByNumber {
		codes = append(codes, alpha2)
	}
	slices.Sort(codes)
	return codes
}

// countryMeant maps codes that people write for a country to those that ISO 3166-1 has for it.
var countryMeant = map[string]string{"UK": "GB", "EL": "GR"}

// currencies returns the alphabetic codes of ISO 4217, sorted.
func currencies() []string { return strings.Fields(currencyList) }

// CountryByNumber returns the alpha-2 code of an ISO 3166-1 numeric code, and reports whether there is one.
func CountryByNumber(numeric int64) (alpha2 string, ok bool) {
	alpha2, ok = countryByNumber[fmt.Sprintf("%03d", numeric)]
	return alpha2, ok
}

// currencySet holds the codes of ISO 4217.
var currencySet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, code := range currencies() {
		set[code] = true
	}
	return set
})

// IsCurrency reports whether a text is an alphabetic code of ISO 4217, or one that it has withdrawn since 2000: run-off
// goes on in the currency in which the business was written.
func IsCurrency(code string) bool { return currencySet()[code] || IsWithdrawn(code) }

// IsWithdrawn reports whether a text is a code of a currency that ISO 4217 has withdrawn since 2000.
func IsWithdrawn(code string) bool {
	return len(code) == 3 && slices.Contains(strings.Fields(withdrawnList), code)
}

// currencyDigits has the codes of ISO 4217 whose smallest unit is not a hundredth: how many digits it has behind the
// point.
var currencyDigits = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0, "UGX": 0,
	"UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
	"CLF": 4, "UYW": 4,
	// Withdrawn ones.
	"ADP": 0, "BEF": 0, "BYB": 0, "BYR": 0, "ESP": 0, "GRD": 0, "ITL": 0, "LUF": 0, "MGF": 0, "PTE": 0, "TPE": 0,
	"TRL": 0,
}

// CurrencyDigits returns how many digits the smallest unit of a currency has behind the point, for which IsCurrency is
// true.
func CurrencyDigits(code string) int {
	if digits, other := currencyDigits[code]; other {
		return digits
	}
	return 2
}
