package bordereau

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/once"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/period"
	"insurance.example/exchange/services/desk/underway"
)

const (
	// settles is how long after its end a period is prepared at the earliest: requests that began before it may still
	// be under way.
	settles = time.Minute
	// mostNote is how many characters a note or a reason may have.
	mostNote = 2000
)

// errAwaited says why a period cannot be prepared at the moment.
var errAwaited = errors.New("receipts of the period have still to be added to the rows of the premium bordereau")

// awaitedFor is after what time a caller should ask again for a period whose receipts are not all in their rows: they
// are added within seconds, unless premium or its broker does not work.
const awaitedFor = 5 * time.Second

// awaits refuses to prepare a period at an instant, because a receipt of it is not in its row yet.
func awaits(p period.Period, receipt string, at time.Time) error {
	outage := problem.Outage(errAwaited)
	until := at.Add(awaitedFor).UTC().Truncate(time.Second)
	outage.Detail = "The receipt " + receipt + " of " + p.String() + " has still to be added to its row of the " +
		"premium bordereau, which takes seconds as a rule. Nothing was prepared. Prepare the period again from " +
		until.Format(time.RFC3339) + " on."
	return outage.With("receipt", receipt).With("until", until.Format(time.RFC3339)).
		WithHeader("Retry-After", strconv.Itoa(int(awaitedFor.Seconds())))
}

// types are the types of a version.
var types = []string{desk.Original, desk.Additional, desk.Correction, desk.Nil}

// Prepare makes a new version, once for a key. The checks are those of the register, in their order. Errors:
// problem.NotFound, problem.Invalid, problem.KeyReused, problems.PeriodNotReady, problem.Unavailable,
// problems.VersionMisfit, those of the store.
func (d *Desk) Prepare(
	ctx context.Context, at Place, asked desk.BordereauPrepare, by *once.Once,
) (desk.BordereauVersion, error) {
	k, p, err := d.place(ctx, at)
	if err != nil {
		return desk.BordereauVersion{}, err
	}
	wrong := problem.New(problem.Invalid, "The version cannot be prepared as it is asked for.")
	if !slices.Contains(types, asked.Type) {
		wrong.At("/type", "must be original, additional, correction or nil")
	}
	if utf8.RuneCountInString(asked.Note) > mostNote {
		wrong.At("/note", fmt.Sprintf("has more than %d characters", mostNote))
	}
	if len(wrong.Violations) > 0 {
		return desk.BordereauVersion{}, wrong
	}
	l, err := d.ledger(ctx, k.Reference, at.Kind)
	if err != nil {
		return desk.BordereauVersion{}, err
	}
	if was, err := l.made(by); was != nil || err != nil {
		return was.head(), err
	}
	if err := d.ready(k, l, p); err != nil {
		return desk.BordereauVersion{}, err
	}
	v := d.newVersion(ctx, k, l, p, asked)
	m := d.maker(k, l, p, asked.Type, v.Head.PreparedAt.Time())
	if err := fits(l, p, asked.Type); err != nil {
		if outage := m.reaches(ctx); outage != nil {
			return v.Head, outage
		}
		return v.Head, err
	}
	work := d.underWay.Begin(ctx, ledgerKey(k.Reference, at.Kind), v.Head.Period, 0)
	defer work.End(ctx)
	if err := d.fill(ctx, v, m, l, work); err != nil {
		return v.Head, err
	}
	if err := linesFit(asked.Type, v.Head.Lines); err != nil {
		return v.Head, err
	}
	if err := d.sameAssignments(ctx, v); err != nil {
		return v.Head, err
	}
	v.Key = by.Kept()
	l.Versions = append(l.Versions, v)
	if err := d.write(ctx, l); !docstore.Overtaken(err) {
		return v.Head, err
	}
	if l, err = d.ledger(ctx, k.Reference, at.Kind); err != nil {
		return v.Head, err
	}
	if was, err := l.made(by); was != nil || err != nil {
		return was.head(), err
	}
	return v.Head, problem.New(problems.VersionMisfit,
		"Somebody else has prepared, approved or rejected a version meanwhile. Look at the versions there are now.")
}

