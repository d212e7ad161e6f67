package reconciliation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest/changes"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/reconciliation/match"
)

// mostRuns is how many runs a contract may have: each looks at the pairs of all before it.
const mostRuns = 2000

// series lists the runs of a contract or, of claims, those of one of its periods: a receipt is a line once, and a
// claim in each period. Each of its versions has one run more than the one before, or somebody has paired or parted two
// items by hand.
type series struct {
	Contract string   `json:"contract"`
	Runs     []listed `json:"runs"`
	// Hands are the pairs that somebody has made by hand, also those that were parted again.
	Hands []hand `json:"hands,omitzero"`

	was *folder.Head
}

// listed is a run of a series.
type listed struct {
	ID        string    `json:"id"`
	Statement string    `json:"statement"`
	Batch     uuid.UUID `json:"batch"`
	Pairs     int       `json:"pairs"`
	At        time.Time `json:"at"`
	// Version is that of the series which was the first to list the run; 0 for a run of before pairs were made by hand,
	// when it was the number of runs.
	Version int64 `json:"version,omitzero"`
	// ReplacedBy is the run that has taken its place, empty for one that stands.
	ReplacedBy string `json:"replacedBy,omitzero"`
	// Key is the Idempotency-Key of the request that made the run, if it had one.
	Key *history.UsedKey `json:"key,omitzero"`
}

// seriesOf returns the name of the series of some records.
func seriesOf(against reconciliation.RunAgainst) string {
	if against.Kind == desk.Claims {
		return against.Contract + "/" + against.Kind + "/" + against.Period
	}
	return against.Contract
}

// series returns a series; an empty one if there was no run.
func (r *Reconciler) series(ctx context.Context, name string) (*series, error) {
	s := new(series)
	was, err := folder.FindIn(ctx, r.allSeries, name, s)
	s.was = was
	return s, err
}

// Logged returns the collections that have entries in the log of changes, by name. Open comes before.
func (r *Reconciler) Logged() map[string]changes.Source {
	return map[string]changes.Source{seriesName: {Collection: r.allSeries, Happened: happened}}
}

// happened returns what a version of a series is about: the run that it was the first to list, or the pair that
// somebody has made or parted.
func happened(present docstore.Document, version int64) (changes.Happening, error) {
	s := new(series)
	if _, err := folder.Decode(present, s); err != nil {
		return changes.Happening{}, err
	}
	const run = "/x/reconciliation/run/"
	for i, of := range s.Runs {
		if of.Version == version || of.Version == 0 && int64(i)+1 == version {
			return changes.Happening{
				Resource: beyond.ReconciliationEvent, Type: "finished", Time: of.At, Href: run + of.ID,
			}, nil
		}
	}
	for _, of := range s.Hands {
		switch version {
		case of.Version:
			return changes.Happening{
				Resource: beyond.ReconciliationEvent, Type: "paired", Time: of.At, Href: run + of.Run,
			}, nil
		case of.Parted.Version:
			return changes.Happening{
				Resource: beyond.ReconciliationEvent, Type: "unpaired", Time: of.Parted.At, Href: run + of.Run,
			}, nil
		}
	}
	return changes.Happening{}, fmt.Errorf("it lists %d runs and %d pairs by hand", len(s.Runs), len(s.Hands))
}

// next returns the version that a series has once it is written.
func (s *series) next() int64 {
	if s.was == nil {
		return 1
	}
	return s.was.Version + 1
}

// has reports whether a run is listed. One that is not was never finished.
func (s *series) has(id string) bool { return s.of(id) != nil }

// of returns a run as it is listed; nil if it is not.
func (s *series) of(id string) *listed {
	for i := range s.Runs {
		if s.Runs[i].ID == id {
			return &s.Runs[i]
		}
	}
	return nil
}

// made returns the id of the run that an earlier request with the same Idempotency-Key has made, empty if there is
// none. Errors: problem.KeyReused.
func (s *series) made(by *once.Once) (id string, err error) {
	for _, of := range s.Runs {
		if is, err := by.Made(of.Key); is || err != nil {
			return of.ID, err
		}
	}
	return "", nil
}

