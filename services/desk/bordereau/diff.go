package bordereau

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/problem"
)

const (
	// mostDifferences is how many cells the comparison of two versions returns.
	mostDifferences = 1000
	// live is what a version is compared with to see what it would be now.
	live = "live"
)

// compared is a line of a comparison: what every line has, and all of it as JSON.
type compared struct {
	identity
	text jsontext.Value
}

// stream returns the next line, nil behind the last one.
type stream func() (*compared, error)

// Diff returns what differs between two versions of a period, or between a version and what it would be now (to is
// live), cell by cell. Errors: problem.NotFound, problem.BadParameter, problem.RightMissing, problem.Unavailable, those
// of the store.
func (d *Desk) Diff(ctx context.Context, at Place, number, to string) (desk.BordereauDifferences, error) {
	differences := desk.BordereauDifferences{Differences: []desk.BordereauDifference{}}
	k, l, from, err := d.version(ctx, at, number)
	if err != nil {
		return differences, err
	}
	p, _, err := d.periodAt(at)
	if err != nil {
		return differences, err
	}
	left := d.linesOf(ctx, from)
	if to != live {
		n, _ := strconv.Atoi(to)
		other := l.numbered(p, n)
		if other == nil || other.State != desk.Approved && !k.ShowsDrafts(ctx) {
			return differences, problem.New(problem.BadParameter, "").InParameter("to",
				"is no version of the period; "+live+" is what it would be now")
		}
		return differences, merge(left, d.linesOf(ctx, other), &differences)
	}
	if err := draftsShown(ctx, k); err != nil {
		return differences, err
	}
	m := d.maker(k, l, p, desk.Correction, d.now())
	now, stop := streamOf(ctx, m)
	defer stop()
	return differences, merge(left, now, &differences)
}

// streamOf returns the lines that a version would have now. It is stopped once no more are read.
func streamOf(ctx context.Context, m maker) (lines stream, stop func()) {
	next, stop := iter.Pull2(linesNow(ctx, m))
	return func() (*compared, error) {
		line, err, more := next()
		if !more {
			return nil, nil
		}
		return line, err
	}, stop
}

// linesOf returns the lines of a version.
func (d *Desk) linesOf(ctx context.Context, v *version) stream {
	lines := cursor[jsontext.Value]{desk: d, batch: v.Batch, what: lineBlocks, total: v.Head.Lines}
	return func() (*compared, error) {
		text, err := lines.next(ctx)
		if err != nil || text == nil {
			return nil, err
		}
		return comparedOf(*text)
	}
}

// errEnough ends the making of lines that nobody reads any more.
var errEnough = errors.New("no more lines are wanted")

// linesNow returns the lines that a version would have now, each with the error that ended them.
func linesNow(ctx context.Context, m maker) iter.Seq2[*compared, error] {
	return func(yield func(*compared, error) bool) {
		err := m.lines(ctx, func(line any, _ amounts) error {
			text, err := json.Marshal(line, json.Deterministic(true))
			if err != nil {
				return err
			}
			of, err := comparedOf(text)
			if err != nil {
				return err
			}
			if !yield(of, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

func comparedOf(text jsontext.Value) (*compared, error) {
	of := &compared{text: text}
	return of, json.Unmarshal(text, &of.identity)
}

// merge compares lines, both of which are in the order of their ids.
func merge(a, b stream, differences *desk.BordereauDifferences) error {
	left, err := a()
	if err != nil {
		return err
	}
	right, err := b()
	if err != nil {
		return err
	}
	for left != nil || right != nil {
		onlyLeft := right == nil || left != nil && left.LineID < right.LineID
		onlyRight := left == nil || right != nil && right.LineID < left.LineID
		cells, err := cellsOf(left, right, onlyLeft, onlyRight)
		if err != nil {
			return err
		}
		for _, cell := range cells {
			if len(differences.Differences) == mostDifferences {
				differences.More = true
				return nil
			}
			differences.Differences = append(differences.Differences, cell)
		}
		if !onlyRight {
			if left, err = a(); err != nil {
				return err
			}
		}
		if !onlyLeft {
			if right, err = b(); err != nil {
				return err
			}
		}
	}
	return nil
}

// cellsOf returns what differs between two lines, one of which may be missing.
func cellsOf(left, right *compared, onlyLeft, onlyRight bool) ([]desk.BordereauDifference, error) {
	switch {
	case onlyLeft:
		return []desk.BordereauDifference{{LineID: left.LineID, PolicyNumber: left.PolicyNumber,
			From: string(left.text)}}, nil
	case onlyRight:
		return []desk.BordereauDifference{{LineID: right.LineID, PolicyNumber: right.PolicyNumber,
			To: string(right.text)}}, nil
	}
	var was, is map[string]jsontext.Value
	if err := errors.Join(json.Unmarshal(left.text, &was), json.Unmarshal(right.text, &is)); err != nil {
		return nil, err
	}
	var cells []desk.BordereauDifference
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if from, to := string(was[name]), string(is[name]); from != to {
			cells = append(cells, desk.BordereauDifference{LineID: left.LineID, PolicyNumber: left.PolicyNumber,
				Member: name, From: from, To: to})
		}
	}
	return cells, nil
}