// ready refuses a period that cannot be prepared yet.
func (d *Desk) ready(k *contract.Kept, l *ledger, p period.Period) error {
	if p.Earlier(k.First) {
		return problem.New(problems.PeriodNotReady, "The contract is reported from "+k.First.String()+
			" on. What was recorded earlier is reported in that period, as late.").With("period", k.First.String())
	}
	if opens := p.End(k.Zone).UTC().Add(settles); d.now().Before(opens) {
		return problem.New(problems.PeriodNotReady, "The period "+p.String()+" is not over. It can be prepared from "+
			opens.Format(time.RFC3339)+" on, a minute after its end.")
	}
	if before := p.Before(); p != k.First && len(l.approved(before)) == 0 {
		for first := k.First; ; first = first.Next() {
			if len(l.approved(first)) == 0 {
				return problem.New(problems.PeriodNotReady, first.String()+" has no approved version. Prepare and "+
					"approve it first; a version of the type nil counts.").With("period", first.String())
			}
		}
	}
	return nil
}

// fits refuses a type that the versions there are do not allow.
func fits(l *ledger, p period.Period, of string) error {
	misfit := func(words string) error { return problem.New(problems.VersionMisfit, words) }
	if v := l.pending(); v != nil {
		return misfit(fmt.Sprintf("Version %d of %s is pending. Approve or reject it first.", v.Head.Number,
			v.Head.Period))
	}
	approved := l.approved(p)
	switch {
	case len(l.of(p)) >= mostVersions:
		return misfit(fmt.Sprintf("The period has %d versions, as many as it may have.", mostVersions))
	case (of == desk.Original || of == desk.Nil) && len(approved) > 0:
		return misfit(fmt.Sprintf("Version %d is approved. Prepare an additional version for what came later, or a "+
			"correction in place of it.", approved[0].Head.Number))
	case (of == desk.Additional || of == desk.Correction) && len(approved) == 0:
		return misfit("No version of the period is approved, so that there is nothing to add to or to correct. " +
			"Prepare an original.")
	case of == desk.Correction || of == desk.Additional:
		for _, later := range l.periods() {
			if p.Earlier(later) {
				return misfit(later.String() + " is approved, and goes on from what stands here. What came later, or " +
					"was wrong, is reported in the next period, as late.")
			}
		}
	}
	return nil
}

// linesFit refuses a version whose type does not go with whether it has lines.
func linesFit(of string, lines int) error {
	switch {
	case of == desk.Nil && lines > 0:
		return problem.New(problems.VersionMisfit, fmt.Sprintf(
			"The period has %d lines, so that it cannot be reported as nil. Prepare an original.", lines))
	case of != desk.Nil && lines == 0 && of != desk.Correction:
		return problem.New(problems.VersionMisfit, "The version would have no lines. Report a period without lines "+
			"by the type nil; an additional version has nothing to add.")
	}
	return nil
}

// sameAssignments refuses a version beside which policies were assigned, so that it may have seen some of these changes
// and not others.
func (d *Desk) sameAssignments(ctx context.Context, v *version) error {
	k, err := d.contracts.Get(ctx, v.Head.Contract)
	if err == nil && k.Assigned() != v.Read.Assigned {
		err = problem.New(problems.VersionMisfit, "Policies were assigned to the contract, or away from it, while the "+
			"version was made. Prepare it again.")
	}
	return err
}

// newVersion returns a version without lines.
func (d *Desk) newVersion(
	ctx context.Context, k *contract.Kept, l *ledger, p period.Period, asked desk.BordereauPrepare,
) *version {
	v := &version{State: desk.Pending, Batch: uuid.New(), PreparedIn: l.at.Version + 1, Head: desk.BordereauVersion{
		Contract: k.Reference, Kind: l.Kind, Period: p.String(), Number: len(l.of(p)) + 1, Type: asked.Type,
		ContractVersion: k.Edition(), PreparedBy: request.CallerFrom(ctx).Key(), PreparedAt: scalar.Instant(d.now()),
		Note: asked.Note,
	}}
	for _, before := range l.Versions {
		if before.State == desk.Approved {
			v.Head.Previous = before.Head.Digest
		}
	}
	return v
}

