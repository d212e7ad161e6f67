package parties

import (
	"context"

	"insurance.example/exchange/contracts/parties"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// personal declares the individual. Parties are known by idType and idNumber together, never by name.
func personal() rest.Resource[parties.Personal] {
	return rest.Resource[parties.Personal]{
		Name: "personal",
		Filters: []rest.Filter[parties.Personal]{
			rest.Exact("idNumber", func(p *parties.Personal) string { return rest.Text(p.IDNumber) }),
			rest.Prefix("lastName", func(p *parties.Personal) string { return rest.Text(p.LastName) }),
			rest.Prefix("firstName", func(p *parties.Personal) string { return rest.Text(p.FirstName) }),
			rest.Exact("idType", func(p *parties.Personal) string { return rest.Text(p.IDType) }),
		},
		Unique: []rest.Unique[parties.Personal]{{
			Index: "identity",
			Value: func(p *parties.Personal) string { return rest.Text(p.IDType) + "\x1f" + rest.Text(p.IDNumber) },
			Taken: func(holder string) error {
				return problem.New(problems.PartyExists, "Use the party that exists, or correct idType or idNumber.").
					With("existingId", holder)
			},
		}},
		Checks: []rest.Check[parties.Personal]{
			{
				Name: "required fields missing", Run: requiredOfPersonal, Refuses: []problem.Kind{problem.Required},
				Requires: []string{"firstName", "lastName", "dob", "address", "idType", "idNumber"},
			},
		},
		ListsIdempotency: true,
	}
}

// requiredOfPersonal holds the six members of the payload row. A replacement must have them as well.
func requiredOfPersonal(_ context.Context, d *rest.Draft[parties.Personal]) error {
	p := d.Value
	var missing []string
	for _, m := range []struct {
		name string
		sent bool
	}{
		{"firstName", rest.Text(p.FirstName) != ""},
		{"lastName", rest.Text(p.LastName) != ""},
		{"dob", p.DOB != ""},
		{"address", p.Address != nil},
		{"idType", rest.Text(p.IDType) != ""},
		{"idNumber", rest.Text(p.IDNumber) != ""},
	} {
		if !m.sent {
			missing = append(missing, m.name)
		}
	}
	if missing == nil {
		return nil
	}
	return rest.Required(missing...)
}
