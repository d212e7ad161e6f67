package conformance

import (
	_ "embed"
	"encoding/json"
)

//go:embed valuesets.json
var valueSetsText []byte

//go:embed countries.json
var countriesText []byte

// valueSets are the values of each set, as published: OPIN API Specification v1.0 of the Open Insurance Initiative
// (Apache-2.0); Currency has the alphabetic codes of ISO 4217 and Country the alpha-2 codes of ISO 3166-1. productCatalog
// has the lines of business, whose codes travel in their place. countries are the numeric codes of ISO 3166-1.
var (
	valueSets = embedded[map[string][]string](valueSetsText)
	countries = embedded[[]int](countriesText)
)

func embedded[T any](text []byte) (value T) {
	if err := json.Unmarshal(text, &value); err != nil {
		panic(err) // the file is part of the program
	}
	return value
}

// corrected are the published values that are misspelled, and their corrected spellings: accepted as well, and stored
// as published.
var corrected = map[string]map[string]string{
	"ProductModel":          {"government/market tariff": "goverment/market tarrif"},
	"EntityType":            {"takaful reinsurance company": "takaful reinsurance comapny"},
	"MotorPeril":            {"volcanic eruption": "volcanic erruption", "unknown or hit and run": "unkown or hit and run"},
	"CyberCoverageCategory": {"Multi-media liabilities (disparagement)": "Multi-media laibilities (disparagement)", "Theft of intellectual property": "Theft of intectual property"},
	"PropertyPeril":         {"Sprinkler leakage": "Sprinler leakage", "Storm": "Strom", "aircraft or parts dropped thereof": "aircraft or parts dropeed thereof"},
	"PetBreed":              {"French Spaniel (Epagneul Francais)": "French Spainiel (Epagneul Francais)"},
}

// unknownValue is in no set.
const unknownValue = "no such value"
