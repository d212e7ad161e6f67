package claims

import (
	"context"
	"slices"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// The transitions of a claim (contracts/interface.md, claim).
var (
	settling  = []rest.Move{{From: claims.Open, To: claims.Closed}, {From: claims.Reopened, To: claims.Closed}}
	reopening = []rest.Move{{From: claims.Closed, To: claims.Reopened}}
	paying    = []rest.Move{{From: claims.Open, To: claims.Open}, {From: claims.Reopened, To: claims.Reopened}}
)

// settle records a payment and closes the claim. A reopened claim is settled again, with a second payment.
func settle() rest.Action[*claims.Claim] {
	return rest.Act("settle", settling,
		func(_ context.Context, c *rest.Change[*claims.Claim], body *claims.Settlement) error {
			c.Value.PaymentMethod = body.PaymentMethod
			c.Value.Payments = append(slices.Clone(c.Value.Payments), claims.Payment{
				PaymentAmount: *body.PaymentAmount, PaymentMethod: *body.PaymentMethod, PaidAt: scalar.Instant(c.Now),
			})
			return nil
		},
		rest.AboveZero("paymentAmount is not greater than 0", "paymentAmount",
			func(s *claims.Settlement) *scalar.Int { return s.PaymentAmount }, problems.InvalidPaymentAmount),
		rest.Present[*claims.Settlement]("paymentMethod is missing", "paymentMethod"))
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

// reopen opens a closed claim again.
func (e *environment) reopen() rest.Action[*claims.Claim] {
	return rest.Act("reopen", reopening, func(_ context.Context, c *rest.Change[*claims.Claim], _ *struct{}) error {
		c.Value.ReopenDate = scalar.DateOf(c.Now, e.zone)
		return nil
	})
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
