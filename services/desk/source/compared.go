package source

import (
	"context"
	"net/url"
	"time"

	"insurance.example/exchange/contracts/claims"
	"insurance.example/exchange/contracts/internalapi"
)

// Stated returns the rows of the premium bordereau in which receipts with some ids count, up to Most, and of which
// somebody has stated the netPremium.
func (s *Source) Stated(ctx context.Context, ids []string) ([]internalapi.StatedRow, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	stated, err := get[internalapi.StatedPremium](ctx, s.premium, internalapi.StatedPath+joined(ids))
	return stated.Rows, err
}

// ToDate returns what was received for policies, up to Most, until an instant, by type of receipt.
func (s *Source) ToDate(ctx context.Context, at time.Time, numbers []string) ([]internalapi.PremiumSum, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	sums, err := get[internalapi.PremiumToDate](ctx, s.premium, internalapi.ToDatePath+joined(numbers)+asOf(at))
	return sums.Sums, err
}

// ClaimPayments returns what was paid for claims, up to Most, until an instant, as receipts say.
func (s *Source) ClaimPayments(
	ctx context.Context, at time.Time, numbers []string,
) ([]internalapi.ClaimPayment, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	payments, err := get[internalapi.ClaimPayments](ctx, s.premium,
		internalapi.ClaimPaymentsPath+joined(numbers)+asOf(at))
	return payments.Claims, err
}

// ClaimsAt returns claims by their numbers as they were at an instant, as Policies does.
func (s *Source) ClaimsAt(ctx context.Context, at time.Time, numbers []string) (map[string]Past[claims.Claim], error) {
	return readAt[claims.Claim](ctx, s.claims, at, numbers)
}

// asOf returns the query of what is read as it was at an instant.
func asOf(at time.Time) string { return "?" + url.Values{"at": {written(at)}}.Encode() }