// before returns the pairs that runs of the same contract have made of the rows or records of a comparison. Those of
// runs whose place it takes are free, but for what somebody has parted.
func (r *Reconciler) before(ctx context.Context, c *comparison, s *series) (match.Before, error) {
	before := match.Before{Rows: map[int]match.Made{}, Records: map[string]reconciliation.RunPlace{},
		Unmatched: map[match.Pair]bool{}}
	if len(s.Runs) >= mostRuns {
		return before, problem.New(problem.RecordTooLarge, fmt.Sprintf(
			"The contract has %d runs, as many as it may have.", mostRuns))
	}
	ours := make(map[string]bool, len(c.records))
	for _, of := range c.records {
		ours[of.LineID] = true
	}
	former := map[string][]pair{} // that somebody has parted, by the statement that this one replaces
	for _, of := range s.Runs {
		same, free := of.Statement == c.order.Statement, of.ReplacedBy != "" || c.replaces(of.ID)
		if of.Pairs == 0 || free && !same && !slices.Contains(c.chain, of.Statement) {
			continue
		}
		apart, err := r.parted(ctx, of.ID)
		if err != nil {
			return before, err
		}
		if free && len(apart) == 0 {
			continue
		}
		if err := folder.EachOf(ctx, r.Folder, of.Batch, pairBlocks, pairLength, of.Pairs, func(p pair) error {
			switch in := (reconciliation.RunPlace{Run: of.ID, Item: p.Item, Statement: of.Statement}); {
			case apart[p.Item] && same:
				before.Unmatched[match.Pair{Row: p.Row, LineID: p.LineID}] = true
			case apart[p.Item] && slices.Contains(c.chain, of.Statement):
				former[of.Statement] = append(former[of.Statement], p)
			case apart[p.Item] || free:
			case same:
				before.Rows[p.Row] = match.Made{LineID: p.LineID, Key: p.Key, In: in}
				before.Records[p.LineID] = in
			case ours[p.LineID]:
				before.Records[p.LineID] = in
			}
			return nil
		}); err != nil {
			return before, err
		}
	}
	for _, h := range s.Hands {
		of := s.of(h.Run)
		if h.Parted.Version > 0 || of.ReplacedBy != "" || c.replaces(h.Run) {
			continue
		}
		in := reconciliation.RunPlace{Run: h.Run, Item: h.Items[rowItem], Statement: of.Statement}
		if of.Statement == c.order.Statement {
			before.Rows[h.Row] = match.Made{LineID: h.LineID, Key: reconciliation.ByHand, In: in}
		} else if !ours[h.LineID] {
			continue
		}
		before.Records[h.LineID] = in
	}
	c.keepHands(before)
	return before, r.partedBefore(ctx, c, former, before)
}

// list adds a run to the series of its contract: from then on it is there, and its pairs stand. Errors: as
// docstore.Overtaken if another run or decision came meanwhile; those of the store.
func (r *Reconciler) list(ctx context.Context, s *series, run *run, by *once.Once) error {
	contract := seriesOf(run.Head.Against)
	all := slices.Clone(s.Runs)
	for i := range all {
		if slices.Contains(run.Head.Replaces, all[i].ID) {
			all[i].ReplacedBy = run.Head.ID
		}
	}
	next := &series{Contract: contract, Hands: s.Hands, Runs: append(all, listed{
		ID: run.Head.ID, Statement: run.Head.Statement, Batch: run.Batch, Pairs: run.Pairs,
		At: run.Head.MadeAt.Time(), Version: s.next(), Key: by.Kept(),
	})}
	_, err := folder.WriteIn(ctx, r.allSeries, s.was, docstore.Keys{folder.KeyIndex: contract}, next)
	if errors.Is(err, docstore.ErrUnavailable) {
		if is, again := r.series(ctx, contract); again == nil && is.has(run.Head.ID) {
			return nil // the write has happened
		}
	}
	return err
}
