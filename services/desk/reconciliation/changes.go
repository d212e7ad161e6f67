package reconciliation

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// Changes returns a page of what differs between a statement and the one that it replaces. Errors: problem.NotFound,
// also for one that replaces none, those of the store.
func (r *Reconciler) Changes(
	ctx context.Context, id string, skip, limit int,
) (page reconciliation.StatementChanges, err error) {
	s, err := r.statement(ctx, id)
	if err == nil {
		err = r.resolve(ctx, s)
	}
	if err == nil && s.Head.Replaces == "" {
		err = problem.New(problem.NotFound, "The statement replaces no other one.")
	}
	if err != nil {
		return page, err
	}
	former, err := r.statement(ctx, s.Head.Replaces)
	if err != nil {
		return page, err
	}
	leave, err := r.Room(ctx, (s.Head.Rows+former.Head.Rows)*rowMemory)
	if err != nil {
		return page, err
	}
	defer leave()
	was, err := r.entries(ctx, former)
	if err != nil {
		return page, err
	}
	is, err := r.entries(ctx, s)
	if err != nil {
		return page, err
	}
	all, same := changesBetween(was, is)
	page = reconciliation.StatementChanges{Replaces: former.Head.ID, Same: same, Count: len(all)}
	page.Changes = append([]reconciliation.StatementChange{}, all[min(skip, len(all)):min(skip+limit, len(all))]...)
	if skip+limit < len(all) {
		page.Next = skip + limit
	}
	return page, nil
}

// entries returns the rows of a statement.
func (r *Reconciler) entries(ctx context.Context, s *statement) (all []match.Entry, err error) {
	err = r.eachRow(ctx, s, func(e match.Entry) error {
		all = append(all, match.Issued(e))
		return nil
	})
	return all, err
}

// keysOfRows are what a row is known by in two files, in their order; an empty one is none.
var keysOfRows = []func(match.Entry) string{
	func(e match.Entry) string { return e.LineID },
	func(e match.Entry) string { return e.ClaimNumber },
	func(e match.Entry) string {
		if e.PolicyNumber == "" || e.Date == "" {
			return ""
		}
		return e.PolicyNumber + "\x00" + e.Type + "\x00" + string(e.Date)
	},
	func(e match.Entry) string {
		if e.PolicyNumber == "" {
			return ""
		}
		return e.PolicyNumber + "\x00" + e.Type
	},
}

// changesBetween returns what differs between the rows of two files, and how many rows are the same.
func changesBetween(was, is []match.Entry) (all []reconciliation.StatementChange, same int) {
	was, is, same = withoutSame(was, is)
	for _, key := range keysOfRows {
		by := map[string][2][]int{}
		for side, rows := range [2][]match.Entry{was, is} {
			for at, row := range rows {
				if name := key(row); name != "" {
					of := by[name]
					of[side] = append(of[side], at)
					by[name] = of
				}
			}
		}
		var gone [2]map[int]bool
		gone[0], gone[1] = map[int]bool{}, map[int]bool{}
		for _, of := range by {
			if len(of[0]) != 1 || len(of[1]) != 1 {
				continue
			}
			gone[0][of[0][0]], gone[1][of[1][0]] = true, true
			before, now := was[of[0][0]], is[of[1][0]]
			change := changeOf(now, reconciliation.RowChanged)
			change.FormerRow, change.Cells = before.Row, cellsThatDiffer(before, now)
			if len(change.Cells) == 0 { // they differ in what was not read
				same++
				continue
			}
			all = append(all, change)
		}
		was, is = without(was, gone[0]), without(is, gone[1])
	}
	for _, row := range is {
		change := changeOf(row, reconciliation.RowAdded)
		change.Cells = cellsThatDiffer(match.Entry{}, row)
		all = append(all, change)
	}
	for _, row := range was {
		change := changeOf(row, reconciliation.RowRemoved)
		change.Row, change.FormerRow = 0, row.Row
		change.Cells = cellsThatDiffer(row, match.Entry{})
		all = append(all, change)
	}
	slices.SortFunc(all, func(a, b reconciliation.StatementChange) int {
		place := func(of reconciliation.StatementChange) int {
			return cmp.Or(of.Row, math.MaxInt) // a row that was removed stands behind those that are there
		}
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.FormerRow, b.FormerRow))
	})
	return all, same
}

// withoutSame returns the rows that are not the same in two files, each as often as it has no other, and how many are.
func withoutSame(was, is []match.Entry) (before, now []match.Entry, same int) {
	count := map[string]int{}
	for _, row := range was {
		count[row.Same]++
	}
	for _, row := range is {
		if count[row.Same] > 0 {
			count[row.Same]--
			same++
			continue
		}
		now = append(now, row)
	}
	for _, row := range slices.Backward(was) { // the last ones of equal rows are those that are left
		if count[row.Same] > 0 {
			count[row.Same]--
			before = append(before, row)
		}
	}
	slices.Reverse(before)
	return before, now, same
}

func without(rows []match.Entry, gone map[int]bool) (left []match.Entry) {
	for at, row := range rows {
		if !gone[at] {
			left = append(left, row)
		}
	}
	return left
}

func changeOf(row match.Entry, kind string) reconciliation.StatementChange {
	return reconciliation.StatementChange{
		Kind: kind, Row: row.Row, LineID: row.LineID, PolicyNumber: row.PolicyNumber, ClaimNumber: row.ClaimNumber,
		Type: row.Type, Date: row.Date,
	}
}

// cellsThatDiffer returns the cells that differ between two rows; where one of both is none, the amounts and the
// currency of the other. Cells that could not be read are what they are in their files.
func cellsThatDiffer(was, is match.Entry) []reconciliation.ChangedCell {
	all := []reconciliation.ChangedCell{}
	add := func(means, before, now string) {
		if before != now {
			all = append(all, reconciliation.ChangedCell{Means: means, Was: before, Is: now})
		}
	}
	if was.Row > 0 && is.Row > 0 {
		add(reconciliation.LineID, was.LineID, is.LineID)
		add(reconciliation.PolicyNumber, was.PolicyNumber, is.PolicyNumber)
		add(reconciliation.ClaimNumberColumn, was.ClaimNumber, is.ClaimNumber)
		add(reconciliation.Type, was.Type, is.Type)
		add(reconciliation.Date, string(was.Date), string(is.Date))
	}
	add(reconciliation.Currency, was.Currency, is.Currency)
	for at, means := range match.Names {
		add(means, was.Amounts.At(at), is.Amounts.At(at))
	}
	unread := func(of match.Entry) map[string]string {
		cells := map[string]string{}
		for _, cell := range of.Wrong {
			cells[cell.Means] = cell.Theirs
		}
		return cells
	}
	before, now := unread(was), unread(is)
	either := maps.Clone(before)
	maps.Copy(either, now)
	for _, means := range slices.Sorted(maps.Keys(either)) {
		add(means, before[means], now[means])
	}
	return all
}
