package reconciliation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// mostHands is how many pairs by hand a series may have, also those that were parted again.
const mostHands = 2000

// handBlocks are the blocks of an item that somebody has made by hand.
const handBlocks = "hand"

// The items of a pair by hand: that of the row, which becomes the pair, and that of the record, which is hidden.
const (
	rowItem = iota
	recordItem
)

// hand is a pair that somebody has made by hand of two items of a run.
type hand struct {
	Run   string `json:"run"`
	Items [2]int `json:"items"`
	// Batch has the item of the pair.
	Batch  uuid.UUID `json:"batch"`
	Row    int       `json:"row"`
	LineID string    `json:"lineId"`
	// Was is the outcome of the item of the row, and Is that of the pair.
	Was string `json:"was"`
	Is  string `json:"is"`
	// Months are those from which the items, and then the pair, age.
	Months [3]string `json:"months"`
	// RowIs and RecordIs are equal for rows and records that are the same.
	RowIs    string `json:"rowIs"`
	RecordIs string `json:"recordIs"`
	// Version is that of the series which was the first to have the pair.
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	Parted  parted    `json:"parted,omitzero"`
}

// parted says who has parted a pair that was made by hand, and in which version of the series.
type parted struct {
	Version int64     `json:"version,omitzero"`
	By      string    `json:"by,omitzero"`
	At      time.Time `json:"at,omitzero"`
	Reason  string    `json:"reason,omitzero"`
}

// hands returns the pairs by hand of a run that stand.
func (s *series) hands(run string) (all []hand) {
	for _, of := range s.Hands {
		if of.Run == run && of.Parted.Version == 0 {
			all = append(all, of)
		}
	}
	return all
}

// handOf returns the pair by hand that an item belongs to; nil if there is none.
func handOf(hands []hand, item int) *hand {
	for i := range hands {
		if slices.Contains(hands[i].Items[:], item) {
			return &hands[i]
		}
	}
	return nil
}

// partedAt returns the pair by hand that an item was, if it was parted and never made again.
func (s *series) partedAt(at reconciliation.RunPlace) *hand {
	if handOf(s.hands(at.Run), at.Item) != nil {
		return nil
	}
	for i := range s.Hands {
		if of := &s.Hands[len(s.Hands)-1-i]; of.Run == at.Run && of.Items[rowItem] == at.Item {
			return of
		}
	}
	return nil
}

// Pair makes one item of a row and a record that no key has brought together. Errors: problem.NotFound,
// problem.Invalid, problem.Transition, problem.RecordTooLarge, those of the store.
func (r *Reconciler) Pair(
	ctx context.Context, id string, order reconciliation.PairRequest,
) (item reconciliation.RunItem, err error) {
	err = docstore.Again(func() error {
		of, s, err := r.run(ctx, id)
		if err == nil {
			err = pairWrong(order, of)
		}
		if err == nil {
			item, err = r.paired(ctx, of, s, order)
		}
		if err != nil || item.Number > 0 {
			return err
		}
		two, err := r.two(ctx, of, s, order.Items)
		if err == nil && len(s.Hands) >= mostHands {
			err = problem.New(problem.RecordTooLarge, fmt.Sprintf(
				"The contract has %d pairs that were made by hand, as many as it may have.", mostHands))
		}
		if err == nil {
			err = r.free(ctx, s, of, two)
		}
		if err != nil {
			return err
		}
		compared, err := r.pairOf(ctx, of, two)
		if err != nil {
			return err
		}
		item = compared.RunItem
		item.Number, item.Paired = two[rowItem].Number, &reconciliation.RunPairing{
			With: two[recordItem].Number, By: request.CallerFrom(ctx).Key(), At: scalar.Instant(r.now()),
			Reason: order.Reason,
		}
		own := hand{
			Run: id, Items: [2]int{two[rowItem].Number, two[recordItem].Number}, Batch: uuid.New(), Row: item.Row,
			LineID: item.LineID, Was: two[rowItem].Outcome, Is: item.Outcome,
			Months: [3]string{month(two[rowItem]), month(two[recordItem]), month(item)}, Version: s.next(),
			At: item.Paired.At.Time(), RowIs: compared.RowIs, RecordIs: compared.RecordIs,
		}
		items := &block.Writer[reconciliation.RunItem]{List: r.ItemsOf(own.Batch, handBlocks, 1)}
		if err := items.Add(ctx, item); err != nil {
			return err
		}
		if err := r.replace(ctx, s, append(slices.Clone(s.Hands), own)); err != nil {
			return err
		}
		return r.stillOpen(ctx, of, own)
	})
	if err != nil {
		return reconciliation.RunItem{}, err
	}
	return r.Item(ctx, id, fmt.Sprint(item.Number))
}

