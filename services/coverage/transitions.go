package coverage

import (
	"context"
	"slices"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// The transitions of a policy (contracts/interface.md, motorCoverage). An extended policy becomes in force again when
// its extension term begins.
var (
	endorsing = []rest.Move{
		{From: coverage.InForce, To: coverage.InForce}, {From: coverage.InForce, To: coverage.Extended},
	}
	extending = []rest.Move{{From: coverage.InForce, To: coverage.Extended}} // travel
	ending    = []rest.Move{{From: coverage.InForce, To: coverage.Cancelled}}
	lapsing   = []rest.Move{{From: coverage.InForce, To: coverage.Lapsed}}
	renewing  = []rest.Move{
		{From: coverage.InForce, To: coverage.InForce}, {From: coverage.Extended, To: coverage.Extended},
	}
)

// elsewhere are members of other actions. Who sends them in an endorsement or a renewal thinks that they are heeded.
var elsewhere = []string{"reason", "paymentAmount", "reserve"}

// endorse amends a policy. A policy extension changes the end of the term; other types change other fields. If
// extensionOnly is true, every other type is refused as a transition that is not listed.
func endorse[T any](extensionOnly bool) rest.Action[T] {
	moves := endorsing
	if extensionOnly {
		moves = extending
	}
	return rest.Act("endorse", moves, func(ctx context.Context, c *rest.Change[T], body *coverage.Endorsement) error {
		if extensionOnly && *body.EndorsementType != coverage.PolicyExtension {
			return problem.New(problem.Transition, "The only endorsement of this line is "+coverage.PolicyExtension+".")
		}
		amended, err := c.Amend("endorsementType")
		if err != nil {
			return err
		}
		if *body.EndorsementType == coverage.PolicyExtension {
			if err := extend(c, amended); err != nil {
				return err
			}
		} else {
			if slices.Contains(amended.Changed, "expiryDate") {
				return problem.New(problems.InvalidTerm, "").
					At("/expiryDate", "moves only by a "+coverage.PolicyExtension)
			}
			c.MoveTo(coverage.InForce)
			if instead, is := actionNamed[*body.EndorsementType]; is {
				c.Warn("policy-stays-in-force", "policy stays in force",
					"An endorsement of type "+*body.EndorsementType+
						" is recorded and leaves the policy in force; "+instead+".")
			}
		}
		if err := c.Check(ctx, amended); err != nil {
			return err
		}
		c.Value = amended.Value
		return nil
	}, rest.Present[*coverage.Endorsement]("endorsementType is missing", "endorsementType")).
		Amending(elsewhere...).Refusing(problems.InvalidTerm)
}

// actionNamed maps the types of endorsement for which there is another action to a description of that action.
var actionNamed = map[string]string{
	coverage.PolicyCancellation: ":cancel ends it",
	coverage.PolicyRenewal:      ":renew issues a policy for a new term",
}

// extend moves the end of the term. The extension term begins at the old end; until then the policy is extended.
func extend[T any](c *rest.Change[T], amended *rest.Amended[T]) error {
	before, after := policyOf(c.Value).ExpiryDate, policyOf(amended.Value).ExpiryDate
	if before.IsZero() {
		return problem.New(problem.Transition, "The policy has no expiryDate that could be extended.")
	}
	if !before.Before(after) {
		return problem.New(problems.InvalidTerm, "").At("/expiryDate",
			"is required and must be later than "+before.String())
	}
	c.MoveUntil(coverage.Extended, before.Time(), coverage.InForce)
	return nil
}

// cancel ends a policy at once. The history keeps the reason.
func cancel[T any]() rest.Action[T] {
	return rest.Act("cancel", ending, func(context.Context, *rest.Change[T], *coverage.Cancellation) error {
		return nil
	})
}

// lapse ends a policy for non-payment. It is not a public operation.
func lapse[T any]() rest.Action[T] {
	return rest.Act("lapsed for non-payment", lapsing, func(context.Context, *rest.Change[T], *struct{}) error {
		return nil
	})
}

// renew creates a second policy for a new term. Unless the body has other dates, the new term begins at the old
// expiryDate and is as long as the old term. Other fields of the body change the new policy.
func renew[T any](e *environment) rest.Action[T] {
	renewal := rest.Spawn("renew", renewing,
		func(ctx context.Context, c *rest.Change[T], _ *coverage.Renewal) (*rest.Draft[T], error) {
			renewed, err := c.Amend("keepParticipants")
			if err != nil {
				return nil, err
			}
			old, p := policyOf(c.Value), policyOf(renewed.Value)
			begins, ends := slices.Contains(renewed.Sent, "inceptionDate"), slices.Contains(renewed.Sent, "expiryDate")
			if old.ExpiryDate.IsZero() && (!begins || !ends) {
				return nil, problem.New(problems.InvalidTerm,
					"To renew a policy without expiryDate, send both dates of the new term.").
					At("/inceptionDate", "is required").At("/expiryDate", "is required")
			}
			if !begins {
				p.InceptionDate = old.ExpiryDate
			}
			if !ends {
				expiry, keep, err := e.renewed(p.InceptionDate, old, c.Record.Aside())
				if err != nil {
					return nil, err
				}
				if p.ExpiryDate = expiry; !begins {
					renewed.Aside = keep
				}
			}
			if err := c.CheckNew(ctx, renewed); err != nil {
				return nil, err
			}
			return renewed.Draft, nil
		}).Amending(append(elsewhere, "effectiveDate")...).Refusing(problems.InvalidTerm)
	return keeping(e, renewal)
}
