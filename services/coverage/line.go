package coverage

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/number"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
	"insurance.example/exchange/pkg/rest/search"
)

// policyCollection is the collection that all lines share. So a policy number is unique over all lines, and one read
// finds its policy.
const policyCollection = "policy"

const policyNumberIndex = "policyNumber"

// replacesIndex is the index of the number of the policy that a policy replaces.
const replacesIndex = "replaces"

// insuredIndex is the index of what policies insure or cover, whatever its resource is.
const insuredIndex = "insured"

// line holds what distinguishes a line of insurance from the others. declare adds what all lines have in common.
type line[T any] struct {
	name    string
	aliases map[string]string
	flatten []string
	// checks are the rows of the errors table for the creation, in the order of the table. rules are conditions that
	// the table does not list.
	checks, rules []rest.Check[T]
	// covers returns the values of causeSet that a policy covers as loss causes. It is nil for a line without such a
	// list.
	covers   func(T) []string
	causeSet string
	// openTerm says that a policy created without inceptionDate is in force from its creation.
	openTerm bool
	// extensionOnly says that the one endorsement is a policy extension, and that there is no renewal (travel).
	extensionOnly bool
	// waiting returns the waiting period in days. waits says from which date to which it is counted. waiting is nil
	// for a line without a waiting period.
	waiting func(T) *scalar.Int
	waits   internalapi.Waits
	// search are the members that only records of the line are searched by. Those with an index share insuredIndex.
	search []search.Field
	// expand are what a search can embed in them beyond the policyholder.
	expand []search.Expansion
	// limit returns the indemnity limit. It is nil for a line without one.
	limit func(T) *scalar.Int
}

// policyOf returns the part of a coverage record that every line has.
func policyOf[T any](v T) *coverage.Policy {
	return any(v).(interface{ Shared() *coverage.Policy }).Shared()
}

// declare returns the declaration of the resource of a line. It adds what all lines have in common: the policy
// number, the status with its transitions, and the rule about extensions.
func declare[T any](e *environment, l line[T]) rest.Resource[T] {
	aliases := map[string]string{"policyStatus": "status"}
	for name, of := range l.aliases {
		aliases[name] = of
	}
	actions := []rest.Action[T]{endorse[T](l.extensionOnly), cancel[T]()}
	if !l.extensionOnly {
		actions = append(actions, renew[T](e))
	}
	number := func(v T) string { return rest.Text(policyOf(v).PolicyNumber) }
	madeOf := renewalOf
	if l.extensionOnly {
		madeOf = ""
	}
	return rest.Resource[T]{
		Name:       l.name,
		Collection: policyCollection,
		SharedBy:   policyNumberIndex,
		Aliases:    aliases,
		Flatten:    l.flatten,
		Filters:    []rest.Filter[T]{rest.Exact(policyNumberIndex, number)},
		Indexes:    []docstore.Index{{Name: replacesIndex}},
		Unique:     []rest.Unique[T]{{Index: policyNumberIndex, Global: true, Value: number}},
		Search: append([]search.Field{
			search.Text(policyNumberIndex).Leads(), search.ID("policyholderId").Leads(),
			search.Instant("expiryDate").LeadsByMonth(), search.Instant("inceptionDate").LeadsByMonth(),
			search.Text("status"),
		}, l.search...),
		Expand: append([]search.Expansion{
			search.Expand("policyholder", "policyholderId").By("parties"),
			search.Expand("broker", brokerMember).By("parties"), search.Expand("agent", agentMember).By("parties"),
		}, l.expand...),
		Checks: l.checks,
		Rules: append(l.rules, extensionKept[T](), replacesExists[T](e),
			intermediaryExists[T](e, brokerMember), intermediaryExists[T](e, agentMember)),
		Pin:           pinReplaced[T],
		Issue:         issue[T](l.openTerm),
		BeforeReplace: keepInception[T](l.openTerm),
		Status:        func(v T) **string { return &policyOf(v).Status },
		Temporary:     []string{coverage.Extended},
		Actions:       actions,
		Unusual: func(ctx context.Context, d *rest.Draft[T]) {
			e.lines[l.name].(openedLine[T]).insuredTwice(ctx, d)
		},
		Begins: func(v T) time.Time { return policyOf(v).InceptionDate.Time() },
		MadeOf: madeOf,
	}
}

// issue returns the function that sets the number and status of a new policy. With openTerm it also sets an
// inceptionDate that was not sent.
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

// keepInception returns the function that keeps the inceptionDate of an open term if a replacement leaves it out, and
// the policy that was replaced in any case.
func keepInception[T any](openTerm bool) func(*rest.Draft[T]) error {
	return func(d *rest.Draft[T]) error {
		is, was := policyOf(d.Value), policyOf(d.Stored)
		if openTerm && is.InceptionDate.IsZero() {
			is.InceptionDate = was.InceptionDate
		}
		if d.Record.Pinned(replacesIndex) != "" {
			is.Replaces = was.Replaces
		}
		return nil
	}
}

// opened is a declared line as the internal operations use it, independent of the type of its records.
type opened interface {
	// describe returns the facts about a policy that other services need: its present term, and what counts at an
	// instant, or what was written last for the zero time. since is from when on what was written last counts.
	describe(ctx context.Context, doc docstore.Document, at time.Time) (
		facts *internalapi.Policy, since time.Time, err error)
	// lapse makes a policy of the line lapse, by its id and a request of a billing system.
	lapse(c *gin.Context, id string) error
	// whole returns a policy with those of its parts that are asked for.
	whole(ctx context.Context, doc docstore.Document, asked query.PartQuery, show shower) (*wholePolicy, error)
}

// openedLine is a declared line with its records.
type openedLine[T any] struct {
	line[T]
	records *rest.Records[T]
}

func (l openedLine[T]) describe(
	ctx context.Context, doc docstore.Document, at time.Time,
) (facts *internalapi.Policy, since time.Time, err error) {
	record, err := l.records.Decode(doc)
	if err != nil {
		return nil, since, err
	}
	terms := record.Value
	if effect := record.Effect(); effect != nil {
		since = effect.Date
	}
	if !at.IsZero() && at.Before(since) {
		if terms, err = l.termsAt(ctx, doc, at); err != nil {
			return nil, since, err
		}
	}
	p := policyOf(record.Value)
	facts = &internalapi.Policy{
		PolicyNumber: rest.Text(p.PolicyNumber), Owner: doc.Owner, Line: l.name, PolicyholderID: p.PolicyholderID,
		InceptionDate: p.InceptionDate, ExpiryDate: p.ExpiryDate,
	}
	if ended := coverOf(record); !ended.IsZero() {
		facts.EndedAt = scalar.Instant(ended)
	}
	if l.covers != nil {
		facts.Covers, facts.CauseSet = l.covers(terms), l.causeSet
	}
	if l.waiting != nil {
		facts.WaitingPeriod, facts.Waits = l.waiting(terms), l.waits
	}
	if l.limit != nil {
		facts.IndemnityLimitPolicy = l.limit(terms)
	}
	return facts, since, nil
}

// termsAt returns a policy as it counts at an instant, by the effective dates of its endorsements.
func (l openedLine[T]) termsAt(ctx context.Context, doc docstore.Document, at time.Time) (terms T, err error) {
	doc, err = l.records.InEffect(ctx, doc, at)
	if err != nil {
		return terms, err
	}
	record, err := l.records.Decode(doc)
	if err != nil {
		return terms, err
	}
	return record.Value, nil
}
