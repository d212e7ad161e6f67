package coverage

import (
	"context"
	"strconv"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// travel declares travelCoverage. Its checks are the rows of POST /travelCoverage in the errors table. A travel
// policy can be extended or cancelled. It has no other endorsement and no renewal.
func travel(e *environment, travellers *rest.Records[*objects.Traveller]) line[*coverage.Travel] {
	return line[*coverage.Travel]{
		name:          "travelCoverage",
		extensionOnly: true,
		search: []search.Field{
			search.ID("travellerIds"), search.Number("destination"), search.Number("emergencyMedical"),
			search.Number("tripCancellation"),
		},
		expand: []search.Expansion{search.Expand("travellers", "travellerIds")},
		checks: []rest.Check[*coverage.Travel]{
			{
				Name: "isGroup false with several travellerIds", DependsOn: []string{"isGroup", "travellerIds"},
				Run:     groupFlagged,
				Refuses: []problem.Kind{problems.GroupFlagRequired},
			},
			{
				Name: "destination is not a valid country reference", DependsOn: []string{"destination"},
				Run:     destinationKnown(e.sets),
				Refuses: []problem.Kind{problems.InvalidDestination}, Requires: []string{"destination"},
			},
			{
				Name: "length inconsistent with isAnnualPolicy", DependsOn: []string{"length", "isAnnualPolicy"},
				Run:     e.lengthInRange,
				Refuses: []problem.Kind{problems.LengthOutOfRange},
			},
		},
		rules: []rest.Check[*coverage.Travel]{
			rest.EachRefersTo("a traveller does not exist", "travellerIds", func(t *coverage.Travel) []string {
				return texts(t.TravellerIDs)
			},
				travellers, problems.TravellerNotFound),
			policyholderExists[*coverage.Travel](e), termInOrder[*coverage.Travel](datesOptional),
		},
		openTerm: true,
	}
}

func groupFlagged(_ context.Context, d *rest.Draft[*coverage.Travel]) error {
	if len(d.Value.TravellerIDs) > 1 && !isSet(d.Value.IsGroup) {
		return problem.New(problems.GroupFlagRequired, "").At("/isGroup", "must be true for several travellers")
	}
	return nil
}

// destinationKnown returns the check that the destination is the ISO 3166-1 numeric code of a country, and that the
// value set in force has this country.
func destinationKnown(sets rest.Sets) func(context.Context, *rest.Draft[*coverage.Travel]) error {
	return func(_ context.Context, d *rest.Draft[*coverage.Travel]) error {
		destination := d.Value.Destination
		if code, ok := valuesets.CountryByNumber(int64(*destination)); ok {
			if _, ok = sets.Lookup(valuesets.Country, code); ok {
				return nil
			}
		}
		return problem.New(problems.InvalidDestination, "").
			At("/destination", strconv.FormatInt(int64(*destination), 10)+" is no ISO 3166-1 numeric code of a country")
	}
}

// lengthInRange checks the length, in days, against the range that is configured for the type of policy. A length
// below 1 is always out of range. A policy without length is not checked.
func (e *environment) lengthInRange(_ context.Context, d *rest.Draft[*coverage.Travel]) error {
	if d.Value.Length == nil {
		return nil
	}
	allowed, kind := e.rules.tripLength, "single-trip"
	if isSet(d.Value.IsAnnualPolicy) {
		allowed, kind = e.rules.annualLength, "annual"
	}
	if allowed.contains(int64(*d.Value.Length)) {
		return nil
	}
	return problem.New(problems.LengthOutOfRange, "").At("/length", "must be "+allowed.words()+" for a "+kind+" policy")
}

// texts returns the identifiers as they were sent.
func texts(ids []scalar.ID) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = string(id)
	}
	return all
}

func isSet(flag *bool) bool { return flag != nil && *flag }
