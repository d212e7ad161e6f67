package valuesets

import (
	"slices"

	"github.com/biter777/countries"
)

// What the library's lists lack or hold too much of, by ISO 3166-1 and the amendments to ISO 4217.
var (
	// User-assigned (Kosovo) and withdrawn (Netherlands Antilles, Yugoslavia) codes.
	notInISO3166 = []string{"XK", "AN", "YU"}
	// Withdrawn: amendments 166 to 180.
	withdrawnCurrencies = []string{"ANG", "BGN", "CUC", "HRK", "SLL", "VEF", "YUD", "ZWL"}
	// Newer than the library, and the codes that belong to no country.
	addedCurrencies = []string{
		"BOV", "SLE", "UYW", "VED", "XAD", "XCG", "ZWG",
		"XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XPD", "XPT", "XTS", "XXX",
	}
)

// countryCodes returns the alpha-2 codes of ISO 3166-1, sorted.
func countryCodes() []string {
	var codes []string
	for _, country := range countries.All() {
		if code := country.Alpha2(); len(code) == 2 && !slices.Contains(notInISO3166, code) {
			codes = append(codes, code)
		}
	}
	return sortedSet(codes)
}

// currencies returns the alphabetic codes of ISO 4217, sorted.
func currencies() []string {
	codes := slices.Clone(addedCurrencies)
	for _, currency := range countries.AllCurrencies() {
		if code := currency.Alpha(); len(code) == 3 && !slices.Contains(withdrawnCurrencies, code) {
			codes = append(codes, code)
		}
	}
	return sortedSet(codes)
}

func sortedSet(codes []string) []string {
	slices.Sort(codes)
	return slices.Compact(codes)
}

// CountryByNumber returns the alpha-2 code of an ISO 3166-1 numeric code, and whether there is one.
func CountryByNumber(numeric int64) (alpha2 string, ok bool) {
	const most = 999
	if numeric < 1 || numeric > most {
		return "", false
	}
	country := countries.ByNumeric(int(numeric))
	code := country.Alpha2()
	return code, country.IsValid() && len(code) == 2 && !slices.Contains(notInISO3166, code)
}
