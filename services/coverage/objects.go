package coverage

import (
	"context"

	"insurance.example/exchange/contracts/objects"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/near"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
	"insurance.example/exchange/pkg/visible"
)

// The objects that policies insure or cover. Those without a search have no member that would lead but names or
// sectors, whose index costs a creation 15 to 25 %, because each entry of it goes to another page of the file.

// vehicle declares the resource for vehicles. Its indexes cost a creation as much: a plate is what a person knows of a
// vehicle.
func vehicle() rest.Resource[*objects.Vehicle] {
	return rest.Resource[*objects.Vehicle]{
		Name:   "vehicle",
		Search: []search.Field{search.Mark("plateNumber").Leads(), search.Text("vin").Leads()},
	}
}

func driver() rest.Resource[*objects.Driver] {
	return rest.Resource[*objects.Driver]{Name: "driver", Aliases: map[string]string{"dob": "driverDOB"}}
}

func business() rest.Resource[*objects.Business] {
	return rest.Resource[*objects.Business]{Name: "business"}
}

func property() rest.Resource[*objects.Property] {
	return rest.Resource[*objects.Property]{Name: "property"}
}

func traveller() rest.Resource[*objects.Traveller] {
	return rest.Resource[*objects.Traveller]{Name: "traveller"}
}

func debtor() rest.Resource[*objects.Debtor] {
	return rest.Resource[*objects.Debtor]{
		Name: "debtor", Aliases: map[string]string{"parentCompany": "ultimateParentCompany"},
	}
}

func pet(sets rest.Sets) rest.Resource[*objects.Pet] {
	kindAndBreed := []string{"petKind", "petBreed"}
	return rest.Resource[*objects.Pet]{
		Name: "pet", Aliases: map[string]string{"breed": "petBreed"},
		Rules: []rest.Check[*objects.Pet]{
			{
				Name: "petKind is dog and petBreed is not set", DependsOn: kindAndBreed,
				Refuses: []problem.Kind{problems.DogBreedRequired},
				Run: func(_ context.Context, d *rest.Draft[*objects.Pet]) error {
					if isDog(d.Value) && !visible.In(rest.Text(d.Value.PetBreed)) {
						return problem.New(problems.DogBreedRequired, "").At("/petBreed", "is required for a dog")
					}
					return nil
				},
			},
			{
				Name: "petKind is dog and petBreed is not in the petBreed enumeration", DependsOn: kindAndBreed,
				Refuses: []problem.Kind{problem.Invalid}, Run: breedKnown(sets),
			},
		},
	}
}

// breedKnown returns the check that the breed of a dog is known, which also stores its published spelling. The
// published set holds only breeds of dogs, so the breed of another pet is kept as sent.
func breedKnown(sets rest.Sets) func(context.Context, *rest.Draft[*objects.Pet]) error {
	return func(_ context.Context, d *rest.Draft[*objects.Pet]) error {
		breed := d.Value.PetBreed
		if !isDog(d.Value) || !visible.In(rest.Text(breed)) {
			return nil
		}
		stored, ok := sets.Lookup(valuesets.PetBreed, *breed)
		if !ok {
			return problem.New(problem.Invalid, "").At("/petBreed", "is no value of PetBreed, the breeds of dogs; "+
				near.Values(problem.Short(*breed), sets.Values(valuesets.PetBreed)))
		}
		*breed = stored
		return nil
	}
}

func isDog(p *objects.Pet) bool { return rest.Text(p.PetKind) == objects.Dog }
