package reconciliation

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// run returns a run with the series that lists it. Errors: problem.NotFound, those of the store.
func (r *Reconciler) run(ctx context.Context, id string) (*run, *series, error) {
	of := new(run)
	h, err := r.Get(ctx, id, of)
	if err != nil {
		return nil, nil, err
	}
	unknown := problem.New(problem.NotFound, "There is no run "+problem.Short(id)+".")
	if h == nil || of.Head.ID != id {
		return nil, nil, unknown
	}
	s, err := r.series(ctx, seriesOf(of.Head.Against))
	if err == nil && !s.has(id) {
		err = unknown // it was never finished
	}
	return of, s, err
}

// Read returns a run with what was decided about its items. Errors: problem.NotFound, those of the store.
func (r *Reconciler) Read(ctx context.Context, id string) (reconciliation.Run, error) {
	of, s, err := r.run(ctx, id)
	if err != nil {
		return reconciliation.Run{}, err
	}
	all, err := r.decisions(ctx, id)
	if err != nil {
		return reconciliation.Run{}, err
	}
	return r.shown(of, s, all), nil
}

// shown returns a run as its readers see it.
func (r *Reconciler) shown(of *run, s *series, all []decision) reconciliation.Run {
	head, open := of.Head, maps.Clone(of.Open)
	hands := s.hands(of.Head.ID)
	head.Outcomes = maps.Clone(of.Head.Outcomes)
	for _, h := range hands {
		head.Items--
		head.Outcomes[h.Was]--
		head.Outcomes[reconciliation.MissingThere]--
		head.Outcomes[h.Is]++
		open[h.Months[rowItem]]--
		open[h.Months[recordItem]]--
		if match.Open(h.Is) {
			open[h.Months[2]]++
		}
	}
	maps.DeleteFunc(head.Outcomes, func(_ string, count int) bool { return count == 0 })
	head.Decisions, head.Ageing = map[string]int{}, []reconciliation.RunAge{}
	for _, d := range all {
		if h := handOf(hands, d.Item); h == nil && d.Hand > 0 || h != nil && d.Hand != h.Version {
			continue // it is about what the item was before
		}
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
	if head.ReplacedBy = s.of(head.ID).ReplacedBy; head.ReplacedBy != "" {
		head.State, head.Ageing = reconciliation.RunReplaced, []reconciliation.RunAge{}
	}
	return head
}

// mostLookedAt is how many items a page of those with a decision looks at.
const mostLookedAt = 10_000

// Items returns a page of the items of a run; of one outcome and with one decision, unless these are empty. from counts
// the items before the decision is looked at. Errors: problem.NotFound, those of the store.
func (r *Reconciler) Items(
	ctx context.Context, id, outcome, decision string, from, limit int,
) (page reconciliation.RunItems, err error) {
	page.Items = []reconciliation.RunItem{}
	skip, count := from, 0
	of, s, err := r.run(ctx, id)
	if err != nil {
		return page, err
	}
	reader := r.reader(of, s)
	for number := range of.numbers(outcome, s.hands(id)) {
		if skip > 0 {
			skip--
			continue
		}
		if len(page.Items) == limit || count == mostLookedAt {
			page.Next = from + count
			break
		}
		count++
		item, err := reader.item(ctx, number)
		if err != nil {
			return page, err
		}
		if decision == "" || item.Decision == decision {
			page.Items = append(page.Items, item)
		}
	}
	return page, nil
}

// numbers returns the numbers of the items of a run; of one outcome, unless it is empty. Pairs by hand come after the
// others of their outcome.
func (of *run) numbers(outcome string, hands []hand) iter.Seq[int] {
	hidden := map[int]bool{}
	for _, h := range hands {
		hidden[h.Items[rowItem]], hidden[h.Items[recordItem]] = true, true
	}
	return func(yield func(int) bool) {
		next := 1
		for _, each := range reconciliation.Outcomes {
			first := next
			next += of.Head.Outcomes[each]
			if outcome != "" && outcome != each {
				continue
			}
			for number := first; number < next; number++ {
				if !hidden[number] && !yield(number) {
					return
				}
			}
			for _, h := range hands {
				if h.Is == each && !yield(h.Items[rowItem]) {
					return
				}
			}
		}
	}
}

// Item returns an item of a run. Errors: problem.NotFound, those of the store.
func (r *Reconciler) Item(ctx context.Context, id, number string) (reconciliation.RunItem, error) {
	of, s, err := r.run(ctx, id)
	if err != nil {
		return reconciliation.RunItem{}, err
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > of.Head.Items || strconv.Itoa(n) != number {
		return reconciliation.RunItem{}, problem.New(problem.NotFound, "The run has no item "+problem.Short(number)+".")
	}
	return r.itemAt(ctx, of, s, n)
}

func (r *Reconciler) itemAt(ctx context.Context, of *run, s *series, number int) (reconciliation.RunItem, error) {
	return r.reader(of, s).item(ctx, number)
}

// itemReader reads the items of a run, one after the other. It keeps the block that it has read last.
type itemReader struct {
	r     *Reconciler
	of    *run
	in    *series
	hands []hand
	items []keptItem
	block int
}

func (r *Reconciler) reader(of *run, s *series) *itemReader {
	return &itemReader{r: r, of: of, in: s, hands: s.hands(of.Head.ID), block: -1}
}

// item returns an item as its readers see it.
func (f *itemReader) item(ctx context.Context, number int) (reconciliation.RunItem, error) {
	item, err := f.stored(ctx, number)
	if err == nil {
		err = f.r.complete(ctx, f.in, f.of.Head.ID, &item.RunItem)
	}
	return item.RunItem, err
}

// stored returns an item without what changes about it.
func (f *itemReader) stored(ctx context.Context, number int) (item keptItem, err error) {
	if h := handOf(f.hands, number); h != nil && h.Items[rowItem] == number {
		some, err := block.Read[keptItem](ctx, f.r.ItemsOf(h.Batch, handBlocks, 1), 0)
		if err != nil {
			return item, err
		}
		return some[0], nil
	}
	if at := (number - 1) / folder.BlockLength; at != f.block {
		f.items, err = block.Read[keptItem](ctx, f.r.ItemsOf(f.of.Batch, itemBlocks, folder.BlockLength), at)
		if f.block = at; err != nil {
			return item, err
		}
	}
	return f.items[(number-1)%folder.BlockLength], nil
}

// complete adds what changes about an item: its age, and what was decided.
func (r *Reconciler) complete(ctx context.Context, s *series, run string, item *reconciliation.RunItem) error {
	if since, err := time.Parse(time.DateOnly, string(item.Since)); err == nil {
		today, _ := calendar.Of(r.zone, r.now())
		from, _ := calendar.Of(time.UTC, since)
		item.Days = max(0, today.Since(from))
	}
	at := decidedAt(s, run, *item)
	if of := s.partedAt(at.RunPlace); of != nil && at.Run != run {
		item.Decision, item.DecidedBy, item.Reason = reconciliation.Unmatched, of.Parted.By, of.Parted.Reason
		item.DecidedAt = scalar.Instant(of.Parted.At)
		return nil
	}
	var d decision
	h, err := r.Find(ctx, at.key(), &d)
	if h != nil {
		d.show(item)
	}
	return err
}
