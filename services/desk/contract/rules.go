package contract

import (
	"context"
	"time"

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

	at docstore.At
}

// ruleBooks keeps the one rule book of an organisation.
func ruleBooks(in docstore.Collection) docstore.Kept[ruleBook] {
	return docstore.Kept[ruleBook]{
		In: in, What: "rules", At: func(b *ruleBook) *docstore.At { return &b.at },
		Keys: func(*ruleBook) docstore.Keys { return docstore.Keys{ruleName: allRules} },
	}
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
	b, err := c.rules.One(ctx, request.OrganisationFrom(ctx), docstore.Keys{ruleName: allRules})
	if b == nil {
		b = &ruleBook{}
	}
	if b.Rules == nil {
		b.Rules = map[string]rule{}
	}
	return b, err
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
	return c.rules.Write(ctx, request.OrganisationFrom(ctx), b, nil)
}

// overlap returns the refusal of a rule that overlaps another contract's.
func overlap(reference string) error {
	return problem.New(problems.ContractOverlap, "A policy could belong to this contract and to "+reference+
		", because they share a line and a day. Change lines, risksFrom or risksBefore.").With("contract", reference)
}
