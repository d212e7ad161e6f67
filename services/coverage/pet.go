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
)

// petLine declares petCoverage; its checks are the rows of POST /petCoverage.
func petLine(e *exchange, pets *rest.Records[objects.Pet]) line[coverage.Pet] {
	return line[coverage.Pet]{
		name: "petCoverage",
		checks: []rest.Check[coverage.Pet]{
			{
				Name: "pet does not exist", On: []string{"petId"}, Run: petExists(pets),
				Refuses: []problem.Kind{problems.PetNotFound}, Requires: []string{"petId"},
			},
			{
				Name: "petKind not in the petKind enumeration", On: []string{"petId"}, Run: petKindKnown(e.sets),
				Refuses: []problem.Kind{problems.UnknownPetKind},
			},
			{
				Name: "petKind is dog and petBreed is not set", On: []string{"petId"}, Run: dogHasBreed,
				Refuses: []problem.Kind{problems.DogBreedRequired},
			},
			rest.EachIn("a benefit not in the petBenefits enumeration", "benefits", valuesets.PetBenefit, e.sets,
				func(p *coverage.Pet) []string { return p.Benefits }, problems.UnknownBenefit),
		},
		rules: []rest.Check[coverage.Pet]{
			policyholderExists[coverage.Pet](e), termInOrder[coverage.Pet](datesOptional),
		},
		openTerm: true,
		covers:   func(p *coverage.Pet) []string { return p.Benefits },
		causeSet: valuesets.PetBenefit,
		waiting:  func(p *coverage.Pet) *scalar.Int { return p.WaitingPeriod },
		waits:    internalapi.InceptionToLoss,
	}
}

// petFact is the pet that a policy covers.
var petFact = &rest.Fact[objects.Pet]{Name: "pet"}

func petExists(pets *rest.Records[objects.Pet]) func(context.Context, *rest.Draft[coverage.Pet]) error {
	return func(ctx context.Context, d *rest.Draft[coverage.Pet]) error {
		if d.Value.PetID == "" {
			return rest.Required("petId")
		}
		pet, found, err := pets.Get(ctx, string(d.Value.PetID))
		if err != nil {
			return err
		}
		if !found {
			return problem.New(problems.PetNotFound, "").At("/petId", "names no pet")
		}
		rest.Note(d, petFact, pet.Value)
		return nil
	}
}

func petKindKnown(sets rest.Sets) func(context.Context, *rest.Draft[coverage.Pet]) error {
	return func(_ context.Context, d *rest.Draft[coverage.Pet]) error {
		if _, ok := sets.Lookup(valuesets.PetKind, rest.Text(rest.Noted(d, petFact).PetKind)); ok {
			return nil
		}
		return problem.New(problems.UnknownPetKind, "").At("/petId", "names a pet whose petKind is not set or not known")
	}
}

func dogHasBreed(_ context.Context, d *rest.Draft[coverage.Pet]) error {
	if pet := rest.Noted(d, petFact); rest.Text(pet.PetKind) == objects.Dog && rest.Text(pet.PetBreed) == "" {
		return problem.New(problems.DogBreedRequired, "").At("/petId", "names a dog without petBreed")
	}
	return nil
}
