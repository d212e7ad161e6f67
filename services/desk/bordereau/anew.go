package bordereau

import (
	"context"
	"errors"
	"fmt"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/services/desk/period"
)

// anew makes a version again from what the other services have, as it was then, and compares its digest. A change that
// was under way when the version was prepared may have been recorded a moment before and not have been seen, so that
// the version may also be what its sources gave a little earlier.
func (a ledgerCheck) anew(ctx context.Context, l *ledger, v *version) error {
	prepared := v.Head.PreparedAt.Time()
	for _, at := range []time.Time{prepared, prepared.Add(-settles)} {
		same, err := a.gives(ctx, l, v, at)
		if err != nil {
			return a.unread(l, v, err)
		}
		if same {
			a.Count("versions made anew", 1)
			return nil
		}
	}
	finding, lacks, err := a.differs(ctx, l, v)
	switch {
	case err != nil:
		return a.unread(l, v, err)
	case lacks != "":
		finding.Expected = "what the policy " + docstore.Short(lacks) + " was then, which was not kept"
		return a.Note(finding)
	}
	return a.Report(finding)
}

// unread notes a version whose sources cannot be read; what is wrong with them is found where they are. It returns the
// errors of the caller.
func (a ledgerCheck) unread(l *ledger, v *version, err error) error {
	if ofStore(err) {
		return err
	}
	return a.Note(docstore.Finding{Collection: ledgers, ID: a.id.String(), Invariant: sameAnew,
		Found: docstore.Short(pathOf(l, v) + ": " + err.Error()), Expected: "sources that can be read"})
}

// gives reports whether the sources of a version give its digest, with policies and parties as they were at an instant.
func (a ledgerCheck) gives(ctx context.Context, l *ledger, v *version, at time.Time) (bool, error) {
	m, err := a.desk.makerAnew(ctx, l, v, at)
	if err != nil {
		return false, err
	}
	digest := newDigest()
	if err := m.lines(ctx, func(line any, _ amounts) error {
		_, err := digest.line(line)
		return err
	}); err != nil {
		return false, err
	}
	is, err := digest.of(v.Head)
	return is == v.Head.Digest, err
}

// differs returns the first cell in which a version differs from what its sources give. lacks is a policy whose state
// at that time was not kept, so that its lines cannot be made anew; it is empty if there is none.
func (a ledgerCheck) differs(ctx context.Context, l *ledger, v *version) (f docstore.Finding, lacks string, err error) {
	m, err := a.desk.makerAnew(ctx, l, v, v.Head.PreparedAt.Time())
	if err != nil {
		return f, "", err
	}
	anew, stop := streamOf(ctx, m)
	defer stop()
	differences := desk.BordereauDifferences{}
	if err := merge(a.desk.linesOf(ctx, v), anew, &differences); err != nil {
		return f, "", err
	}
	f = docstore.Finding{Collection: ledgers, ID: a.id.String(), Invariant: sameAnew,
		Found: pathOf(l, v) + ": the same lines", Expected: v.Head.Digest}
	if len(differences.Differences) > 0 {
		cell := differences.Differences[0]
		f.Found = docstore.Short(fmt.Sprintf("%s: %s %s %s", pathOf(l, v), cell.LineID, cell.Member, cell.From))
		f.Expected = docstore.Short(cell.To)
	}
	return f, m.lacks(), nil
}

// makerAnew returns what makes the lines of a version again as they were when it was prepared, with policies and
// parties as they were at an instant.
func (d *Desk) makerAnew(ctx context.Context, l *ledger, v *version, at time.Time) (maker, error) {
	p, is := period.Parse(v.Head.Period)
	if !is {
		return nil, fmt.Errorf("stored version of the period %s", v.Head.Period)
	}
	k, err := d.contracts.Numbered(ctx, l.Contract, v.Head.ContractVersion)
	if err != nil {
		return nil, err
	}
	k.Until = v.Read.Until
	of := d.reading(k, p, at)
	of.anew = v
	before := l.before(v)
	if l.Kind == desk.Claims {
		return d.claims(of, before, v.Head.Type), nil
	}
	return d.collect(of, before, v.Head.Type), nil
}

// ofStore reports whether an error is one of the store or of the caller, and none of what is stored.
func ofStore(err error) bool {
	return errors.Is(err, docstore.ErrUnavailable) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}
