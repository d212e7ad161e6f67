package premium

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/kafka"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
)

// dirtyRow returns the message about a new receipt. The message names the row that includes the receipt, and is a
// part of the trace in which the receipt was recorded, if there is one.
func (e *environment) dirtyRow(doc docstore.Document) (kafka.Message, error) {
	origin, err := rest.OriginOf(doc)
	if err != nil {
		return kafka.Message{}, err
	}
	of, err := parseRow(origin.Pinned[rowIndex])
	if err != nil {
		return kafka.Message{}, err
	}
	value, err := json.Marshal(events.BordereauDirty(of))
	return kafka.Message{Key: []byte(of.PolicyNumber), Value: value, Headers: kafka.TraceHeaders(origin.Trace)}, err
}

// aggregate computes again the row that a message names. It reads the row, then the sum of its receipts, and writes
// the row only if the row has not changed meanwhile. So the row ends with the sum of all its receipts, even if two
// aggregations run at once, a message comes twice or late, or the process crashes between any two steps.
//
// Only then does it have the unsent marks of those receipts removed. A receipt without a mark is therefore in its
// row, whatever became of the message about it, and a receipt that keeps its mark is found by the sweep. The row is
// written even if its sum stays the same: only a write that succeeds shows that no other aggregation, which may have
// read fewer receipts, writes last.
//
// A message is handled in the name of the exchange: a row has the receipts of all, and the context of a consumer names
// nobody.
func (e *environment) aggregate(ctx context.Context, m kafka.Message) error {
	ctx = request.ForExchange(ctx)
	var dirty events.BordereauDirty
	if err := json.Unmarshal(m.Value, &dirty); err != nil {
		return kafka.Poison(fmt.Errorf("no bordereau message: %w", err))
	}
	if dirty.Period == "" || dirty.PolicyNumber == "" || dirty.TransactionType == "" {
		return kafka.Poison(errors.New("the message names no bordereau row"))
	}
	for {
		err := e.compute(ctx, row(dirty))
		if !errors.Is(err, errRowMade) {
			return err
		}
	}
}

// compute creates or corrects one row. It returns errRowMade if another aggregation has created the row meanwhile.
func (e *environment) compute(ctx context.Context, of row) error {
	stored, found := e.written.take(of), true
	if stored == nil {
		var err error
		if stored, found, err = e.rows.One(ctx, rowIndex, of.index()); err != nil {
			return err
		}
	}
	var done *summation
	var err error
	version := int64(1)
	if !found {
		owner := ""
		b := &premium.Bordereau{
			Period: &of.Period, PolicyNumber: &of.PolicyNumber, TransactionType: &of.TransactionType,
		}
		if done, owner, err = e.fill(ctx, of, b, nil); err != nil {
			return err
		}
		// A receipt is stored before its message is sent. So the message is not about one.
		if done.receipts() == 0 {
			return kafka.Poison(errors.New("no receipt is in the row that the message names"))
		}
		var owned context.Context
		if owned, err = request.ForOwner(ctx, owner); err != nil {
			return err
		}
		err = e.rows.Insert(owned, b, "aggregated")
	} else {
		err = e.rows.Alter(ctx, stored, func(r *rest.Record[*premium.Bordereau]) (write bool, err error) {
			stored = r
			done, _, err = e.fill(ctx, of, r.Value, e.subtotals.of(of, r.Version))
			return err == nil && done != nil, err
		})
		if err == nil {
			version = stored.Version
			e.written.keep(of, stored)
		}
	}
	if err != nil || done == nil {
		return err
	}
	e.subtotals.keep(of, version, done)
	if e.included != nil {
		e.included(ctx, done.unsent)
	}
	return nil
}

// fill sets the sum of the row's receipts, and the members that come from the policy. known are the subtotals of the
// row as it is stored, nil if there are none. It returns what was added up, which is nil if the row is as it should be,
// and the organisation that owns the policy, and so the row.
func (e *environment) fill(
	ctx context.Context, of row, b *premium.Bordereau, known *subtotals,
) (done *summation, owner string, err error) {
	if done, err = e.sum(ctx, of, known); err != nil || done == nil {
		return nil, "", err
	}
	b.GrossWrittenPremium = scalar.IntegerOf(done.total())
	facts, found, err := e.policy(ctx, of.PolicyNumber)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return nil, "", kafka.Poison(errors.New("there is no policy with the number that the message names"))
	}
	policyholder := string(facts.PolicyholderID)
	b.Policyholder, b.InceptionDate, b.ExpiryDate = &policyholder, facts.InceptionDate, facts.ExpiryDate
	b.IndemnityLimitPolicy = facts.IndemnityLimitPolicy
	return done, facts.Owner, nil
}
