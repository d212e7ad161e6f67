package intake

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/creation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/reference"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/desk/block"
)

const (
	// madeBlocks are the blocks of an import with what became of its rows.
	madeBlocks = "made"
	// atOnce is how many rows are made at a time.
	atOnce = 8
	// keyMargin is how long before an Idempotency-Key is forgotten nothing relies on it any more.
	keyMargin = 10 * time.Minute
)

// Apply makes records of the rows that passed the check with a digest, or goes on to. Errors: problem.NotFound,
// problem.Transition, problem.Invalid, those of the services and of the store.
func (i *Intake) Apply(ctx context.Context, id string, order intake.ImportApply) (intake.Import, error) {
	if err := docstore.Again(func() error {
		s, h, err := i.get(ctx, id)
		if err == nil {
			err = i.mayApply(s, order)
		}
		if err != nil || s.Head.State != intake.Checked {
			return err
		}
		caller := request.CallerFrom(ctx)
		s.Head.State, s.Head.AppliedBy, s.Head.AppliedAt = intake.Applying, caller.Key(), i.instant()
		s.Applier = applier{caller.Subject, caller.Issuer, caller.Client}
		return i.write(ctx, h, s)
	}); err != nil {
		return intake.Import{}, err
	}
	for began := i.Wall(); ; {
		s, _, err := i.get(ctx, id)
		if err != nil || s.Head.State != intake.Applying || i.isOver(began) {
			return s.Head, err
		}
		if err := i.makePart(ctx, s); err != nil {
			return s.Head, err
		}
	}
}

// makePart makes the records of the next rows of an import. Errors: those of the services and of the store.
func (i *Intake) makePart(ctx context.Context, s *stored) error {
	from := s.Head.Done
	rows, err := block.Read[row](ctx, i.Folder.ItemsOf(s.Batch, rowBlocks, partLength), from/partLength)
	if err != nil {
		return err
	}
	before, became, works, err := i.makeAll(ctx, s, rows)
	if err == nil {
		err = i.number(s.Applier.inNameOf(ctx), became)
	}
	if err == nil {
		became, err = i.keep(ctx, s.Batch, madeBlocks, from/partLength, became)
	}
	if err == nil {
		err = i.leave(ctx, s, works)
	}
	if err != nil {
		return err
	}
	_, err = i.note(ctx, s.Head.ID, from, func(head *intake.Import) *int { return &head.Done }, before, became,
		func(now *stored) {
			if now.Head.Done == now.Head.Rows && now.Head.State == intake.Applying {
				now.Head.State = intake.Applied
			}
		})
	return err
}

// mayApply returns why the records of an import cannot be made.
func (i *Intake) mayApply(s *stored, order intake.ImportApply) error {
	state := func(detail string) error {
		return problem.New(problem.Transition, detail).With("state", s.Head.State)
	}
	forgotten := i.KeyRetention > 0 && i.Now().Sub(s.At) > i.KeyRetention-keyMargin
	switch {
	case order.Digest == "":
		return problem.New(problem.Required, "").At("/digest", "is required: the digest of the import, as it was read")
	case s.Head.State == intake.Checking:
		return state("Not all rows are checked yet; :check goes on.")
	case s.Head.State == intake.Cancelled:
		return state("The import was cancelled. Send the file in another batch.")
	case order.Digest != s.Head.Digest:
		return state("The digest is not that of this import and its check. Read it again.")
	case s.Head.State == intake.Applying && forgotten:
		return state("The import was interrupted so long ago that what its next rows have made may not be known any " +
			"more. Cancel it, and send the rows behind the last one that was done.")
	}
	return nil
}

// makeAll makes the records of the rows of a part, and returns how many of them had an outcome before, and those that
// are made.
func (i *Intake) makeAll(
	ctx context.Context, s *stored, rows []row,
) (before map[string]int, became []intake.ImportRow, works []*work, err error) {
	became, err = block.Read[intake.ImportRow](ctx, i.Folder.ItemsOf(s.Batch, checkedBlocks, partLength),
		s.Head.Done/partLength)
	if err == nil {
		works, err = worksOf(s, rows, became)
	}
	if err == nil {
		err = i.inherit(ctx, s, works)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	before = map[string]int{}
	for _, of := range became {
		before[of.Outcome]++
	}
	group, inName := errgroup.WithContext(s.Applier.inNameOf(ctx))
	group.SetLimit(atOnce)
	for _, w := range works {
		group.Go(func() error { return i.make(inName, s, w) })
	}
	return before, became, works, group.Wait()
}

// make makes the records of a row, and notes what became of it. Errors: those of services that do not respond.
func (i *Intake) make(ctx context.Context, s *stored, w *work) error {
	of, to, byName := w.row, w.to, map[string]*creation.Creation{}
	all, _, err := s.creations(of, byName)
	if err != nil {
		return err
	}
	to.Outcome, to.Records = intake.Made, nil
	for n, one := range all {
		one.Key = w.keyOf(n)
		response, err := i.maker().Create(ctx, one, byName)
		refusal, is := errors.AsType[*creation.Refused](err)
		last := n == len(all)-1
		switch {
		case is && refusal.ExistingID == "":
			to.Outcome = intake.Refused
			if len(w.keys) > 0 {
				to.Outcome = intake.Partial
			}
			to.Wrong = s.wrongOf(of.Row, of.Bodies[n].Name, refusal.Kind.Title(), refusal.Detail, refusal.Errors)
			return nil
		case is && last:
			to.Outcome = intake.There
			fallthrough
		case is: // what is there is used
			one.Values = map[string]string{reference.ID: refusal.ExistingID}
		case err != nil:
			return err
		default:
			w.keys[w.makes[n]] = one.Key
			for _, warning := range response.Warnings {
				to.Warnings = append(to.Warnings, scalar.JSON(warning))
			}
		}
		to.Records = append(to.Records, recordOf(of.Bodies[n].Name, one))
	}
	return nil
}
