package coverage

import (
	"context"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
	"insurance.example/exchange/pkg/visible"
)

// petLine declares petCoverage. Its checks are the rows of POST /petCoverage in the errors table.
func petLine(e *environment, pets *rest.Records[*objects.Pet]) line[*coverage.Pet] {
	pet := rest.Referenced("petId", func(p *coverage.Pet) string { return string(p.PetID) }, pets, problems.PetNotFound)
	return line[*coverage.Pet]{
		name: "petCoverage",
		search: []search.Field{
			search.ID("petId").LeadsBy(insuredIndex), search.Number("annualReimbursementLimit"),
		},
		expand: []search.Expansion{search.Expand("pet", "petId")},
		checks: []rest.Check[*coverage.Pet]{
			pet.Check("pet does not exist"),
			{
				Name: "petKind not in the petKind enumeration", DependsOn: []string{"petId"},
				Run:     petKindKnown(pet, e.sets),
				Refuses: []problem.Kind{problems.UnknownPetKind},
			},
			{
				Name: "petKind is dog and petBreed is not set", DependsOn: []string{"petId"}, Run: dogHasBreed(pet),
				Refuses: []problem.Kind{problems.DogBreedRequired},
			},
			rest.EachIn("a benefit not in the petBenefits enumeration", "benefits", valuesets.PetBenefit, e.sets,
				func(p *coverage.Pet) []string { return p.Benefits }, problems.UnknownBenefit),
		},
		rules: []rest.Check[*coverage.Pet]{
			policyholderExists[*coverage.Pet](e), termInOrder[*coverage.Pet](datesOptional),
		},
		openTerm: true,
		covers:   func(p *coverage.Pet) []string { return p.Benefits },
		causeSet: valuesets.PetBenefit,
		waiting:  func(p *coverage.Pet) *scalar.Int { return p.WaitingPeriod },
		waits:    internalapi.InceptionToLoss,
	}
}

// petFact is the pet that a policy covers.
type petFact = *rest.Fact[*coverage.Pet, *objects.Pet]

func petKindKnown(pet petFact, sets rest.Sets) func(context.Context, *rest.Draft[*coverage.Pet]) error {
	return func(ctx context.Context, d *rest.Draft[*coverage.Pet]) error {
		of, err := pet.Of(ctx, d)
		if err != nil {
			return err
		}
		if _, ok := sets.Lookup(valuesets.PetKind, rest.Text(of.PetKind)); ok {
			return nil
		}
		return problem.New(problems.UnknownPetKind, "").At("/petId",
			"names a pet whose petKind is not set or not known")
	}
}

func dogHasBreed(pet petFact) func(context.Context, *rest.Draft[*coverage.Pet]) error {
	return func(ctx context.Context, d *rest.Draft[*coverage.Pet]) error {
		of, err := pet.Of(ctx, d)
		if err == nil && isDog(of) && !visible.In(rest.Text(of.PetBreed)) {
			err = problem.New(problems.DogBreedRequired, "").At("/petId", "names a dog without petBreed")
		}
		return err
	}
}
