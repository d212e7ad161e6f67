package premium

import (
	"context"
	"errors"
	"math/big"
	"time"

	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// aggregate computes again the row with a key. It reads the row, then adds up its receipts, and writes the row only if
// the row has not changed meanwhile. So the row ends with the sum of all its receipts, even if two aggregations run at
// once, or the process crashes between any two steps.
//
// It returns the receipts that have their unsent mark and are part of the sum. A receipt without a mark is therefore in
// its row, and one that keeps its mark is found by the sweep. The row is written even if its sum stays the same: only a
// write that succeeds shows that no other aggregation, which may have read fewer receipts, writes last.
//
// A row is computed in the name of the exchange, because it has the receipts of all.
func (e *environment) aggregate(ctx context.Context, key string) ([]docstore.Ref, error) {
	ctx = request.ForExchange(ctx)
	of, err := parseRow(key)
	if err != nil {
		return nil, err
	}
	for {
		marked, err := e.compute(ctx, of)
		if !errors.Is(err, errRowMade) {
			return marked, err
		}
	}
}

// compute creates or corrects one row. It returns errRowMade if another aggregation has created the row meanwhile.
func (e *environment) compute(ctx context.Context, of row) (marked []docstore.Ref, err error) {
	stored, exists, err := e.rows.One(ctx, rowIndex, of.index())
	if err != nil {
		return nil, err
	}
	if exists {
		err = e.rows.Alter(ctx, stored, func(r *rest.Record[*premium.Bordereau]) (write bool, err error) {
			sum, _, err := e.fill(ctx, of, r.Value)
			marked = sum.marked
			return err == nil, err
		})
		return marked, err
	}
	b := &premium.Bordereau{Period: &of.Period, PolicyNumber: &of.PolicyNumber, TransactionType: &of.TransactionType}
	sum, owner, err := e.fill(ctx, of, b)
	// A receipt is stored before anybody asks for its row. So who asked for one without receipts is wrong.
	if err != nil || sum.receipts == 0 {
		return nil, err
	}
	owned, err := request.ForOwner(ctx, owner)
	if err != nil {
		return nil, err
	}
	return sum.marked, e.rows.Insert(owned, b, "aggregated")
}

// fill sets the sum of the row's receipts, and the members that come from the policy. It returns what was added up, and
// the organisation that owns the policy, and so the row.
func (e *environment) fill(ctx context.Context, of row, b *premium.Bordereau) (sum sum, owner string, err error) {
	if sum, err = e.sum(ctx, of, time.Time{}); err != nil || sum.receipts == 0 {
		return sum, "", err
	}
	b.GrossWrittenPremium = scalar.IntegerOf(&sum.total)
	facts, known, err := e.policy(ctx, of.PolicyNumber)
	if err != nil {
		return sum, "", err
	}
	if !known {
		return sum, "", errors.New("there is no policy with the number of the row")
	}
	policyholder := string(facts.PolicyholderID)
	b.Policyholder, b.InceptionDate, b.ExpiryDate = &policyholder, facts.InceptionDate, facts.ExpiryDate
	b.IndemnityLimitPolicy = facts.IndemnityLimitPolicy
	return sum, facts.Owner, nil
}

const (
	// pageLength and pageBytes bound what is read of records at once.
	pageLength = 500
	pageBytes  = 1 << 20
	// mostMarks bounds how many marks one computation of a row has removed, and so its memory. The others follow with
	// the next.
	mostMarks = 100_000
	// disorder is how much later than one with a greater id a receipt may have been recorded: two may be recorded at
	// once, and the clocks of two replicas differ.
	disorder = 5 * time.Minute
)

// sum is what was added up of a row: exact, however large it is.
type sum struct {
	total    big.Int
	receipts int
	// marked are the receipts of the sum that have their unsent mark.
	marked []docstore.Ref
}

// errEnough ends a walk over records.
var errEnough = errors.New("enough was read")

// sum adds up the receipts of a row that were recorded until an instant; all of them for the zero instant.
func (e *environment) sum(ctx context.Context, of row, until time.Time) (sum sum, err error) {
	q := docstore.Query{Equal: docstore.Keys{rowIndex: of.index()}}
	err = each(ctx, e.receipts, q, func(doc docstore.Document, receipt *premium.Receipt, recorded time.Time) error {
		switch {
		case !until.IsZero() && recorded.After(until.Add(disorder)):
			return errEnough
		case !until.IsZero() && recorded.After(until):
			return nil
		}
		sum.receipts++
		sum.total.Add(&sum.total, big.NewInt(counted(receipt)))
		if doc.Unsent && len(sum.marked) < mostMarks {
			sum.marked = append(sum.marked, docstore.Ref{ID: doc.ID, Version: doc.Version})
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return sum, err
}

// each calls a function with the records that a query selects, in the order of their ids, and with the instants at
// which they were recorded.
func each[T any](
	ctx context.Context, of *rest.Records[*T], q docstore.Query,
	do func(doc docstore.Document, record *T, recorded time.Time) error,
) error {
	q.Limit, q.Bytes, q.WithState = pageLength, pageBytes, true
	for {
		docs, err := of.Stored().Find(ctx, request.OrganisationFrom(ctx), q)
		if err != nil || len(docs) == 0 {
			return err
		}
		for i, doc := range docs {
			if doc.Body == nil && i > 0 {
				break // the page is full
			}
			q.After = doc.ID
			record, recorded, err := of.Recorded(doc)
			if err == nil {
				err = do(doc, record, recorded)
			}
			if err != nil {
				return err
			}
		}
	}
}
