package conformance

import (
	_ "embed"
	"encoding/json"
)

//go:embed valuesets.json
var valueSetsText []byte

//go:embed countries.json
var countriesText []byte

//go:embed corrected.json
var correctedText []byte

// valueSets are the values of each set, as published: OPIN API Specification v1.0 of the Open Insurance Initiative
// (Apache-2.0); Currency has the alphabetic codes of ISO 4217 and Country the alpha-2 codes of ISO 3166-1.
// productCatalog has the lines of business, of which records have the codes. countries are the numeric codes of ISO
// 3166-1.
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

// corrected maps corrected spellings to published values that are misspelled. A corrected spelling is accepted, and
// stored as the published value.
var corrected = embedded[map[string]map[string]string](correctedText)

// unknownValue is in no set.
const unknownValue = "no such value"
