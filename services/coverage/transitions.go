package coverage

import (
	"context"
	"fmt"
	"slices"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
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

// endorse amends a policy from its effective date on. A policy extension changes the end of the term; other types
// change other fields. If extensionOnly is true, every other type is refused as a transition that is not listed.
func endorse[T any](extensionOnly bool) rest.Action[T] {
	moves := endorsing
	if extensionOnly {
		moves = extending
	}
	return rest.Act("endorse", moves, func(ctx context.Context, c *rest.Change[T], body *coverage.Endorsement) error {
		if extensionOnly && *body.EndorsementType != coverage.PolicyExtension {
			return problem.New(problem.Transition, "The only endorsement of this line is "+coverage.PolicyExtension+".")
		}
		amended, err := c.Amend("endorsementType", "effectiveDate")
		if err != nil {
			return err
		}
		if slices.Contains(amended.Changed, "replaces") {
			return problem.New(problem.Invalid, "").At("/replaces", "is given when a policy is created, and stays")
		}
		if *body.EndorsementType == coverage.PolicyExtension {
			if err := extend(c, amended, body.EffectiveDate); err != nil {
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
			if err := countsFrom(c, policyOf(amended.Value), body.EffectiveDate); err != nil {
				return err
			}
		}
		if err := c.Check(ctx, amended); err != nil {
			return err
		}
		if len(amended.Changed) == 0 {
			c.Warn("empty-endorsement", "empty endorsement", "The endorsement changes nothing.")
		}
		c.Value = amended.Value
		return nil
	}, rest.Present[*coverage.Endorsement]("endorsementType is missing", "endorsementType")).
		Amending(elsewhere...).Refusing(problem.Invalid, problems.InvalidTerm, problems.OutOfSequence)
}

// countsFrom says from when on an endorsement counts, if its body does: within the term, and not before the last one.
func countsFrom[T any](c *rest.Change[T], p *coverage.Policy, date scalar.DateTime) error {
	if date.IsZero() {
		return nil
	}
	if date.Before(p.InceptionDate) || !p.ExpiryDate.IsZero() && !date.Before(p.ExpiryDate) {
		return outsideTerm(p, "before")
	}
	if last := c.Record.Effect(); last != nil && date.Time().Before(last.Date) {
		counts := scalar.Instant(last.Date)
		return problem.New(problems.OutOfSequence, fmt.Sprintf(
			"Event %d of the policy's history, an endorsement, counts from %s on.", last.Number, counts)).
			At("/effectiveDate", "must not be before "+counts.String()).
			With("endorsement", last.Number).With("effectiveDate", counts)
	}
	c.CountsFrom(date.Time())
	return nil
}

// outsideTerm refuses an effective date. ends says how the last one lies to expiryDate: before it, or not after it.
func outsideTerm(p *coverage.Policy, ends string) error {
	reason := "must not be before inceptionDate, " + p.InceptionDate.String()
	if !p.ExpiryDate.IsZero() {
		reason += ", and must be " + ends + " expiryDate, " + p.ExpiryDate.String()
	}
	return problem.New(problems.InvalidTerm, "").At("/effectiveDate", reason)
}

// actionNamed maps the types of endorsement for which there is another action to a description of that action.
var actionNamed = map[string]string{
	coverage.PolicyCancellation: ":cancel ends it",
	coverage.PolicyRenewal:      ":renew issues a policy for a new term",
}

// extend moves the end of the term. The extension term begins at the old end, from which on what changes counts; until
// then the policy is extended.
func extend[T any](c *rest.Change[T], amended *rest.Amended[T], date scalar.DateTime) error {
	if !date.IsZero() {
		return problem.New(problem.Invalid, "").At("/effectiveDate",
			"is not taken by a "+coverage.PolicyExtension+", which counts from the expiryDate before it")
	}
	before, after := policyOf(c.Value).ExpiryDate, policyOf(amended.Value).ExpiryDate
	if before.IsZero() {
		return problem.New(problem.Transition, "The policy has no expiryDate that could be extended.")
	}
	if !before.Before(after) {
		return problem.New(problems.InvalidTerm, "").At("/expiryDate",
			"is required and must be later than "+before.String())
	}
	c.MoveUntil(coverage.Extended, before.Time(), coverage.InForce)
	c.CountsFrom(before.Time())
	return nil
}

// cancel ends a policy at once, and its cover at its effective date. The history keeps the reason.
func cancel[T any]() rest.Action[T] {
	return rest.Act("cancel", ending, func(_ context.Context, c *rest.Change[T], body *coverage.Cancellation) error {
		return endCover(c, body.EffectiveDate)
	}).Refusing(problems.InvalidTerm)
}

// lapse ends a policy for non-payment. It is not a public operation.
func lapse[T any]() rest.Action[T] {
	return rest.Act("lapsed for non-payment", lapsing,
		func(_ context.Context, c *rest.Change[T], body *internalapi.NonPayment) error {
			return endCover(c, body.EffectiveDate)
		}).Refusing(problems.InvalidTerm)
}

// endCover ends the cover of a policy at an instant from the beginning to the end of its term. The zero value is now,
// or the end of the term that is nearer.
func endCover[T any](c *rest.Change[T], date scalar.DateTime) error {
	p, ends := policyOf(c.Value), date
	if date.IsZero() {
		ends = scalar.Instant(c.Now)
	}
	switch early, late := ends.Before(p.InceptionDate), !p.ExpiryDate.IsZero() && p.ExpiryDate.Before(ends); {
	case !date.IsZero() && (early || late):
		return outsideTerm(p, "not after")
	case early:
		ends = p.InceptionDate
	case late:
		ends = p.ExpiryDate
	case date.IsZero():
		return nil // when it is cancelled, which the history knows
	}
	c.EndCover(ends.Time())
	return nil
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
			if !slices.Contains(renewed.Sent, "replaces") {
				p.Replaces = scalar.Since[string]{} // the renewal replaces nothing
			}
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
			back := setAside(p, renewed.Sent)
			if err := c.CheckNew(ctx, renewed); err != nil {
				return nil, err
			}
			back()
			renewedBefore(ctx, e, c)
			return renewed.Draft, nil
		}).Amending(append(elsewhere, "effectiveDate")...).Refusing(problems.InvalidTerm)
	return keeping(e, renewal)
}
