package coverage

import (
	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/number"
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
	flatten []string
	// checks are the rows of the errors table for the creation, in its order; rules are the conditions that no row lists.
	checks, rules []rest.Check[T]
	// covers returns what a loss cause is checked against, values of causeSet; nil for a line that has no such list.
	covers   func(*T) []string
	causeSet string
	// openTerm says that a policy created without inceptionDate is in force from its creation.
	openTerm bool
	// extensionOnly says that the one endorsement is a policy extension, and that there is no renewal (travel).
	extensionOnly bool
	// waiting returns the waiting period in days, counted from one date to another as waits says; nil for a line that has
	// none.
	waiting func(*T) *scalar.Int
	waits   internalapi.Waits
	// limit returns the indemnity limit; nil for a line that has none.
	limit func(*T) *scalar.Int
}

// policyOf returns the part of a coverage record that every line has.
func policyOf[T any](v *T) *coverage.Policy {
	return any(v).(interface{ Shared() *coverage.Policy }).Shared()
}

// declare returns the declaration of a line's resource, with what every line has: the policy number, the status and its
// transitions, and the extension.
func declare[T any](l line[T]) rest.Resource[T] {
	aliases := map[string]string{"policyStatus": "status", "warnings": ""}
	for name, of := range l.aliases {
		aliases[name] = of
	}
	actions := []rest.Action[T]{endorse[T](l.extensionOnly), cancel[T]()}
	if !l.extensionOnly {
		actions = append(actions, renew[T]())
	}
	number := func(v *T) string { return rest.Text(policyOf(v).PolicyNumber) }
	return rest.Resource[T]{
		Name:          l.name,
		Collection:    policyCollection,
		Aliases:       aliases,
		Flatten:       l.flatten,
		Filters:       []rest.Filter[T]{rest.Exact(policyNumberIndex, number)},
		Unique:        []rest.Unique[T]{{Index: policyNumberIndex, Value: number}},
		Checks:        l.checks,
		Rules:         append(l.rules, extensionKept[T]()),
		Issue:         issue[T](l.openTerm),
		BeforeReplace: keepInception[T](l.openTerm),
		Status:        func(v *T) **string { return &policyOf(v).Status },
		Actions:       actions,
	}
}

// issue gives a new policy its number and status, and an open term its beginning.
func issue[T any](openTerm bool) func(*rest.Draft[T]) {
	return func(d *rest.Draft[T]) {
		p, status := policyOf(d.Value), coverage.InForce
		if id, ok := p.ID.UUID(); ok {
			issued := number.Of("POL", id)
			p.PolicyNumber = &issued
		}
		p.Status = &status
		if openTerm && p.InceptionDate.IsZero() {
			p.InceptionDate = scalar.Instant(d.Now)
		}
	}
}

// keepInception gives a replacement that leaves out the beginning of an open term the one that it had.
func keepInception[T any](openTerm bool) func(*rest.Draft[T]) error {
	return func(d *rest.Draft[T]) error {
		if is := policyOf(d.Value); openTerm && is.InceptionDate.IsZero() {
			is.InceptionDate = policyOf(d.Stored).InceptionDate
		}
		return nil
	}
}

// opened is a declared line, as the internal operations see it, whatever its type.
type opened interface {
	// describe returns what other services need to know of a policy.
	describe(doc docstore.Document) (*internalapi.Policy, error)
	// lapser returns what makes the policy lapse.
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
	}
	if ended := record.FirstTo(coverage.Cancelled, coverage.Lapsed); !ended.IsZero() {
		facts.EndedAt = scalar.Instant(ended)
	}
	if l.covers != nil {
		facts.Covers, facts.CauseSet = l.covers(&record.Value), l.causeSet
	}
	if l.waiting != nil {
		facts.WaitingPeriod, facts.Waits = l.waiting(&record.Value), l.waits
	}
	if l.limit != nil {
		facts.IndemnityLimitPolicy = l.limit(&record.Value)
	}
	return facts, nil
}
