package match

import (
	"slices"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
)

// ofRow returns the item of a row alone. One that somebody may pair says what the row has.
func (r *run) ofRow(outcome string, i int) reconciliation.RunItem {
	e := r.entries[i]
	item := reconciliation.RunItem{
		Outcome: outcome, Row: e.Row, PolicyNumber: e.PolicyNumber, Since: r.since(e.Date, ""),
	}
	if outcome == reconciliation.MissingHere || outcome == reconciliation.Ambiguous {
		item.Cells = r.rowAlone(e)
	}
	return item
}

// since returns the day from which an item ages.
func (t Terms) since(theirs, ours scalar.Date) scalar.Date {
	switch {
	case ours != "":
		return ours
	case theirs != "":
		return theirs
	}
	return t.Came
}

// add adds the item of a row.
func (r *run) add(item reconciliation.RunItem, i int) {
	r.done[i] = true
	r.items = append(r.items, item)
}

// propose names records that an item could be. They are not missing there.
func (r *run) propose(item *reconciliation.RunItem, records []int32) {
	for _, at := range records {
		r.taken[at] = true
		if len(item.Candidates) < mostCandidates {
			item.Candidates = append(item.Candidates, r.records[at].LineID)
		}
	}
}

// pair returns the item of a row and a record that a key has brought together. If another file has the record already,
// the row is a duplicate; if somebody has parted the two, it stays open.
func (r *run) pair(i int, at int32, key string) (reconciliation.RunItem, error) {
	e, of := r.entries[i], r.records[at]
	own, stands := r.before.Rows[e.Row]
	stands = stands && own.LineID == of.LineID
	if r.before.Unmatched[Pair{e.Row, of.LineID}] && !stands {
		item := r.ofRow(reconciliation.Ambiguous, i)
		r.propose(&item, []int32{at})
		return item, nil
	}
	r.taken[at] = true
	if in, paired := r.before.Records[of.LineID]; paired && !stands {
		item := r.ofRow(reconciliation.Duplicate, i)
		if item.Candidates = []string{of.LineID}; in.Run != "" {
			item.PairedIn = &in
		}
		return item, nil
	}
	cells, outcome, err := r.compare(e, of)
	return pairOf(r.Terms, e, of, key, outcome, cells), err
}

// ByHand returns the item of a row and a record that somebody has paired.
func ByHand(terms Terms, e Entry, of Record) (reconciliation.RunItem, error) {
	cells, outcome, err := (&run{Terms: terms}).compare(e, of)
	return pairOf(terms, e, of, reconciliation.ByHand, outcome, cells), err
}

// pairOf returns the item of a row and a record that belong together.
func pairOf(
	terms Terms, e Entry, of Record, key, outcome string, cells []reconciliation.RunCell,
) reconciliation.RunItem {
	return reconciliation.RunItem{
		Outcome: outcome, Row: e.Row, LineID: of.LineID, Key: key, PolicyNumber: of.PolicyNumber,
		Since: terms.since(e.Date, of.Since), Cells: cells,
	}
}

// leftRows makes items of the rows that no key has found a record for. The records of the same policy that are left are
// proposals: those that together come to the amount of the row or, where none do, all.
func (r *run) leftRows() error {
	left := r.recordGroups(func(of Record) string { return of.PolicyNumber })
	r.left = map[string][]int{}
	for i, e := range r.entries {
		if r.done[i] {
			continue
		}
		item := r.ofRow(reconciliation.MissingHere, i)
		if e.LineID == "" && e.PolicyNumber != "" {
			r.left[e.PolicyNumber] = append(r.left[e.PolicyNumber], i)
			of := left[e.PolicyNumber]
			var err error
			if item.Candidates, err = r.recordsFor(e, of); err != nil {
				return err
			}
			if item.Together = len(item.Candidates) > 0; !item.Together {
				for _, at := range of[:min(len(of), mostCandidates)] {
					item.Candidates = append(item.Candidates, r.records[at].LineID)
				}
			}
		}
		r.add(item, i)
	}
	return nil
}

// leftRecords makes items of the records that no row has.
func (r *run) leftRecords() error {
	for i, of := range r.records {
		if r.taken[i] {
			continue
		}
		if in, paired := r.before.Records[of.LineID]; paired {
			r.elsewhere[in.Run]++
			continue
		}
		rows, err := r.rowsFor(of, r.left[of.PolicyNumber])
		if err != nil {
			return err
		}
		r.items = append(r.items, reconciliation.RunItem{
			Outcome: reconciliation.MissingThere, LineID: of.LineID, PolicyNumber: of.PolicyNumber,
			Since: r.since("", of.Since), Rows: rows, Cells: r.recordAlone(of),
		})
	}
	return nil
}

// Open reports whether an item of an outcome asks for somebody's decision.
func Open(outcome string) bool {
	return !slices.Contains([]string{reconciliation.Matched, reconciliation.Within}, outcome)
}
