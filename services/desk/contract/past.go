package contract

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// At returns a contract as it was at an instant. Errors: problem.NotFound, also where it was made later; those of the
// store.
func (c *Contracts) At(ctx context.Context, reference string, at time.Time) (*Kept, error) {
	return c.last(ctx, reference, func(s *state) bool { return !s.At.After(at) })
}

// Numbered returns a contract as callers have set it in one of its editions. Errors: problem.NotFound, those of the
// store.
func (c *Contracts) Numbered(ctx context.Context, reference string, edition int64) (*Kept, error) {
	return c.last(ctx, reference, func(s *state) bool { return s.Edition <= edition })
}

// last returns the last version of a contract that fits.
func (c *Contracts) last(ctx context.Context, reference string, fits func(*state) bool) (*Kept, error) {
	k, err := c.Get(ctx, reference)
	if err != nil || fits(&k.state) {
		return k, err
	}
	who := request.OrganisationFrom(ctx)
	var number int64
	for after := int64(0); ; {
		formers, err := c.kept.Formers(ctx, who, k.id, after, page)
		if err != nil {
			return nil, err
		}
		for _, f := range formers {
			var s state
			if err := json.Unmarshal(f.State, &s); err != nil {
				return nil, err
			}
			if fits(&s) {
				number = f.Version
			}
			after = f.Version
		}
		if len(formers) == 0 {
			break
		}
	}
	if number == 0 {
		return nil, problem.New(problem.NotFound, "The contract was made after this instant.")
	}
	f, err := c.kept.Former(ctx, who, k.id, number)
	if err != nil {
		return nil, err
	}
	was, err := c.read(docstore.Document{ID: k.id, Version: f.Version, Owner: k.Owner, Body: f.Body, State: f.State})
	return was, named(reference, err)
}
