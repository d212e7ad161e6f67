package bordereau

import (
	"context"
	"errors"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/check"
)

// checker returns what checks the lines of a version of a kind.
func (c *reading) checker(kind string, report func(desk.BordereauFinding) error) *check.Checker {
	begins := c.period.Start(c.of.Zone)
	return check.New(kind, c.of, begins, ends(c.of, c.period), c.desk.source, isPremium, report)
}

// finder stores what is found of a version.
type finder struct {
	of     *version
	found  block.Writer[desk.BordereauFinding]
	checks block.Writer[desk.BordereauCheck]
}

func (d *Desk) finder(v *version) *finder {
	return &finder{v, block.Writer[desk.BordereauFinding]{List: d.list(v.Batch, findingBlocks)},
		block.Writer[desk.BordereauCheck]{List: d.list(v.Batch, checkBlocks)}}
}

func (f *finder) add(ctx context.Context, finding desk.BordereauFinding) error {
	if finding.Severity == desk.SeverityError {
		f.of.Errors++
	} else {
		f.of.Warnings++
	}
	if f.found.Count == mostFindings {
		return nil
	}
	return f.found.Add(ctx, finding)
}

// end stores what is left, and what the checks came to.
func (f *finder) end(ctx context.Context, checks []desk.BordereauCheck) error {
	for _, check := range checks {
		if err := f.checks.Add(ctx, check); err != nil {
			return err
		}
	}
	f.of.Checks = f.checks.Count
	return errors.Join(f.found.Flush(ctx), f.checks.Flush(ctx))
}

// Findings returns a page of the findings of a version, and the first page also what each check came to. Errors:
// problem.NotFound, those of the store.
func (d *Desk) Findings(
	ctx context.Context, at Place, number string, skip, limit int,
) (findings desk.BordereauFindings, err error) {
	_, _, v, err := d.version(ctx, at, number)
	if err != nil {
		return findings, err
	}
	if findings.Findings, findings.Next, err = page[desk.BordereauFinding](ctx, d, v.Batch, findingBlocks, skip, limit,
		min(v.Errors+v.Warnings, mostFindings)); err != nil {
		return findings, err
	}
	if findings.Findings == nil {
		findings.Findings = []desk.BordereauFinding{}
	}
	for i, f := range findings.Findings {
		w := v.Waived[f.ID]
		findings.Findings[i].WaivedBy, findings.Findings[i].Waiver = w.By, w.Reason
	}
	if skip == 0 {
		findings.Checks, _, err = page[desk.BordereauCheck](ctx, d, v.Batch, checkBlocks, 0, v.Checks, v.Checks)
	}
	return findings, err
}

// eachFinding calls a function with each finding of a version that is kept, as long as it returns true.
func (d *Desk) eachFinding(ctx context.Context, v *version, do func(desk.BordereauFinding) bool) error {
	for number := 0; number*blockLength < min(v.Errors+v.Warnings, mostFindings); number++ {
		of, err := block.Read[desk.BordereauFinding](ctx, d.list(v.Batch, findingBlocks), number)
		if err != nil {
			return err
		}
		for _, f := range of {
			if !do(f) {
				return nil
			}
		}
	}
	return nil
}
