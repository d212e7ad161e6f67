package match

import (
	"slices"

	"insurance.example/exchange/contracts/reconciliation"
)

// quarantine makes items of the rows with cells that could not be read.
func (r *run) quarantine() error {
	for i, e := range r.entries {
		if len(e.Wrong) == 0 {
			continue
		}
		item := r.ofRow(reconciliation.Quarantined, i)
		item.Cells = e.Wrong
		if at, known := r.byID[e.LineID]; known {
			r.propose(&item, []int32{at})
		}
		r.add(item, i)
	}
	return nil
}

// standing repeats the pairs that runs before have made of rows of this file.
func (r *run) standing() error {
	for i, e := range r.entries {
		made, paired := r.before.Rows[e.Row]
		if r.done[i] || !paired {
			continue
		}
		at, here := r.byID[made.LineID]
		if !here {
			r.done[i] = true
			r.elsewhere[made.In.Run]++
			continue
		}
		item, err := r.pair(i, at, made.Key)
		if err != nil {
			return err
		}
		if made.In.Run != "" {
			item.PairedIn = &made.In
		}
		r.add(item, i)
	}
	return nil
}

// groups returns the indexes of the entries that have no item yet, by their key. It leaves out entries whose key is
// empty.
func (r *run) groups(key func(Entry) string) map[string][]int {
	by := map[string][]int{}
	for i, e := range r.entries {
		if r.done[i] {
			continue
		}
		if k := key(e); k != "" {
			by[k] = append(by[k], i)
		}
	}
	return by
}

// recordGroups returns the indexes of the records that have no item yet, by their key.
func (r *run) recordGroups(key func(Record) string) map[string][]int32 {
	by := map[string][]int32{}
	for i, of := range r.records {
		if !r.taken[i] {
			k := key(of)
			by[k] = append(by[k], int32(i)) //nolint:gosec // a file has fewer rows
		}
	}
	return by
}

// byLineID pairs rows that name a record by its id. A row that names none here is missing here, whatever else it has.
func (r *run) byLineID() error {
	for id, rows := range r.groups(func(e Entry) string { return e.LineID }) {
		at, known := r.byID[id]
		if !known {
			continue // see leftRows
		}
		first := rows[0]
		if len(rows) > 1 && !r.allSame(rows) {
			exact, err := r.exact(rows, at)
			if err != nil {
				return err
			}
			if exact < 0 {
				r.ambiguous(rows, []int32{at})
				continue
			}
			first = exact
		}
		if err := r.settle(first, rows, at, reconciliation.ByLineID); err != nil {
			return err
		}
	}
	return nil
}

// byClaim pairs rows by the number of the claim, where one record has it and one row, or the same row again.
func (r *run) byClaim() error {
	records := r.recordGroups(func(of Record) string { return of.ClaimNumber })
	for number, rows := range r.groups(func(e Entry) string {
		if e.LineID != "" {
			return ""
		}
		return e.ClaimNumber
	}) {
		switch found := records[number]; {
		case len(found) == 1 && r.allSame(rows):
			if err := r.settle(rows[0], rows, found[0], reconciliation.ByClaimNumber); err != nil {
				return err
			}
		case len(found) > 0:
			r.ambiguous(rows, found)
		}
	}
	return nil
}

// exact returns the first of some rows that has no difference from a record; -1 if each has one.
func (r *run) exact(rows []int, at int32) (int, error) {
	for _, i := range rows {
		_, outcome, err := r.compare(r.entries[i], r.records[at])
		if err != nil || outcome == reconciliation.Matched {
			return i, err
		}
	}
	return -1, nil
}

// allSame reports whether rows have the same cells.
func (r *run) allSame(rows []int) bool {
	return !slices.ContainsFunc(rows, func(i int) bool { return r.entries[i].Same != r.entries[rows[0]].Same })
}

