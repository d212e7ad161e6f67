package coverage

import (
	"context"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// dates says whether the dates of a term are required.
type dates int

const (
	datesOptional dates = iota
	datesRequired       // the line's errors table lists the term
)

// termInOrder returns the check that inceptionDate is before expiryDate, if both are set.
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
				// Only the computed term of a renewal can be out of range.
				wrong.At("/expiryDate", "would lie beyond the year 9999; send the date on which the term ends")
			}
			if len(wrong.Violations) > 0 {
				return wrong
			}
			return nil
		},
	}
}

// extensionKept returns the rule that an extended policy ends after the beginning of its extension. Only a
// replacement can break the rule, because no action changes the term of an extended policy.
func extensionKept[T any]() rest.Check[T] {
	return rest.Check[T]{
		Name: "expiryDate is not after the beginning of the extension", DependsOn: []string{"expiryDate"},
		Refuses: []problem.Kind{problems.InvalidTerm},
		Run: func(_ context.Context, d *rest.Draft[T]) error {
			if d.Record == nil || rest.Text(policyOf(d.Stored).Status) != coverage.Extended {
				return nil
			}
			begins := scalar.Instant(d.Record.StateUntil())
			if begins.Before(policyOf(d.Value).ExpiryDate) {
				return nil
			}
			return problem.New(problems.InvalidTerm, "").
				At("/expiryDate", "must be later than "+begins.String()+", when the extension begins")
		},
	}
}
