package coverage

import (
	"context"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// policyholderExists checks that the policyholder is named and is a party.
func policyholderExists[T any](e *exchange) rest.Check[T] {
	check := namedPolicyholderExists[T](e)
	check.Requires = []string{"policyholderId"}
	return check
}

// namedPolicyholderExists asks the parties service whether the policyholder, if one is named, is a party.
func namedPolicyholderExists[T any](e *exchange) rest.Check[T] {
	return rest.Check[T]{
		Name: "policyholder does not exist", DependsOn: []string{"policyholderId"},
		Refuses: []problem.Kind{problems.PolicyholderNotFound},
		Run: func(ctx context.Context, d *rest.Draft[T]) error {
			ref := policyOf(d.Value).PolicyholderID
			if ref == "" {
				return nil
			}
			found := false
			if id, isID := ref.UUID(); isID {
				var err error
				if _, found, err = peer.Get[internalapi.Party](ctx, e.parties, internalapi.PartyPath+id.String()); err != nil {
					return err
				}
			}
			if !found {
				return problem.New(problems.PolicyholderNotFound, "").At("/policyholderId", "names no party")
			}
			return nil
		},
	}
}
