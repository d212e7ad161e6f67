package organisations

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/chance"
	"insurance.example/exchange/pkg/wait"
)

// book is a policy, and what is under it.
type book struct {
	number string
	// loss is the body of a claim.
	loss trial.Record
	// doors are the URLs of the gateways.
	doors []string
	// fixed are the places of what was there from the beginning.
	fixed []place

	mu sync.Mutex
	// random chooses the gateways.
	random *rand.Rand
	// claims are the paths of the claims that were acknowledged.
	claims []string
}

// place is where something of the policy is read, and a text that shows it. follows says that it comes some time after
// what it shows.
type place struct {
	path, shows string
	follows     bool
}

func instant(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339) }

// newBook makes a policy with a claim, a receipt and its row.
func newBook(t *testing.T, c *trial.Client, doors []string) *book {
	t.Helper()
	policy := c.Create(t, "cyberLiabilityCoverage", trial.Record{
		"policyholderId": c.Create(t, "commercial", trial.Record{"name": "Example Ltd"}).Text("id"),
		"businessId":     c.Create(t, "business", trial.Record{"businessSector": "mail order"}).Text("id"),
		"scope":          []string{"Breach of privacy"}, "indemnityLimitPolicy": 1000,
		"inceptionDate": instant(-100), "expiryDate": instant(265),
	})
	b := &book{number: policy.Text("policyNumber"), doors: doors, random: rand.New(rand.NewPCG(chance.Seed(t), 1))}
	b.loss = trial.Record{
		"policyNumber": b.number, "lossDate": instant(-2), "claimType": "other", "lossCause": "Breach of privacy",
	}
	claim := c.Create(t, "claim", b.loss)
	receipt := c.Create(t, "receipt", trial.Record{
		"policyNumber": b.number, "receiptType": "new policy", "paymentAmount": 7,
	}).Text("id")
	path, of := "/cyberLiabilityCoverage/"+policy.Text("id"), "?policyNumber="+b.number
	claimPath := "/claim/" + claim.Text("id")
	b.fixed = []place{
		{path: path, shows: b.number}, {path: "/x/history" + path, shows: "created"},
		{path: "/cyberLiabilityCoverage", shows: b.number}, {path: "/x/policy/" + b.number, shows: policy.Text("id")},
		{path: "/x/search/coverage" + of, shows: b.number}, {path: "/x/access/" + b.number, shows: "read"},
		{path: "/claim?claimNumber=" + claim.Text("claimNumber"), shows: b.number},
		{path: "/x/history" + claimPath, shows: "created"},
		{path: "/receipt/" + receipt, shows: b.number}, {path: "/receipt", shows: b.number},
		{path: "/premiumBordereau" + of, shows: b.number},
		{path: "/x/events?limit=200&policyNumber=" + b.number, shows: b.number, follows: true},
	}
	b.note(claim.Text("id"))
	wait.Until(t, func() error {
		if rows := c.Get(t, "/premiumBordereau"+of).Want(t, http.StatusOK).Records(t); len(rows) != 1 {
			return fmt.Errorf("the rows are %v", rows)
		}
		return nil
	})
	return b
}

// door returns one of the gateways.
func (b *book) door() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.doors[b.random.IntN(len(b.doors))]
}

// newest is how many of the claims that were made last are read by their ids.
const newest = 3

// places returns where the policy is read, and what is under it.
func (b *book) places() []place {
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.claims[len(b.claims)-1]
	all := append(slices.Clone(b.fixed), place{
		path:  "/claim?limit=200&policyNumber=" + b.number,
		shows: strings.TrimPrefix(last, "/claim/"),
	})
	for _, path := range b.claims[max(0, len(b.claims)-newest):] {
		all = append(all, place{path: path, shows: b.number})
	}
	return all
}

// note notes a claim that was acknowledged.
func (b *book) note(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if path := "/claim/" + id; !slices.Contains(b.claims, path) {
		b.claims = append(b.claims, path)
	}
}

// claim makes a claim with a key, and notes it if it was acknowledged.
func (b *book) claim(ctx context.Context, c *trial.Client, key string) (trial.Response, error) {
	response, err := c.At(b.door()).Send(ctx, http.MethodPost, "/claim", b.loss, "Idempotency-Key", key)
	if err != nil || response.Status != http.StatusCreated && response.Status != http.StatusOK {
		return response, err
	}
	record := trial.Record{}
	err = json.Unmarshal(response.Body, &record)
	b.note(record.Text("id"))
	return response, err
}

// share asks for the access list to have one organisation with all rights, or none.
func (b *book) share(t *testing.T, c *trial.Client, with string) (trial.Response, error) {
	participants := []trial.Record{}
	if with != "" {
		participants = append(participants,
			trial.Record{"organisation": with, "rights": []string{"read", "claims", "premium"}})
	}
	return c.Send(t.Context(), http.MethodPut, "/x/access/"+b.number, trial.Record{"participants": participants})
}
