package claims

import (
	"bytes"
	"cmp"
	"context"
	"math/big"
	"strings"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/inspect"
)

// examine notes each row of the claims bordereau that says something else than its claim. Callers write the rows, so
// that this is no fault of the exchange.
func examine(
	ctx context.Context, x inspect.Examination, records *rest.Records[*claims.Claim],
	bordereau *rest.Records[*claims.Bordereau],
) error {
	rows, err := bordereau.Inspect(ctx, x)
	if err != nil {
		return err
	}
	all, err := records.Inspect(ctx, x)
	if err != nil {
		return err
	}
	return inspect.EachPage(ctx, rows, docstore.Query{}, func(page []docstore.Document) error {
		for _, doc := range page {
			var b claims.Bordereau
			if err := json.Unmarshal(doc.Body, &b); err != nil || b.PolicyNumber == nil || b.FNOL.IsZero() {
				continue // which claim the row is about cannot be said
			}
			differs, err := difference(ctx, rows, all, doc, &b)
			if err != nil {
				return err
			}
			if differs != nil {
				differs.Collection, differs.ID = bordereau.Collection, doc.ID.String()
				if err := x.Note(*differs); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// difference returns what a row says that none of its claims does: those of its policy that were notified at its
// instant. It returns nil if one of them agrees, and if a later row is about the same claim under the same treaty: rows
// are not replaced.
func difference(
	ctx context.Context, rows, all docstore.Collection, row docstore.Document, b *claims.Bordereau,
) (*docstore.Finding, error) {
	agrees := false
	if err := inspect.OfOwner(ctx, rows, row.Owner, "policyNumber", *b.PolicyNumber,
		func(doc docstore.Document) error {
			var other claims.Bordereau
			same := json.Unmarshal(doc.Body, &other) == nil && other.FNOL.Time().Equal(b.FNOL.Time()) &&
				rest.Text(other.TreatyReference) == rest.Text(b.TreatyReference)
			agrees = agrees || same && bytes.Compare(doc.ID[:], row.ID[:]) > 0
			return nil
		}); err != nil || agrees {
		return nil, err
	}
	finding := &docstore.Finding{
		Invariant: "a row has a claim", Found: "none",
		Expected: *b.PolicyNumber + ", notified at " + b.FNOL.String(),
	}
	err := inspect.OfOwner(ctx, all, row.Owner, "policyNumber", *b.PolicyNumber, func(doc docstore.Document) error {
		var c claims.Claim
		if json.Unmarshal(doc.Body, &c) == nil && c.FNOL.Time().Equal(b.FNOL.Time()) {
			differs := compared(b, &c)
			agrees, finding = agrees || differs == nil, cmp.Or(differs, finding)
		}
		return nil
	})
	if err != nil || agrees {
		return nil, err
	}
	return finding, nil
}

// compared returns the first member of a row that says something else than a claim, or nil.
func compared(b *claims.Bordereau, c *claims.Claim) *docstore.Finding {
	paid := new(big.Int)
	for _, payment := range c.Payments {
		paid.Add(paid, big.NewInt(int64(payment.PaymentAmount)))
	}
	reserve := ""
	if c.Reserve != nil {
		reserve = big.NewInt(int64(*c.Reserve)).String()
	}
	of := " of claim " + rest.Text(c.ClaimNumber)
	for _, member := range []struct{ name, row, claim string }{
		{"claimStatus" + of, rest.Text(b.ClaimStatus), rest.Text(c.ClaimStatus)},
		{"paid" + of, plain(b.Paid), paid.String()},
		{"GrosslLossReserve" + of, plain(b.GrosslLossReserve), reserve},
	} {
		if member.row != "" && member.claim != "" && member.row != member.claim {
			return &docstore.Finding{
				Invariant: "a row says what its claim says",
				Found:     member.name + " " + member.row, Expected: member.claim,
			}
		}
	}
	return nil
}

// plain returns a number without a fraction of zeros.
func plain(d scalar.Decimal) string {
	text := string(d)
	if whole, fraction, has := strings.Cut(text, "."); has && strings.Trim(fraction, "0") == "" {
		return whole
	}
	return text
}
