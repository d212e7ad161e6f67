package bordereau

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/block"
	"insurance.example/exchange/services/desk/period"
	"insurance.example/exchange/services/desk/source"
)

// Source returns what a line of a version was made of. Errors: problem.NotFound, problem.Unavailable, those of the
// store.
func (d *Desk) Source(ctx context.Context, at Place, number, lineID string) (desk.LineSource, error) {
	k, l, v, err := d.version(ctx, at, number)
	if err != nil {
		return desk.LineSource{}, err
	}
	id, err := uuid.Parse(lineID)
	if err != nil {
		return desk.LineSource{}, noLine(lineID)
	}
	prepared := v.Head.PreparedAt.Time()
	of := desk.LineSource{LineID: id.String(), At: v.Head.PreparedAt}
	then, err := d.contracts.Numbered(ctx, k.Reference, v.Head.ContractVersion)
	if err != nil {
		return of, err
	}
	of.Contract = then.Shown()
	line, err := withID(ctx, d.list(v.Batch, lineBlocks), v.Head.Lines, of.LineID, identity.id)
	if err != nil || line == nil {
		if err == nil {
			err = noLine(lineID)
		}
		return of, err
	}
	policies, err := d.source.Policies(ctx, prepared, []string{line.PolicyNumber})
	if err != nil {
		return of, err
	}
	policy := policies[line.PolicyNumber]
	of.Policy = recordOf(policy, prepared)
	if holder := string(policy.Value.PolicyholderID); holder != "" {
		parties, err := d.source.Parties(ctx, prepared, []string{holder})
		if err != nil {
			return of, err
		}
		of.Policyholder = recordOf(parties[holder], prepared)
	}
	if at.Kind == desk.Claims {
		of.Claim, err = d.claimOf(ctx, l, v, id)
		return of, err
	}
	return of, d.receiptOf(ctx, prepared, &of)
}

func noLine(id string) error {
	return problem.New(problem.NotFound, "The version has no line "+problem.Short(id)+".")
}

// receiptOf adds the receipt of a line, and the one that it reverses.
func (d *Desk) receiptOf(ctx context.Context, at time.Time, to *desk.LineSource) error {
	receipts, err := d.source.ReceiptsAt(ctx, at, []string{to.LineID})
	if err != nil {
		return err
	}
	receipt := receipts[to.LineID]
	to.Receipt = recordOf(receipt, at)
	reversed := string(receipt.Value.Reverses)
	if reversed == "" {
		return nil
	}
	if receipts, err = d.source.ReceiptsAt(ctx, at, []string{reversed}); err == nil {
		to.Reversed = recordOf(receipts[reversed], at)
	}
	return err
}

// recordOf returns a record with where it is read as it was at an instant; nil for none.
func recordOf[T any](of source.Past[T], at time.Time) *desk.SourceRecord {
	if of.ID == "" {
		return nil
	}
	return &desk.SourceRecord{Href: asOf(of.Resource, string(of.ID), at), Resource: of.Resource, ID: of.ID,
		Version: of.Version, Record: of.Record}
}

func asOf(resource, id string, at time.Time) string {
	return "/x/asof/" + resource + "/" + id + "?" + url.Values{"at": {at.UTC().Format(time.RFC3339Nano)}}.Encode()
}

// claimOf returns the claim of a line, and what was reported of it before. It is nil if the claim is not there any
// more.
func (d *Desk) claimOf(ctx context.Context, l *ledger, v *version, id uuid.UUID) (*desk.SourceClaim, error) {
	p, _ := period.Parse(v.Head.Period) // the version was prepared for it
	k, err := d.contracts.Numbered(ctx, l.Contract, v.Head.ContractVersion)
	if err != nil {
		return nil, err
	}
	end := ends(k, p)
	claim, err := d.source.Claim(ctx, end, id)
	if err != nil || claim == nil {
		return nil, err
	}
	record, err := json.Marshal(claim.Record)
	if err != nil {
		return nil, err
	}
	of := &desk.SourceClaim{Href: asOf("claim", id.String(), end), At: scalar.Instant(end),
		Record: record, ReservedAfter: claim.ReservedAfter}
	if of.Supplement, err = d.supplementAt(ctx, id, v.Head.PreparedAt.Time()); err != nil {
		return nil, err
	}
	// As reported does, with a search in place of reading all.
	stands := l.before(v).standingBefore(p)
	for _, what := range []string{lineBlocks, carriedBlocks} {
		for _, earlier := range slices.Backward(stands) {
			count := earlier.Head.Lines
			if what == carriedBlocks {
				count = earlier.Carried
			}
			was, err := withID(ctx, d.list(earlier.Batch, what), count, id.String(), carried.id)
			if err != nil {
				return nil, err
			}
			if was != nil {
				of.Before = &desk.SourceBefore{Href: pathOf(l, earlier), ClaimAmounts: was.ClaimAmounts}
				return of, nil
			}
		}
	}
	return of, nil
}

// before returns the ledger as it was when a version was prepared. Its earlier versions were as they are now: at most
// one version is pending, so each earlier one had been approved or rejected by then.
func (l *ledger) before(v *version) *ledger {
	return &ledger{Contract: l.Contract, Kind: l.Kind, Versions: l.Versions[:slices.Index(l.Versions, v)]}
}

func (i identity) id() string { return i.LineID }

func (c carried) id() string { return c.LineID }

// withID returns the item of a list with an id; nil if there is none. Items are in the order of their ids, so a binary
// search reads only a few blocks.
func withID[T any](ctx context.Context, l block.List, count int, id string, idOf func(T) string) (*T, error) {
	var items []T
	var failed error
	read := -1
	blocks := (count + l.Length - 1) / l.Length
	// The first block that begins behind the id follows the one that has it.
	behind := sort.Search(blocks, func(n int) bool {
		if failed != nil {
			return true
		}
		if items, failed = block.Read[T](ctx, l, n); failed == nil && len(items) == 0 {
			failed = fmt.Errorf("block %d of %s of %s is empty", n, l.What, l.Batch)
		}
		read = n
		return failed != nil || idOf(items[0]) > id
	})
	if failed == nil && behind > 0 && read != behind-1 {
		items, failed = block.Read[T](ctx, l, behind-1)
	}
	if failed != nil || behind == 0 {
		return nil, failed
	}
	at, found := slices.BinarySearchFunc(items, id, func(item T, id string) int {
		return strings.Compare(idOf(item), id)
	})
	if !found {
		return nil, nil
	}
	return &items[at], nil
}
