package contract

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
)

// The collection of the rules, and its index. It has one document for an exchange or for an organisation. Two contracts
// that are set at once are two documents, so that neither would see that the other one's rule overlaps its own; here
// they meet.
const (
	rules    = "rule"
	ruleName = "name"
	allRules = "all"
)

// ruleBook has the rule that each contract has, or is about to have, by reference.
type ruleBook struct {
	Rules map[string]rule `json:"rules"`

	id      uuid.UUID
	version int64
}

// rule is the rule of a contract.
type rule struct {
	Lines  []string  `json:"lines"`
	From   time.Time `json:"from"`
	Before time.Time `json:"before"`
}

func ruleSpec() docstore.Spec {
	return docstore.Spec{Name: rules, Unlogged: true, Indexes: []docstore.Index{{Name: ruleName, Unique: true}}}
}

func (c *Contracts) ruleBook(ctx context.Context) (*ruleBook, error) {
	docs, err := c.rules.Find(ctx, request.OrganisationFrom(ctx), docstore.Query{
		Equal: docstore.Keys{ruleName: allRules}, Limit: 1,
	})
	b := &ruleBook{Rules: map[string]rule{}}
	if err != nil || len(docs) == 0 {
		return b, err
	}
	b.id, b.version = docs[0].ID, docs[0].Version
	if err := json.Unmarshal(docs[0].Body, b); err != nil {
		return nil, fmt.Errorf("stored rules %s: %w", b.id, err)
	}
	return b, nil
}

// claim notes the rule that a contract is about to have, unless another one has or claims an overlapping one. Errors:
// problems.ContractOverlap; docstore.ErrStale or a docstore.DuplicateError if another contract was set meanwhile; those
// of the store.
func (c *Contracts) claim(ctx context.Context, reference string, terms *Terms, b *ruleBook) error {
	for other, r := range b.Rules {
		claimed := Terms{ContractTerms: desk.ContractTerms{Lines: r.Lines}, From: r.From, Before: r.Before}
		if other != reference && claimed.overlaps(terms) {
			return overlap(other)
		}
	}
	b.Rules[reference] = rule{terms.Lines, terms.From, terms.Before}
	body, err := json.Marshal(b, json.Deterministic(true))
	if err != nil {
		return err
	}
	doc := docstore.Document{ID: b.id, Version: b.version, Body: body, Keys: docstore.Keys{ruleName: allRules}}
	if b.version > 0 {
		return c.rules.Replace(ctx, request.OrganisationFrom(ctx), doc, nil)
	}
	if doc.ID, err = docstore.NewID(uuid.UUID{}); err != nil {
		return err
	}
	return c.rules.Insert(ctx, request.OrganisationFrom(ctx), doc)
}

// overlap returns the refusal of a rule that overlaps another contract's.
func overlap(reference string) error {
	return problem.New(problems.ContractOverlap, "A policy could belong to this contract and to "+reference+
		", because they share a line and a day. Change lines, risksFrom or risksBefore.").With("contract", reference)
}
