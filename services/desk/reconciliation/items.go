package reconciliation

import (
	"context"
	"slices"
	"strconv"
	"time"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/block"
)

// run returns a run. Errors: problem.NotFound, those of the store.
func (r *Reconciler) run(ctx context.Context, id string) (*run, error) {
	of := new(run)
	h, err := r.get(ctx, id, of)
	if err != nil {
		return nil, err
	}
	unknown := problem.New(problem.NotFound, "There is no run "+problem.Short(id)+".")
	if h == nil || of.Head.ID != id {
		return nil, unknown
	}
	s, err := r.series(ctx, seriesOf(of.Head.Against))
	if err == nil && !s.has(id) {
		err = unknown // it was never finished
	}
	return of, err
}

// Read returns a run with what was decided about its items. Errors: problem.NotFound, those of the store.
func (r *Reconciler) Read(ctx context.Context, id string) (reconciliation.Run, error) {
	of, err := r.run(ctx, id)
	if err != nil {
		return reconciliation.Run{}, err
	}
	var all []decision
	if err := each(ctx, r, decisionsOf(id), func(_ head, d decision) { all = append(all, d) }); err != nil {
		return reconciliation.Run{}, err
	}
	return r.shown(of, all), nil
}

// shown returns a run as its readers see it.
func (r *Reconciler) shown(of *run, all []decision) reconciliation.Run {
	head, open := of.Head, map[string]int{}
	for month, count := range of.Open {
		open[month] = count
	}
	head.Decisions, head.Ageing = map[string]int{}, []reconciliation.RunAge{}
	for _, d := range all {
		head.Decisions[d.Is]++
		switch {
		case d.Is == reconciliation.Accepted && d.Open:
			open[d.Month]--
		case d.Is == reconciliation.Unmatched && !d.Open:
			open[d.Month]++
		}
	}
	now := r.now().In(r.zone)
	for month, count := range open {
		at, err := time.Parse("2006-01", month)
		if err != nil || count <= 0 {
			continue
		}
		head.Ageing = append(head.Ageing, reconciliation.RunAge{
			Month: month, Items: count, Months: max(0, 12*(now.Year()-at.Year())+int(now.Month())-int(at.Month())),
		})
	}
	slices.SortFunc(head.Ageing, func(a, b reconciliation.RunAge) int {
		if a.Month < b.Month {
			return -1
		}
		return 1
	})
	if head.State = reconciliation.RunSettled; len(head.Ageing) > 0 {
		head.State = reconciliation.RunOpen
	}
	return head
}

// Items returns a page of the items of a run; of one outcome, unless it is empty. Errors: problem.NotFound, those of
// the store.
func (r *Reconciler) Items(
	ctx context.Context, id, outcome string, skip, limit int,
) (page reconciliation.RunItems, err error) {
	page.Items = []reconciliation.RunItem{}
	of, err := r.run(ctx, id)
	if err != nil {
		return page, err
	}
	from, end := 0, of.Head.Items
	if outcome != "" {
		for _, before := range reconciliation.Outcomes[:slices.Index(reconciliation.Outcomes, outcome)] {
			from += of.Head.Outcomes[before]
		}
		end = from + of.Head.Outcomes[outcome]
	}
	for at := from + skip; at < end; {
		if len(page.Items) == limit {
			page.Next = skip + limit
			break
		}
		items, err := block.Read[reconciliation.RunItem](ctx, r.itemsOf(of.Batch, itemBlocks, blockLength),
			at/blockLength)
		if err != nil {
			return page, err
		}
		first := at % blockLength
		some := items[first:min(len(items), first+limit-len(page.Items), first+end-at)]
		page.Items, at = append(page.Items, some...), at+len(some)
	}
	for i := range page.Items {
		if err := r.complete(ctx, id, &page.Items[i]); err != nil {
			return page, err
		}
	}
	return page, nil
}

// Item returns an item of a run. Errors: problem.NotFound, those of the store.
func (r *Reconciler) Item(ctx context.Context, id, number string) (reconciliation.RunItem, error) {
	of, err := r.run(ctx, id)
	if err != nil {
		return reconciliation.RunItem{}, err
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > of.Head.Items || strconv.Itoa(n) != number {
		return reconciliation.RunItem{}, problem.New(problem.NotFound, "The run has no item "+problem.Short(number)+".")
	}
	items, err := block.Read[reconciliation.RunItem](ctx, r.itemsOf(of.Batch, itemBlocks, blockLength),
		(n-1)/blockLength)
	if err != nil {
		return reconciliation.RunItem{}, err
	}
	item := items[(n-1)%blockLength]
	err = r.complete(ctx, id, &item)
	return item, err
}

// complete adds what changes about an item: its age, and what was decided.
func (r *Reconciler) complete(ctx context.Context, run string, item *reconciliation.RunItem) error {
	if since, err := time.Parse(time.DateOnly, string(item.Since)); err == nil {
		today, _ := calendar.Of(r.zone, r.now())
		from, _ := calendar.Of(time.UTC, since)
		item.Days = max(0, today.Since(from))
	}
	var d decision
	h, err := r.find(ctx, decisionKey(decidedAt(run, *item)), &d)
	if h != nil {
		d.show(item)
	}
	return err
}
