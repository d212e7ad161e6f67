package parties

import (
	"insurance.example/exchange/contracts/parties"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/search"
)

// identityIndex is the index of idType and idNumber together.
const identityIndex = "identity"

// personal declares the resource for individuals. They are identified by idType and idNumber together, never by name.
func personal() rest.Resource[*parties.Personal] {
	return rest.Resource[*parties.Personal]{
		Name: "personal",
		Filters: []rest.Filter[*parties.Personal]{
			rest.Exact("idNumber", func(p *parties.Personal) string { return rest.Text(p.IDNumber) }),
			rest.Prefix("lastName", func(p *parties.Personal) string { return rest.Text(p.LastName) }),
			rest.Prefix("firstName", func(p *parties.Personal) string { return rest.Text(p.FirstName) }),
			rest.Exact("idType", func(p *parties.Personal) string { return rest.Text(p.IDType) }),
		},
		Search: []search.Field{
			search.Text("idNumber").Leads(), search.Name("lastName").Leads(), search.Name("firstName").Leads(),
			search.Text("idType").Leads(), search.Day("dob"), search.Text("address.country"),
		},
		Unique: []rest.Unique[*parties.Personal]{{
			Index: identityIndex,
			Value: func(p *parties.Personal) string { return rest.Text(p.IDType) + "\x1f" + rest.Text(p.IDNumber) },
			Taken: func(holder string) error {
				return problem.New(problems.PartyExists, "Use the party that exists, or correct idType or idNumber.").
					With("existingId", holder)
			},
		}},
		Checks: []rest.Check[*parties.Personal]{
			rest.Present[*parties.Personal]("required fields missing", "firstName", "lastName", "dob", "address",
				"idType", "idNumber"),
			rest.Untaken[*parties.Personal]("idType plus idNumber already exists", identityIndex, "idType", "idNumber"),
		},
		ListsIdempotency: true,
	}
}
