package book

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// premium is a row of the premium bordereau, in all its periods together.
type premium struct{ policyNumber, transactionType string }

// aggregating is how long Fill waits for the exchange to aggregate the last receipts. It does so within seconds.
const aggregating = 2 * time.Minute

var errNotAggregated = errors.New("the rows of the premium bordereau are not the sums of their receipts yet")

// received adds an amount to the sum of a row.
func (b *Book) received(policy Record, transactionType string, amount int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.premiums[premium{policy.Text("policyNumber"), transactionType}] += amount
}

// Differences returns what disagrees in the book on purpose, a sentence each. Everything else agrees: a row of the
// premium bordereau is the sum of its receipts, a policy's premium is what its rows have together, and a row of the
// claims bordereau says what its claim says.
func (b *Book) Differences() []string { return slices.Sorted(slices.Values(b.differences)) }

// Ceded returns the treaty to which the premium of the book is ceded, and how much that is.
func (b *Book) Ceded() (treaty string, sum int) {
	for _, amount := range b.premiums {
		sum += amount
	}
	return b.treaty(), sum
}

// cede waits until the exchange has aggregated the receipts, and puts the rows of premium under the treaty. No row is
// created, because receipts make the rows.
func (b *Book) cede(ctx context.Context) error {
	ctx, stop := context.WithTimeoutCause(ctx, aggregating, errNotAggregated)
	defer stop()
	for {
		rows, err := b.exchange.Rows(ctx)
		if err == nil && b.aggregated(rows) {
			return b.under(ctx, rows)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// aggregated reports whether each row is the sum of its receipts, or was put under the treaty by an earlier run.
func (b *Book) aggregated(rows []Record) bool {
	sums := map[premium]int{}
	settled := map[premium]bool{}
	for _, r := range rows {
		key := premium{r.Text("policyNumber"), r.Text("transactionType")}
		sums[key] += written(r)
		settled[key] = settled[key] || r.Text("treatyReference") != ""
	}
	for key, sum := range b.premiums {
		if !settled[key] && sums[key] != sum {
			return false
		}
	}
	return true
}

func written(row Record) int {
	amount, _ := row["grossWrittenPremium"].(float64)
	return int(amount)
}

// under puts the rows of premium under the treaty. The cedent keeps 15 percent for its costs. The row of the example
// keeps the net premium that the example states.
func (b *Book) under(ctx context.Context, rows []Record) error {
	c := b.chain(ctx, "treaty", 0)
	example := premium{
		b.shared["premiumBordereau"].Text("policyNumber"), b.shared["premiumBordereau"].Text("transactionType"),
	}
	for _, r := range rows {
		key := premium{r.Text("policyNumber"), r.Text("transactionType")}
		if _, ours := b.premiums[key]; !ours || r.Text("treatyReference") != "" {
			continue
		}
		var net any = written(r) * 85 / 100
		if key == example {
			net = b.shared["premiumBordereau"]["netPremium"]
		}
		c.replace("/premiumBordereau/"+r.Text("id"), r, Record{"treatyReference": b.treaty(), "netPremium": net})
		c.step(Step{Resource: "premiumBordereau", Done: true, Record: r})
	}
	return c.err
}

// treaty returns the treaty of the examples.
func (b *Book) treaty() string { return b.shared["premiumBordereau"].Text("treatyReference") }

// sameValue reports whether two values are the same JSON.
func sameValue(a, b any) bool {
	one, err := json.Marshal(a, json.Deterministic(true))
	other, errOther := json.Marshal(b, json.Deterministic(true))
	return err == nil && errOther == nil && string(one) == string(other)
}
