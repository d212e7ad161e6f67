package records

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/uuid"

	"insurance.example/exchange/deploy/proof/e2e/copies"
	"insurance.example/exchange/pkg/number"
)

// Month makes receipts of a month that is over.
type Month struct {
	// Data is the folder of the databases, and Of the book whose first policy is copied, with its holder.
	Data string
	Of   *Book
	// Receipt is the receipt of that policy that is copied, and RecordedAt the instant at which it was recorded, which
	// becomes At.
	Receipt, RecordedAt, At string

	policies []string
	receipts int
}

// mostPolicies is how many policies have the receipts of a month. One of more receipts has several of a policy, which
// are far from each other.
const mostPolicies = 100_000

// Load has the month have count receipts, of as many policies up to mostPolicies, each with a holder of its own. The
// exchange must not run.
func (m *Month) Load(ctx context.Context, count int, out io.Writer) error {
	var holders []string
	more := min(count, mostPolicies) - len(m.policies)
	if more > 0 {
		if err := insert(ctx, filepath.Join(m.Data, "parties.db"), "personal", m.Of.Holder, more, out,
			func(_ int, id uuid.UUID) []string {
				holders = append(holders, id.String())
				return []string{m.Of.Identity, "P" + id.String()}
			}); err != nil {
			return err
		}
		if err := insert(ctx, filepath.Join(m.Data, "coverage.db"), "policy", m.Of.PolicyID, more, out,
			func(nth int, id uuid.UUID) []string {
				m.policies = append(m.policies, number.Of(copies.Policy, id))
				return []string{m.Of.Holder, holders[nth]}
			}); err != nil {
			return err
		}
	}
	before := m.receipts
	m.receipts = count
	return insert(ctx, filepath.Join(m.Data, "premium.db"), "receipt", m.Receipt, count-before, out,
		func(nth int, _ uuid.UUID) []string {
			nth += before
			const amount = `"paymentAmount":`
			return []string{
				m.Of.Policies[0], m.policies[nth%len(m.policies)], m.RecordedAt, m.At,
				fmt.Sprint(amount, ReceiptAmount), fmt.Sprint(amount, ReceiptAmount+nth),
			}
		})
}
