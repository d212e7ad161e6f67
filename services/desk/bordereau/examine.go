package bordereau

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest/inspect"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/source"
)

// The invariants of what is stored.
const (
	readableLedger = "a ledger can be read"
	wholeVersion   = "a version of a bordereau has all of its blocks"
	ownDigest      = "the lines and the head of a version have its digest"
	chained        = "a version names the digest of the version approved before it"
	oneLine        = "a receipt is in one line of the versions that stand"
	sameAnew       = "a version is what its sources give"
)

// examination is a look for faults in what the desk has stored.
type examination struct {
	inspect.Examination
	desk *Desk
	// from returns what versions are made anew from; nil for nothing. It is asked once there is a version.
	from func() (*source.Source, error)
	// standing are the premium versions that stand, by owner.
	standing map[string][]*standingVersion
}

// Examine looks for faults in ledgers and in the lines of their versions: missing blocks, digests that are others,
// receipts in several lines, of one contract or of two. Each version is also made anew from what the other services
// have, as it was then; from returns nil where they are not there. It reads a block at a time of each version whose
// receipts are of one time. Errors: docstore.ErrUnavailable; those of Report.
func (d *Desk) Examine(
	ctx context.Context, x inspect.Examination, from func() (*source.Source, error),
) error {
	e := &examination{Examination: x, desk: d, from: sync.OnceValues(from),
		standing: map[string][]*standingVersion{}}
	versions, err := x.Store.Collection(ctx, ledgerSpec())
	if err != nil {
		return err
	}
	if err := inspect.EachPage(ctx, versions, docstore.Query{}, func(page []docstore.Document) error {
		for _, doc := range page {
			if err := e.ledger(ctx, doc); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for owner, all := range e.standing {
		if err := e.lines(ctx, owner, all); err != nil {
			return err
		}
	}
	return nil
}

// ledger examines a ledger and its versions.
func (e *examination) ledger(ctx context.Context, doc docstore.Document) error {
	of := ledgerCheck{e, doc.ID}
	l := new(ledger)
	if err := json.Unmarshal(doc.Body, l); err != nil {
		return of.report(readableLedger, err.Error(), "a ledger")
	}
	ctx, err := request.ForOwner(ctx, doc.Owner)
	if err != nil {
		return of.report(readableLedger, err.Error(), "a ledger of an organisation")
	}
	whole := true
	for i := range l.Versions {
		has, err := of.version(ctx, l, i)
		if err != nil {
			return err
		}
		whole = whole && has
	}
	if !whole {
		return nil // what follows reads all lines
	}
	if l.Kind == desk.Premium {
		if err := of.stands(ctx, l, doc.Owner); err != nil {
			return err
		}
	}
	if e.desk.source, err = e.from(); err != nil || e.desk.source == nil {
		return err
	}
	for _, v := range l.Versions {
		if v.State != desk.Rejected {
			if err := of.anew(ctx, l, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// ledgerCheck is the examination of one ledger.
type ledgerCheck struct {
	*examination
	id uuid.UUID
}

func (a ledgerCheck) report(invariant, digest, expected string) error {
	return a.Report(docstore.Finding{Collection: ledgers, ID: a.id.String(), Invariant: invariant,
		Found: docstore.Short(digest), Expected: docstore.Short(expected)})
}

// version examines a version of a ledger, and reports whether all of its lines are there.
func (a ledgerCheck) version(ctx context.Context, l *ledger, i int) (whole bool, err error) {
	v, previous := l.Versions[i], ""
	for _, before := range l.Versions[:i] {
		if before.State == desk.Approved {
			previous = before.Head.Digest
		}
	}
	if v.Head.Previous != previous {
		if err := a.report(chained, pathOf(l, v)+" names "+cmp.Or(v.Head.Previous, "none"),
			cmp.Or(previous, "none")); err != nil {
			return false, err
		}
	}
	for _, list := range []struct {
		what  string
		count int
	}{{carriedBlocks, v.Carried}, {findingBlocks, min(v.Errors+v.Warnings, mostFindings)}, {checkBlocks, v.Checks}} {
		if whole, err := a.blocks(ctx, l, v, list.what, list.count, nil); !whole || err != nil {
			return false, err
		}
	}
	digest := newDigest()
	if whole, err = a.blocks(ctx, l, v, lineBlocks, v.Head.Lines, digest.text); !whole || err != nil {
		return whole, err
	}
	a.Count("versions of bordereaux", 1)
	a.Count("lines of bordereaux", v.Head.Lines)
	is, err := digest.of(v.Head)
	if err == nil && is != v.Head.Digest {
		err = a.report(ownDigest, pathOf(l, v)+" has "+is, v.Head.Digest)
	}
	return true, err
}

// blocks reads the blocks of a list of a version, and reports whether they are there and whole.
func (a ledgerCheck) blocks(
	ctx context.Context, l *ledger, v *version, what string, count int, do func(jsontext.Value) error,
) (whole bool, err error) {
	list := a.desk.list(v.Batch, what)
	for number := 0; number*list.Length < count; number++ {
		items, err := block.Read[jsontext.Value](ctx, list, number)
		wants := min(list.Length, count-number*list.Length)
		switch {
		case ofStore(err):
			return false, err
		case err != nil || len(items) != wants:
			text := fmt.Sprintf("block %d of the %s of %s with %d items", number, what, pathOf(l, v), len(items))
			if err != nil {
				text = fmt.Sprintf("block %d of the %s of %s: %v", number, what, pathOf(l, v), err)
			}
			return false, a.report(wholeVersion, text, fmt.Sprintf("%d items", wants))
		}
		for _, item := range items {
			if do == nil {
				break
			}
			if err := do(item); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// stands notes the versions of a ledger that stand, so that lines examines theirs.
func (a ledgerCheck) stands(ctx context.Context, l *ledger, owner string) error {
	for _, p := range l.periods() {
		for _, v := range l.standing(p) {
			of := &standingVersion{ledgerCheck: a, contract: l.Contract,
				lines: cursor[identity]{desk: a.desk, batch: v.Batch, what: lineBlocks, total: v.Head.Lines}}
			first := of.lines // what it reads is not kept in memory
			line, err := first.next(ctx)
			if err != nil {
				return err
			}
			if line != nil {
				of.id = line.LineID
				a.standing[owner] = append(a.standing[owner], of)
			}
		}
	}
	return nil
}

// lines looks for receipts that are in more than one line of the standing versions of an owner, of whatever contracts.
// The lines of each version are in the order of their ids, and so in order of time. All versions are read together in
// that order, one block of each at a time.
func (e *examination) lines(ctx context.Context, owner string, all []*standingVersion) error {
	ctx, err := request.ForOwner(ctx, owner)
	if err != nil {
		return err
	}
	byID := func(v *standingVersion, id string) int { return cmp.Compare(v.id, id) }
	slices.SortFunc(all, func(a, b *standingVersion) int { return byID(a, b.id) })
	var last, under string
	for len(all) > 0 {
		var of *standingVersion
		of, all = all[0], all[1:]
		if of.id == last {
			if err := of.report(oneLine, "several lines of "+last+" under "+under+" and "+of.contract,
				"one"); err != nil {
				return err
			}
		}
		last, under = of.id, of.contract
		if more, err := of.next(ctx); err != nil {
			return err
		} else if more {
			at, _ := slices.BinarySearchFunc(all, of.id, byID)
			all = slices.Insert(all, at, of)
		}
	}
	return nil
}

// standingVersion is a version that stands, at one of its lines.
type standingVersion struct {
	ledgerCheck
	contract string
	lines    cursor[identity]
	// id is the id of the line.
	id string
}

// next goes to the next line, and reports whether there is one.
func (v *standingVersion) next(ctx context.Context) (bool, error) {
	if v.lines.read == 0 {
		if _, err := v.lines.next(ctx); err != nil {
			return false, err
		}
	}
	line, err := v.lines.next(ctx)
	if err != nil || line == nil {
		return false, err
	}
	v.id = line.LineID
	return true, nil
}
