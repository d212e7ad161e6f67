package desk_test

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// pay records a receipt for a claim, now, and returns it. A claim without a number is not named.
func (w *world) pay(policy, claim string, amount int64) *receipt {
	r := w.record(policy, "claim payment", amount, "")
	r.Claim = claim
	return r
}

// typeOf returns the type by which a receipt counts: that of its original where it is a refund.
func (w *world) typeOf(r *receipt) string {
	if r.Reverses == "" {
		return r.ReceiptType
	}
	for _, original := range w.receipts {
		if original.ID == r.Reverses {
			return original.ReceiptType
		}
	}
	return r.ReceiptType
}

// compared returns what premium has beside receipts: the rows of some receipts that state a netPremium, what was
// received for policies, or what was paid for claims.
func (w *world) compared(operation string, names []string, query url.Values) any {
	at, err := time.Parse(time.RFC3339Nano, query.Get("at"))
	if err != nil && operation != "stated-premium" {
		w.t.Error(err)
	}
	sums, key := map[string]int64{}, func(r *receipt) string { return "" }
	switch operation {
	case "stated-premium":
		key = func(r *receipt) string { return r.Period + "|" + r.Policy + "|" + w.typeOf(r) }
	case "premium-to-date":
		key = func(r *receipt) string { return r.Policy + "|" + w.typeOf(r) }
	case "claim-payments":
		key = func(r *receipt) string { return r.Claim }
	}
	var keys []string
	for _, r := range w.receipts {
		recorded, err := time.Parse(time.RFC3339, r.RecordedAt)
		if err != nil {
			w.t.Error(err)
		}
		late := operation != "stated-premium" && recorded.After(at)
		apart := operation == "premium-to-date" && w.apart[r.Policy]
		unpaid := operation == "claim-payments" && w.typeOf(r) != "claim payment"
		if late || apart || unpaid {
			continue
		}
		amount := r.Amount
		if r.Reverses != "" {
			amount = -amount
		}
		sums[key(r)] += amount
		named := map[string]string{
			"stated-premium": r.ID, "premium-to-date": r.Policy, "claim-payments": r.Claim,
		}[operation]
		if slices.Contains(names, named) && !slices.Contains(keys, key(r)) {
			keys = append(keys, key(r))
		}
	}
	found := []map[string]any{}
	for _, key := range keys {
		of := strings.Split(key, "|")
		switch operation {
		case "stated-premium":
			if stated, is := w.stated[key]; is {
				found = append(found, map[string]any{"period": of[0], "policyNumber": of[1], "transactionType": of[2],
					"grossWrittenPremium": sums[key], "netPremium": stated})
			}
		case "premium-to-date":
			found = append(found, map[string]any{"policyNumber": of[0], "transactionType": of[1], "gross": sums[key]})
		case "claim-payments":
			found = append(found, map[string]any{"claimNumber": key, "paid": sums[key]})
		}
	}
	return map[string]any{map[string]string{"stated-premium": "rows", "premium-to-date": "sums",
		"claim-payments": "claims"}[operation]: found}
}
