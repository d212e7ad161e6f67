package reconciliation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// keptItem is an item as it is stored.
type keptItem struct {
	reconciliation.RunItem `json:",inline"`
	// RowIs and RecordIs are equal for rows and records that are the same; empty where there is none, and in runs of
	// earlier releases.
	RowIs    string `json:"rowIs,omitzero"`
	RecordIs string `json:"recordIs,omitzero"`
}

// unchanged returns what items share whose outcome, row and record are the same; empty if that is not known.
func (i keptItem) unchanged() string {
	if (i.Row > 0) != (i.RowIs != "") || (i.LineID != "") != (i.RecordIs != "") {
		return ""
	}
	return strings.Join([]string{i.Outcome, i.RowIs, i.RecordIs}, "\x00")
}

// digested returns an item as it is stored. records are the indexes of the records.
func (c *comparison) digested(item reconciliation.RunItem, records map[string]int32) keptItem {
	whole := keptItem{RunItem: item}
	at, is := slices.BinarySearchFunc(c.entries, item.Row, func(e match.Entry, row int) int { return e.Row - row })
	if is {
		whole.RowIs = c.entries[at].Same
	}
	if item.LineID != "" {
		whole.RecordIs = c.records[records[item.LineID]].Same()
	}
	return whole
}

// carried is what a run keeps of those whose place it takes.
type carried struct {
	// count is how much was decided about those.
	count int
	// decisions are those about items, by what unchanged items share, in the order of the items.
	decisions map[string][]decision
	// hands are the pairs by hand.
	hands []carriedHand
	// pairings say of a row who has paired it with a record by hand.
	pairings map[int]reconciliation.RunPairing
}

// carriedHand is a pair by hand of a run before.
type carriedHand struct {
	hand
	pairing reconciliation.RunPairing
}

// stands refuses what would change a run whose place another one has taken. Errors: problem.Transition.
func stands(s *series, run string) error {
	of := s.of(run)
	if of == nil || of.ReplacedBy == "" {
		return nil
	}
	return problem.New(problem.Transition, "The run "+of.ReplacedBy+" has taken the place of this one.").
		With("replacedBy", of.ReplacedBy)
}

// replaces reports whether a comparison takes the place of a run.
func (c *comparison) replaces(run string) bool { return slices.Contains(c.prior, run) }

// takesPlace finds the runs whose place a comparison takes, and what it keeps of them: those of the same statement, or
// of one that this replaces, that were compared with the same. Errors: problem.Transition if something was decided
// about one and is not to be kept, those of the store.
func (r *Reconciler) takesPlace(ctx context.Context, c *comparison, s *series) error {
	c.prior = nil
	c.inherits = carried{decisions: map[string][]decision{}, pairings: map[int]reconciliation.RunPairing{}}
	for _, of := range s.Runs {
		if of.ReplacedBy != "" || of.Statement != c.order.Statement && !slices.Contains(c.chain, of.Statement) {
			continue
		}
		prior := new(run)
		if _, err := r.Get(ctx, of.ID, prior); err != nil {
			return err
		}
		if !sameRecords(prior.Head.Against, c.order.Against) {
			continue
		}
		count, err := r.keepsOf(ctx, c, s, prior)
		if err != nil {
			return err
		}
		if count > 0 && !c.order.Carry {
			return problem.New(problem.Transition, fmt.Sprintf("%d items of the run %s, whose place this one would "+
				"take, were accepted, disputed or paired by hand. With carry what was decided is kept where row and "+
				"record are unchanged.", count, of.ID)).With("run", of.ID)
		}
		c.prior, c.inherits.count = append(c.prior, of.ID), c.inherits.count+count
	}
	return nil
}

// keepsLate keeps what was decided about the runs before while a run took their place, as carry does: nobody could
// know.
func (r *Reconciler) keepsLate(ctx context.Context, c *comparison, s *series, run *run) error {
	late := &comparison{order: c.order, chain: c.chain}
	late.order.Carry = true
	if err := r.takesPlace(ctx, late, s); err != nil || late.inherits.count == c.inherits.count {
		return err
	}
	var decided []decision
	if err := folder.EachOf(ctx, r.Folder, run.Batch, itemBlocks, folder.BlockLength, run.Head.Items,
		func(item keptItem) error {
			late.inherits.carry(&item, &decided)
			return nil
		}); err != nil {
		return err
	}
	return r.addDecisions(ctx, run.Head.ID, decided)
}

// sameRecords reports whether two comparisons are with the same.
func sameRecords(a, b reconciliation.RunAgainst) bool {
	return a.Contract == b.Contract && a.Kind == b.Kind && a.Period == b.Period && a.Receipts == b.Receipts &&
		slices.Equal(slices.Sorted(slices.Values(a.Versions)), slices.Sorted(slices.Values(b.Versions)))
}

