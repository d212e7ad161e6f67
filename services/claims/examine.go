package claims

import (
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
	return inspect.EachPage(ctx, rows, docstore.Query{}, func(page []docstore.Stored) error {
		for _, doc := range page {
			var b claims.Bordereau
			if err := json.Unmarshal(doc.Body, &b); err != nil || b.PolicyNumber == nil || b.FNOL.IsZero() {
				continue // which claim the row is about cannot be said
			}
			newest, err := isNewest(ctx, rows, doc, &b)
			if err != nil {
				return err
			}
			if !newest {
				continue
			}
			differs, err := difference(ctx, all, doc.Owner, &b)
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

// isNewest reports whether no later row is about the same claim under the same treaty: rows are not replaced.
func isNewest(
	ctx context.Context, rows docstore.Inspected, row docstore.Stored, b *claims.Bordereau,
) (newest bool, err error) {
	newest = true
	of := inspect.KeyOf(row.Owner, "policyNumber", *b.PolicyNumber)
	err = inspect.EachPage(ctx, rows, docstore.Query{Equal: of, After: row.ID},
		func(page []docstore.Stored) error {
			for _, doc := range page {
				var later claims.Bordereau
				if json.Unmarshal(doc.Body, &later) == nil && later.FNOL.Time().Equal(b.FNOL.Time()) &&
					rest.Text(later.TreatyReference) == rest.Text(b.TreatyReference) {
					newest = false
				}
			}
			return nil
		})
	return newest, err
}

// difference returns what a row says that none of its claims does: those of its policy that were notified at its
// instant. It returns nil if one of them agrees.
func difference(
	ctx context.Context, all docstore.Inspected, owner string, b *claims.Bordereau,
) (found *docstore.Finding, err error) {
	first, agrees := docstore.Finding{
		Invariant: "a row has a claim", Found: "none",
		Expected: *b.PolicyNumber + ", notified at " + b.FNOL.String(),
	}, false
	err = inspect.EachPage(ctx, all, docstore.Query{Equal: inspect.KeyOf(owner, "policyNumber", *b.PolicyNumber)},
		func(page []docstore.Stored) error {
			for _, doc := range page {
				var c claims.Claim
				if json.Unmarshal(doc.Body, &c) != nil || !c.FNOL.Time().Equal(b.FNOL.Time()) {
					continue
				}
				if differs := compared(b, &c); differs != nil {
					first = *differs
				} else {
					agrees = true
				}
			}
			return nil
		})
	if err != nil || agrees {
		return nil, err
	}
	return &first, nil
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
