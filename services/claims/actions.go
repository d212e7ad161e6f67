package claims

import (
	"context"
	"slices"
	"strconv"

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
)

// settle records a payment and closes the claim. A reopened claim is settled again, with a second payment.
func settle() rest.Action[claims.Claim] {
	return rest.Act("settle", settling,
		func(_ context.Context, c *rest.Change[claims.Claim], body *claims.Settlement) error {
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

// addDocument appends the url of a document to the claim, and its type to the types, in any state of the claim.
func (e *environment) addDocument() rest.Action[claims.Claim] {
	return rest.Act("documents", rest.AnyState,
		func(_ context.Context, c *rest.Change[claims.Claim], body *claims.Document) error {
			if len(c.Value.Documents) >= e.mostDocuments {
				return e.tooManyDocuments("/url")
			}
			c.Value.Documents = append(slices.Clone(c.Value.Documents), *body.URL)
			c.Value.DocumentTypes = append(slices.Clone(c.Value.DocumentTypes), rest.Text(body.Type))
			return nil
		}, rest.Present[claims.Document]("url is missing", "url")).Refusing(problem.Invalid)
}

// fewDocuments refuses more documents than a claim may have. Each change of a claim writes all of them, so their
// number bounds what it costs. A claim that has more, because the setting was greater, keeps them.
func (e *environment) fewDocuments(_ context.Context, d *rest.Draft[claims.Claim]) error {
	most := e.mostDocuments
	if d.Stored != nil {
		most = max(most, len(d.Stored.Documents))
	}
	if len(d.Value.Documents) > most {
		return e.tooManyDocuments("/documents")
	}
	return nil
}

func (e *environment) tooManyDocuments(pointer string) error {
	return problem.New(problem.Invalid, "").At(pointer,
		"makes too many documents: a claim has at most "+strconv.Itoa(e.mostDocuments))
}

// untyped returns the types of documents that were sent without types: an empty type for each.
func untyped(documents int) []string {
	if documents == 0 {
		return nil
	}
	return make([]string, documents)
}

// typesOf returns the types of the documents that a replacement sends. A document that the claim had keeps its type,
// and one that the claim had several times keeps its types in their order. Other documents have no type.
func typesOf(documents []string, was *claims.Claim) []string {
	known := map[string][]string{}
	for i, url := range was.Documents {
		if i < len(was.DocumentTypes) {
			known[url] = append(known[url], was.DocumentTypes[i])
		}
	}
	types := untyped(len(documents))
	for i, url := range documents {
		if of := known[url]; len(of) > 0 {
			types[i] = of[0]
			known[url] = of[1:]
		}
	}
	return types
}
