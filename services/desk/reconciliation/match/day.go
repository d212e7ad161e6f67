package match

import (
	"slices"

	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/reconciliation"
)

// byDay pairs rows without a type by policy and day, although their amounts differ: where no other row and no other
// record of the policy could be meant, one item with both amounts says more than two that lack the other side. A row
// that could not be read may be the one that is meant, and so may a record that another file has.
func (r *run) byDay() error {
	records := r.recordGroups(func(of Record) string { return of.PolicyNumber })
	unread := map[string]bool{}
	for _, e := range r.entries {
		unread[e.PolicyNumber] = unread[e.PolicyNumber] || len(e.Wrong) > 0
	}
	for policy, rows := range r.groups(func(e Entry) string {
		if e.LineID != "" || e.ClaimNumber != "" {
			return ""
		}
		return e.PolicyNumber
	}) {
		if unread[policy] || len(rows)*len(records[policy]) > mostPairs {
			continue
		}
		for _, i := range rows {
			at, alone, err := r.alone(i, rows, records[policy])
			if err == nil && alone {
				err = r.settle(i, []int{i}, at, reconciliation.ByPolicyDay)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// alone returns the record whose day is near that of a row, if it is the only one, no other row is near the record, and
// its amount may be that of the row with a difference: a payment is no refund, and none of both is a sum of others.
func (r *run) alone(i int, rows []int, records []int32) (at int32, alone bool, err error) {
	near := func(i int, at int32) bool { return apart(r.entries[i].Date, r.records[at].Date) <= r.Window }
	e, count := r.entries[i], 0
	for _, each := range records {
		if near(i, each) {
			at = each
			count++
		}
	}
	if e.Type != "" || count != 1 || slices.ContainsFunc(rows, func(other int) bool {
		return other != i && near(other, at)
	}) {
		return 0, false, nil
	}
	of := r.records[at]
	index, amount := keyOf(e)
	if _, elsewhere := r.before.Records[of.LineID]; elsewhere || r.currency(of, index) != e.Currency ||
		!sameSign(amount, of.Amounts.At(index)) {
		return 0, false, nil
	}
	several, err := r.recordsFor(e, records)
	if err != nil || len(several) > 0 {
		return 0, false, err
	}
	parts, err := r.rowsFor(of, rows)
	return at, len(parts) == 0, err
}

// sameSign reports whether two amounts are there, and both above 0 or both below it.
func sameSign(a, b string) bool {
	one, wrong := money.Parse(a)
	other, also := money.Parse(b)
	return wrong == nil && also == nil && one.Sign() == other.Sign()
}
