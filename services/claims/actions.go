package claims

import (
	"context"
	"slices"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/visible"
)

// reopenAction is the name of the action that opens a claim again.
const reopenAction = "reopen"

// The transitions of a claim (contracts/interface.md, claim).
var (
	settling  = []rest.Move{{From: claims.Open, To: claims.Closed}, {From: claims.Reopened, To: claims.Closed}}
	reopening = []rest.Move{{From: claims.Closed, To: claims.Reopened}}
	paying    = []rest.Move{{From: claims.Open, To: claims.Open}, {From: claims.Reopened, To: claims.Reopened}}
)

// settle records a payment and closes the claim. A reopened claim is settled again, with a second payment. A payment of
// 0 closes it without one; then it says why, and when.
func settle() rest.Action[*claims.Claim] {
	return rest.Act("settle", settling,
		func(_ context.Context, c *rest.Change[*claims.Claim], body *claims.Settlement) error {
			closed := scalar.Instant(c.Now)
			if *body.PaymentAmount == 0 {
				c.Value.ClosedAt = scalar.Issued(closed)
			}
			if body.PaymentMethod != nil {
				c.Value.PaymentMethod = body.PaymentMethod
			}
			payment := claims.Payment{
				PaymentAmount: *body.PaymentAmount, PaymentMethod: rest.Text(body.PaymentMethod), PaidAt: closed,
			}
			if why := rest.Text(body.Reason); visible.In(why) {
				payment.Reason = why
			}
			c.Value.Payments = append(slices.Clone(c.Value.Payments), payment)
			return nil
		},
		rest.Check[*claims.Settlement]{
			Name: "paymentAmount is not greater than 0", DependsOn: []string{"paymentAmount", "reason"},
			Requires: []string{"paymentAmount"}, Refuses: []problem.Kind{problems.InvalidPaymentAmount},
			Run: func(_ context.Context, d *rest.Draft[*claims.Settlement]) error {
				switch amount := *d.Value.PaymentAmount; {
				case amount > 0, amount == 0 && visible.In(rest.Text(d.Value.Reason)):
					return nil
				case amount == 0:
					return problem.New(problems.InvalidPaymentAmount, "A claim that is closed without a payment needs "+
						"a reason.").At("/paymentAmount", "must be greater than 0 unless a reason is sent")
				default:
					return problem.New(problems.InvalidPaymentAmount, "").At("/paymentAmount", "must be greater than 0")
				}
			},
		},
		rest.Check[*claims.Settlement]{
			Name: "paymentMethod is missing", DependsOn: []string{"paymentMethod"},
			Refuses: []problem.Kind{problem.Required},
			Run: func(_ context.Context, d *rest.Draft[*claims.Settlement]) error {
				if *d.Value.PaymentAmount != 0 && !visible.In(rest.Text(d.Value.PaymentMethod)) {
					return rest.Required("paymentMethod")
				}
				return nil
			},
		})
}

// pay records a payment on a claim that stays as it is. When it was paid and when it was recorded may be two instants.
func pay() rest.Action[*claims.Claim] {
	return rest.Act("pay", paying,
		func(_ context.Context, c *rest.Change[*claims.Claim], body *claims.InterimPayment) error {
			recorded := scalar.Instant(c.Now)
			paid := body.PaidAt
			if paid.IsZero() {
				paid = recorded
			}
			if loss := c.Value.LossDate; !body.PaidAt.IsZero() && !loss.IsZero() && paid.Before(loss) {
				return notPaidAt("must not be before the lossDate of the claim, which is " + loss.String())
			}
			c.Value.Payments = append(slices.Clone(c.Value.Payments), claims.Payment{
				PaymentAmount: *body.PaymentAmount, PaymentMethod: *body.PaymentMethod, PaidAt: paid,
				RecordedAt: recorded,
			})
			return nil
		},
		rest.AboveZero("paymentAmount is not greater than 0", "paymentAmount",
			func(p *claims.InterimPayment) *scalar.Int { return p.PaymentAmount }, problems.InvalidPaymentAmount),
		rest.Present[*claims.InterimPayment]("paymentMethod is missing", "paymentMethod"),
		rest.Check[*claims.InterimPayment]{
			Name: "paidAt is in the future", DependsOn: []string{"paidAt"}, Refuses: []problem.Kind{problem.Invalid},
			Run: func(_ context.Context, d *rest.Draft[*claims.InterimPayment]) error {
				if d.Value.PaidAt.Time().After(d.Now) {
					return notPaidAt("must not be in the future")
				}
				return nil
			},
		}).BeyondInterface().AddingExtra()
}

func notPaidAt(why string) error {
	return problem.New(problem.Invalid, "").At("/paidAt", why)
}

// reopen opens a closed claim again. The reserve that it names counts as set now, whatever it was before.
func (e *environment) reopen() rest.Action[*claims.Claim] {
	return rest.Act(reopenAction, reopening,
		func(_ context.Context, c *rest.Change[*claims.Claim], body *claims.Reopening) error {
			c.Value.ReopenDate = scalar.DateOf(c.Now, e.zone)
			if closedWithout(c.Value) {
				c.Value.ClosedAt = scalar.Since[scalar.DateTime]{}
			}
			if body.Reserve != nil {
				c.Value.Reserve, c.Value.LastUpdate = body.Reserve, scalar.DateOf(c.Now, e.zone)
			}
			return nil
		})
}

// closedWithout reports whether a claim was closed without a payment. What a caller of an earlier release called
// closedAt is not when it was.
func closedWithout(c *claims.Claim) bool {
	at, is := c.ClosedAt.Value()
	last := len(c.Payments) - 1
	return is && last >= 0 && c.Payments[last].PaymentAmount == 0 && at.Time().Equal(c.Payments[last].PaidAt.Time())
}

// addDocument appends the url of a document to the claim, and its type to the types, in any state of the claim.
func (e *environment) addDocument() rest.Action[*claims.Claim] {
	return rest.Act("documents", rest.AnyState,
		func(_ context.Context, c *rest.Change[*claims.Claim], body *claims.Document) error {
			if len(c.Value.Documents) >= e.mostDocuments {
				return e.tooManyDocuments("/url")
			}
			c.Value.Documents = append(slices.Clone(c.Value.Documents), *body.URL)
			c.Value.DocumentTypes = append(slices.Clone(c.Value.DocumentTypes), rest.Text(body.Type))
			return nil
		}, rest.Present[*claims.Document]("url is missing", "url")).Refusing(problem.Invalid)
}
