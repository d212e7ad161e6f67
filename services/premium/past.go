package premium

import (
	"context"
	"math/big"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// Receipts come in order of id, and mostly also in order of the instants at which they were recorded. Of two that are
// recorded at once, or by two replicas whose clocks differ, the earlier one may come later. disorder is how much.
const disorder = 5 * time.Minute

// pastPage is how many receipts are read at once where each may have been recorded before or after an instant, and
// pastBytes bounds them.
const (
	pastPage  = 200
	pastBytes = 1 << 20
)

// recall sets the sum of an aggregated row to that of the receipts that were recorded until an instant. What an admin
// set is as it was then. What the row has copied from the policy is as it was copied last before the next replacement
// by an admin.
func (e *environment) recall(ctx context.Context, b *premium.Bordereau, at time.Time) (set bool, err error) {
	if b.Period == nil {
		return false, nil
	}
	total, err := e.sumUntil(ctx, row{*b.Period, rest.Text(b.PolicyNumber), rest.Text(b.TransactionType)}, at)
	if err != nil {
		return false, err
	}
	b.GrossWrittenPremium = scalar.IntegerOf(total)
	return true, nil
}

// sumUntil adds up the receipts of a row that were recorded until an instant. It adds up pages of receipts as
// aggregation does, as long as all of a page were recorded well before the instant, and then looks at each receipt.
// So a row of a million receipts costs a hundred sums and one page of receipts at most, and what was recorded within
// the time of disorder.
//
// It is done in the name of the exchange: a caller that sees the row sees its sum.
func (e *environment) sumUntil(ctx context.Context, of row, at time.Time) (*big.Int, error) {
	ctx = request.ForExchange(ctx)
	sums, err := docstore.As[docstore.Sums](e.receipts.Stored())
	if err != nil {
		return nil, err
	}
	total, last := new(big.Int), uuid.Nil
	for {
		page, err := sums.Sum(ctx, request.OrganisationFrom(ctx), rowIndex, of.index(), last, e.subtotals.page)
		if err != nil || page.Documents == 0 {
			return total, err
		}
		final, err := e.receipts.Stored().Get(ctx, request.OrganisationFrom(ctx), page.Last)
		if err != nil {
			return nil, err
		}
		_, recorded, err := e.receipts.Recorded(final)
		if err != nil {
			return nil, err
		}
		if recorded.Add(disorder).After(at) {
			return total, e.addUntil(ctx, total, of, last, at)
		}
		total.Add(total, page.Total)
		last = page.Last
	}
}

// addUntil adds to a total the receipts of a row after one of them that were recorded until an instant.
func (e *environment) addUntil(ctx context.Context, total *big.Int, of row, after uuid.UUID, at time.Time) error {
	q := docstore.Query{
		Equal: docstore.Keys{rowIndex: of.index()}, After: after, Limit: pastPage, Bytes: pastBytes, WithState: true,
	}
	held := docstore.Held(ctx)
	defer func() { docstore.Release(ctx, held) }()
	for {
		docstore.Release(ctx, held)
		docs, err := e.receipts.Stored().Find(ctx, request.OrganisationFrom(ctx), q)
		if err != nil || len(docs) == 0 {
			return err
		}
		for i, doc := range docs {
			if doc.Body == nil && i > 0 {
				break // the page is full
			}
			q.After = doc.ID
			receipt, recorded, err := e.receipts.Recorded(doc)
			if err != nil || recorded.After(at.Add(disorder)) {
				return err
			}
			if !recorded.After(at) {
				total.Add(total, big.NewInt(counted(receipt)))
			}
		}
	}
}
