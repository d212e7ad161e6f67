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

// propertyLine declares propertyCoverage. Its checks are the rows of POST /propertyCoverage in the errors table.
func propertyLine(e *environment, properties *rest.Records[*objects.Property]) line[*coverage.Property] {
	all := insuredProperties(properties)
	return line[*coverage.Property]{
		name:    "propertyCoverage",
		flatten: []string{"deductibles"},
		search: []search.Field{
			search.ID("propertyId").LeadsBy(insuredIndex), search.ID("propertyIds"),
			search.Number("indemnityLimitPolicy"),
		},
		expand: []search.Expansion{search.Expand("property", "propertyId"), search.Expand("properties", "propertyIds")},
		checks: []rest.Check[*coverage.Property]{
			{
				Name: "property does not exist", DependsOn: []string{"propertyId", "propertyIds"},
				Refuses: []problem.Kind{problems.PropertyNotFound, problem.Required},
				Run: func(ctx context.Context, d *rest.Draft[*coverage.Property]) error {
					_, err := all.Of(ctx, d)
					return err
				},
			},
			{
				Name:      "propertyType not in the propertyType enumeration",
				DependsOn: []string{"propertyId", "propertyIds"},
				Refuses:   []problem.Kind{problems.UnknownPropertyType}, Run: propertyTypesKnown(all, e.sets),
			},
			rest.EachIn("a peril is not in the propertyPeril enumeration", "perils", valuesets.PropertyPeril, e.sets,
				func(p *coverage.Property) []string { return p.Perils }, problems.UnknownPeril),
			termInOrder[*coverage.Property](datesRequired),
		},
		rules:    []rest.Check[*coverage.Property]{policyholderExists[*coverage.Property](e)},
		covers:   func(p *coverage.Property) []string { return p.Perils },
		causeSet: valuesets.PropertyPeril,
		limit:    func(p *coverage.Property) *scalar.Int { return p.IndemnityLimitPolicy },
	}
}

// insured is a property that a policy insures: the JSON pointer of the reference, and the type of the property, empty
// if it has none. No more is read of it, because a policy may name thousands.
type insured struct{ pointer, propertyType string }

// insuredFact holds the properties that a policy insures, each once.
type insuredFact = *rest.Fact[*coverage.Property, []insured]

// insuredProperties returns the fact that loads the properties of propertyId and propertyIds. At least one must be
// sent.
func insuredProperties(properties *rest.Records[*objects.Property]) insuredFact {
	return &rest.Fact[*coverage.Property, []insured]{
		Name: "properties",
		Load: func(ctx context.Context, d *rest.Draft[*coverage.Property]) ([]insured, error) {
			if err := d.Resolve(ctx, "propertyId", "propertyIds"); err != nil {
				return nil, err
			}
			var pointers []string
			var ids []scalar.ID
			if d.Value.PropertyID != "" {
				pointers, ids = append(pointers, "/propertyId"), append(ids, d.Value.PropertyID)
			}
			for i, id := range d.Value.PropertyIDs {
				pointers, ids = append(pointers, "/propertyIds/"+strconv.Itoa(i)), append(ids, id)
			}
			if len(ids) == 0 {
				return nil, rest.Required("propertyId")
			}
			missing := problem.New(problems.PropertyNotFound, "")
			typeOf, err := properties.Texts(ctx, texts(ids), "propertyType")
			if err != nil {
				return nil, err
			}
			seen := make(map[scalar.ID]bool, len(ids))
			var properties []insured
			for i, id := range ids {
				propertyType, exists := typeOf(string(id))
				switch {
				case !exists:
					missing.At(pointers[i], "names no property")
				case !seen[id]:
					properties = append(properties, insured{pointers[i], propertyType})
				}
				seen[id] = true
			}
			if len(missing.Violations) > 0 {
				return nil, missing
			}
			return properties, nil
		},
	}
}

// propertyTypesKnown returns the check that each insured property has a known propertyType. A property may be recorded
// without one, but not covered.
func propertyTypesKnown(
	properties insuredFact, sets rest.Sets,
) func(context.Context, *rest.Draft[*coverage.Property]) error {
	return func(ctx context.Context, d *rest.Draft[*coverage.Property]) error {
		all, err := properties.Of(ctx, d)
		if err != nil {
			return err
		}
		unknown := problem.New(problems.UnknownPropertyType, "")
		for _, p := range all {
			if _, ok := sets.Lookup(valuesets.PropertyType, p.propertyType); !ok {
				unknown.At(p.pointer, "names a property whose propertyType is not set or not known")
			}
		}
		if len(unknown.Violations) > 0 {
			return unknown
		}
		return nil
	}
}