// paired returns the pair that an earlier request with the same words has made; none if there is none.
func (r *Reconciler) paired(
	ctx context.Context, of *run, s *series, order reconciliation.PairRequest,
) (item reconciliation.RunItem, err error) {
	h := handOf(s.hands(of.Head.ID), order.Items[0])
	if h == nil || !slices.Contains(h.Items[:], order.Items[1]) {
		return item, nil
	}
	item, err = r.itemAt(ctx, of, s, h.Items[rowItem])
	if err == nil && (item.Paired.By != request.CallerFrom(ctx).Key() || item.Paired.Reason != order.Reason) {
		err = problem.New(problem.Transition, "The items are a pair already.").With("item", item.Number)
	}
	return item, err
}

// pairWrong returns what is wrong with a request to pair items or to part them.
func pairWrong(order reconciliation.PairRequest, of *run) error {
	wrong := problem.New(problem.Invalid, "The items cannot be paired or parted as it is asked for.")
	reasoned(wrong, order.Reason)
	if len(order.Items) != 2 {
		return wrong.At("/items", "must be the numbers of two items")
	}
	for i, number := range order.Items {
		if number < 1 || number > of.Head.Items {
			wrong.At(fmt.Sprintf("/items/%d", i), "is the number of no item of the run")
		}
	}
	if order.Items[0] == order.Items[1] {
		wrong.At("/items/1", "is the same item")
	}
	if len(wrong.Violations) > 0 {
		return wrong
	}
	return nil
}

// two returns the items of a row and of a record that nobody has decided on. Errors: problem.Transition.
func (r *Reconciler) two(
	ctx context.Context, of *run, s *series, numbers []int,
) (two [2]reconciliation.RunItem, err error) {
	if err := stands(s, of.Head.ID); err != nil {
		return two, err
	}
	refuse := func(item reconciliation.RunItem, words string) error {
		return problem.New(problem.Transition, fmt.Sprintf("Item %d %s", item.Number, words)).With("item", item.Number)
	}
	for _, number := range numbers {
		item, err := r.itemAt(ctx, of, s, number)
		at := recordItem
		switch {
		case err != nil:
			return two, err
		case item.Decision != "":
			return two, refuse(item, "is "+item.Decision+", and what was decided on is not paired.")
		case item.Outcome == reconciliation.MissingHere || item.Outcome == reconciliation.Ambiguous:
			at = rowItem
		case item.Outcome != reconciliation.MissingThere:
			return two, refuse(item, "is "+item.Outcome+". A row that is missingHere or ambiguous is paired with a "+
				"record that is missingThere.")
		}
		if two[at].Number > 0 {
			return two, refuse(item, fmt.Sprintf("is %s as item %d is, and a row is paired with a record.",
				item.Outcome, two[at].Number))
		}
		two[at] = item
	}
	return two, nil
}