// keepsOf notes what a comparison keeps of a run, and returns how much was decided about that.
func (r *Reconciler) keepsOf(ctx context.Context, c *comparison, s *series, prior *run) (count int, err error) {
	hands := s.hands(prior.Head.ID)
	for _, h := range hands {
		some, err := block.Read[reconciliation.RunItem](ctx, r.ItemsOf(h.Batch, handBlocks, 1), 0)
		if err != nil {
			return 0, err
		}
		c.inherits.hands = append(c.inherits.hands, carriedHand{h, *some[0].Paired})
	}
	reader := r.reader(prior, s)
	var before []int // the pairs by hand that the run has kept itself
	apart, err := r.parted(ctx, prior.Head.ID)
	if err == nil {
		err = folder.EachOf(ctx, r.Folder, prior.Batch, pairBlocks, pairLength, prior.Pairs, func(p pair) error {
			if p.Key == reconciliation.ByHand && !apart[p.Item] {
				before = append(before, p.Item)
			}
			return nil
		})
	}
	for _, number := range before {
		item, wrong := reader.stored(ctx, number)
		if err = errors.Join(err, wrong); err == nil {
			c.inherits.hands = append(c.inherits.hands, carriedHand{hand{
				LineID: item.LineID, RowIs: item.RowIs, RecordIs: item.RecordIs,
			}, *item.Paired})
		}
	}
	if err != nil {
		return 0, err
	}
	all, err := r.decisions(ctx, prior.Head.ID)
	if err != nil {
		return 0, err
	}
	slices.SortFunc(all, func(a, b decision) int { return a.Item - b.Item })
	for _, d := range all {
		h := handOf(hands, d.Item)
		if d.Is == reconciliation.Unmatched || h == nil && d.Hand > 0 || h != nil && d.Hand != h.Version {
			continue
		}
		count++
		item, err := reader.stored(ctx, d.Item)
		if err != nil {
			return 0, err
		}
		if h != nil {
			item.RowIs, item.RecordIs = h.RowIs, h.RecordIs
		}
		if key := item.unchanged(); key != "" {
			c.inherits.decisions[key] = append(c.inherits.decisions[key], d)
		}
	}
	return count + len(hands) + len(before), nil
}

// keepHands adds the pairs by hand whose row and record are unchanged to the pairs of before.
func (c *comparison) keepHands(before match.Before) {
	if len(c.inherits.hands) == 0 {
		return
	}
	rows, records := map[string][]int{}, map[string]string{}
	for _, e := range c.entries {
		rows[e.Same] = append(rows[e.Same], e.Row)
	}
	for _, of := range c.records {
		records[of.LineID] = of.Same()
	}
	for _, h := range c.inherits.hands {
		_, elsewhere := before.Records[h.LineID]
		if same := rows[h.RowIs]; len(same) > 0 && !elsewhere && records[h.LineID] == h.RecordIs {
			rows[h.RowIs] = same[1:]
			before.Rows[same[0]] = match.Made{LineID: h.LineID, Key: reconciliation.ByHand}
			before.Records[h.LineID] = reconciliation.RunPlace{}
			h.pairing.With = 0
			c.inherits.pairings[same[0]] = h.pairing
		}
	}
}

// carry adds what was decided about an item that is unchanged to the decisions of a run, and says who has paired it.
func (k *carried) carry(item *keptItem, decided *[]decision) {
	if item.PairedIn != nil {
		return
	}
	if by, is := k.pairings[item.Row]; is && item.Key == reconciliation.ByHand {
		item.Paired = &by
	}
	key := item.unchanged()
	if all := k.decisions[key]; len(all) > 0 {
		k.decisions[key] = all[1:]
		d := all[0]
		d.Item, d.Month, d.Open, d.Hand, d.Before = item.Number, month(item.RunItem), match.Open(item.Outcome), 0, nil
		*decided = append(*decided, d)
	}
}

// addDecisions writes the decisions that a run keeps, unless they are there.
func (r *Reconciler) addDecisions(ctx context.Context, run string, decided []decision) error {
	for _, d := range decided {
		at := address{RunPlace: reconciliation.RunPlace{Run: run, Item: d.Item}}
		if _, err := r.Write(ctx, nil, at.key(), decisionsOf(run), d); err != nil && !docstore.Overtaken(err) {
			return err
		}
	}
	return nil
}

// partedBefore adds the pairs that somebody has parted of statements that this one replaces, where the row is
// unchanged.
func (r *Reconciler) partedBefore(
	ctx context.Context, c *comparison, former map[string][]pair, before match.Before,
) error {
	rows := map[string][]int{}
	for id, pairs := range former {
		of, err := r.statement(ctx, id)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			for _, e := range c.entries {
				rows[e.Same] = append(rows[e.Same], e.Row)
			}
		}
		lines := map[int][]string{}
		for _, p := range pairs {
			lines[p.Row] = append(lines[p.Row], p.LineID)
		}
		if err := r.eachRow(ctx, of, func(e match.Entry) error {
			for _, line := range lines[e.Row] {
				for _, row := range rows[e.Same] {
					before.Unmatched[match.Pair{Row: row, LineID: line}] = true
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