// settle pairs the first of some rows with a record. The others are duplicates of it.
func (r *run) settle(first int, rows []int, at int32, key string) error {
	item, err := r.pair(first, at, key)
	if err != nil {
		return err
	}
	r.add(item, first)
	for _, i := range rows {
		if i != first {
			again := r.ofRow(reconciliation.Duplicate, i)
			again.Candidates = []string{r.records[at].LineID}
			r.add(again, i)
		}
	}
	return nil
}

// byType pairs rows by policy, type and period, where one record has them and one row, or the same row again.
func (r *run) byType() error {
	records := r.recordGroups(func(of Record) string { return of.PolicyNumber + "\x00" + of.Type })
	for key, rows := range r.groups(func(e Entry) string {
		if e.LineID != "" || e.Type == "" || e.PolicyNumber == "" {
			return ""
		}
		return e.PolicyNumber + "\x00" + e.Type
	}) {
		found := records[key]
		if len(found) != 1 || !r.allSame(rows) || !r.samePeriod(rows[0], found[0]) {
			continue
		}
		if err := r.settle(rows[0], rows, found[0], reconciliation.ByPolicyType); err != nil {
			return err
		}
	}
	return nil
}

// samePeriod reports whether the dates of a row and a record, if both have one, are in the same period.
func (r *run) samePeriod(i int, at int32) bool {
	theirs, ours := r.entries[i].Date, r.records[at].Date
	return theirs == "" || ours == "" || r.Period(theirs) == r.Period(ours)
}

// keyAmount returns what a policy and an amount are found by; empty if a row has none.
func keyAmount(policyNumber, currency string, index int, of Amounts) string {
	if policyNumber == "" || of.At(index) == "" {
		return ""
	}
	return policyNumber + "\x00" + currency + "\x00" + of.At(index)
}

// byAmount pairs rows by policy and amount, where the dates are near enough and nothing else could be meant.
func (r *run) byAmount() error {
	for n, index := range keyAmounts {
		records := r.recordGroups(func(of Record) string {
			return keyAmount(of.PolicyNumber, r.currency(of, index), index, of.Amounts)
		})
		for key, rows := range r.groups(func(e Entry) string {
			if e.LineID != "" || slices.ContainsFunc(keyAmounts[:n], func(before int) bool {
				return e.Amounts.At(before) != ""
			}) {
				return ""
			}
			return keyAmount(e.PolicyNumber, e.Currency, index, e.Amounts)
		}) {
			if err := r.nearest(rows, records[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// currency returns the currency of a record that an amount of a row is compared in.
func (r *run) currency(of Record, index int) string {
	if index == settled && r.Settles {
		return of.Settlement
	}
	return of.Currency
}

// nearest pairs rows with records of the same policy and amount.
func (r *run) nearest(rows []int, records []int32) error {
	if len(rows)*len(records) > mostPairs {
		r.ambiguous(rows, records)
		return nil
	}
	near := make([][]int32, len(rows)) // by row, the records with near dates
	of := map[int32][]int{}            // by record, the rows
	for n, i := range rows {
		for _, at := range records {
			if apart(r.entries[i].Date, r.records[at].Date) <= r.Window {
				near[n] = append(near[n], at)
				of[at] = append(of[at], i)
			}
		}
	}
	for n, i := range rows {
		switch {
		case r.done[i] || len(near[n]) == 0:
		case len(near[n]) == 1 && r.allSame(of[near[n][0]]):
			if err := r.settle(i, of[near[n][0]], near[n][0], reconciliation.ByPolicyAmount); err != nil {
				return err
			}
		default:
			r.ambiguous([]int{i}, near[n])
		}
	}
	return nil
}

// ambiguous makes items of rows that could belong to some records.
func (r *run) ambiguous(rows []int, records []int32) {
	for _, i := range rows {
		item := r.ofRow(reconciliation.Ambiguous, i)
		r.propose(&item, records)
		r.add(item, i)
	}
	for _, at := range records {
		r.taken[at] = true
	}
}