// free refuses a row or a record that another run has paired since. Errors: problem.Transition, those of the store.
func (r *Reconciler) free(ctx context.Context, s *series, of *run, two [2]reconciliation.RunItem) error {
	row, record := two[rowItem].Row, two[recordItem].LineID
	refuse := func(in listed, item int) error {
		return problem.New(problem.Transition, fmt.Sprintf("The row or the record is in a pair already: item %d of "+
			"the run %s, of the statement %s.", item, in.ID, in.Statement)).With("run", in.ID).With("item", item)
	}
	for _, h := range s.Hands {
		in := *s.of(h.Run)
		if h.Parted.Version == 0 && in.ReplacedBy == "" &&
			(h.LineID == record || h.Row == row && in.Statement == of.Head.Statement) {
			return refuse(in, h.Items[rowItem])
		}
	}
	for _, in := range s.Runs {
		if in.Pairs == 0 || in.ReplacedBy != "" {
			continue
		}
		apart, err := r.parted(ctx, in.ID)
		if err != nil {
			return err
		}
		if err := folder.EachOf(ctx, r.Folder, in.Batch, pairBlocks, pairLength, in.Pairs, func(p pair) error {
			if !apart[p.Item] && (p.LineID == record || p.Row == row && in.Statement == of.Head.Statement) {
				return refuse(in, p.Item)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// pairOf compares the row of an item with the record of another one, as they are now. Errors: problem.Transition if the
// record is not there any more, those of the store.
func (r *Reconciler) pairOf(
	ctx context.Context, of *run, two [2]reconciliation.RunItem,
) (compared keptItem, err error) {
	statement, err := r.statement(ctx, of.Head.Statement)
	if err != nil {
		return compared, err
	}
	lines, err := r.linesOf(ctx, of.Head.Against, statement)
	if err != nil {
		return compared, err
	}
	var entry match.Entry
	err = r.eachRow(ctx, statement, func(e match.Entry) error {
		if e.Row == two[rowItem].Row {
			entry = match.Issued(e)
		}
		return nil
	})
	var record match.Record
	if err == nil {
		err = eachRecord(ctx, lines, func(each match.Record) error {
			if each.LineID == two[recordItem].LineID {
				record = each
			}
			return nil
		})
	}
	if err == nil && record.LineID == "" {
		err = problem.New(problem.Transition, "The record is not among those that the run was compared with any more. "+
			"Compare the statement again.")
	}
	if err != nil {
		return compared, err
	}
	compared.RunItem, err = match.ByHand(r.terms(of.Head.RunRequest, statement), entry, record)
	compared.RowIs, compared.RecordIs = entry.Same, record.Same()
	return compared, err
}

// stillOpen parts a pair again if somebody has decided on one of its items at the same time. Errors:
// problem.Transition, those of the store.
func (r *Reconciler) stillOpen(ctx context.Context, of *run, pair hand) error {
	for _, item := range pair.Items {
		var d decision
		h, err := r.Find(ctx, address{RunPlace: reconciliation.RunPlace{Run: pair.Run, Item: item}}.key(), &d)
		if err != nil {
			return err
		}
		if h != nil {
			err = docstore.Again(func() error { return r.part(ctx, of, pair.Items[:], "decided at the same time") })
			if err == nil {
				err = problem.New(problem.Transition, fmt.Sprintf(
					"Item %d is %s, and what was decided on is not paired.", item, d.Is)).With("item", item)
			}
			return err
		}
	}
	return nil
}

// Unpair parts a pair that was made by hand: its two items are as they were. Errors: as Pair.
func (r *Reconciler) Unpair(
	ctx context.Context, id string, order reconciliation.PairRequest,
) (page reconciliation.RunItems, err error) {
	of, _, err := r.run(ctx, id)
	if err == nil {
		err = pairWrong(order, of)
	}
	if err == nil {
		err = docstore.Again(func() error { return r.part(ctx, of, order.Items, order.Reason) })
	}
	for _, number := range order.Items {
		if err != nil {
			return reconciliation.RunItems{}, err
		}
		var item reconciliation.RunItem
		item, err = r.Item(ctx, id, fmt.Sprint(number))
		page.Items = append(page.Items, item)
	}
	return page, err
}

// part parts a pair that was made by hand. Errors: problem.Transition, as docstore.Overtaken, those of the store.
func (r *Reconciler) part(ctx context.Context, of *run, items []int, reason string) error {
	s, err := r.series(ctx, seriesOf(of.Head.Against))
	if err == nil {
		err = stands(s, of.Head.ID)
	}
	if err != nil {
		return err
	}
	pair := handOf(s.hands(of.Head.ID), items[0])
	if pair == nil && slices.ContainsFunc(s.Hands, func(h hand) bool {
		return h.Run == of.Head.ID && slices.Contains(h.Items[:], items[0]) && slices.Contains(h.Items[:], items[1]) &&
			h.Parted.By == request.CallerFrom(ctx).Key() && h.Parted.Reason == reason
	}) {
		return nil // it was sent again
	}
	if pair == nil || !slices.Contains(pair.Items[:], items[1]) {
		return problem.New(problem.Transition, fmt.Sprintf(
			"Items %d and %d are no pair that was made by hand.", items[0], items[1]))
	}
	item, err := r.itemAt(ctx, of, s, pair.Items[rowItem])
	if err != nil {
		return err
	}
	if item.Decision != "" {
		return problem.New(problem.Transition, "The pair is "+item.Decision+", and what was decided on is not parted.").
			With("item", item.Number)
	}
	all := slices.Clone(s.Hands)
	for i := range all {
		if all[i].Version == pair.Version {
			all[i].Parted = parted{s.next(), request.CallerFrom(ctx).Key(), r.now(), reason}
		}
	}
	return r.replace(ctx, s, all)
}

// replace writes a series with other pairs by hand. Errors: as docstore.Overtaken, those of the store.
func (r *Reconciler) replace(ctx context.Context, s *series, hands []hand) error {
	_, err := folder.WriteIn(ctx, r.allSeries, s.was, docstore.Keys{folder.KeyIndex: s.Contract}, &series{
		Contract: s.Contract, Runs: s.Runs, Hands: hands,
	})
	return err
}
