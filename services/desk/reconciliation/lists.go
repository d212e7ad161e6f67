package reconciliation

import (
	"context"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
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
	next, err := newest(ctx, r, statementList, after, limit, func(s statement) (bool, error) {
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
	next, err := newest(ctx, r, runList, after, limit, func(of run) (bool, error) {
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
		var all []decision
		if err := each(ctx, r, decisionsOf(of.Head.ID), func(_ head, d decision) { all = append(all, d) }); err != nil {
			return false, err
		}
		page.Runs = append(page.Runs, r.shown(&of, byContract[contract], all))
		return true, nil
	})
	page.Next = next
	return page, err
}

// newest calls a function with the heads of a list, the newest first, until it has taken as many as a page has. It
// returns the id after which the next page begins; empty if there is none. Errors: problem.BadParameter, those of the
// function and of the store.
func newest[T any](
	ctx context.Context, r *Reconciler, of, after string, limit int, take func(T) (bool, error),
) (next string, err error) {
	q := docstore.Query{Equal: docstore.Keys{ofIndex: of}, Descending: true, Limit: limit + 1, Bytes: pageBytes}
	if after != "" {
		var is bool
		if q.After, is = scalar.ParseID(after); !is {
			return "", problem.New(problem.BadParameter, "").InParameter("cursor", "is no cursor of this list")
		}
	}
	for taken := 0; ; {
		docs, err := r.heads.Find(ctx, request.OrganisationFrom(ctx), q)
		if err != nil {
			return "", err
		}
		whole := docstore.WithBodies(docs)
		for _, doc := range whole {
			if taken == limit {
				return q.After.String(), nil
			}
			var value T
			took := false
			_, err := decode(doc, &value)
			if err == nil {
				took, err = take(value)
			}
			if err != nil && !r.leavesOut(ctx, err) {
				return "", err
			}
			if took {
				taken++
			}
			q.After = doc.ID
		}
		if len(docs) < q.Limit && len(whole) == len(docs) {
			return "", nil
		}
	}
}
