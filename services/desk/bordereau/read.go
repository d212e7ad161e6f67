package bordereau

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/underway"
)

// Live returns a period with the lines it would have now, and their difference from the approved version. Errors:
// problem.NotFound, problem.Unavailable, those of the store.
func (d *Desk) Live(ctx context.Context, at Place) (desk.BordereauLive, error) {
	k, p, err := d.place(ctx, at)
	if err != nil {
		return desk.BordereauLive{}, err
	}
	l, err := d.seen(ctx, k, at.Kind)
	if err != nil {
		return desk.BordereauLive{}, err
	}
	preparing, err := d.preparing(ctx, k, at.Kind)
	if err != nil {
		return desk.BordereauLive{}, err
	}
	live := desk.BordereauLive{BordereauPeriod: d.periodOf(k, l, p, preparing), Live: []desk.BordereauTotal{}}
	if !k.ShowsDrafts(ctx) {
		return live, nil
	}
	m := d.maker(k, l, p, desk.Correction, d.now())
	sums := newSums()
	if err := m.lines(ctx, func(_ any, of amounts) error { return sums.add(of, 1) }); err != nil {
		return live, err
	}
	live.LiveLines = sums.count()
	if live.Live, live.LiveClaims, err = sums.shown(); err != nil {
		return live, err
	}
	stands := l.standing(p)
	for _, v := range stands {
		if err := sums.addShown(v.Head, -1); err != nil {
			return live, err
		}
	}
	if len(stands) > 0 {
		live.Drift, live.DriftClaims, err = sums.shown()
	}
	return live, err
}

// preparing returns the version of a contract that is being prepared; nil if there is none that the caller sees.
func (d *Desk) preparing(ctx context.Context, k *contract.Kept, kind string) (*underway.Found, error) {
	if !k.ShowsDrafts(ctx) {
		return nil, nil
	}
	return d.underWay.Of(ctx, ledgerKey(k.Reference, kind))
}

// draftsShown refuses a counterparty that sees only what is approved. Errors: problem.RightMissing.
func draftsShown(ctx context.Context, k *contract.Kept) error {
	if k.ShowsDrafts(ctx) {
		return nil
	}
	return problem.New(problem.RightMissing, "The counterparty sees what is approved. What a period would have now it "+
		"sees only if the contract says preview.").With("right", shared.OwnerRight)
}

// LiveLines returns a page of the lines that a period would have now. Errors: problem.NotFound, problem.RightMissing,
// problem.Unavailable, those of the store.
func (d *Desk) LiveLines(ctx context.Context, at Place, skip, limit int) (desk.BordereauLines, error) {
	lines := desk.BordereauLines{Lines: []desk.BordereauLine{}}
	k, p, err := d.place(ctx, at)
	if err == nil {
		err = draftsShown(ctx, k)
	}
	if err != nil {
		return lines, err
	}
	l, err := d.ledger(ctx, k.Reference, at.Kind)
	if err != nil {
		return lines, err
	}
	n := 0
	err = d.maker(k, l, p, desk.Correction, d.now()).lines(ctx, func(line any, _ amounts) error {
		n++
		switch {
		case n <= skip:
			return nil
		case n > skip+limit:
			lines.Next = skip + limit
			return errEnough
		}
		switch line := line.(type) {
		case desk.BordereauLine:
			lines.Lines = append(lines.Lines, line)
		case desk.ClaimLine:
			lines.Claims = append(lines.Claims, line)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return lines, err
}

// Version returns a version; it reads the same for ever. Errors: problem.NotFound, those of the store.
func (d *Desk) Version(ctx context.Context, at Place, number string) (desk.BordereauVersion, error) {
	_, _, v, err := d.version(ctx, at, number)
	if err != nil {
		return desk.BordereauVersion{}, err
	}
	return v.Head, nil
}

// Lines returns a page of the lines of a version, and its digest. Errors: problem.NotFound, those of the store.
func (d *Desk) Lines(
	ctx context.Context, at Place, number string, skip, limit int,
) (lines desk.BordereauLines, digest string, err error) {
	_, _, v, err := d.version(ctx, at, number)
	if err != nil {
		return lines, "", err
	}
	if at.Kind == desk.Claims {
		lines.Claims, lines.Next, err = page[desk.ClaimLine](ctx, d, v.Batch, lineBlocks, skip, limit, v.Head.Lines)
	} else {
		lines.Lines, lines.Next, err = page[desk.BordereauLine](ctx, d, v.Batch, lineBlocks, skip, limit, v.Head.Lines)
	}
	if lines.Lines == nil {
		lines.Lines = []desk.BordereauLine{}
	}
	return lines, v.Head.Digest, err
}

// Export is what an export of a version depends on beside the version.
type Export struct {
	// Layout is the number of its layout, and Waivers how often a finding of it was waived.
	Layout, Waivers int
}

// Export returns what an export of a version depends on. One that is approved keeps the layout that was then. Errors:
// problem.NotFound, those of the store.
func (d *Desk) Export(ctx context.Context, at Place, number string) (Export, error) {
	_, _, v, err := d.version(ctx, at, number)
	if err != nil {
		return Export{}, err
	}
	of := Export{d.layout, len(v.WaivedIn)}
	if v.State == desk.Approved {
		// Releases that did not keep it had one layout. What a later release has approved is in the last one here.
		of.Layout = min(max(v.Layout, 1), d.layout)
	}
	return of, nil
}

// EachLine returns a version, and calls a function with each of its lines as it is stored. Errors: problem.NotFound,
// those of the store and of the function.
func (d *Desk) EachLine(
	ctx context.Context, at Place, number string, begin func(desk.BordereauVersion, *contract.Kept) error,
	do func(line jsontext.Value) error,
) error {
	k, _, v, err := d.version(ctx, at, number)
	if err == nil {
		k, err = d.contracts.Numbered(ctx, k.Reference, v.Head.ContractVersion)
	}
	if err == nil {
		err = begin(v.Head, k)
	}
	if err != nil {
		return err
	}
	return eachLine(ctx, d, v, do)
}