// maker makes the lines of a period.
type maker interface {
	// lines calls a function with each line, in the order of their ids, and with its amounts. Errors:
	// problem.Unavailable, those of take.
	lines(ctx context.Context, take func(line any, of amounts) error) error
	// store says that the lines become those of a version. They are checked, report takes what is found, and work notes
	// what was read.
	store(v *version, work *underway.Work, report func(desk.BordereauFinding) error)
	// finish completes a version with what was read, once all lines were made, and checks with what the checks came to.
	finish(ctx context.Context, v *version, l *ledger, of *sums) error
	checks() []desk.BordereauCheck
	// lacks returns a policy of which it was not kept what it was; empty for none.
	lacks() string
	// reaches returns an error if the service that has what is reported does not respond.
	reaches(ctx context.Context) error
}

// maker returns what makes the lines of a period, as a version of a type would have them that is prepared at an
// instant.
func (d *Desk) maker(k *contract.Kept, l *ledger, p period.Period, kind string, at time.Time) maker {
	of := d.reading(k, p, at)
	if l.Kind == desk.Claims {
		return d.claims(of, l, kind)
	}
	return d.collect(of, l, kind)
}

// fill makes the lines of a version, checks them, and stores them and what was found.
func (d *Desk) fill(ctx context.Context, v *version, m maker, l *ledger, work *underway.Work) error {
	lines := &block.Writer[jsontext.Value]{List: d.list(v.Batch, lineBlocks)}
	find := d.finder(v)
	m.store(v, work, func(f desk.BordereauFinding) error { return find.add(ctx, f) })
	sums, digest := newSums(), newDigest()
	err := m.lines(ctx, func(line any, of amounts) error {
		text, err := digest.line(line)
		work.Made(ctx)
		return errors.Join(err, sums.add(of, 1), lines.Add(ctx, text))
	})
	if err == nil {
		err = m.finish(ctx, v, l, sums)
	}
	if err == nil {
		err = errors.Join(lines.Flush(ctx), find.end(ctx, m.checks()))
	}
	if err != nil {
		return err
	}
	v.Head.Lines = lines.Count
	if v.Head.Totals, v.Head.Claims, err = sums.shown(); err == nil {
		v.Head.Digest, err = digest.of(v.Head)
	}
	return err
}

// written returns the premium that is written under a contract with a version and all that stand beside it.
func (l *ledger) written(c *collection, v *version, sums totals) (money.Amount, error) {
	all := totals{}
	for k, of := range sums {
		all[k] = &total{of.lines, of.sums, of.taxed}
	}
	for _, p := range l.periods() {
		if p == c.period && v.Head.Type == desk.Correction {
			continue
		}
		for _, stands := range l.standing(p) {
			if err := all.addShown(stands.Head.Totals, 1); err != nil {
				return money.Amount{}, err
			}
		}
	}
	var written money.Amount
	for k, of := range all {
		if k.section == desk.PremiumSection && k.currency == c.of.Currency {
			var err error
			if written, err = written.Plus(of.sums.Gross); err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

// digest is the digest of a version on its way: of its lines, each on a line of its own, and then of its head, which
// has the digest of the version that was approved before. So the approved versions of a contract are a chain.
type digest struct{ lines hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

// line adds a line, and returns it as it is stored.
func (d digest) line(l any) (jsontext.Value, error) {
	text, err := json.Marshal(l, json.Deterministic(true))
	if err == nil {
		err = d.text(text)
	}
	return text, err
}

// text adds a line as it is stored.
func (d digest) text(line jsontext.Value) error {
	_, err := d.lines.Write(append(line, '\n'))
	return err
}

func (d digest) of(head desk.BordereauVersion) (string, error) {
	head.Digest = ""
	text, err := json.Marshal(head, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(text, d.lines.Sum(nil)...))
	return hex.EncodeToString(sum[:]), nil
}
