package contract

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
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

// rule is the rule of a contract. Its instants are written with the offset of the contract's zone, so that they also
// say its days, and a release that knows no zones leaves them as they are.
type rule struct {
	Lines  []string  `json:"lines"`
	From   time.Time `json:"from"`
	Before time.Time `json:"before"`
}

// terms returns what of the terms of a contract its rule says.
func (r rule) terms() *Terms {
	return &Terms{ContractTerms: desk.ContractTerms{Lines: r.Lines, RisksFrom: scalar.DateOf(r.From, r.From.Location()),
		RisksBefore: scalar.DateOf(r.Before, r.Before.Location())}, From: r.From, Before: r.Before}
}

// Until are instants, by lines of insurance.
type Until map[string]time.Time

// String returns the instants in the order of the lines.
func (u Until) String() (text string) {
	for _, line := range slices.Sorted(maps.Keys(u)) {
		text += " " + line + "<" + u[line].UTC().Format(time.RFC3339)
	}
	return text
}

// until returns the instants from which other contracts, which begin later, take what is before the end of a contract.
// A contract counts as soon as it is about to be made: if its making ends there, what both could take is unassigned
// until it is made.
func (b *ruleBook) until(reference string, t *Terms) (until Until) {
	for other, r := range b.Rules {
		if other == reference || r.terms().RisksFrom < t.RisksBefore || !r.From.Before(t.Before) {
			continue
		}
		for _, line := range r.Lines {
			if was, is := until[line]; !slices.Contains(t.Lines, line) || is && was.Before(r.From) {
				continue
			}
			if until == nil {
				until = Until{}
			}
			until[line] = r.From
		}
	}
	return until
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

// takes returns what the rule of a contract has taken into versions that are pending or stand.
type takes = func(context.Context, *Kept) (Taken, error)

// claim is the rule that a contract is about to have.
type claim struct {
	reference string
	terms     *Terms
	// was is the contract as it is, nil for a new one, and all are all contracts.
	was   *Kept
	all   []*Kept
	taken takes
	// noted says that the rule book may have the claim.
	noted bool
}

// claim notes the rule that a contract is about to have, unless another one has or claims an overlapping one, or has
// reported what it would take. Errors: problems.ContractOverlap; problems.ContractInUse; docstore.ErrStale or a
// docstore.DuplicateError if another contract was set meanwhile; those of taken and of the store.
func (c *Contracts) claim(ctx context.Context, of *claim, b *ruleBook) error {
	for other, r := range b.Rules {
		if other != of.reference && r.terms().overlaps(of.terms) {
			return overlap(other)
		}
	}
	b.Rules[of.reference] = rule{of.terms.Lines, of.terms.From, of.terms.Before}
	refused := b.spares(ctx, of)
	if refused == nil {
		of.noted = true
		if err := c.rules.Write(ctx, request.OrganisationFrom(ctx), b, nil); err != nil {
			return err
		}
		// A version that was prepared meanwhile has not seen the rule. One that is prepared from now on does, and one
		// that has not is not approved.
		refused = b.spares(ctx, of)
	}
	if refused == nil || !of.noted {
		return refused
	}
	if of.was == nil {
		delete(b.Rules, of.reference)
	} else {
		b.Rules[of.reference] = rule{of.was.Lines, of.was.From, of.was.Before}
	}
	return cmp.Or(c.rules.Write(ctx, request.OrganisationFrom(ctx), b, nil), refused)
}

// spares refuses the rule of a contract that would take policies which bordereaux of other ones have.
func (b *ruleBook) spares(ctx context.Context, of *claim) error {
	for _, other := range of.all {
		shorter := *other.Terms
		shorter.Until = b.until(other.Reference, other.Terms)
		if other.Reference == of.reference || shorter.Until.String() == other.Until.String() {
			continue
		}
		reported, err := of.taken(ctx, other)
		if err != nil {
			return err
		}
		if shorter.Keeps(reported) != nil {
			return problem.New(problems.ContractInUse, "Bordereaux of the contract "+other.Reference+" have policies "+
				"that begin on its last day in its zone, which is the first one of this contract in its own. Change "+
				"timeZone, lines or risksFrom.").With("contract", other.Reference)
		}
	}
	return nil
}

// overlap returns the refusal of a rule that overlaps another contract's.
func overlap(reference string) error {
	return problem.New(problems.ContractOverlap, "A policy could belong to this contract and to "+reference+
		", because they share a line and a day. Change lines, risksFrom or risksBefore.").With("contract", reference)
}
