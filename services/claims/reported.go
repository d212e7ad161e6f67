package claims

import (
	"context"
	"errors"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/history"
	"insurance.example/exchange/pkg/rest/query"
)

var claimPlaces = query.Places{Oldest: internalapi.Oldest, Limit: rest.DefaultLimit, Most: rest.MaxLimit, Dated: true}

// allClaims serves the internal operation that returns all claims as they were at an instant, page by page.
func allClaims(c *gin.Context, records *rest.Records[*claims.Claim], now func() time.Time) {
	var page internalapi.Claims
	at, err := claimPlaces.Read(c.Param("after"), c.Request.URL.RawQuery)
	if err == nil {
		if present := now(); at.At.After(present) {
			at.At = present
		}
		page, err = claimsAfter(c.Request.Context(), records, at)
	}
	rest.Respond(c, page, err)
}

func claimsAfter(
	ctx context.Context, records *rest.Records[*claims.Claim], from query.Place,
) (internalapi.Claims, error) {
	page := internalapi.Claims{Claims: []internalapi.ReportedClaim{}}
	docs, more, err := docstore.FindSettled(ctx, records.Stored(), request.OrganisationFrom(ctx), docstore.Query{
		After: from.After, Limit: from.Limit, Bytes: rest.MaxPage, WithState: true, Own: true,
	})
	if err != nil {
		return page, err
	}
	page.More = more
	for _, doc := range docs {
		claim, was, err := claimAt(ctx, records, doc, from.At)
		if err != nil {
			return page, err
		}
		if was {
			page.Claims = append(page.Claims, claim)
		}
		page.Last = doc.ID.String()
	}
	return page, nil
}

// claimAt returns a claim as it was at an instant, and whether it was there. A claim of which that was not kept counts
// as it is now.
func claimAt(
	ctx context.Context, records *rest.Records[*claims.Claim], doc docstore.Document, at time.Time,
) (claim internalapi.ReportedClaim, was bool, err error) {
	present, recorded, err := records.Recorded(doc)
	if err == nil && recorded.IsZero() && doc.Version > 1 {
		recorded, err = firstRecorded(ctx, records, doc.ID)
	}
	if err != nil || recorded.After(at) {
		return claim, false, err
	}
	claim = internalapi.ReportedClaim{Record: *present, RecordedAt: scalar.Instant(recorded)}
	if doc.Version > 1 {
		then, err := records.VersionAt(ctx, doc, at)
		var unknown *problem.Error
		switch {
		case err == nil:
			doc = then
		case !errors.As(err, &unknown) || unknown.Kind != problem.NotFound:
			return claim, false, err
		}
		record, err := records.Decode(doc)
		if err != nil {
			return claim, false, err
		}
		claim.Record = *record.Value
	}
	claim.ReservedAfter, err = reservedAfter(ctx, records, doc, &claim.Record)
	return claim, true, err
}

// firstRecorded returns the instant of the creation of a claim from its first version: a document that has changed
// often no longer has it. It returns the zero time if that version was not kept.
func firstRecorded(ctx context.Context, records *rest.Records[*claims.Claim], id uuid.UUID) (time.Time, error) {
	first, err := records.Stored().Former(ctx, request.OrganisationFrom(ctx), id, 1)
	if errors.Is(err, docstore.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	_, recorded, err := records.Recorded(former(id, first))
	return recorded, err
}

// former returns a former version as the document that it was.
func former(id uuid.UUID, of docstore.Former) docstore.Document {
	return docstore.Document{ID: id, Version: of.Version, Body: of.Body, State: of.State, Digest: of.Digest}
}

// reservedAfter returns how many payments of a claim had been made when its reserve was last set: changed, or named
// when the claim was opened again. Only a claim that is not closed and has payments is looked at: of others, it changes
// nothing that is reported. It reads as many former versions as there were since.
func reservedAfter(
	ctx context.Context, records *rest.Records[*claims.Claim], doc docstore.Document, is *claims.Claim,
) (int, error) {
	if len(is.Payments) == 0 || rest.Text(is.ClaimStatus) == claims.Closed {
		return 0, nil
	}
	paid := len(is.Payments)
	named, err := namesReserve(doc)
	for version := doc.Version - 1; version > 0 && paid > 0 && !named && err == nil; version-- {
		then, err := records.Stored().Former(ctx, request.OrganisationFrom(ctx), doc.ID, version)
		if errors.Is(err, docstore.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		was, _, err := records.Recorded(former(doc.ID, then))
		if err != nil {
			return 0, err
		}
		if reserve(was) != reserve(is) {
			break
		}
		paid = len(was.Payments)
		if named, err = namesReserve(former(doc.ID, then)); err != nil {
			return 0, err
		}
	}
	return paid, err
}

// namesReserve reports whether a version of a claim was made by opening it again with a reserve.
func namesReserve(doc docstore.Document) (bool, error) {
	state, err := history.Decode(doc.State)
	entry := state.History.Last()
	if err != nil || entry == nil || entry.Event != reopenAction || len(entry.Change) == 0 {
		return false, err
	}
	var body claims.Reopening
	err = json.Unmarshal(entry.Change, &body)
	return body.Reserve != nil, err
}

func reserve(c *claims.Claim) scalar.Int {
	if c.Reserve == nil {
		return 0
	}
	return *c.Reserve
}
