package coverage

import (
	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/problems"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/number"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
)

// policyCollection is the collection that all lines share, so that a policy number is unique over all of them and one read
// finds its policy.
const policyCollection = "policy"

const policyNumberIndex = "policyNumber"

// line declares a line of insurance by what is its own. What every line has, it gets from declare.
type line[T any] struct {
	name    string
	aliases map[string]string
	// checks are the rows of the errors table for the create; rules hold beside them.
	checks, rules []rest.Check[T]
	// covers answers what a loss cause is checked against, values of causeSet; nil for a line that has no such list.
	covers   func(*T) []string
	causeSet string
	// limit answers the indemnity limit; nil for a line that has none.
	limit func(*T) *scalar.Int
}

// policyOf answers the part of a coverage record that every line has.
func policyOf[T any](v *T) *coverage.Policy {
	return any(v).(interface{ Shared() *coverage.Policy }).Shared()
}

// declare answers the whole resource: policy number and status, their protection, and the policy's transitions.
func declare[T any](l line[T]) rest.Resource[T] {
	aliases := map[string]string{"policyStatus": "status"}
	for name, of := range l.aliases {
		aliases[name] = of
	}
	number := func(v *T) string { return rest.Text(policyOf(v).PolicyNumber) }
	return rest.Resource[T]{
		Name:       l.name,
		Collection: policyCollection,
		Aliases:    aliases,
		Filters:    []rest.Filter[T]{rest.Exact(policyNumberIndex, number)},
		Unique:     []rest.Unique[T]{{Index: policyNumberIndex, Value: number}},
		Checks:     l.checks,
		Rules:      l.rules,
		Issue:      issue[T],
		Keep:       keep[T],
		Status:     func(v *T) **string { return &policyOf(v).Status },
		Actions:    []rest.Action[T]{endorse[T](), cancel[T](), renew[T]()},
	}
}

// issue gives a new policy its number and status.
func issue[T any](d *rest.Draft[T]) {
	p, status := policyOf(d.Value), coverage.InForce
	if id, ok := p.ID.UUID(); ok {
		issued := number.Of("POL", id)
		p.PolicyNumber = &issued
	}
	p.Status = &status
}

// keep restores the number and status that a replacement left out, and refuses others.
func keep[T any](d *rest.Draft[T]) error {
	is, was := policyOf(d.Value), policyOf(d.Stored)
	refused := problem.New(problems.IssuedMember, "policyNumber and status are issued by the exchange; leave them out or send them as they are.")
	for _, m := range []struct {
		name    string
		is, was **string
	}{{"policyNumber", &is.PolicyNumber, &was.PolicyNumber}, {"status", &is.Status, &was.Status}} {
		if *m.is == nil {
			*m.is = *m.was
		}
		if rest.Text(*m.is) != rest.Text(*m.was) {
			refused.At("/"+m.name, "must be "+rest.Text(*m.was))
		}
	}
	if len(refused.Violations) > 0 {
		return refused
	}
	return nil
}

// opened is a declared line, as the internal operations see it, whatever its type.
type opened interface {
	// describe answers what other services need to know of a policy.
	describe(doc docstore.Document) (*internalapi.Policy, error)
	// lapser answers what makes the policy lapse.
	lapser() lapser
}

// openedLine is a declared line with its records.
type openedLine[T any] struct {
	line[T]
	records *rest.Records[T]
}

func (l openedLine[T]) describe(doc docstore.Document) (*internalapi.Policy, error) {
	record, err := l.records.Decode(doc)
	if err != nil {
		return nil, err
	}
	p := policyOf(&record.Value)
	facts := &internalapi.Policy{
		PolicyNumber: rest.Text(p.PolicyNumber), Line: l.name, PolicyholderID: p.PolicyholderID,
		InceptionDate: p.InceptionDate, ExpiryDate: p.ExpiryDate,
		EndedAt: scalar.DateTime{Time: record.FirstTo(coverage.Cancelled, coverage.Lapsed)},
	}
	if l.covers != nil {
		facts.Covers, facts.CauseSet = l.covers(&record.Value), l.causeSet
	}
	if l.limit != nil {
		facts.IndemnityLimitPolicy = l.limit(&record.Value)
	}
	return facts, nil
}
