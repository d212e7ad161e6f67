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
	required := d == datesRequired
	members := []string{"inceptionDate", "expiryDate"}
	var requires []string
	if required {
		requires = members
	}
	return rest.Check[T]{
		Name: "inceptionDate is not before expiryDate", On: members,
		Refuses: []problem.Kind{problems.InvalidTerm}, Requires: requires,
		Run: func(_ context.Context, d *rest.Draft[T]) error {
			p := policyOf(d.Value)
			wrong := problem.New(problems.InvalidTerm, "")
			if required && p.InceptionDate.IsZero() {
				wrong.At("/inceptionDate", "is required")
			}
			if required && p.ExpiryDate.IsZero() {
				wrong.At("/expiryDate", "is required")
			}
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
