package claims

import (
	"context"
	"slices"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/rest"
)

// The transitions of a claim (contracts/interface.md, claim).
var (
	settling  = []rest.Move{{From: claims.Open, To: claims.Closed}, {From: claims.Reopened, To: claims.Closed}}
	reopening = []rest.Move{{From: claims.Closed, To: claims.Reopened}}
)

// settle records a payment and closes the claim. A reopened claim is settled again, with a second payment.
func settle() rest.Action[claims.Claim] {
	return rest.Act("settle", settling, func(_ context.Context, c *rest.Change[claims.Claim], body *claims.Settlement) error {
		c.Value.PaymentMethod = body.PaymentMethod
		c.Value.Payments = append(slices.Clone(c.Value.Payments), claims.Payment{
			PaymentAmount: *body.PaymentAmount, PaymentMethod: *body.PaymentMethod, PaidAt: scalar.Instant(c.Now),
		})
		return nil
	},
		rest.AboveZero("paymentAmount is not greater than 0", "paymentAmount",
			func(s *claims.Settlement) *scalar.Int { return s.PaymentAmount }, problems.InvalidPaymentAmount),
		rest.Present[claims.Settlement]("paymentMethod is missing", "paymentMethod"))
}

// reopen opens a closed claim again.
func reopen() rest.Action[claims.Claim] {
	return rest.Act("reopen", reopening, func(_ context.Context, c *rest.Change[claims.Claim], _ *struct{}) error {
		c.Value.ReopenDate = scalar.DateOf(c.Now)
		return nil
	})
}

// addDocument appends the url of a document, and its type beside it, in any state of the claim.
func addDocument() rest.Action[claims.Claim] {
	return rest.Act("documents", rest.AnyState, func(_ context.Context, c *rest.Change[claims.Claim], body *claims.Document) error {
		c.Value.Documents = append(slices.Clone(c.Value.Documents), *body.URL)
		c.Value.DocumentTypes = append(slices.Clone(c.Value.DocumentTypes), rest.Text(body.Type))
		return nil
	}, rest.Present[claims.Document]("url is missing", "url"))
}

// untyped answers the types of documents that were sent without any.
func untyped(documents int) []string {
	if documents == 0 {
		return nil
	}
	return make([]string, documents)
}

// typesOf answers the types of documents that a replacement sends, as far as the claim had them.
func typesOf(documents []string, was *claims.Claim) []string {
	types := untyped(len(documents))
	for i, url := range documents {
		if at := slices.Index(was.Documents, url); at >= 0 && at < len(was.DocumentTypes) {
			types[i] = was.DocumentTypes[at]
		}
	}
	return types
}
