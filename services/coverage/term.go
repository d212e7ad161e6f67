package coverage

import (
	"context"

	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// dates says whether the dates of a term must be sent.
type dates int

const (
	datesOptional dates = iota
	datesRequired       // the line's errors table lists the term
)

// termInOrder checks that inceptionDate is before expiryDate, where both are there.
func termInOrder[T any](d dates) rest.Check[T] {
	members := []string{"inceptionDate", "expiryDate"}
	var requires []string
	if d == datesRequired {
		requires = members
	}
	return rest.Check[T]{
		Name: "inceptionDate is not before expiryDate", DependsOn: members,
		Requires: requires, MissingAs: problems.InvalidTerm, Refuses: []problem.Kind{problems.InvalidTerm},
		Run: func(_ context.Context, d *rest.Draft[T]) error {
			p := policyOf(d.Value)
			wrong := problem.New(problems.InvalidTerm, "")
			if !p.InceptionDate.IsZero() && !p.ExpiryDate.IsZero() && !p.InceptionDate.Before(p.ExpiryDate) {
				wrong.At("/expiryDate", "must be after inceptionDate")
			}
			if !p.ExpiryDate.InRange() {
				// Only the computed term of a renewal can be.
				wrong.At("/expiryDate", "would lie beyond the year 9999; send the date on which the term ends")
			}
			if len(wrong.Violations) > 0 {
				return wrong
			}
			return nil
		},
	}
}
