package feed

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/services/feed/merged"
)

// cursor is a place in the feed, as callers carry it: sealed, so that they cannot read or alter it.
type cursor struct {
	// Given is when it was given, as a Unix time by the clock of the exchange.
	Given int64 `json:"g"`
	// Type and PolicyNumber are what the page before was asked for.
	Type         string        `json:"t,omitzero"`
	PolicyNumber string        `json:"n,omitzero"`
	At           merged.Places `json:"a"`
}

// sealedFor returns what cursors are sealed for: those of one organisation are none of another, and another form of
// cursors has another text.
func sealedFor(ctx context.Context) string {
	const form = "exchange events 1"
	if name := request.OrganisationFrom(ctx).Name(); name != "" {
		return form + "\n" + name
	}
	return form
}

// close returns a cursor as callers carry it.
func (f *feed) close(ctx context.Context, c cursor) (string, error) {
	text, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	return f.seal.Close(text, sealedFor(ctx)), nil
}

// open returns the cursor of a text. Errors: sealed.ErrSeal for one that the caller was not given, or that was altered.
func (f *feed) open(ctx context.Context, text string) (c cursor, err error) {
	plain, err := f.seal.Open(text, sealedFor(ctx))
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(plain, &c)
}

// age returns how long ago a cursor was given.
func (c cursor) age(now time.Time) time.Duration { return now.Sub(time.Unix(c.Given, 0)) }
