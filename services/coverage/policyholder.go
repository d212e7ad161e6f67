package coverage

import (
	"context"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/peer"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// policyholderExists returns the check that a policyholder was sent and is a party.
func policyholderExists[T any](e *environment) rest.Check[T] {
	check := namedPolicyholderExists[T](e)
	check.Requires = []string{"policyholderId"}
	return check
}

// namedPolicyholderExists returns the check that the policyholder is a party, if one was sent. It asks the parties
// service.
func namedPolicyholderExists[T any](e *environment) rest.Check[T] {
	return rest.Check[T]{
		Name: "policyholder does not exist", DependsOn: []string{"policyholderId"},
		Refuses: []problem.Kind{problems.PolicyholderNotFound, problem.AmbiguousReference},
		Run: func(ctx context.Context, d *rest.Draft[T]) error {
			if err := d.Resolve(ctx, "policyholderId"); err != nil {
				return err
			}
			ref := policyOf(d.Value).PolicyholderID
			if ref == "" {
				return nil
			}
			found := false
			if id, isID := ref.UUID(); isID {
				var err error
				if _, found, err = peer.Get[internalapi.Party](ctx, e.parties,
					internalapi.PartyPath+id.String()); err != nil {
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
