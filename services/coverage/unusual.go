package coverage

import (
	"context"
	"slices"
	"time"

	"insurance.example/exchange/contracts/coverage"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/jsonobject/jsonmember"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/inspect"
)

// objectMembers are the members that name what a policy insures, and not whom it covers.
var objectMembers = []string{
	"vehicleId", "businessId", "propertyId", "propertyIds", "debtorId", "propertyRef", "petId",
}

// mostInsured is for how many of the objects of a policy its other policies are looked up.
const mostInsured = 10

// insuredTwice warns of a new policy of a line if another one insures the same, and their terms overlap.
func (l openedLine[T]) insuredTwice(ctx context.Context, d *rest.Draft[T]) {
	if d.Record != nil {
		return
	}
	objects := slices.DeleteFunc(l.records.References(d.Value), func(r inspect.Reference) bool {
		return !slices.Contains(objectMembers, r.Member)
	})
	for _, object := range objects[:min(len(objects), mostInsured)] {
		for _, doc := range l.records.Newest(ctx, insuredIndex, object.Value, true) {
			if of, err := rest.ResourceOf(doc); err != nil || of != l.name {
				continue // a property is also what a business interruption attaches to
			}
			record, err := l.records.Decode(doc)
			if err != nil {
				continue
			}
			if other := policyOf(record.Value); overlaps(policyOf(d.Value), other, coverOf(record)) {
				d.Warn("possible-double-cover", "possible double cover", "Policy "+rest.Text(other.PolicyNumber)+
					" covers "+object.Value+" as well, in a term that overlaps.")
				return
			}
		}
	}
}

// coverOf returns when the cover of a policy ended, the zero time if it did not.
func coverOf[T any](record *rest.Record[T]) time.Time {
	if ends := record.CoverEnds(); !ends.IsZero() {
		return ends
	}
	return record.FirstTo(coverage.Cancelled, coverage.Lapsed)
}

// overlaps reports whether the term of a policy overlaps that of another one, whose cover ended at an instant, if it
// did.
func overlaps(p, other *coverage.Policy, ended time.Time) bool {
	from, until := other.InceptionDate.Time(), other.ExpiryDate.Time()
	if until.IsZero() || !ended.IsZero() && ended.Before(until) {
		until = ended
	}
	return (until.IsZero() || p.InceptionDate.Time().Before(until)) &&
		(p.ExpiryDate.IsZero() || from.Before(p.ExpiryDate.Time()))
}

// renewedBefore warns of the renewal of a policy that was renewed already.
func renewedBefore[T any](ctx context.Context, e *environment, c *rest.Change[T]) {
	renewals, err := e.policies().Find(ctx, request.OrganisationFrom(ctx),
		docstore.Query{Equal: docstore.Keys{renewalOf: c.ID}, Limit: 1, Descending: true})
	if err != nil || len(renewals) == 0 {
		return
	}
	if number, err := jsonmember.Text(renewals[0].Body, policyNumberIndex); err == nil {
		c.Warn("renewed-already", "renewed already", "Policy "+number+" renews the policy as well.")
	}
}
