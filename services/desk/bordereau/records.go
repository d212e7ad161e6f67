package bordereau

import (
	"context"
	"errors"
	"fmt"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/period"
)

// Lines are lines of a period.
type Lines struct {
	// Zone is that of their contract.
	Zone *time.Location

	desk *Desk
	at   Place
	// versions are those that have the lines; nil for the lines that the period would have now.
	versions []*version
}

// LinesOf returns the lines of a period: those of the versions with some numbers, or without any those that
// stand approved, or the lines that it would have now. wrong says what is wrong with the names, each at a member of an
// object with the members of Place, versions and receipts. Errors: wrong, those of the store.
func (d *Desk) LinesOf(ctx context.Context, at Place, numbers []int, now bool, wrong *problem.Error) (*Lines, error) {
	k, l, err := d.named(ctx, at, wrong)
	if err != nil {
		return nil, err
	}
	p, _ := period.Parse(at.Period) // named has read it
	lines := &Lines{Zone: k.Zone, desk: d, at: at}
	if now {
		return lines, nil
	}
	lines.versions = l.standing(p)
	if len(numbers) == 0 && len(lines.versions) == 0 {
		return nil, wrong.At("/period", "has no approved version; name versions, or ask for receipts")
	}
	if len(numbers) > 0 {
		lines.versions = nil
	}
	for i, n := range numbers {
		v := l.numbered(p, n)
		if v == nil {
			return nil, wrong.At(fmt.Sprintf("/versions/%d", i), "is the number of no version of the period")
		}
		lines.versions = append(lines.versions, v)
	}
	return lines, nil
}

// named returns the contract and the ledger that a place names.
func (d *Desk) named(ctx context.Context, at Place, wrong *problem.Error) (*contract.Kept, *ledger, error) {
	k, _, err := d.place(ctx, at)
	var refused *problem.Error
	switch {
	case err == nil:
		l, err := d.ledger(ctx, k.Reference, at.Kind)
		return k, l, err
	case errors.As(err, &refused) && refused.Kind == problem.NotFound:
		return nil, nil, wrong.At("/contract", "is the reference of no contract")
	case errors.As(err, &refused) && refused.Kind == problem.BadParameter:
		for _, v := range refused.Violations {
			wrong.At("/"+v.Parameter, v.Reason)
		}
		return nil, nil, wrong
	}
	return nil, nil, err
}

// Count returns how many lines they are; 0 for those that the period would have now, which are not counted before.
func (l *Lines) Count() (count int) {
	for _, v := range l.versions {
		count += v.Head.Lines
	}
	return count
}

// Each calls a function with each of the lines, one for those of premium or one for those of claims. Errors:
// problem.Unavailable, those of the store and of the functions.
func (l *Lines) Each(
	ctx context.Context, ofPremium func(desk.BordereauLine) error, ofClaims func(desk.ClaimLine) error,
) error {
	if l.versions == nil {
		return l.now(ctx, ofPremium, ofClaims)
	}
	for _, v := range l.versions {
		var err error
		if l.at.Kind == desk.Claims {
			err = eachLine(ctx, l.desk, v, ofClaims)
		} else {
			err = eachLine(ctx, l.desk, v, ofPremium)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// now is Each of the lines that the period would have now.
func (l *Lines) now(
	ctx context.Context, ofPremium func(desk.BordereauLine) error, ofClaims func(desk.ClaimLine) error,
) error {
	k, p, err := l.desk.place(ctx, l.at)
	if err != nil {
		return err
	}
	of, err := l.desk.ledger(ctx, k.Reference, l.at.Kind)
	if err != nil {
		return err
	}
	return l.desk.maker(k, of, p, desk.Correction, l.desk.now()).lines(ctx, func(line any, _ amounts) error {
		if line, is := line.(desk.ClaimLine); is {
			return ofClaims(line)
		}
		return ofPremium(line.(desk.BordereauLine))
	})
}
