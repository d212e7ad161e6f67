package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// claimBook holds the claims and changes that callers tried, and the responses.
type claimBook struct {
	ids []string
	// changes has as keys what is unique to a change: the amount of a payment, or the address of a document.
	changes map[string]*change
}

// change is one request to change a claim. It is sent once, so it is made once at most.
type change struct {
	claim string
	// made is true if a response said that the change was made, refused if one said that it was not.
	made, refused bool
}

// workOnClaims reports claims, and settles, reopens and documents those that all callers have reported.
func (c *caller) workOnClaims(ctx context.Context, number int) {
	for i := range 4 + c.random.IntN(6) {
		pause(ctx, time.Duration(c.random.Int64N(int64(800*time.Millisecond))))
		book := &c.book.claims
		if len(book.ids) < 2 {
			body := `{"policyNumber":"P1","lossDate":"2026-02-01T00:00:00Z","lossCause":"fire","claimType":"other"}`
			if got, heard := c.reach("claims", c.random).post(ctx, "POST claim", "/claim", body); heard &&
				got.status == http.StatusCreated {
				book.ids = append(book.ids, got.member("id"))
			} else if heard && got.status != http.StatusServiceUnavailable {
				c.complain("POST /claim: %d %s", got.status, got.body)
			}
			continue
		}
		id, amount := book.ids[c.random.IntN(len(book.ids))], 1000*(number+1)+i
		switch c.random.IntN(3) {
		case 0:
			c.change(ctx, id, fmt.Sprint(amount), ":settle",
				fmt.Sprintf(`{"paymentAmount":%d,"paymentMethod":"cash"}`, amount))
		case 1:
			c.change(ctx, id, fmt.Sprintf("reopening %d", amount), ":reopen", `{}`)
		case 2:
			url := fmt.Sprintf("https://example.com/%d", amount)
			c.change(ctx, id, url, "/documents", fmt.Sprintf(`{"url":%q}`, url))
		}
	}
}

// change sends a change of a claim, and notes the response.
func (c *caller) change(ctx context.Context, claim, name, action, body string) {
	made := &change{claim: claim}
	c.book.claims.changes[name] = made
	got, heard := c.reach("claims", c.random).post(ctx, action+" "+name, "/claim/"+claim+action, body)
	switch {
	case !heard || got.status == http.StatusServiceUnavailable: // Whether it was made is not known.
	case got.status == http.StatusOK || got.status == http.StatusCreated:
		made.made = true
	case got.status == http.StatusConflict:
		made.refused = true
	default:
		c.complain("%s: %d %s", action, got.status, got.body)
	}
}

// storedClaim is a claim at one of its versions.
type storedClaim struct {
	ID          string `json:"id"`
	ClaimStatus string `json:"claimStatus"`
	Documents   []string
	Payments    []struct{ PaymentAmount json.Number }
}

// checkClaims compares the claims with the book, and each version of a claim with the one before.
func (x *exchange) checkClaims(complain func(string, ...any)) {
	counts := make(map[string]int)
	var ids []string
	for _, doc := range x.store.Documents("claim") {
		var is storedClaim
		var was *storedClaim
		bodies := x.store.Versions("claim", doc.ID)
		if len(bodies) != int(doc.Version) {
			complain("claim %s is at version %d, and has %d versions", doc.ID, doc.Version, len(bodies))
		}
		for _, body := range bodies {
			is = storedClaim{}
			if err := json.Unmarshal(body, &is); err != nil {
				complain("claim %s cannot be read: %v", doc.ID, err)
			}
			if was != nil && !was.mayBecome(is) {
				complain("claim %s goes from %+v to %+v", doc.ID, *was, is)
			}
			was = &storedClaim{is.ID, is.ClaimStatus, is.Documents, is.Payments}
		}
		ids = append(ids, is.ID)
		for _, p := range is.Payments {
			counts[p.PaymentAmount.String()]++
		}
		for _, url := range is.Documents {
			counts[url]++
		}
	}
	for _, id := range x.book.claims.ids {
		if !slices.Contains(ids, id) {
			complain("the claim %s was acknowledged and is lost", id)
		}
	}
	for name, c := range x.book.claims.changes {
		switch times := counts[name]; {
		case times > 1:
			complain("the change %s was made %d times", name, times)
		case times == 1 && c.refused:
			complain("the change %s was refused and made", name)
		case times == 0 && c.made && !strings.HasPrefix(name, "reopening"):
			complain("the change %s was acknowledged and is lost", name)
		}
	}
}

// mayBecome reports whether a version may follow c: one that adds a document, has one more payment, or is reopened.
func (c storedClaim) mayBecome(next storedClaim) bool {
	paid, documented := len(next.Payments)-len(c.Payments), len(next.Documents)-len(c.Documents)
	switch {
	case c.ClaimStatus == next.ClaimStatus:
		return paid == 0 && documented == 1
	case next.ClaimStatus == "closed":
		return paid == 1 && documented == 0
	default:
		return c.ClaimStatus == "closed" && next.ClaimStatus == "reopened" && paid == 0 && documented == 0
	}
}
