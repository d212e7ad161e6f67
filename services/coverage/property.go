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
)

// propertyLine declares propertyCoverage. Its checks are the rows of POST /propertyCoverage in the errors table.
func propertyLine(e *environment, properties *rest.Records[objects.Property]) line[coverage.Property] {
	insured := insuredProperties(properties)
	return line[coverage.Property]{
		name:    "propertyCoverage",
		flatten: []string{"deductibles"},
		checks: []rest.Check[coverage.Property]{
			{
				Name: "property does not exist", DependsOn: []string{"propertyId", "propertyIds"},
				Refuses: []problem.Kind{problems.PropertyNotFound, problem.Required},
				Run: func(ctx context.Context, d *rest.Draft[coverage.Property]) error {
					_, err := insured.Of(ctx, d)
					return err
				},
			},
			{
				Name: "propertyType not in the propertyType enumeration", DependsOn: []string{"propertyId", "propertyIds"},
				Refuses: []problem.Kind{problems.UnknownPropertyType}, Run: propertyTypesKnown(insured, e.sets),
			},
			rest.EachIn("a peril is not in the propertyPeril enumeration", "perils", valuesets.PropertyPeril, e.sets,
				func(p *coverage.Property) []string { return p.Perils }, problems.UnknownPeril),
			termInOrder[coverage.Property](datesRequired),
		},
		rules:    []rest.Check[coverage.Property]{policyholderExists[coverage.Property](e)},
		covers:   func(p *coverage.Property) []string { return p.Perils },
		causeSet: valuesets.PropertyPeril,
		limit:    func(p *coverage.Property) *scalar.Int { return p.IndemnityLimitPolicy },
	}
}

// referred is a record to which a policy refers, and the JSON pointer of the reference.
type referred[T any] struct {
	pointer string
	record  T
}

// insuredFact holds the properties that a policy insures.
type insuredFact = *rest.Fact[coverage.Property, []referred[objects.Property]]

// insuredProperties returns the fact that loads the properties of propertyId and propertyIds. At least one must be sent.
func insuredProperties(properties *rest.Records[objects.Property]) insuredFact {
	return &rest.Fact[coverage.Property, []referred[objects.Property]]{
		Name: "properties",
		Load: func(ctx context.Context, d *rest.Draft[coverage.Property]) ([]referred[objects.Property], error) {
			references := []referred[scalar.ID]{}
			if d.Value.PropertyID != "" {
				references = append(references, referred[scalar.ID]{"/propertyId", d.Value.PropertyID})
			}
			for i, id := range d.Value.PropertyIDs {
				references = append(references, referred[scalar.ID]{"/propertyIds/" + strconv.Itoa(i), id})
			}
			if len(references) == 0 {
				return nil, rest.Required("propertyId")
			}
			missing := problem.New(problems.PropertyNotFound, "")
			var found []referred[objects.Property]
			for _, ref := range references {
				record, exists, err := properties.Get(ctx, string(ref.record))
				if err != nil {
					return nil, err
				}
				if !exists {
					missing.At(ref.pointer, "names no property")
					continue
				}
				found = append(found, referred[objects.Property]{ref.pointer, record.Value})
			}
			if len(missing.Violations) > 0 {
				return nil, missing
			}
			return found, nil
		},
	}
}

// propertyTypesKnown returns the check that each insured property has a known propertyType. A property may be recorded
// without one, but not covered.
func propertyTypesKnown(insured insuredFact, sets rest.Sets) func(context.Context, *rest.Draft[coverage.Property]) error {
	return func(ctx context.Context, d *rest.Draft[coverage.Property]) error {
		all, err := insured.Of(ctx, d)
		if err != nil {
			return err
		}
		unknown := problem.New(problems.UnknownPropertyType, "")
		for _, p := range all {
			if _, ok := sets.Lookup(valuesets.PropertyType, rest.Text(p.record.PropertyType)); !ok {
				unknown.At(p.pointer, "names a property whose propertyType is not set or not known")
			}
		}
		if len(unknown.Violations) > 0 {
			return unknown
		}
		return nil
	}
}
