package coverage

import (
	"context"

	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// The objects that policies insure or cover.

func vehicle() rest.Resource[objects.Vehicle] {
	return rest.Resource[objects.Vehicle]{Name: "vehicle"}
}

func driver() rest.Resource[objects.Driver] {
	return rest.Resource[objects.Driver]{Name: "driver", Aliases: map[string]string{"dob": "driverDOB"}}
}

func business() rest.Resource[objects.Business] {
	return rest.Resource[objects.Business]{Name: "business"}
}

func property() rest.Resource[objects.Property] {
	return rest.Resource[objects.Property]{Name: "property"}
}

func traveller() rest.Resource[objects.Traveller] {
	return rest.Resource[objects.Traveller]{Name: "traveller"}
}

func debtor() rest.Resource[objects.Debtor] {
	return rest.Resource[objects.Debtor]{Name: "debtor", Aliases: map[string]string{"parentCompany": "ultimateParentCompany"}}
}

func pet() rest.Resource[objects.Pet] {
	return rest.Resource[objects.Pet]{
		Name: "pet", Aliases: map[string]string{"breed": "petBreed"},
		Rules: []rest.Check[objects.Pet]{{
			Name: "petKind is dog and petBreed is not set", DependsOn: []string{"petKind", "petBreed"},
			Refuses: []problem.Kind{problems.DogBreedRequired},
			Run: func(_ context.Context, d *rest.Draft[objects.Pet]) error {
				if rest.Text(d.Value.PetKind) == objects.Dog && rest.Text(d.Value.PetBreed) == "" {
					return problem.New(problems.DogBreedRequired, "").At("/petBreed", "is required for a dog")
				}
				return nil
			},
		}},
	}
}
