package valuesets

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// The codes of ISO 3166-1, alpha-2 and numeric, and of ISO 4217 with its amendments up to 180. They are lists, because
// the libraries that have them are slower to compile than all of contracts, and hold withdrawn codes.
var (
	//go:embed countries.txt
	countryList string
	//go:embed currencies.txt
	currencyList string
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

// currencies returns the alphabetic codes of ISO 4217, sorted.
func currencies() []string { return strings.Fields(currencyList) }

// CountryByNumber returns the alpha-2 code of an ISO 3166-1 numeric code, and reports whether there is one.
func CountryByNumber(numeric int64) (alpha2 string, ok bool) {
	alpha2, ok = countryByNumber[fmt.Sprintf("%03d", numeric)]
	return alpha2, ok
}
