package coverage

import (
	"context"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/query"
)

// renewalOf is the name of the index that holds the id of the policy which a policy renews.
const renewalOf = "renewalOf"

// shower is a function that returns a record of a resource by its id.
type shower func(ctx context.Context, resource, id string) (query.Shown, bool, error)

// wholePolicy is the response of the internal operation that returns a policy with what belongs to it.
type wholePolicy struct {
	Coverage       query.Shown `json:"coverage"`
	Owner          string      `json:"owner,omitzero"`
	PolicyholderID string      `json:"policyholderId,omitzero"`
	EffectiveDate  time.Time   `json:"effectiveDate,omitzero"`
	CoverEnds      time.Time   `json:"coverEnds,omitzero"`
	Replaces       string      `json:"replaces,omitzero"`
	ReplacedBy     []string    `json:"replacedBy,omitempty"`
	Insured        *query.Part `json:"insured,omitzero"`
	RenewalsBefore *query.Part `json:"renewalsBefore,omitzero"`
	RenewalsAfter  *query.Part `json:"renewalsAfter,omitzero"`
}

// whole serves the internal operation that returns a policy with what belongs to it.
func (e *environment) whole(c *gin.Context) {
	asked, err := query.ReadPart(c.Request.URL.RawQuery, internalapi.MostSkipped, internalapi.InsuredPart,
		internalapi.RenewalsBeforePart, internalapi.RenewalsAfterPart)
	var whole *wholePolicy
	if err == nil {
		var doc docstore.Document
		var line opened
		if doc, line, err = e.policy(c.Request.Context(), c.Param("policyNumber")); err == nil {
			whole, err = line.whole(c.Request.Context(), doc, asked, e.show)
		}
		if err == nil && asked.Part == "" {
			whole.ReplacedBy, err = e.replacedBy(c.Request.Context(), c.Param("policyNumber"))
		}
	}
	rest.Respond(c, whole, err)
}

// lookedUp returns what the look-up of a policy responds with, and its path, if a document has a policy.
func (e *environment) lookedUp(doc docstore.Document) (path string, fact any, err error) {
	resource, err := rest.ResourceOf(doc)
	line := e.lines[resource]
	if err != nil || line == nil {
		return "", nil, err
	}
	// Nothing is read for what was written last.
	facts, _, err := line.describe(context.Background(), doc, time.Time{})
	if err != nil {
		return "", nil, err
	}
	return internalapi.PolicyPath + facts.PolicyNumber, facts, nil
}

func (l openedLine[T]) whole(
	ctx context.Context, doc docstore.Document, asked query.PartQuery, show shower,
) (*wholePolicy, error) {
	record, err := l.records.Decode(doc)
	if err != nil {
		return nil, err
	}
	whole := &wholePolicy{
		Owner: doc.Owner, PolicyholderID: string(policyOf(record.Value).PolicyholderID), CoverEnds: record.CoverEnds(),
		Replaces: record.Pinned(replacesIndex),
	}
	if effect := record.Effect(); effect != nil {
		whole.EffectiveDate = effect.Date
	}
	if whole.Coverage, _, err = l.records.Shown(doc); err != nil {
		return nil, err
	}
	if asked.Wants(internalapi.InsuredPart) {
		// What a policy insures is its owner's, and seen with it.
		owned := ctx
		if !request.OrganisationFrom(ctx).Sees(doc.Owner) {
			if owned, err = request.ForOwner(ctx, doc.Owner); err != nil {
				return nil, err
			}
		}
		whole.Insured, err = l.insured(owned, record, asked.Skip, show)
	}
	if err == nil && asked.Wants(internalapi.RenewalsBeforePart) {
		whole.RenewalsBefore, err = l.renewed(ctx, record, asked.Skip, show)
	}
	if err == nil && asked.Wants(internalapi.RenewalsAfterPart) {
		whole.RenewalsAfter, err = l.renewals(ctx, doc.ID.String(), asked.Skip)
	}
	return whole, err
}

// collected is a part that is put together from single records.
type collected struct {
	query.Part
	skip, size int
}

func collecting(skip int) *collected {
	return &collected{Part: query.Part{Records: []query.Shown{}}, skip: skip}
}

// full reports whether no other record fits: then there are more.
func (c *collected) full() bool {
	c.More = len(c.Records) == internalapi.LengthOfPart || c.size >= rest.MaxPage
	return c.More
}

// add adds a record, or leaves it out before the part.
func (c *collected) add(record query.Shown) {
	if c.skip > 0 {
		c.skip--
		return
	}
	c.Records = append(c.Records, record)
	c.size += len(record.Record)
}

// parties are the members that name parties of a policy, and not what it insures or whom it covers.
var parties = []string{"policyholderId", brokerMember, agentMember}

// insured returns the records that a policy insures or covers, in the order in which it names them.
func (l openedLine[T]) insured(
	ctx context.Context, record *rest.Record[T], skip int, show shower,
) (*query.Part, error) {
	records := collecting(0)
	for _, reference := range l.records.References(record.Value) {
		if slices.Contains(parties, reference.Member) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if records.full() {
			break
		}
		object, exists, err := show(ctx, reference.Targets, reference.Value)
		if err != nil {
			return nil, err
		}
		if exists {
			records.add(object)
		}
	}
	return &records.Part, nil
}

// renewed returns the policies that a policy renews: the one that it was made of, the one that this was made of, and so
// on.
func (l openedLine[T]) renewed(
	ctx context.Context, record *rest.Record[T], skip int, show shower,
) (*query.Part, error) {
	records := collecting(skip)
	for id := record.MadeOf(); id != "" && !records.full(); {
		before, exists, err := l.records.Get(ctx, id)
		if err != nil || !exists {
			return &records.Part, err
		}
		shown, _, err := show(ctx, l.name, id)
		if err != nil {
			return nil, err
		}
		records.add(shown)
		id = before.MadeOf()
	}
	return &records.Part, nil
}

// renewals returns the policies that renew a policy: those made of it, then those made of these, and so on.
func (l openedLine[T]) renewals(ctx context.Context, id string, skip int) (*query.Part, error) {
	records := collecting(skip)
	for next := []string{id}; len(next) > 0; next = next[1:] {
		for from := 0; ; from += internalapi.LengthOfPart {
			renewals, err := l.records.Part(ctx, renewalOf, next[0], from, internalapi.LengthOfPart)
			if err != nil {
				return nil, err
			}
			for _, renewal := range renewals.Records {
				if records.full() {
					return &records.Part, nil
				}
				records.add(renewal)
				next = append(next, renewal.ID)
			}
			if !renewals.More {
				break
			}
		}
	}
	return &records.Part, nil
}
