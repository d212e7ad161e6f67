package bordereau

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/desk/contract"
	"insurance.example/exchange/services/desk/money"
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
	id      uuid.UUID
	version int64
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
	docs, err := d.supplements.Find(ctx, request.OrganisationFrom(ctx), docstore.Query{
		Equal: docstore.Keys{claimIndex: claim.String()}, Limit: 1,
	})
	if err != nil || len(docs) == 0 {
		return nil, err
	}
	s := &supplement{id: docs[0].ID, version: docs[0].Version}
	if err := json.Unmarshal(docs[0].Body, &s.ClaimSupplementVersion); err != nil {
		return nil, fmt.Errorf("stored supplement %s: %w", docs[0].ID, err)
	}
	return s, nil
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
	if err != nil || s == nil {
		return nil, err
	}
	was := s.ClaimSupplementVersion
	for version := s.version - 1; was.SetAt.Time().After(at); version-- {
		former, err := d.past.Former(ctx, request.OrganisationFrom(ctx), s.id, version)
		if errors.Is(err, docstore.ErrNotFound) {
			return nil, nil // it was added later
		}
		if err != nil {
			return nil, err
		}
		was = desk.ClaimSupplementVersion{}
		if err := json.Unmarshal(former.Body, &was); err != nil {
			return nil, fmt.Errorf("stored supplement %s: %w", s.id, err)
		}
	}
	return &was, nil
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
	for range mostTries {
		was, err := d.supplement(ctx, id)
		if err == nil {
			err = meets(was.Tag())
		}
		if err != nil {
			return none, "", err
		}
		is := &supplement{ClaimSupplementVersion: desk.ClaimSupplementVersion{ClaimID: id.String(), Version: 1,
			SetBy: contract.CallerKey(ctx), SetAt: scalar.Instant(d.now().Truncate(time.Microsecond)),
			Supplement: sent}}
		err = d.writeSupplement(ctx, is, was)
		if _, taken := docstore.Duplicate(err); !taken && !errors.Is(err, docstore.ErrStale) {
			return is.ClaimSupplementVersion, is.Tag(), err
		}
	}
	return none, "", errBusy
}

// writeSupplement stores a supplement in place of the version that was read, which is kept, or as a new document.
func (d *Desk) writeSupplement(ctx context.Context, is, was *supplement) error {
	who := request.OrganisationFrom(ctx)
	if was != nil {
		is.Version = was.Version + 1
	}
	body, err := json.Marshal(is.ClaimSupplementVersion)
	if err != nil {
		return err
	}
	doc := docstore.Document{Body: body, Keys: docstore.Keys{claimIndex: is.ClaimID}}
	if was == nil {
		if doc.ID, err = docstore.NewID(uuid.UUID{}); err != nil {
			return err
		}
		return d.supplements.Insert(ctx, who, doc)
	}
	doc.ID, doc.Version = was.id, was.version
	before, err := json.Marshal(was.ClaimSupplementVersion)
	if err != nil {
		return err
	}
	return d.supplements.Replace(ctx, who, doc, &docstore.Former{Version: was.version, Body: before})
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
	if code, known := valuesets.Published().Lookup(valuesets.Country, s.LossCountry); s.LossCountry != "" &&
		(!known || code != s.LossCountry) {
		wrong.At("/lossCountry", "must be a country code of two capital letters (ISO 3166-1), such as GB")
	}
	if utf8.RuneCountInString(s.ClaimantName) > mostName || strings.ContainsAny(s.ClaimantName, "\r\n\x00") {
		wrong.At("/claimantName", fmt.Sprintf("must be one line of up to %d characters", mostName))
	}
	if len(wrong.Violations) > 0 {
		return wrong
	}
	return nil
}
