package reconciliation

import (
	"context"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/services/desk/folder"
)

// The lists of heads.
const (
	statementList = "statement"
	runList       = "run"
)

// Statements returns a page of the statements, the newest first: those after the one with an id, empty for the first
// page. Errors: problem.BadParameter, those of the store.
func (r *Reconciler) Statements(ctx context.Context, after string, limit int) (reconciliation.StatementList, error) {
	page := reconciliation.StatementList{Statements: []reconciliation.Statement{}}
	next, err := folder.Newest(ctx, r.Folder, statementList, after, limit, func(s statement) (bool, error) {
		err := r.resolve(ctx, &s)
		page.Statements = append(page.Statements, s.Head)
		return true, err
	})
	page.Next = next
	return page, err
}

// Runs returns a page of the runs, the newest first, as Statements does. One that was never finished is left out.
func (r *Reconciler) Runs(ctx context.Context, after string, limit int) (reconciliation.RunList, error) {
	page := reconciliation.RunList{Runs: []reconciliation.Run{}}
	byContract := map[string]*series{}
	next, err := folder.Newest(ctx, r.Folder, runList, after, limit, func(of run) (bool, error) {
		contract := seriesOf(of.Head.Against)
		if byContract[contract] == nil {
			s, err := r.series(ctx, contract)
			if err != nil {
				return false, err
			}
			byContract[contract] = s
		}
		if !byContract[contract].has(of.Head.ID) {
			return false, nil
		}
		all, err := r.decisions(ctx, of.Head.ID)
		if err != nil {
			return false, err
		}
		page.Runs = append(page.Runs, r.shown(&of, byContract[contract], all))
		return true, nil
	})
	page.Next = next
	return page, err
}
