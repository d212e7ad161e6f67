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

// propertyLine declares propertyCoverage; its checks are the rows of POST /propertyCoverage.
func propertyLine(e *exchange, properties *rest.Records[objects.Property]) line[coverage.Property] {
	return line[coverage.Property]{
		name:  "propertyCoverage",
		hoist: []string{"deductibles"},
		checks: []rest.Check[coverage.Property]{
			{
				Name: "property does not exist", On: []string{"propertyId", "propertyIds"}, Run: propertiesExist(properties),
				Refuses: []problem.Kind{problems.PropertyNotFound, problem.Required},
			},
			{
				Name: "propertyType not in the propertyType enumeration", On: []string{"propertyId", "propertyIds"},
				Run: propertyTypesKnown(e.sets), Refuses: []problem.Kind{problems.UnknownPropertyType},
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

// referred is a record that a policy names, and where the policy names it.
type referred[T any] struct {
	pointer string
	record  T
}

// propertiesFact are the properties that a policy insures.
var propertiesFact = &rest.Fact[[]referred[objects.Property]]{Name: "properties"}

// propertiesExist looks up the one property, the several, or both; at least one must be named.
func propertiesExist(properties *rest.Records[objects.Property]) func(context.Context, *rest.Draft[coverage.Property]) error {
	return func(ctx context.Context, d *rest.Draft[coverage.Property]) error {
		references := []referred[scalar.ID]{}
		if d.Value.PropertyID != "" {
			references = append(references, referred[scalar.ID]{"/propertyId", d.Value.PropertyID})
		}
		for i, id := range d.Value.PropertyIDs {
			references = append(references, referred[scalar.ID]{"/propertyIds/" + strconv.Itoa(i), id})
		}
		if len(references) == 0 {
			return rest.Required("propertyId")
		}
		missing := problem.New(problems.PropertyNotFound, "")
		var found []referred[objects.Property]
		for _, ref := range references {
			record, exists, err := properties.Get(ctx, string(ref.record))
			if err != nil {
				return err
			}
			if !exists {
				missing.At(ref.pointer, "names no property")
				continue
			}
			found = append(found, referred[objects.Property]{ref.pointer, record.Value})
		}
		if len(missing.Violations) > 0 {
			return missing
		}
		rest.Note(d, propertiesFact, found)
		return nil
	}
}

// propertyTypesKnown checks the type of each property that is insured: a property may be recorded without one, but not
// covered.
func propertyTypesKnown(sets rest.Sets) func(context.Context, *rest.Draft[coverage.Property]) error {
	return func(_ context.Context, d *rest.Draft[coverage.Property]) error {
		unknown := problem.New(problems.UnknownPropertyType, "")
		for _, p := range rest.Noted(d, propertiesFact) {
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
