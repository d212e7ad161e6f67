package premium

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/events"
	"insurance.example/exchange/contracts/premium"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/bus"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/rest"
)

// dirtyRow returns the message about a new receipt. The message names the row that includes the receipt, and is a
// part of the trace in which the receipt was recorded, if there is one.
func (e *environment) dirtyRow(doc docstore.Document) (bus.Message, error) {
	pinned, err := rest.Pinned(doc, rowIndex)
	if err != nil {
		return bus.Message{}, err
	}
	of, err := parseRow(pinned)
	if err != nil {
		return bus.Message{}, err
	}
	trace, err := rest.Trace(doc)
	if err != nil {
		return bus.Message{}, err
	}
	value, err := json.Marshal(events.BordereauDirty(of))
	return bus.Message{Key: []byte(of.PolicyNumber), Value: value, Headers: bus.TraceHeaders(trace)}, err
}

// aggregate computes again the row that a message names. It reads the row, then its receipts, and writes the row only if the
// row has not changed meanwhile. So the row ends with the sum of all its receipts, even if two aggregations run at once, a
// message comes twice or late, or the process crashes between any two steps.
//
// Only then does it have the unsent marks of those receipts removed. A receipt without a mark is therefore in its row, whatever
// became of the message about it, and a receipt that keeps its mark is found by the sweep. The row is written even if its sum
// stays the same: only a write that succeeds shows that no other aggregation, which may have read fewer receipts, writes last.
func (e *environment) aggregate(ctx context.Context, m bus.Message) error {
	var dirty events.BordereauDirty
	if err := json.Unmarshal(m.Value, &dirty); err != nil {
		return bus.Poison(fmt.Errorf("no bordereau message: %w", err))
	}
	if dirty.Period == "" || dirty.PolicyNumber == "" || dirty.TransactionType == "" {
		return bus.Poison(errors.New("the message names no bordereau row"))
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
	stored, found, err := e.rows.One(ctx, rowIndex, of.index())
	if err != nil {
		return err
	}
	if !found {
		b := premium.Bordereau{Period: &of.Period, PolicyNumber: &of.PolicyNumber, TransactionType: &of.TransactionType}
		included, err := e.fill(ctx, of, &b)
		if err == nil {
			err = e.rows.Insert(ctx, b, "aggregated")
		}
		return e.included(ctx, included, err)
	}
	var included []docstore.Ref
	err = e.rows.Alter(ctx, string(stored.Value.ID), func(r *rest.Record[premium.Bordereau]) (write bool, err error) {
		included, err = e.fill(ctx, of, &r.Value)
		return err == nil, err
	})
	return e.included(ctx, included, err)
}

// included has the unsent marks of receipts removed if err, the outcome of writing their row, is nil. It returns err.
func (e *environment) included(ctx context.Context, receipts []docstore.Ref, err error) error {
	if err == nil && e.traffic != nil {
		e.traffic.marks.Remove(ctx, receipts)
	}
	return err
}

// mostMarks bounds how many marks one computation of a row has removed, and so its memory. The others follow with the next.
const mostMarks = 10_000

// counted holds the members of a receipt that its row's sum depends on.
type counted struct {
	PaymentAmount scalar.Int `json:"paymentAmount"`
	Reverses      scalar.ID  `json:"reverses"`
}

// addTo adds a receipt to a sum. A refund is subtracted.
func (c counted) addTo(total *big.Int) {
	amount := big.NewInt(int64(c.PaymentAmount))
	if c.Reverses != "" {
		amount.Neg(amount)
	}
	total.Add(total, amount)
}

// fill sets the sum of the row's receipts, and the members that come from the policy. It returns the receipts that the sum
// includes and that have unsent marks.
func (e *environment) fill(ctx context.Context, of row, b *premium.Bordereau) (marked []docstore.Ref, err error) {
	total := new(big.Int)
	err = e.receipts.Each(ctx, rowIndex, of.index(), func(doc docstore.Document) error {
		var r counted
		if err := json.Unmarshal(doc.Body, &r); err != nil {
			return fmt.Errorf("receipt %s: %w", doc.ID, err)
		}
		r.addTo(total)
		if doc.Unsent && len(marked) < mostMarks {
			marked = append(marked, docstore.Ref{ID: doc.ID, Version: doc.Version})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	b.GrossWrittenPremium = scalar.IntegerOf(total)
	facts, found, err := e.policy(ctx, of.PolicyNumber)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, bus.Poison(fmt.Errorf("there is no policy %s", of.PolicyNumber))
	}
	policyholder := string(facts.PolicyholderID)
	b.Policyholder, b.InceptionDate, b.ExpiryDate = &policyholder, facts.InceptionDate, facts.ExpiryDate
	b.IndemnityLimitPolicy = facts.IndemnityLimitPolicy
	return marked, nil
}
