package bordereau

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/desk/contract"
)

// The collection of what was added to claims, and its index.
const (
	supplements = "supplement"
	claimIndex  = "claim"
)

const (
	// mostName is how many characters the name of a claimant may have.
	mostName = 200
	// mostDigits is how many characters an amount of a supplement may have.
	mostDigits = 24
)

// supplement is what was added to a claim, as it is stored.
type supplement struct {
	desk.ClaimSupplementVersion
	at docstore.At
}

// keptSupplements keeps what was added to claims, each version of it.
func keptSupplements(in docstore.Collection) docstore.Kept[supplement] {
	return docstore.Kept[supplement]{
		In: in, What: "supplement", Past: true, At: func(s *supplement) *docstore.At { return &s.at },
		Keys: func(s *supplement) docstore.Keys { return docstore.Keys{claimIndex: s.ClaimID} },
	}
}

// Tag returns the entity tag of a supplement; empty for none.
func (s *supplement) Tag() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(`"%s-%d"`, s.ClaimID, s.Version)
}

// Supplement returns what was added to a claim, and its entity tag. Errors: problem.NotFound, those of the store.
func (d *Desk) Supplement(ctx context.Context, claim string) (desk.ClaimSupplementVersion, string, error) {
	id, err := uuid.Parse(claim)
	if err != nil {
		return desk.ClaimSupplementVersion{}, "", unknownClaim(claim)
	}
	s, err := d.supplement(ctx, id)
	if err == nil && s == nil {
		err = problem.New(problem.NotFound, "Nothing was added to the claim. PUT adds it.")
	}
	if err != nil {
		return desk.ClaimSupplementVersion{}, "", err
	}
	return s.ClaimSupplementVersion, s.Tag(), nil
}

func unknownClaim(id string) error {
	return problem.New(problem.NotFound, "There is no claim with the id "+problem.Short(id)+".")
}

func (d *Desk) supplement(ctx context.Context, claim uuid.UUID) (*supplement, error) {
	return d.supplements.One(ctx, request.OrganisationFrom(ctx), docstore.Keys{claimIndex: claim.String()})
}

// supplementsOf returns what was added to claims by an instant, by their ids.
func (d *Desk) supplementsOf(
	ctx context.Context, at time.Time, ids []string,
) (map[string]*desk.ClaimSupplement, error) {
	all := map[string]*desk.ClaimSupplement{}
	for _, id := range ids {
		claim, err := uuid.Parse(id)
		if err != nil {
			return nil, err
		}
		s, err := d.supplementAt(ctx, claim, at)
		if err != nil {
			return nil, err
		}
		if s != nil {
			all[id] = &s.Supplement
		}
	}
	return all, nil
}

// supplementAt returns what was added to a claim by an instant; nil for nothing.
func (d *Desk) supplementAt(
	ctx context.Context, claim uuid.UUID, at time.Time,
) (*desk.ClaimSupplementVersion, error) {
	s, err := d.supplement(ctx, claim)
	for err == nil && s != nil && s.SetAt.Time().After(at) {
		s, err = d.supplements.Before(ctx, request.OrganisationFrom(ctx), s)
	}
	if errors.Is(err, docstore.ErrNotFound) {
		return nil, nil // it was added later
	}
	if err != nil || s == nil {
		return nil, err
	}
	return &s.ClaimSupplementVersion, nil
}

// PutSupplement adds to a claim what a bordereau asks for, in place of what was added before, of which every version is
// kept. meets checks the conditions of the request against the entity tag. Errors: problem.Invalid, problem.NotFound,
// those of meets and of the store.
func (d *Desk) PutSupplement(
	ctx context.Context, claim string, sent desk.ClaimSupplement, meets func(tag string) error,
) (desk.ClaimSupplementVersion, string, error) {
	var none desk.ClaimSupplementVersion
	id, err := uuid.Parse(claim)
	if err != nil {
		return none, "", unknownClaim(claim)
	}
	if err := supplementWrong(sent); err != nil {
		return none, "", err
	}
	if _, known, err := d.source.PolicyOfClaim(ctx, id.String()); err != nil || !known {
		if err == nil {
			err = unknownClaim(claim)
		}
		return none, "", err
	}
	is := &supplement{}
	err = docstore.Again(func() error {
		was, err := d.supplement(ctx, id)
		if err == nil {
			err = meets(was.Tag())
		}
		if err != nil {
			return err
		}
		is = &supplement{ClaimSupplementVersion: desk.ClaimSupplementVersion{ClaimID: id.String(), Version: 1,
			SetBy: contract.CallerKey(ctx), SetAt: scalar.Instant(d.now().Truncate(time.Microsecond)),
			Supplement: sent}}
		if was != nil {
			is.Version, is.at = was.Version+1, was.at
		}
		return d.supplements.Write(ctx, request.OrganisationFrom(ctx), is, was)
	})
	if err != nil {
		return none, "", err
	}
	return is.ClaimSupplementVersion, is.Tag(), nil
}

// supplementWrong returns what is wrong with a supplement; nil for nothing.
func supplementWrong(s desk.ClaimSupplement) error {
	wrong := problem.New(problem.Invalid, "The supplement cannot be used as it is.")
	for _, amount := range []struct {
		pointer string
		is      scalar.Figure
	}{{"/feesPaid", s.FeesPaid}, {"/feeReserve", s.FeeReserve}, {"/recoveries", s.Recoveries}} {
		if amount.is == "" {
			continue
		}
		is, err := money.Parse(string(amount.is))
		switch {
		case err != nil || len(amount.is) > mostDigits || strings.ContainsAny(string(amount.is), "eE"):
			wrong.At(amount.pointer, fmt.Sprintf("must be an amount of up to %d digits, such as 12.50", mostDigits))
		case is.Sign() < 0:
			wrong.At(amount.pointer, "must not be below 0")
		}
	}
	countries := valuesets.Published()
	if code, known := countries.Lookup(valuesets.Country, s.LossCountry); s.LossCountry != "" &&
		(!known || code != s.LossCountry) {
		wrong.At("/lossCountry", "must be a country code of two capital letters (ISO 3166-1), such as "+
			cmp.Or(countries.Meant(valuesets.Country, s.LossCountry), "GB"))
	}
	if utf8.RuneCountInString(s.ClaimantName) > mostName || strings.ContainsAny(s.ClaimantName, "\r\n\x00") {
		wrong.At("/claimantName", fmt.Sprintf("must be one line of up to %d characters", mostName))
	}
	if len(wrong.Violations) > 0 {
		return wrong
	}
	return nil
}
