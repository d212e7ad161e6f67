package coverage

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// replacesExists returns the rule that a new policy replaces one that the caller sees, if any. What a policy of an
// earlier release has under the name of the member means nothing.
func replacesExists[T any](e *environment) rest.Check[T] {
	return rest.Check[T]{
		Name: "replaces names no policy", DependsOn: []string{"replaces"},
		Refuses: []problem.Kind{problem.Invalid, problems.PolicyNotFound},
		Run: func(ctx context.Context, d *rest.Draft[T]) error {
			replaces := policyOf(d.Value).Replaces
			if replaces.IsZero() || d.Record != nil {
				return nil
			}
			number, is := replaces.Value()
			if !is {
				return problem.New(problem.Invalid, "").At("/replaces", "must be a string")
			}
			if _, _, err := e.policy(ctx, number); err != nil {
				var unknown *problem.Error
				if errors.As(err, &unknown) && unknown.Kind == problems.PolicyNotFound {
					return problem.New(problems.PolicyNotFound, "").At("/replaces", "names no policy")
				}
				return err
			}
			return nil
		},
	}
}

// pinReplaced pins the number of the policy that a new one replaces.
func pinReplaced[T any](_ context.Context, d *rest.Draft[T]) (docstore.Keys, error) {
	if number, is := policyOf(d.Value).Replaces.Value(); is {
		return docstore.Keys{replacesIndex: number}, nil
	}
	return nil, nil
}

// replacedBy returns the numbers of the policies that replace one, as many as a part has records, among those that the
// caller sees.
func (e *environment) replacedBy(ctx context.Context, number string) ([]string, error) {
	docs, err := e.policies().Find(ctx, request.OrganisationFrom(ctx),
		docstore.Query{Equal: docstore.Keys{replacesIndex: number}, Limit: internalapi.LengthOfPart})
	if err != nil {
		return nil, err
	}
	var numbers []string
	for _, doc := range docs {
		var of coverage.Policy
		if err := json.Unmarshal(doc.Body, &of); err != nil {
			return nil, err
		}
		numbers = append(numbers, rest.Text(of.PolicyNumber))
	}
	return numbers, nil
}
