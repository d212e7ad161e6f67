package bordereau

import (
	"context"
	"slices"
	"strings"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/services/desk/contract"
)

const (
	// mostLooks is how many pages of receipts or claims are read for a page of policies without a contract. A page may
	// have few policies, or none, while there are more.
	mostLooks = 10
	// amongClaims begins the place of a page that goes on with claims. Receipts come first.
	amongClaims = "claims/"
)

// occurrence is a receipt or a claim of a policy.
type occurrence struct {
	id, policyNumber string
	at               scalar.DateTime
}

// Unassigned returns policies that have receipts or claims and belong to no contract, each where its first receipt
// comes or, without any, its first claim. It begins after the next of the page before, empty for the first. Errors:
// problem.BadParameter, problem.Unavailable, those of the store.
func (d *Desk) Unassigned(ctx context.Context, after string, limit int) (desk.UnassignedPolicies, error) {
	unassigned := desk.UnassignedPolicies{Policies: []desk.UnassignedPolicy{}}
	id, claims := strings.CutPrefix(after, amongClaims)
	if _, is := scalar.ParseID(id); !is && id != "" {
		return unassigned, problem.New(problem.BadParameter, "").InParameter("after", "is no next of this list")
	}
	all, err := d.contracts.All(ctx)
	if err != nil {
		return unassigned, err
	}
	for range mostLooks {
		page, last, more, err := d.occurrences(ctx, id, claims)
		if err != nil {
			return unassigned, err
		}
		at, err := d.without(ctx, page, claims, all, limit, &unassigned)
		if err != nil {
			return unassigned, err
		}
		if at != "" {
			last, more = at, true
		}
		switch {
		case more:
			id = last
		case claims:
			return unassigned, nil
		default:
			id, claims = "", true
		}
		if len(unassigned.Policies) == limit {
			break
		}
	}
	unassigned.Next = id
	if claims {
		unassigned.Next = amongClaims + id
	}
	return unassigned, nil
}

// occurrences returns a page of receipts or claims, the id of the last one that was looked at, and whether there may be
// more.
func (d *Desk) occurrences(
	ctx context.Context, after string, claims bool,
) (page []occurrence, last string, more bool, err error) {
	if !claims {
		receipts, err := d.source.Receipts(ctx, after)
		for _, r := range receipts.Receipts {
			last = string(r.Record.ID)
			page = append(page, occurrence{last, text(r.Record.PolicyNumber), r.Record.RecordedAt})
		}
		return page, last, receipts.More && last != "", err
	}
	var of internalapi.Claims
	of, err = d.source.Claims(ctx, d.now().Add(time.Minute), after)
	for _, c := range of.Claims {
		page = append(page, occurrence{string(c.Record.ID), text(c.Record.PolicyNumber), c.RecordedAt})
	}
	return page, of.Last, of.More && of.Last != "", err
}

// without adds to a list the policies of a page that belong to no contract, each where it occurs first. It returns the
// id of the occurrence after which the list goes on if that is full; empty if it is not.
func (d *Desk) without(
	ctx context.Context, page []occurrence, claims bool, all []*contract.Kept, limit int,
	found *desk.UnassignedPolicies,
) (after string, err error) {
	var numbers []string
	for _, o := range page {
		if o.policyNumber != "" && !slices.Contains(numbers, o.policyNumber) {
			numbers = append(numbers, o.policyNumber)
		}
	}
	attached, err := d.source.Attachments(ctx, numbers)
	if err != nil {
		return "", err
	}
	for i, o := range page {
		a, known := attached[o.policyNumber]
		if !known {
			continue
		}
		of, err := d.contracts.Of(ctx,
			contract.Policy{Number: a.PolicyNumber, Line: a.Line, Inception: a.InceptionDate}, all)
		if err != nil {
			return "", err
		}
		if of != "" {
			continue
		}
		first, err := d.first(ctx, o.policyNumber, claims)
		if err != nil {
			return "", err
		}
		if first != o.id {
			continue
		}
		policy := desk.UnassignedPolicy{PolicyNumber: a.PolicyNumber, Line: a.Line, InceptionDate: a.InceptionDate}
		if claims {
			policy.FirstClaimAt = o.at
		} else {
			policy.FirstReceiptAt = o.at
		}
		found.Policies = append(found.Policies, policy)
		if len(found.Policies) == limit && i < len(page)-1 {
			return o.id, nil
		}
	}
	return "", nil
}

// first returns the id of the first receipt of a policy or, of claims, that of its first claim if it has no receipt.
func (d *Desk) first(ctx context.Context, policyNumber string, claims bool) (string, error) {
	receipt, err := d.source.FirstReceipt(ctx, policyNumber)
	if err != nil || !claims {
		return receipt, err
	}
	if receipt != "" {
		return "", nil
	}
	return d.source.FirstClaim(ctx, policyNumber)
}
